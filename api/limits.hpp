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

/// What an answer tells of the limit that its request met.
struct LimitNote {
    std::optional<RateState> key;  ///< of an API key
    std::int64_t retry_after = 0;  ///< seconds; 0: the request was within its limit
};

/// Thread-safe; it outlives the executors of those who call it.
class Limits {
   public:
    /// `keys` is null where requests of API keys are not counted.
    Limits(core::Config const& config, KeyLimits* keys);

    /// Counts a request of a caller. Errors, as the value: API_KEY_RATE_LIMITED; RATE_LIMITED of a person. Throws as
    /// KeyLimits::take.
    boost::asio::awaitable<std::optional<core::Problem>> admit(operations::Caller const& caller, LimitNote& note);
    /// The refusal that admit() would give now, as far as this process knows; nothing where the request may be let in.
    /// Counts nothing.
    [[nodiscard]] std::optional<core::Problem> foresee(operations::Caller const& caller) const;
    /// Counts a request without a valid credential, by its address. Errors, as the value: RATE_LIMITED.
    std::optional<core::Problem> admit_stranger(std::string_view address, LimitNote& note);

    /// Counts an attempt to sign in, by the address. Errors, as the value: RATE_LIMITED.
    std::optional<core::Problem> admit_sign_in(std::string_view address, LimitNote& note);

    /// Adds the headers that the note stands for.
    void tell(net::Reply& reply, LimitNote const& note) const;

    /// Requests refused since the start of people, and of addresses.
    [[nodiscard]] std::uint64_t refused_people() const { return people_.refused(); }
    [[nodiscard]] std::uint64_t refused_addresses() const { return addresses_.refused(); }
    /// Attempts to sign in that were refused since the start for too many came from their address.
    [[nodiscard]] std::uint64_t refused_sign_ins() const { return sign_ins_.refused(); }

   private:
    /// Requests that a caller may make in its window; 0: any number.
    [[nodiscard]] std::int64_t limit_of(operations::Caller const& caller) const;

    core::Config const& config_;
    KeyLimits* const keys_;
    std::string const window_;
    WindowCounter<core::Id> people_;
    WindowCounter<std::uint64_t> sign_ins_;   // by address, as the next
    WindowCounter<std::uint64_t> addresses_;  // IPv4 addresses, and networks of 64 bits of IPv6
};

}  // namespace workforce::api
