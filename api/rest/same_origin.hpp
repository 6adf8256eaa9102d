// Whether a browser sends a request from the service's own pages.
#pragma once

#include <optional>
#include <string_view>

#include "core/result.hpp"
#include "net/http.hpp"

namespace workforce::api {

/// The refusal of a request that a browser says comes from elsewhere: CSRF_REJECTED (domain 10). `base_url`: the
/// service's public address. What sends neither Sec-Fetch-Site nor Origin is no browser of today.
std::optional<core::Problem> check_same_origin(net::Request const& request, std::string_view base_url);

/// Whether a browser says that another site led it here, by a link or a script: neither a page of the service nor its
/// user.
bool is_from_elsewhere(net::Request const& request);

}  // namespace workforce::api
