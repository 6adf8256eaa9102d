// The picture of usage by day.
#pragma once

#include <string>

#include "core/json.hpp"

namespace workforce::operations {

/// The answer of usage.timeseries by day as values for usage.html: a bar for each day, as high as its calls are many,
/// the failed ones at its foot. Lengths are in units of the picture, which is 100 high. "" where nobody called. Pure.
std::string usage_chart(core::JsonValue const& series);

}  // namespace workforce::operations
