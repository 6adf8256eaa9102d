// What error codes mean, in a sentence each.
#pragma once

#include <string_view>

#include "core/result.hpp"

namespace workforce::api {

/// When an answer carries the code, as a sentence for its reader.
std::string_view meaning_of(core::Code code);

}  // namespace workforce::api
