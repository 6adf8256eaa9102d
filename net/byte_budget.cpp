// Shares of the memory for what clients send and are sent.
#include "net/byte_budget.hpp"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

namespace workforce::net {
namespace {

constexpr std::size_t kCredentialPart = 4;  // one of so many parts is what a credential may hold

/// The organization of a credential, or the address.
ByteHolder whole(ByteHolder holder) { return {holder.authenticated, holder.id}; }

}  // namespace

ByteHolder holder_of(core::Lane lane) {
    return {true, 2 * static_cast<std::uint64_t>(lane.first) + (lane.second ? 1 : 0)};
}

ByteHolder holder_of(std::string_view address) {
    constexpr std::uint64_t kV4 = 0xffff'0000'0000;  // a prefix that no IPv6 address of a client has (RFC 4291)
    boost::system::error_code ec;
    auto const parsed = boost::asio::ip::make_address(address, ec);
    if (ec) return {};
    if (parsed.is_v4()) return {false, kV4 | parsed.to_v4().to_uint()};
    std::uint64_t prefix = 0;
    auto const bytes = parsed.to_v6().to_bytes();
    for (std::size_t i = 0; i < sizeof prefix; ++i) prefix = prefix << 8 | bytes.at(i);
    return {false, prefix};
}

std::size_t ByteBudget::room(ByteHolder holder) const {
    auto const below = [](std::size_t limit, std::size_t used) { return limit - std::min(limit, used); };
    auto const left = below(holder.authenticated ? limits_.authenticated : limits_.anonymous,
                            pool(holder.authenticated).load(std::memory_order_relaxed));
    if (!holder.authenticated) return std::min(left, below(limits_.anonymous_address, held_by(holder)));
    // Of what is left the organization takes one half, and leaves the other.
    auto const of_organization = below(left, held_by(whole(holder))) / 2;
    if (holder.credential == 0) return of_organization;
    return std::min(of_organization, below(limits_.authenticated / kCredentialPart, held_by(holder)));
}

std::size_t ByteBudget::held_by(ByteHolder holder) const {
    auto const found = held_.find(holder);
    return found == held_.end() ? 0 : found->second;
}

void ByteBudget::add(ByteHolder holder, std::size_t bytes) {
    pool(holder.authenticated).fetch_add(bytes, std::memory_order_relaxed);
    held_[whole(holder)] += bytes;
    if (holder.credential != 0) held_[holder] += bytes;
}

void ByteBudget::remove(ByteHolder holder, std::size_t bytes) {
    auto const found = held_.find(holder);
    found->second -= bytes;
    if (found->second == 0) held_.erase(found);
}

bool ByteBudget::take(ByteHolder holder, std::size_t bytes) {
    if (bytes == 0) return true;
    std::lock_guard const lock(mutex_);
    bool const fits = bytes <= room(holder);
    if (fits) {
        add(holder, bytes);
    } else {
        note_refused();
    }
    return fits;
}

std::size_t ByteBudget::take_share(ByteHolder holder, std::size_t least, std::size_t most) {
    std::lock_guard const lock(mutex_);
    auto const left = room(holder);
    if (left < least) {
        note_refused();
        return 0;
    }
    auto const bytes = std::min(most, std::max(least, left / 8));
    add(holder, bytes);
    return bytes;
}

void ByteBudget::give_back(ByteHolder holder, std::size_t bytes) {
    if (bytes == 0) return;
    std::lock_guard const lock(mutex_);
    pool(holder.authenticated).fetch_sub(bytes, std::memory_order_relaxed);
    remove(whole(holder), bytes);
    if (holder.credential != 0) remove(holder, bytes);
}

bool ByteBudget::is_roomy(std::size_t bytes) const {
    // Nobody holds more than all do together, and so may have as much again.
    auto const little = limits_.authenticated / kCredentialPart / 2;
    return authenticated_.load(std::memory_order_relaxed) <= little && bytes <= little;
}

bool ByteBudget::is_full(ByteHolder holder, std::size_t bytes) const {
    if (holder.authenticated && is_roomy(bytes)) return false;
    std::lock_guard const lock(mutex_);
    return room(holder) < bytes;
}

std::size_t ByteBudget::used() const {
    return authenticated_.load(std::memory_order_relaxed) + anonymous_.load(std::memory_order_relaxed);
}

}  // namespace workforce::net
