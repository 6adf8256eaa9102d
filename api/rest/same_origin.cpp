// Sec-Fetch-Site (W3C Fetch Metadata) and Origin (RFC 6454).
#include "api/rest/same_origin.hpp"

#include "core/ascii.hpp"

namespace workforce::api {
namespace {

/// Scheme and authority of a URL.
std::string_view origin_of(std::string_view url) {
    auto const authority = url.find("://");
    return authority == std::string_view::npos ? url : url.substr(0, url.find('/', authority + 3));
}

/// The host that the client asked, by the scheme that the service is reached by.
std::string origin_asked(net::Request const& request, std::string_view base_url) {
    auto const scheme = base_url.substr(0, base_url.find("://"));
    return std::string(scheme) + "://" + std::string(request.header("Host").value_or(""));
}

}  // namespace

std::optional<core::Problem> check_same_origin(net::Request const& request, std::string_view base_url) {
    std::optional rejected(core::Problem{core::Code::csrf_rejected, "A browser sent the request from another origin."});
    auto const site = request.list("Sec-Fetch-Site");
    if (site && *site != "same-origin") return rejected;
    auto const origin = request.list("Origin");
    if (!origin) return std::nullopt;
    auto const said = core::ascii_lower(*origin);
    bool const own =
        said == core::ascii_lower(origin_of(base_url)) || said == core::ascii_lower(origin_asked(request, base_url));
    return own ? std::nullopt : std::move(rejected);
}

bool is_from_elsewhere(net::Request const& request) {
    auto const site = request.list("Sec-Fetch-Site");
    return site && *site != "same-origin" && *site != "none";
}

}  // namespace workforce::api
