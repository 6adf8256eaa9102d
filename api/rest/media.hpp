// Which media types a request has and wants (RFC 9110 8.3 and 12.5.1).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "operations/http_binding.hpp"

namespace workforce::api {

/// Whether a Content-Type is that type; JSON is also each `application/…+json`.
bool is_type(std::string_view content_type, operations::MediaType type);

/// The type of `gives`, not empty, that an Accept field likes best, the earlier one of two that it likes alike. Nothing
/// where it takes none. What can't be read in the field counts for nothing.
std::optional<operations::MediaType> best_type(std::span<operations::MediaType const> gives, std::string_view accept);

}  // namespace workforce::api
