// One text for all JSON texts that mean the same: what idempotency fingerprints are made of.
#pragma once

#include <string>
#include <string_view>

#include "core/json_io.hpp"

namespace workforce::core {

/// The body with members in order of their names, without white space, and whole numbers as integers. A body that is no
/// JSON is given back as it is.
std::string canonical_json(std::string_view body);
std::string canonical_json(JsonValue const& value);

}  // namespace workforce::core
