// Which host a request is for: REST and MCP each have their own (spec 1, host rule; domain 11.37).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/limits.hpp"
#include "core/config.hpp"
#include "net/http.hpp"

namespace workforce::api {

/// The body of an MCP message may have so many bytes (domain 0).
inline constexpr std::uint32_t kMaxMessage = 1 << 20;

/// Whether a path is MCP's, which the REST host refuses.
bool is_mcp_path(std::string_view path);
/// Whether it is a request that posts a message to MCP.
bool takes_messages(net::Request const& request);

/// Tells the hosts apart by the Host field, whichever listener the request came in on. Immutable.
class Hosts {
   public:
    explicit Hosts(core::Config const& config);

    /// MCP where the Host field names it and the path is not served on both; a host that nobody knows is REST's.
    [[nodiscard]] Surface surface_of(net::Request const& request) const;
    /// Whether scripts of a web origin may use MCP (DNS rebinding): our own, and those of the configuration.
    [[nodiscard]] bool allows_origin(std::string_view origin) const;

   private:
    std::string const mcp_url_;
    std::string const mcp_authority_;
    std::vector<std::string> origins_;
};

}  // namespace workforce::api
