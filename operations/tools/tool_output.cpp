// Answers as models' clients read them: names and types.
#include "operations/tools/tool_output.hpp"

#include <algorithm>
#include <vector>

#include "core/json_values.hpp"
#include "operations/tools/schema_edit.hpp"

namespace workforce::operations {
namespace {

using core::find_member;
using core::JsonValue;
using core::text_of;

constexpr std::string_view kError =
    R"({"type":["object","null"],"description":"Why the call failed: code, message, suggestion; then nothing else is here"})";
constexpr std::string_view kWaits =
    R"({"type":["integer","null"],"description":"With status pending_approval: the call waits"})";
/// What has fewer members is told each time.
constexpr rapidjson::SizeType kMany = 8;

/// An operation's answer, with what it refers to.
struct ToolAnswer {
    rapidjson::Document schema;
    rapidjson::Document definitions;
};

ToolAnswer answer_of_tool(Operation const& operation) {
    Components components{std::string(kDefinitions)};
    auto const writer = operation.tool.answer == nullptr ? operation.answer : operation.tool.answer;
    ToolAnswer answer{rapidjson::Document(rapidjson::kObjectType), {}};
    if (writer != nullptr) answer.schema = written(writer, components);
    answer.definitions = definitions_of(components);
    return answer;
}

JsonValue const* many_members(JsonValue const& object) {
    auto const* members = find_member(&object, "properties");
    return members != nullptr && members->MemberCount() >= kMany ? members : nullptr;
}

/// Whether the object has all members of the other, as they are there.
bool has_all_of(JsonValue const& object, JsonValue const& other) {
    auto const* members = many_members(object);
    auto const* others = many_members(other);
    if (members == nullptr || others == nullptr) return false;
    return std::ranges::all_of(others->GetObject(), [&](auto const& each) {
        auto const found = members->FindMember(each.name);
        return found != members->MemberEnd() && found->value == each.value;
    });
}

/// The schemas one of which the answer has.
std::vector<JsonValue const*> choices_of(JsonValue const& answer) {
    auto const* choices = find_member(&answer, "oneOf");
    if (choices == nullptr) return {&answer};
    std::vector<JsonValue const*> all;
    for (auto const& each : choices->GetArray()) all.push_back(&each);
    return all;
}

/// The member that tells which of its alternatives an answer is.
std::string_view first_required(JsonValue const& object) {
    auto const* required = find_member(&object, "required");
    return required == nullptr || required->Empty() ? std::string_view() : text_of((*required)[0]);
}

void require(JsonValue& alternatives, std::string_view member, SchemaAllocator& allocator) {
    JsonValue names(rapidjson::kArrayType);
    names.PushBack(text_value(member, allocator), allocator);
    JsonValue alternative(rapidjson::kObjectType);
    alternative.AddMember("required", names, allocator);
    alternatives.PushBack(alternative, allocator);
}

/// What there is of the definition besides what another tool tells.
JsonValue besides(JsonValue const& definition, JsonValue const& told, std::string_view tool,
                  SchemaAllocator& allocator) {
    JsonValue rest(rapidjson::kObjectType);
    for (auto const& each : definition["properties"].GetObject()) {
        if (told["properties"].HasMember(each.name)) continue;
        rest.AddMember(JsonValue(each.name, allocator), JsonValue(each.value, allocator), allocator);
    }
    JsonValue object(rapidjson::kObjectType);
    object.AddMember("type", "object", allocator);
    object.AddMember("description", text_value("As " + std::string(tool) + " returns it", allocator), allocator);
    if (!rest.ObjectEmpty()) object.AddMember("properties", rest, allocator);
    return object;
}

/// Adds the members of an answer to those of the schema. What two answers call alike is alike.
void add_answer(JsonValue const& object, JsonValue& schema, JsonValue& properties, SchemaAllocator& allocator) {
    if (auto const* words = find_member(&object, "description"); words != nullptr && !schema.HasMember("description")) {
        schema.AddMember("description", JsonValue(*words, allocator), allocator);
    }
    auto const* members = find_member(&object, "properties");
    if (members == nullptr) return;
    for (auto const& each : members->GetObject()) {
        if (properties.HasMember(each.name)) continue;
        properties.AddMember(JsonValue(each.name, allocator), JsonValue(each.value, allocator), allocator);
    }
}

}  // namespace

ToolOutputs::ToolOutputs(std::span<Operation const> offered) {
    // Who asks for one of them is told of it, else who comes first.
    for (bool const alone : {true, false}) {
        for (auto const& operation : offered) {
            if (!operation.tool || operation.effect != Effect::read) continue;
            auto answer = answer_of_tool(operation);
            keep_types(answer.definitions);
            for (auto const& definition : answer.definitions.GetObject()) {
                std::string const name(text_of(definition.name));
                if (many_members(definition.value) == nullptr || told_.contains(name)) continue;
                if (alone && referred(answer.schema) != name) continue;
                rapidjson::Document copy;
                copy.CopyFrom(definition.value, copy.GetAllocator());
                told_.emplace(name, Told{operation.tool.name, std::move(copy)});
            }
        }
    }
}

ToolOutputs::Told const* ToolOutputs::telling(std::string_view tool, JsonValue const& name,
                                              JsonValue const& definition) const {
    if (auto const same = told_.find(text_of(name)); same != told_.end()) {
        return same->second.tool == tool ? nullptr : &same->second;
    }
    for (auto const& [resource, told] : told_) {
        if (told.tool != tool && has_all_of(definition, told.definition)) return &told;
    }
    return nullptr;
}

std::string ToolOutputs::schema_of(Operation const& operation) const {
    auto answer = answer_of_tool(operation);
    auto& definitions = answer.definitions;
    rapidjson::Document schema(rapidjson::kObjectType);
    auto& allocator = schema.GetAllocator();
    JsonValue alternatives(rapidjson::kArrayType);
    for (auto const* choice : choices_of(answer.schema)) {
        auto const first = operation.tool.answers_list ? "data" : first_required(resolved(*choice, definitions));
        if (!first.empty()) require(alternatives, first, allocator);
    }
    keep_types(answer.schema);
    keep_types(definitions);
    for (auto& each : definitions.GetObject()) {
        auto const* told = telling(operation.tool.name, each.name, each.value);
        if (told == nullptr) continue;
        each.value = besides(each.value, told->definition, told->tool, definitions.GetAllocator());
    }
    schema.AddMember("type", "object", allocator);
    JsonValue properties(rapidjson::kObjectType);
    if (operation.tool.answers_list) {
        properties.AddMember("data", JsonValue(answer.schema, allocator), allocator);
    } else {
        for (auto const* choice : choices_of(answer.schema)) {
            add_answer(resolved(*choice, definitions), schema, properties, allocator);
        }
    }
    if (!properties.HasMember("approvalId")) {
        properties.AddMember("approvalId", JsonValue(parse_schema(kWaits), allocator), allocator);
    }
    auto error = parse_schema(kError);
    // An answer may have an error of its own, of another type.
    if (properties.RemoveMember("error")) error.RemoveMember("type");
    properties.AddMember("error", JsonValue(error, allocator), allocator);
    schema.AddMember("properties", properties, allocator);
    if (!alternatives.Empty()) {
        require(alternatives, "error", allocator);
        require(alternatives, "approvalId", allocator);
        schema.AddMember("anyOf", alternatives, allocator);
    }
    place_definitions(schema, definitions);
    return core::json_of(schema);
}

}  // namespace workforce::operations
