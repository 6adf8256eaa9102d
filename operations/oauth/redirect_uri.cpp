// URIs by libcurl's parser.
#include "operations/oauth/redirect_uri.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/ascii.hpp"

namespace workforce::operations {
namespace {

constexpr std::size_t kMostUriBytes = 2048;
/// Schemes that are no program's own: some run what they name, others read what is local.
constexpr std::array<std::string_view, 10> kForbiddenSchemes{"javascript", "data", "file", "blob", "vbscript",
                                                             "about",      "ftp",  "ws",   "wss",  "view-source"};

struct FreeUrl {
    void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

/// A URI taken apart; nothing for what is none.
struct UriParts {
    std::string scheme;
    std::string host;
    std::string port;
    bool has_user = false;
    bool has_fragment = false;
};

std::string part_of(CURLU* url, CURLUPart part) {
    char* text = nullptr;
    if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
    std::unique_ptr<char, void (*)(void*)> const owned(text, &curl_free);
    return text;
}

bool is_plain(char c) { return c > ' ' && c < 0x7F && c != '"' && c != '<' && c != '>' && c != '\\' && c != '`'; }

std::optional<UriParts> parts_of(std::string const& uri) {
    if (uri.empty() || uri.size() > kMostUriBytes || !std::ranges::all_of(uri, is_plain)) return std::nullopt;
    std::unique_ptr<CURLU, FreeUrl> const url(curl_url());
    unsigned const flags = CURLU_NON_SUPPORT_SCHEME | CURLU_NO_AUTHORITY;
    UriParts parts;
    if (!url || curl_url_set(url.get(), CURLUPART_URL, uri.c_str(), flags) != CURLUE_OK) {
        // A scheme of a program's own may stand before a path alone: "com.example.app:/callback".
        auto const colon = uri.find(':');
        auto const in_scheme = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '.' || c == '-';
        };
        parts.scheme = core::ascii_lower(uri.substr(0, std::min(colon, uri.size())));
        bool const named = colon != std::string::npos && colon > 0 && std::ranges::all_of(parts.scheme, in_scheme);
        if (!named || parts.scheme == "http" || parts.scheme == "https" || colon + 1 == uri.size()) return std::nullopt;
        parts.has_fragment = uri.find('#') != std::string::npos;
        return parts;
    }
    parts.scheme = core::ascii_lower(part_of(url.get(), CURLUPART_SCHEME));
    parts.host = core::ascii_lower(part_of(url.get(), CURLUPART_HOST));
    parts.port = part_of(url.get(), CURLUPART_PORT);
    parts.has_user = !part_of(url.get(), CURLUPART_USER).empty() || !part_of(url.get(), CURLUPART_PASSWORD).empty();
    parts.has_fragment = uri.find('#') != std::string::npos;
    return parts;
}

bool is_loopback(UriParts const& parts) {
    return parts.scheme == "http" && (parts.host == "127.0.0.1" || parts.host == "[::1]" || parts.host == "localhost");
}

/// What comes after the authority.
std::string_view after_authority(std::string_view uri) {
    auto const authority = uri.find("//") + 2;
    auto const end = uri.find_first_of("/?", authority);
    return end == std::string_view::npos ? std::string_view() : uri.substr(end);
}

}  // namespace

std::optional<std::string> fault_of_redirect_uri(std::string const& uri) {
    auto const parts = parts_of(uri);
    if (!parts) return "is no absolute URI";
    if (parts->has_fragment) return "must have no fragment";
    if (parts->has_user) return "must name no user";
    if (parts->scheme == "https")
        return parts->host.empty() ? std::optional<std::string>("lacks a host") : std::nullopt;
    if (parts->scheme == "http") {
        return is_loopback(*parts) ? std::nullopt : std::optional<std::string>("must be https, but for this machine");
    }
    bool const forbidden = std::ranges::count(kForbiddenSchemes, parts->scheme) > 0;
    return forbidden ? std::optional<std::string>("is of a scheme that is no program's own") : std::nullopt;
}

bool is_same_redirect(std::string const& registered, std::string const& asked) {
    if (registered == asked) return true;
    auto const known = parts_of(registered);
    auto const sent = parts_of(asked);
    if (!known || !sent || !is_loopback(*known) || !is_loopback(*sent)) return false;
    if (sent->has_user || sent->has_fragment || known->host != sent->host) return false;
    return after_authority(registered) == after_authority(asked);
}

std::string with_query(std::string const& uri, std::string_view parameters) {
    return fmt::format("{}{}{}", uri, uri.find('?') == std::string::npos ? '?' : '&', parameters);
}

std::string form_encoded(std::string_view text) {
    std::string encoded;
    for (char const c : text) {
        bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                           c == '.' || c == '_' || c == '~';
        if (plain) {
            encoded += c;
        } else {
            encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return encoded;
}

std::string shown_host(std::string const& uri) {
    auto const parts = parts_of(uri);
    if (!parts) return uri;
    if (parts->scheme != "https" && parts->scheme != "http") return parts->scheme + ":";
    return parts->host + (parts->port.empty() ? "" : ':' + parts->port);
}

bool is_on_this_machine(std::string const& uri) {
    auto const parts = parts_of(uri);
    return parts && is_loopback(*parts);
}

std::string form_source(std::string const& uri) {
    auto const parts = parts_of(uri);
    if (!parts) return {};
    if (parts->scheme != "https" && parts->scheme != "http") return parts->scheme + ":";
    return parts->scheme + "://" + shown_host(uri);
}

}  // namespace workforce::operations
