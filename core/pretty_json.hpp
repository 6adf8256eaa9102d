// JSON for files that people read.
#pragma once

#include <rapidjson/document.h>
#include <string>

namespace workforce::core {

/// The value with an indent of two spaces and a final line feed; the same value always gives the same text.
std::string pretty_json(rapidjson::Value const& value);

}  // namespace workforce::core
