// Members that come more than once in one JSON object: readers disagree on which of them counts (RFC 8259 4).
#pragma once

#include <string_view>
#include <vector>

#include "core/json_io.hpp"

namespace workforce::core {

/// The rule that a second member or parameter of one name breaks, and the text for people.
inline constexpr std::string_view kDuplicateRule = "duplicate";
inline constexpr std::string_view kDuplicateMessage = "is given more than once";

/// Whether any member of the object comes more than once. Values that are no object have none. Looks no deeper.
bool has_duplicate_members(JsonValue const& value);

/// The members at any depth that come more than once in their object, as faults at their paths; the first ten.
std::vector<FieldError> duplicate_members(JsonValue const& value);

}  // namespace workforce::core
