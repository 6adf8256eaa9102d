// JSON Schemas as documents, and what is done to them so that models read them well.
#pragma once

#include <rapidjson/document.h>

#include <string>
#include <string_view>

#include "operations/operation.hpp"

namespace workforce::operations {

using SchemaAllocator = rapidjson::Document::AllocatorType;

/// What references to definitions begin with.
inline constexpr std::string_view kDefinitions = "#/$defs/";

/// Text as a value of its own.
core::JsonValue text_value(std::string_view value, SchemaAllocator& allocator);
/// Throws std::logic_error for what is no JSON.
rapidjson::Document parse_schema(std::string_view json);
/// What the writer writes, as a document of its own.
rapidjson::Document written(SchemaWriter writer, Components& components);
/// The definitions that the schemas written so far refer to, by name.
rapidjson::Document definitions_of(Components& components);

/// The name of the definition that the schema refers to; empty where it refers to none.
std::string_view referred(core::JsonValue const& schema);
/// The schema itself, or the definition that it refers to.
core::JsonValue const& resolved(core::JsonValue const& schema, core::JsonValue const& definitions);

/// Drops, at any depth, what only a validator reads: patterns, the bounds that types have by themselves, and formats
/// that JSON Schema 2020-12 does not have, of which clients of tools complain.
void drop_rules(core::JsonValue& schema);
/// Drops, at any depth, what answers say besides names and types: words, texts to choose from, what is required.
void keep_types(core::JsonValue& schema);
/// Says of all objects in the schema that they have no other members.
void close_objects(core::JsonValue& schema, SchemaAllocator& allocator);

/// Puts definitions where the schema refers to them: those that it refers to once in the place of the reference, others
/// below `$defs`. Nothing outside the schema is referred to then.
void place_definitions(rapidjson::Document& schema, core::JsonValue const& definitions);

}  // namespace workforce::operations
