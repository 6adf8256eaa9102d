// Which facilities organizations have, for requests that name one.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <mutex>
#include <set>
#include <utility>

#include "core/database.hpp"
#include "projections/engine/query.hpp"

namespace workforce::operations {

/// A facility never leaves its organization, so what was seen once holds: only the first request that names a facility
/// asks the database, together with other short reads. Thread-safe.
class KnownFacilities {
   public:
    explicit KnownFacilities(core::Database& reads) : reads_(reads) {}

    /// Whether the scope's organization has the facility; its facilities don't matter. Errors:
    /// core::DatabaseUnavailable, core::DatabaseBusy.
    boost::asio::awaitable<bool> has(projections::Scope scope, core::Id facility);

   private:
    static constexpr std::size_t kLimit = 100'000;  // then it begins anew

    core::Database& reads_;
    std::mutex mutex_;
    std::set<std::pair<core::Id, core::Id>> seen_;  // organization, facility
};

}  // namespace workforce::operations
