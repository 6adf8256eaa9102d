// Edits of schemas, each of one document at any depth.
#include "operations/tools/schema_edit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "core/json.hpp"
#include "core/json_values.hpp"

namespace workforce::operations {
namespace {

using core::find_member;
using core::JsonValue;
using core::text_of;

/// Calls `edit` for each object of the value, the inner ones first.
void for_each_object(JsonValue& value, auto const& edit) {
    if (value.IsArray()) {
        for (auto& each : value.GetArray()) for_each_object(each, edit);
    }
    if (!value.IsObject()) return;
    for (auto& each : value.GetObject()) for_each_object(each.value, edit);
    edit(value);
}

void remove_where(JsonValue& object, auto const& unwanted) {
    for (auto at = object.MemberBegin(); at != object.MemberEnd();) {
        at = unwanted(text_of(at->name), at->value) ? object.EraseMember(at) : at + 1;
    }
}

bool is_known_format(std::string_view format) {
    constexpr std::array<std::string_view, 19> kFormats{
        "date-time", "date", "time",          "duration",     "email",        "idn-email",
        "hostname",  "ipv4", "ipv6",          "uri",          "idn-hostname", "uri-reference",
        "iri",       "uuid", "iri-reference", "uri-template", "json-pointer", "relative-json-pointer",
        "regex"};
    return std::ranges::find(kFormats, format) != kFormats.end();
}

/// Whether the bound says no more than the type, or what every text and list has (domain 0).
bool is_usual(std::string_view rule, JsonValue const& bound) {
    constexpr auto kWidest = static_cast<double>(std::numeric_limits<std::int32_t>::max());
    if (!bound.IsNumber()) return false;
    auto const number = bound.GetDouble();
    if (rule == "minimum") return number <= 0;
    if (rule == "maximum") return number >= kWidest;
    if (rule == "minLength" || rule == "minItems") return number <= 1;
    return (rule == "maxLength" && number >= 100) || (rule == "maxItems" && number >= 100);
}

/// How often each definition is referred to.
using References = std::map<std::string, int, std::less<>>;

void count_references(JsonValue const& schema, JsonValue const& definitions, References& counts) {
    if (schema.IsArray()) {
        for (auto const& each : schema.GetArray()) count_references(each, definitions, counts);
    }
    if (!schema.IsObject()) return;
    if (auto const name = referred(schema); !name.empty()) {
        if (++counts[std::string(name)] == 1) count_references(resolved(schema, definitions), definitions, counts);
    }
    for (auto const& each : schema.GetObject()) count_references(each.value, definitions, counts);
}

/// What stands beside a reference says more of it, and holds.
void put_in_place(JsonValue& schema, JsonValue const& definitions, References const& counts,
                  SchemaAllocator& allocator) {
    if (schema.IsArray()) {
        for (auto& each : schema.GetArray()) put_in_place(each, definitions, counts, allocator);
    }
    if (!schema.IsObject()) return;
    if (auto const name = referred(schema); !name.empty() && counts.find(name)->second == 1) {
        auto const& definition = resolved(schema, definitions);
        schema.RemoveMember("$ref");
        for (auto const& each : definition.GetObject()) {
            if (schema.HasMember(each.name)) continue;
            schema.AddMember(JsonValue(each.name, allocator), JsonValue(each.value, allocator), allocator);
        }
    }
    for (auto& each : schema.GetObject()) put_in_place(each.value, definitions, counts, allocator);
}

}  // namespace

JsonValue text_value(std::string_view value, SchemaAllocator& allocator) {
    return {value.empty() ? "" : value.data(), static_cast<rapidjson::SizeType>(value.size()), allocator};
}

rapidjson::Document parse_schema(std::string_view json) {
    rapidjson::Document document;
    document.Parse(json.data(), json.size());
    if (document.HasParseError()) throw std::logic_error("a schema is no JSON: " + std::string(json));
    return document;
}

rapidjson::Document written(SchemaWriter writer, Components& components) {
    core::JsonWriter w;
    w.begin_object();
    writer(w, components);
    w.end_object();
    return parse_schema(w.text());
}

rapidjson::Document definitions_of(Components& components) {
    core::JsonWriter w;
    w.begin_object();
    components.write(w);
    w.end_object();
    return parse_schema(w.text());
}

std::string_view referred(JsonValue const& schema) {
    auto const* reference = find_member(&schema, "$ref");
    if (reference == nullptr || !reference->IsString()) return {};
    return text_of(*reference).substr(kDefinitions.size());
}

JsonValue const& resolved(JsonValue const& schema, JsonValue const& definitions) {
    auto const name = referred(schema);
    return name.empty() ? schema : definitions[std::string(name).c_str()];
}

void drop_rules(JsonValue& schema) {
    for_each_object(schema, [](JsonValue& object) {
        remove_where(object, [](std::string_view name, JsonValue const& value) {
            if (name == "format") return value.IsString() && !is_known_format(text_of(value));
            if (name == "pattern") return value.IsString();
            return is_usual(name, value);
        });
    });
}

void keep_types(JsonValue& schema) {
    for_each_object(schema, [](JsonValue& object) {
        remove_where(object, [](std::string_view name, JsonValue const& value) {
            if (name == "description" || name == "format") return value.IsString();
            if (name == "enum" || name == "required") return value.IsArray();
            return false;
        });
    });
}

void close_objects(JsonValue& schema, SchemaAllocator& allocator) {
    for_each_object(schema, [&](JsonValue& object) {
        bool const has_members = object.HasMember("properties") && object["properties"].IsObject();
        if (has_members && !object.HasMember("additionalProperties")) {
            object.AddMember("additionalProperties", false, allocator);
        }
    });
}

void place_definitions(rapidjson::Document& schema, JsonValue const& definitions) {
    auto& allocator = schema.GetAllocator();
    References counts;
    count_references(schema, definitions, counts);
    put_in_place(schema, definitions, counts, allocator);
    JsonValue shared(rapidjson::kObjectType);
    for (auto const& [name, count] : counts) {
        if (count == 1) continue;
        JsonValue definition(definitions[name.c_str()], allocator);
        put_in_place(definition, definitions, counts, allocator);
        shared.AddMember(text_value(name, allocator), definition, allocator);
    }
    if (!shared.ObjectEmpty()) schema.AddMember("$defs", shared, allocator);
}

}  // namespace workforce::operations
