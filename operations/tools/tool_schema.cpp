// Schemas are put together once, as documents: path, parameters and body of an operation become the properties of one
// object.
#include "operations/tools/tool_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "core/json.hpp"
#include "core/json_values.hpp"
#include "operations/tools/schema_edit.hpp"
#include "operations/words/words.hpp"

namespace workforce::operations {
namespace {

using core::find_member;
using core::json_of;
using core::JsonValue;
using core::text_of;
using Allocator = SchemaAllocator;

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

/// A schema for a field of the operation's input.
struct Field {
    std::string name;
    ToolArgument::Place place;
    bool required;
    rapidjson::Document schema;
    JsonTypes also = 0;  ///< types that are taken besides those of the schema, as REST takes them
};

/// The parameters of a path template, which are positive ids or texts.
void add_path_fields(std::string_view path, std::vector<Field>& fields) {
    while (true) {
        auto const open = path.find('{');
        if (open == std::string_view::npos) return;
        auto const before = path.substr(0, open - 1);
        auto const segment = before.substr(before.rfind('/') + 1);
        path.remove_prefix(open + 1);
        auto const colon = path.find(':');
        auto const name = path.substr(0, colon);
        bool const is_id = path.substr(colon + 1).starts_with("int}");
        Field field{std::string(name), ToolArgument::Place::path, true,
                    parse_schema(is_id ? fmt::format(R"({{"type":"integer","minimum":1,"maximum":{}}})", core::kMaxId)
                                       : R"({"type":"string","minLength":1})")};
        auto& allocator = field.schema.GetAllocator();
        field.schema.AddMember("description", text_value(words_of_path(segment, name), allocator), allocator);
        fields.push_back(std::move(field));
    }
}

/// Whether the schema is that of a text that says true or false, or neither.
bool tells_true_or_false(JsonValue const& schema) {
    auto const* values = find_member(&schema, "enum");
    return values != nullptr && values->IsArray() && !values->Empty() && text_of((*values)[0]) == "true";
}

void add_parameters(std::vector<Parameter> const& parameters, Components& components, std::vector<Field>& fields) {
    for (auto const& parameter : parameters) {
        Field field{std::string(parameter.name), ToolArgument::Place::parameter, parameter.required,
                    written(parameter.schema, components)};
        auto& allocator = field.schema.GetAllocator();
        if (!parameter.values.empty()) {
            JsonValue values(rapidjson::kArrayType);
            for (auto const& value : parameter.values) values.PushBack(text_value(value, allocator), allocator);
            field.schema.SetObject();
            field.schema.AddMember("type", "string", allocator);
            field.schema.AddMember("enum", values, allocator);
        }
        if (tells_true_or_false(field.schema)) field.also = kJsonBoolean;
        if (parameter.is_list) field.also = kJsonString;  // a filter by several values takes one alone
        field.schema.AddMember("description", text_value(parameter.description, allocator), allocator);
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

/// An object whose members the tool takes by themselves as well needs no second telling of them.
void shorten_alike(JsonValue& properties, JsonValue const& definitions, Allocator& allocator) {
    for (auto& property : properties.GetObject()) {
        auto* const items =
            property.value.IsObject() && property.value.HasMember("items") ? &property.value["items"] : nullptr;
        if (items == nullptr || referred(*items).empty()) continue;
        auto const& object = resolved(*items, definitions);
        auto const* members = find_member(&object, "properties");
        if (members == nullptr) continue;
        bool const alike = std::ranges::all_of(members->GetObject(),
                                               [&](auto const& each) { return properties.HasMember(each.name); });
        if (!alike) continue;
        JsonValue shorter(rapidjson::kObjectType);
        shorter.AddMember("type", "object", allocator);
        shorter.AddMember("description", "Members as beside this one", allocator);
        if (auto const* required = find_member(&object, "required")) {
            shorter.AddMember("required", JsonValue(*required, allocator), allocator);
        }
        *items = std::move(shorter);
    }
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
        argument.types = types_of(field.schema, definitions) | field.also;
        argument.members = members_of(field.schema, definitions);
        properties.AddMember(text_value(argument.name, allocator), JsonValue(field.schema, allocator), allocator);
        if (argument.required) required.PushBack(text_value(argument.name, allocator), allocator);
    }
    check_binding(binding, shape.arguments);
    shorten_alike(properties, definitions, allocator);
    schema.AddMember("type", "object", allocator);
    schema.AddMember("properties", properties, allocator);
    if (!required.Empty()) schema.AddMember("required", required, allocator);
    place_definitions(schema, definitions);
    close_objects(schema, allocator);
    drop_rules(schema);
    shape.input = json_of(schema);
    return shape;
}

}  // namespace workforce::operations
