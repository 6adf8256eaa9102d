// How HTTP reaches an operation: what its row says of paths, media types, bodies and refusals.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "net/http.hpp"

namespace workforce::operations {

/// Media types of bodies and answers.
enum class MediaType : std::uint8_t { json, form, csv, ndjson, event_stream, html, calendar };

/// What is known of a media type.
struct MediaTypeInfo {
    std::string_view name;          ///< type and subtype
    std::string_view content_type;  ///< as answers carry it, parameters included
    /// Bytes that mean nothing to a reader between two pieces of a stream; empty: there are none.
    std::string_view heartbeat;
};
MediaTypeInfo const& info(MediaType type);

/// How refusals read.
enum class ErrorForm : std::uint8_t {
    envelope,  ///< spec 2.10
    oauth,     ///< RFC 6749 5.2
    page,      ///< HTML for people
};

/// The largest body of most rows, in bytes.
inline constexpr std::uint32_t kMaxBody = 256 * 1024;

/// How HTTP reaches an operation. Defaults are what most rows say.
struct HttpBinding {
    net::Method method = net::Method::get;
    /// Template: literal segments and named parameters, an id `{id:int}` or a text `{token:text}`.
    std::string_view path{};
    std::string_view put_name{};  ///< name of the route that does the same by PUT; empty: there is none
    MediaType takes = MediaType::json;
    bool takes_json_too = false;  ///< besides `takes`
    /// What it can answer with, the first where the client has no wish.
    std::vector<MediaType> gives{MediaType::json};
    std::uint32_t max_body = kMaxBody;  ///< bytes; a larger body is 413 before it is read
    ErrorForm errors = ErrorForm::envelope;
    bool described = true;  ///< OpenAPI tells of it; what is for browsers, or by an RFC's metadata, it does not
    bool cors = false;      ///< scripts of every origin may ask and read, without cookies
    /// What a malformed id is refused with; null: VALIDATION_ERROR.
    core::Problem (*malformed_id)() = nullptr;
};

}  // namespace workforce::operations
