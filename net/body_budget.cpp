// Shares of the memory for bodies.
#include "net/body_budget.hpp"

#include <boost/asio/ip/address.hpp>

namespace workforce::net {

BodyHolder holder_of(core::Lane lane) {
    return {true, 2 * static_cast<std::uint64_t>(lane.first) + (lane.second ? 1 : 0)};
}

BodyHolder holder_of(std::string_view address) {
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

bool BodyBudget::has_room(BodyHolder holder, std::size_t held, std::size_t bytes) const {
    auto const used = pool(holder.authenticated) + bytes;
    if (!holder.authenticated) return used <= limits_.anonymous && held + bytes <= limits_.anonymous_address;
    return used <= limits_.authenticated && held + bytes <= limits_.authenticated - used;
}

bool BodyBudget::take(BodyHolder holder, std::size_t bytes) {
    if (bytes == 0) return true;
    std::lock_guard const lock(mutex_);
    auto const found = held_.find(holder);
    if (!has_room(holder, found == held_.end() ? 0 : found->second, bytes)) return false;
    pool(holder.authenticated) += bytes;
    held_[holder] += bytes;
    return true;
}

void BodyBudget::give_back(BodyHolder holder, std::size_t bytes) {
    if (bytes == 0) return;
    std::lock_guard const lock(mutex_);
    pool(holder.authenticated) -= bytes;
    auto const found = held_.find(holder);
    found->second -= bytes;
    if (found->second == 0) held_.erase(found);
}

std::size_t BodyBudget::used() const {
    std::lock_guard const lock(mutex_);
    return authenticated_ + anonymous_;
}

}  // namespace workforce::net
