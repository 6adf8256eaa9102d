// The description of REST and the definitions of tools say in words what everything means.
#include <gtest/gtest.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "api/rest/route.hpp"
#include "operations/tools/tool.hpp"
#include "operations/words/words.hpp"

namespace workforce::api {
namespace {

using nlohmann::json;

json const& openapi() {
    static json const document = json::parse(openapi_document());
    return document;
}

/// The words of a text or a name in lower case, but for those that say nothing.
std::set<std::string> words_in(std::string_view text) {
    std::set<std::string> all;
    std::string word;
    auto const end = [&] {
        static std::set<std::string> const empty{"", "a", "an", "the", "of", "its", "it", "is", "this", "s"};
        if (!empty.contains(word)) all.insert(word);
        word.clear();
    };
    for (char const c : text) {
        auto const letter = static_cast<unsigned char>(c);
        if (std::isalnum(letter) == 0) {
            end();
            continue;
        }
        if (std::isupper(letter) != 0 && (word.empty() || std::isupper(static_cast<unsigned char>(word.back())) == 0))
            end();
        word += static_cast<char>(std::tolower(letter));
    }
    end();
    return all;
}

/// What is wrong with the description of what is called `name`; empty: nothing.
std::string fault_of(std::string_view name, json const& described) {
    auto const text = described.value("description", "");
    if (text.empty()) return "says nothing";
    auto const told = words_in(text);
    auto const known = words_in(name);
    bool const repeats = std::includes(known.begin(), known.end(), told.begin(), told.end());
    return repeats ? "repeats its name: " + text : "";
}

TEST(OpenApiWords, AreThereForEveryMember) {
    for (auto const& [name, schema] : openapi()["components"]["schemas"].items()) {
        auto const members = schema.value("properties", json::object());
        for (auto const& [member, property] : members.items()) {
            EXPECT_EQ(fault_of(member, property), "") << name << '.' << member;
        }
        if (schema.contains("enum")) EXPECT_EQ(fault_of(name, schema), "") << name;
    }
}

TEST(OpenApiWords, AreThereForEveryOperationAndParameter) {
    for (auto const& [path, methods] : openapi()["paths"].items()) {
        for (auto const& [method, operation] : methods.items()) {
            EXPECT_EQ(fault_of(operation["operationId"].get<std::string>(), operation), "") << method << ' ' << path;
            EXPECT_NE(operation["description"], operation["summary"]) << method << ' ' << path;
            for (auto const& parameter : operation["parameters"]) {
                auto const& shown =
                    parameter.contains("$ref")
                        ? openapi().at(json::json_pointer(parameter["$ref"].get<std::string>().substr(1)))
                        : parameter;
                EXPECT_EQ(fault_of(shown["name"].get<std::string>(), shown), "")
                    << method << ' ' << path << ' ' << shown["name"];
            }
        }
    }
    for (auto const& [name, header] : openapi()["components"]["headers"].items())
        EXPECT_EQ(fault_of(name, header), "") << name;
}

/// Adds what is wrong with the properties in a schema, at any depth.
void check_properties(json const& schema, std::string const& place, std::set<std::string>& faults) {
    if (!schema.is_structured()) return;
    if (schema.is_object() && schema.contains("properties")) {
        for (auto const& [name, property] : schema["properties"].items()) {
            if (auto const fault = fault_of(name, property); !fault.empty())
                faults.insert(place + '.' + name + ' ' + fault);
        }
    }
    for (auto const& [key, each] : schema.items()) check_properties(each, place, faults);
}

TEST(OpenApiWords, AreThereForEveryToolAndItsArguments) {
    for (auto const& tool : operations::tools()) {
        auto const definition = json::parse(tool.definition);
        EXPECT_EQ(fault_of(tool.name, definition), "") << tool.name;
        std::set<std::string> faults;
        check_properties(definition["inputSchema"], std::string(tool.name), faults);
        EXPECT_TRUE(faults.empty()) << *faults.begin();
    }
}

TEST(OpenApiWords, NameNoOperationInBraces) {
    auto const text = openapi().dump();
    for (auto const& operation : operations::operations()) {
        EXPECT_EQ(text.find("{" + std::string(operation.name) + "}"), std::string::npos) << operation.name;
    }
}

/// Whether the text stands in the description, as far as it names no operation.
bool is_shown(std::string const& document, std::string_view text) {
    auto const plain = json(text.substr(0, text.find('{'))).dump();
    return document.find(plain.substr(1, plain.size() - 2)) != std::string::npos;
}

TEST(OpenApiWords, AreAllShownSomewhere) {
    auto const document = openapi().dump();
    for (auto const& group : operations::all_words()) {
        for (auto const& [member, text] : group.members) {
            EXPECT_TRUE(is_shown(document, text)) << group.structs.front() << '.' << member << ": " << text;
        }
    }
}

}  // namespace
}  // namespace workforce::api
