// How many requests a caller may make: which limit is whose, and what answers tell of it (specification 8).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/credentials/key_limits.hpp"
#include "api/credentials/window_counter.hpp"
#include "core/config.hpp"
#include "core/result.hpp"
#include "net/http.hpp"
#include "operations/caller.hpp"

namespace workforce::api {

/// Which of a caller's limits a request counts for: each has its own window.
enum class Surface : std::uint8_t { rest, mcp };

/// What an answer tells of the limit that its request met.
struct LimitNote {
    Surface surface = Surface::rest;
    std::optional<RateState> state;  ///< of an API key; on MCP of anybody
    std::int64_t retry_after = 0;    ///< seconds; 0: the request was within its limit
};

/// Whether the code tells of too many requests.
bool is_limit(core::Code code);

/// Thread-safe; it outlives the executors of those who call it.
class Limits {
   public:
    /// `keys` and `mcp_keys` are null where requests of API keys are not counted.
    Limits(core::Config const& config, KeyLimits* keys, KeyLimits* mcp_keys);

    /// Counts a request of a caller, for the note's surface, where that takes no other process. Returns whether it did.
    /// Errors: API_KEY_RATE_LIMITED of a key on REST; else RATE_LIMITED.
    core::Result<bool> admit_here(operations::Caller const& caller, LimitNote& note);
    /// Counts a request of an API key that admit_here() did not. Errors, as the value: as admit_here(). Throws as
    /// KeyLimits::take.
    boost::asio::awaitable<std::optional<core::Problem>> admit_by_lease(operations::Caller const& caller,
                                                                        LimitNote& note);
    /// The refusal that admit_here() would give now, as far as this process knows; nothing where the request may be let
    /// in. Counts nothing.
    [[nodiscard]] std::optional<core::Problem> foresee(operations::Caller const& caller, Surface surface) const;
    /// Counts a request without a valid credential, by its address, for the note's surface. Errors, as the value:
    /// RATE_LIMITED.
    std::optional<core::Problem> admit_stranger(std::string_view address, LimitNote& note);

    /// Counts an attempt to sign in, by the address. Errors, as the value: RATE_LIMITED.
    std::optional<core::Problem> admit_sign_in(std::string_view address, LimitNote& note);

    /// Adds the headers that the note stands for.
    void tell(net::Reply& reply, LimitNote const& note) const;

    /// Requests refused since the start of people, and of addresses.
    [[nodiscard]] std::uint64_t refused_people() const { return people_.refused() + mcp_people_.refused(); }
    [[nodiscard]] std::uint64_t refused_addresses() const { return addresses_.refused() + mcp_addresses_.refused(); }
    /// Attempts to sign in that were refused since the start for too many came from their address.
    [[nodiscard]] std::uint64_t refused_sign_ins() const { return sign_ins_.refused(); }

   private:
    /// Requests that a caller may make in its window; 0: any number.
    [[nodiscard]] std::int64_t limit_of(operations::Caller const& caller, Surface surface) const;
    [[nodiscard]] KeyLimits* keys_of(Surface surface) const { return surface == Surface::mcp ? mcp_keys_ : keys_; }

    core::Config const& config_;
    KeyLimits* const keys_;
    KeyLimits* const mcp_keys_;
    std::string const window_;
    WindowCounter<core::Id> people_;
    WindowCounter<core::Id> mcp_people_;
    WindowCounter<std::uint64_t> mcp_addresses_;
    WindowCounter<std::uint64_t> sign_ins_;   // by address, as the next
    WindowCounter<std::uint64_t> addresses_;  // IPv4 addresses, and networks of 64 bits of IPv6
};

}  // namespace workforce::api
