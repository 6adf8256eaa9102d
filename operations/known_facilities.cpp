// What was seen, else one look at the read model.
#include "operations/known_facilities.hpp"

#include "projections/facilities/facilities.hpp"

namespace workforce::operations {

boost::asio::awaitable<bool> KnownFacilities::has(projections::Scope scope, core::Id facility) {
    std::pair const key{scope.organization, facility};
    {
        std::lock_guard const lock(mutex_);
        if (seen_.contains(key)) co_return true;
    }
    scope.facilities.clear();
    auto const found = co_await projections::facilities().find(reads_, scope, facility);
    if (!found) co_return false;
    std::lock_guard const lock(mutex_);
    if (seen_.size() >= kLimit) seen_.clear();
    seen_.insert(key);
    co_return true;
}

}  // namespace workforce::operations
