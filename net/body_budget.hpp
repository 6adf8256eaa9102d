// Memory for the bodies of requests: how much there is, and how much of it one sender may hold.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>

#include "core/fair_queue.hpp"

namespace workforce::net {

/// Whom a body counts for: the organization behind a valid credential, else the client's address.
struct BodyHolder {
    bool authenticated = false;
    std::uint64_t id = 0;

    auto operator<=>(BodyHolder const&) const = default;
};

/// The holder of bodies that came with a valid credential.
BodyHolder holder_of(core::Lane lane);

/// The holder of bodies that came without one: an IPv4 address, or the /64 of an IPv6 address, which is what one
/// customer of a provider has. `address` is Request::remote_address; any other text is one holder.
BodyHolder holder_of(std::string_view address);

/// Bytes of bodies at a time, over all connections of a server.
struct BodyLimits {
    /// No organization may hold more than it leaves free. One that holds much is refused first when others come, a body
    /// under way as well.
    std::size_t authenticated = 64 << 20;
    std::size_t anonymous = 4 << 20;          ///< apart from those above
    std::size_t anonymous_address = 1 << 19;  ///< of one client address
};

/// Counts the bytes that are held. Thread-safe.
class BodyBudget {
   public:
    explicit BodyBudget(BodyLimits limits) : limits_(limits) {}

    /// Takes room, or tells that the holder has as much as it may.
    bool take(BodyHolder holder, std::size_t bytes);
    /// Gives back what was taken.
    void give_back(BodyHolder holder, std::size_t bytes);
    /// Bytes that all hold together.
    [[nodiscard]] std::size_t used() const;

   private:
    [[nodiscard]] bool has_room(BodyHolder holder, std::size_t held, std::size_t bytes) const;
    [[nodiscard]] std::size_t const& pool(bool authenticated) const {
        return authenticated ? authenticated_ : anonymous_;
    }
    std::size_t& pool(bool authenticated) { return authenticated ? authenticated_ : anonymous_; }

    BodyLimits const limits_;
    mutable std::mutex mutex_;
    std::size_t authenticated_ = 0;
    std::size_t anonymous_ = 0;
    std::map<BodyHolder, std::size_t> held_;  // more than none
};

}  // namespace workforce::net
