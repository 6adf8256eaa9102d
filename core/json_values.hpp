// Looking into JSON that is not read as a struct.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/json_io.hpp"

namespace workforce::core {

/// The member of that name of an object, or null; null where `object` is null or no object.
JsonValue const* find_member(JsonValue const* object, std::string_view name);

/// The text of a value, or nothing where it is none, or null. A view of the value.
std::optional<std::string_view> as_text(JsonValue const* value);

/// The characters of a value that is a text; a view of it.
std::string_view text_of(JsonValue const& value);

/// The value as JSON, without white space.
std::string json_of(JsonValue const& value);

}  // namespace workforce::core
