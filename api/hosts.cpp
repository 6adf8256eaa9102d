// Hosts, paths and origins.
#include "api/hosts.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/comma_list.hpp"
#include "core/web_origin.hpp"

namespace workforce::api {
namespace {

/// What either host answers (domain 3.8).
bool is_on_both(std::string_view path) {
    return path == "/healthz" || path == "/.well-known/oauth-protected-resource" ||
           path == "/.well-known/oauth-protected-resource/mcp";
}

/// The origins of the setting mcp_origins.
std::vector<std::string> origins_in(std::string_view text) {
    std::vector<std::string> all;
    for (auto const one : core::texts_between_commas(text)) all.push_back(core::origin_of(one));
    return all;
}

}  // namespace

bool is_mcp_path(std::string_view path) {
    return path == "/mcp" || path.starts_with("/mcp/") || path == "/.well-known/mcp";
}

bool takes_messages(net::Request const& request) {
    return request.method == net::Method::post && (request.path() == "/mcp" || request.path() == "/mcp/");
}

Hosts::Hosts(core::Config const& config)
    : mcp_url_(config.mcp_url),
      mcp_authority_(core::authority_of(config.mcp_url)),
      origins_(origins_in(config.mcp_origins)) {
    origins_.push_back(core::origin_of(config.base_url));
    origins_.push_back(core::origin_of(config.mcp_url));
}

Surface Hosts::surface_of(net::Request const& request) const {
    auto const host = request.header("Host");
    bool const mcp = host && core::names_host(*host, mcp_url_, mcp_authority_) && !is_on_both(request.path());
    return mcp ? Surface::mcp : Surface::rest;
}

bool Hosts::allows_origin(std::string_view origin) const {
    return std::ranges::find(origins_, core::origin_of(origin)) != origins_.end();
}

}  // namespace workforce::api
