// Page cursors: opaque to clients, bound to the list and its filters, and tamper-proof (domain 0, paging).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace workforce::operations {

/// Where a page ended, as the text of a cursor. `binding` is what must be the same for the next page: route, filters,
/// sort.
std::string encode_cursor(std::vector<std::string> const& keys, std::string_view binding, std::string_view secret);

/// The inverse. Errors: INVALID_CURSOR for one that was altered, made up, or is of another binding.
core::Result<std::vector<std::string>> decode_cursor(std::string_view cursor, std::string_view binding,
                                                     std::string_view secret);

}  // namespace workforce::operations
