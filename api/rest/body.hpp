// JSON bodies of requests.
#pragma once

#include <rapidjson/document.h>

#include "core/result.hpp"
#include "net/http.hpp"

namespace workforce::api {

/// A JSON body as parsed, or the reason why there is none. An absent body is an empty object, and so is that of a
/// DELETE, which means nothing (RFC 9110 9.3.5). Errors: UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR.
core::Result<rapidjson::Document> parse_body(net::Request const& request);

}  // namespace workforce::api
