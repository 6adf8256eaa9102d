// Schemas are put together once, as documents: path, parameters and body of an operation become the properties of one
// object.
#include "operations/tools/tool_schema.hpp"

#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <stdexcept>

#include "core/json.hpp"
#include "core/json_values.hpp"

namespace workforce::operations {
namespace {

using core::find_member;
using core::json_of;
using core::JsonValue;
using core::text_of;
using Allocator = rapidjson::Document::AllocatorType;

constexpr std::string_view kDefinitions = "#/$defs/";
constexpr std::string_view kError =
    R"({"type":"object","description":"Why the call did not succeed; then nothing else is here.",)"
    R"("properties":{"message":{"type":"string"},"code":{"type":"string"},"details":{"type":"object"},)"
    R"("suggestion":{"type":"string"},"retryable":{"type":"boolean"}},"required":["message"]})";

JsonValue text(std::string_view value, Allocator& allocator) {
    return {value.data(), static_cast<rapidjson::SizeType>(value.size()), allocator};
}

rapidjson::Document parse(std::string_view json) {
    rapidjson::Document document;
    document.Parse(json.data(), json.size());
    if (document.HasParseError()) throw std::logic_error("a schema is no JSON: " + std::string(json));
    return document;
}

/// Something with a schema, as a document of its own.
rapidjson::Document written(SchemaWriter writer, Components& components) {
    core::JsonWriter w;
    w.begin_object();
    writer(w, components);
    w.end_object();
    return parse(w.text());
}

/// The definitions that the schemas refer to, by name.
rapidjson::Document definitions_of(Components& components) {
    core::JsonWriter w;
    w.begin_object();
    components.write(w);
    w.end_object();
    return parse(w.text());
}

/// The schema itself, or the definition that it refers to.
JsonValue const& resolved(JsonValue const& schema, JsonValue const& definitions) {
    auto const* reference = find_member(&schema, "$ref");
    return reference == nullptr ? schema : definitions[reference->GetString() + kDefinitions.size()];
}

JsonTypes named_type(std::string_view name) {
    if (name == "null") return kJsonNull;
    if (name == "boolean") return kJsonBoolean;
    if (name == "integer") return kJsonInteger;
    if (name == "number") return kJsonNumber;
    if (name == "string") return kJsonString;
    if (name == "array") return kJsonArray;
    if (name == "object") return kJsonObject;
    throw std::logic_error("a schema has an unknown type: " + std::string(name));
}

JsonTypes types_of(JsonValue const& schema, JsonValue const& definitions) {
    auto const& own = resolved(schema, definitions);
    if (auto const* type = find_member(&own, "type")) {
        if (type->IsString()) return named_type(text_of(*type));
        JsonTypes all = 0;
        for (auto const& each : type->GetArray()) all |= named_type(text_of(each));
        return all;
    }
    auto const* choices = find_member(&own, "anyOf");
    if (choices == nullptr) choices = find_member(&own, "oneOf");
    if (choices == nullptr) return kJsonAny;
    JsonTypes all = 0;
    for (auto const& each : choices->GetArray()) all |= types_of(each, definitions);
    return all;
}

/// Those of its alternatives too: a struct that may be null has one with members.
KnownMembers members_of(JsonValue const& schema, JsonValue const& definitions) {
    auto const& own = resolved(schema, definitions);
    auto const types = types_of(own, definitions);
    bool const whole = types != kJsonAny && (types & kJsonNumber) == kJsonInteger;
    if (auto const* properties = find_member(&own, "properties")) {
        KnownMembers known{.any = false};
        for (auto const& each : properties->GetObject()) {
            known.by_name.emplace(text_of(each.name), members_of(each.value, definitions));
        }
        return known;
    }
    if (auto const* items = find_member(&own, "items")) return members_of(*items, definitions);
    for (auto const* name : {"anyOf", "oneOf"}) {
        auto const* choices = find_member(&own, name);
        if (choices == nullptr) continue;
        for (auto const& each : choices->GetArray()) {
            if (auto known = members_of(each, definitions); !known.any || known.whole) return known;
        }
    }
    return {.whole = whole};
}

/// Drops formats that JSON Schema 2020-12 does not have: clients of tools complain of them.
void drop_other_formats(JsonValue& schema) {
    constexpr std::array<std::string_view, 19> kFormats{
        "date-time", "date", "time",          "duration",     "email",        "idn-email",
        "hostname",  "ipv4", "ipv6",          "uri",          "idn-hostname", "uri-reference",
        "iri",       "uuid", "iri-reference", "uri-template", "json-pointer", "relative-json-pointer",
        "regex"};
    if (schema.IsArray()) {
        for (auto& each : schema.GetArray()) drop_other_formats(each);
    }
    if (!schema.IsObject()) return;
    auto const* format = find_member(&schema, "format");
    if (format != nullptr && format->IsString() && std::ranges::find(kFormats, text_of(*format)) == kFormats.end()) {
        schema.RemoveMember("format");
    }
    for (auto& each : schema.GetObject()) drop_other_formats(each.value);
}

/// Says of all objects in the schema that they have no other members.
void close_objects(JsonValue& schema, Allocator& allocator) {
    if (schema.IsArray()) {
        for (auto& each : schema.GetArray()) close_objects(each, allocator);
    }
    if (!schema.IsObject()) return;
    for (auto& each : schema.GetObject()) close_objects(each.value, allocator);
    bool const has_members = schema.HasMember("properties") && schema["properties"].IsObject();
    if (has_members && !schema.HasMember("additionalProperties")) {
        schema.AddMember("additionalProperties", false, allocator);
    }
}

/// A filter by several values takes one alone as well, as REST does.
void allow_one(rapidjson::Document& list) {
    auto& allocator = list.GetAllocator();
    JsonValue choices(rapidjson::kArrayType);
    choices.PushBack(JsonValue(list["items"], allocator), allocator);
    choices.PushBack(JsonValue(list, allocator), allocator);
    JsonValue either(rapidjson::kObjectType);
    either.AddMember("anyOf", choices, allocator);
    static_cast<JsonValue&>(list) = std::move(either);
}

/// Adds the names of all definitions that the schema refers to, directly or not.
void collect_references(JsonValue const& schema, JsonValue const& definitions, std::set<std::string>& names) {
    if (schema.IsArray()) {
        for (auto const& each : schema.GetArray()) collect_references(each, definitions, names);
    }
    if (!schema.IsObject()) return;
    if (auto const* reference = find_member(&schema, "$ref"); reference != nullptr && reference->IsString()) {
        std::string const name(text_of(*reference).substr(kDefinitions.size()));
        if (names.insert(name).second) collect_references(definitions[name.c_str()], definitions, names);
    }
    for (auto const& each : schema.GetObject()) collect_references(each.value, definitions, names);
}

/// Adds `$defs` with what the schema refers to.
void add_definitions(rapidjson::Document& schema, JsonValue const& definitions) {
    std::set<std::string> names;
    collect_references(schema, definitions, names);
    if (names.empty()) return;
    auto& allocator = schema.GetAllocator();
    JsonValue needed(rapidjson::kObjectType);
    for (auto const& name : names) {
        needed.AddMember(text(name, allocator), JsonValue(definitions[name.c_str()], allocator), allocator);
    }
    schema.AddMember("$defs", needed, allocator);
}

/// A schema for a field of the operation's input.
struct Field {
    std::string name;
    ToolArgument::Place place;
    bool required;
    rapidjson::Document schema;
};

/// The parameters of a path template, which are positive ids or texts.
void add_path_fields(std::string_view path, std::vector<Field>& fields) {
    while (true) {
        auto const open = path.find('{');
        if (open == std::string_view::npos) return;
        path.remove_prefix(open + 1);
        auto const colon = path.find(':');
        bool const is_id = path.substr(colon + 1).starts_with("int}");
        fields.push_back({std::string(path.substr(0, colon)), ToolArgument::Place::path, true,
                          parse(is_id ? fmt::format(R"({{"type":"integer","minimum":1,"maximum":{}}})", core::kMaxId)
                                      : R"({"type":"string","minLength":1})")});
    }
}

void add_parameters(std::vector<Parameter> const& parameters, Components& components, std::vector<Field>& fields) {
    for (auto const& parameter : parameters) {
        Field field{std::string(parameter.name), ToolArgument::Place::parameter, parameter.required,
                    written(parameter.schema, components)};
        auto& allocator = field.schema.GetAllocator();
        if (!parameter.values.empty()) {
            JsonValue values(rapidjson::kArrayType);
            for (auto const& value : parameter.values) values.PushBack(text(value, allocator), allocator);
            field.schema.SetObject();
            field.schema.AddMember("type", "string", allocator);
            field.schema.AddMember("enum", values, allocator);
        }
        if (parameter.is_list && field.schema.HasMember("items")) allow_one(field.schema);
        if (!parameter.description.empty()) {
            field.schema.AddMember("description", text(parameter.description, allocator), allocator);
        }
        fields.push_back(std::move(field));
    }
}

bool lists(JsonValue const* names, std::string_view name) {
    return names != nullptr &&
           std::ranges::any_of(names->GetArray(), [&](auto const& each) { return text_of(each) == name; });
}

/// The members of the body, whose schema is that of one object.
void add_members(JsonValue const& body, JsonValue const& definitions, std::vector<Field>& fields) {
    auto const& object = resolved(body, definitions);
    auto const* properties = find_member(&object, "properties");
    if (properties == nullptr) throw std::logic_error("the body of a tool's operation is no object of known members");
    auto const* required = find_member(&object, "required");
    for (auto const& property : properties->GetObject()) {
        std::string const name(text_of(property.name));
        Field field{name, ToolArgument::Place::body, lists(required, name), {}};
        field.schema.CopyFrom(property.value, field.schema.GetAllocator());
        fields.push_back(std::move(field));
    }
}

bool contains(std::vector<std::string_view> const& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

/// Drops what the tool leaves out, and what is a parameter and a member of the body as well.
void drop_omitted(ToolBinding const& binding, std::vector<Field>& fields) {
    std::set<std::string> seen;
    std::erase_if(fields, [&](Field const& field) {
        return contains(binding.omitted, field.name) || !seen.insert(field.name).second;
    });
}

std::string argument_of(ToolBinding const& binding, std::string_view field) {
    auto const found = std::ranges::find(binding.renamed, field, &RenamedField::field);
    return std::string(found == binding.renamed.end() ? field : found->argument);
}

/// Refuses a row that names what is not there.
void check_binding(ToolBinding const& binding, std::vector<ToolArgument> const& arguments) {
    auto const refuse = [&](std::string_view name) {
        return std::logic_error(
            fmt::format("the tool {} names {}, which its operation has not or has twice", binding.name, name));
    };
    std::set<std::string_view> names;
    for (auto const& argument : arguments) {
        if (!names.insert(argument.name).second) throw refuse(argument.name);
    }
    for (auto const& renamed : binding.renamed) {
        if (!names.contains(renamed.argument)) throw refuse(renamed.field);
    }
    for (auto const& required : binding.required) {
        if (!names.contains(required)) throw refuse(required);
    }
}

/// The schemas one of which an answer has.
std::vector<JsonValue const*> choices_of(JsonValue const& answer) {
    auto const* choices = find_member(&answer, "oneOf");
    if (choices == nullptr) return {&answer};
    std::vector<JsonValue const*> all;
    for (auto const& each : choices->GetArray()) all.push_back(&each);
    return all;
}

/// Adds the properties of an answer, and that it has those that it requires. What two answers call alike is alike.
void add_success(JsonValue const& object, JsonValue& properties, JsonValue& successes, Allocator& allocator) {
    for (auto const& each : object["properties"].GetObject()) {
        if (properties.HasMember(each.name)) continue;
        properties.AddMember(JsonValue(each.name, allocator), JsonValue(each.value, allocator), allocator);
    }
    auto const* required = find_member(&object, "required");
    if (required == nullptr) return;
    JsonValue success(rapidjson::kObjectType);
    success.AddMember("required", JsonValue(*required, allocator), allocator);
    successes.PushBack(success, allocator);
}

std::string output_of(Operation const& operation) {
    auto const& binding = operation.tool;
    Components components{std::string(kDefinitions)};
    auto const writer = binding.answer == nullptr ? operation.answer : binding.answer;
    rapidjson::Document schema(rapidjson::kObjectType);
    auto& allocator = schema.GetAllocator();
    schema.AddMember("type", "object", allocator);
    JsonValue properties(rapidjson::kObjectType);
    JsonValue successes(rapidjson::kArrayType);
    rapidjson::Document definitions(rapidjson::kObjectType);
    if (writer != nullptr) {
        auto const answer = written(writer, components);
        definitions = definitions_of(components);
        if (binding.answers_list) {
            properties.AddMember("data", JsonValue(answer, allocator), allocator);
            successes.PushBack(JsonValue(parse(R"({"required":["data"]})"), allocator), allocator);
        } else {
            for (auto const* choice : choices_of(answer)) {
                add_success(resolved(*choice, definitions), properties, successes, allocator);
            }
        }
    }
    properties.AddMember("error", JsonValue(parse(kError), allocator), allocator);
    schema.AddMember("properties", properties, allocator);
    if (!successes.Empty()) {
        successes.PushBack(JsonValue(parse(R"({"required":["error"]})"), allocator), allocator);
        schema.AddMember("anyOf", successes, allocator);
    }
    add_definitions(schema, definitions);
    drop_other_formats(schema);
    return json_of(schema);
}

}  // namespace

ToolShape shape_of(Operation const& operation) {
    auto const& binding = operation.tool;
    Components components{std::string(kDefinitions)};
    std::vector<Field> fields;
    add_path_fields(operation.http.path, fields);
    add_parameters(operation.parameters, components, fields);
    auto const writer = binding.input == nullptr ? operation.body : binding.input;
    std::optional<rapidjson::Document> body;
    if (writer != nullptr) body = written(writer, components);
    auto const definitions = definitions_of(components);
    if (body) add_members(*body, definitions, fields);
    drop_omitted(binding, fields);

    ToolShape shape;
    rapidjson::Document schema(rapidjson::kObjectType);
    auto& allocator = schema.GetAllocator();
    JsonValue properties(rapidjson::kObjectType);
    JsonValue required(rapidjson::kArrayType);
    for (auto const& field : fields) {
        auto& argument = shape.arguments.emplace_back();
        argument.name = argument_of(binding, field.name);
        argument.field = field.name;
        argument.place = field.place;
        argument.required = field.required || contains(binding.required, argument.name);
        argument.types = types_of(field.schema, definitions);
        argument.members = members_of(field.schema, definitions);
        properties.AddMember(text(argument.name, allocator), JsonValue(field.schema, allocator), allocator);
        if (argument.required) required.PushBack(text(argument.name, allocator), allocator);
    }
    check_binding(binding, shape.arguments);
    schema.AddMember("type", "object", allocator);
    schema.AddMember("properties", properties, allocator);
    if (!required.Empty()) schema.AddMember("required", required, allocator);
    add_definitions(schema, definitions);
    close_objects(schema, allocator);
    drop_other_formats(schema);
    shape.input = json_of(schema);
    shape.output = output_of(operation);
    return shape;
}

}  // namespace workforce::operations
