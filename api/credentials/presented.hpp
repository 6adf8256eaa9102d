// Which credential a request presents, if any.
#pragma once

#include <optional>
#include <string_view>

#include "core/result.hpp"
#include "net/http.hpp"

namespace workforce::api {

/// The value of the request's Authorization header, a view of it; nothing where it has none. No other place is looked
/// at: a credential in the query stands in logs and histories on its way, so it opens nothing, and whoever sends one is
/// told. Errors, which repeat nothing of a secret: VALIDATION_ERROR for two Authorization headers, of which RFC
/// 9110 5.3 knows one, or for one besides a credential in the query; UNAUTHENTICATED for a credential in the query
/// alone.
core::Result<std::optional<std::string_view>> presented_credential(net::Request const& request);

}  // namespace workforce::api
