// What the mapper of core/json.hpp knows of a described type, as tables: what is done with a member is compiled once,
// and not once for each struct that has one like it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/json_io.hpp"

namespace workforce::core {

/// Where a member is within its object.
using MemberAt = void const* (*)(void const* object);

/// How a member is written. `present` tells whether there is anything to write; null where there always is. An absent
/// one is null on the wire where `null_if_absent` and the writer say so. One that is personal or internal is `untold`,
/// and left out where the writer says so.
struct FieldWrite {
    std::string_view name;
    MemberAt at;
    bool (*present)(void const* member);
    bool null_if_absent;
    bool untold;
    void (*write)(JsonWriter&, void const* member);
};

/// How a member is read; one that is not required keeps its default where it is absent.
struct FieldRead {
    std::string_view name;
    bool required;
    MemberAt at;
    void (*read)(JsonValue const&, void* member, JsonReader&);
};

/// What the schema says of a member.
struct FieldSchema {
    std::string_view name;
    bool required;
    void (*write)(JsonWriter&);  ///< the members of an open schema object
};

/// An enumerator's wire name, and its value as an integer.
struct Enumerator {
    std::string_view name;
    std::int64_t value;
};

/// Writes the members of an object into one that is open.
void write_fields(JsonWriter& writer, void const* object, std::span<FieldWrite const> fields);

/// Reads an object's members into `object`, and records each that is wrong or missing. Of members of one name the first
/// counts. `json` is an object.
void read_fields(JsonValue const& json, void* object, std::span<FieldRead const> fields, JsonReader& reader);

/// Records the members of `json`, an object, that no field takes.
void note_unknown_fields(JsonValue const& json, std::span<FieldRead const> fields, JsonReader& reader);

/// Checks a table of fields of which a schema is made. Errors: std::logic_error where two have one name, which is so
/// where a member hides a base's and the struct does not say so (kHidesMembers of core/json.hpp).
template <class Field>
void require_distinct_names(std::span<Field const> fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (std::ranges::count(fields.first(i), fields[i].name, &Field::name) == 0) continue;
        throw std::logic_error("two members of a described struct have the name " + std::string(fields[i].name));
    }
}

/// Writes the members of the schema of an object. Errors: those of require_distinct_names().
void write_object_schema(JsonWriter& writer, std::span<FieldSchema const> fields);

/// Writes the members of the schema of an enumeration.
void write_enum_schema(JsonWriter& writer, std::span<Enumerator const> enumerators);

/// The name of the value, or an empty one where none has it.
std::string_view enumerator_name(std::int64_t value, std::span<Enumerator const> enumerators);

/// The value of the name, or nothing.
std::optional<std::int64_t> enumerator_value(std::string_view name, std::span<Enumerator const> enumerators);

/// Reads an enumerator's name; records what is none.
std::optional<std::int64_t> read_enum(JsonValue const& json, std::span<Enumerator const> enumerators,
                                      JsonReader& reader);

}  // namespace workforce::core
