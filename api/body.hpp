// Bodies of requests, as their rows take them.
#pragma once

#include <rapidjson/document.h>

#include <string_view>

#include "core/result.hpp"
#include "net/http.hpp"
#include "operations/http_binding.hpp"

namespace workforce::api {

/// A body as RawInput::body has it, or the reason why there is none. An absent body is an empty object, or an empty
/// text where the row takes neither JSON nor a form; so is that of a DELETE, which means nothing (RFC 9110 9.3.5). A
/// text is a view of the request's body.
/// Errors: UNSUPPORTED_MEDIA_TYPE (details.mediaTypes), VALIDATION_ERROR.
core::Result<rapidjson::Document> parse_body(net::Request const& request, operations::MediaType takes);

/// As parse_body, of a body that is known to be of that type. Errors: VALIDATION_ERROR.
core::Result<rapidjson::Document> parse_text(std::string_view body, operations::MediaType takes);

}  // namespace workforce::api
