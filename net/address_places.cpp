// A counter for each address that has anything open.
#include "net/address_places.hpp"

#include "net/byte_budget.hpp"

namespace workforce::net {

std::optional<AddressPlaces::Place> AddressPlaces::take(std::string_view address) {
    if (limit_ == 0) return Place();
    auto const id = holder_of(address).id;
    std::lock_guard const lock(mutex_);
    auto const entry = taken_.try_emplace(id, 0).first;
    if (entry->second >= limit_) return std::nullopt;
    ++entry->second;
    return Place(*this, id);
}

void AddressPlaces::give_back(std::uint64_t id) {
    std::lock_guard const lock(mutex_);
    auto const entry = taken_.find(id);
    if (--entry->second == 0) taken_.erase(entry);
}

}  // namespace workforce::net
