// Which organization a resource belongs to.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "core/database.hpp"
#include "events/aggregate.hpp"

namespace workforce::operations {

/// A resource never leaves its organization, so what was found once holds: only the first request that names a resource
/// asks the read models, together with other short reads. Thread-safe.
class Tenants {
   public:
    /// `operators` sees the rows of all organizations.
    explicit Tenants(core::Database& operators) : operators_(operators) {}

    /// The organization of the resource, live or sandbox; nothing where no read model has it. Errors:
    /// core::DatabaseUnavailable, core::DatabaseBusy.
    boost::asio::awaitable<std::optional<core::Id>> of(events::Kind kind, bool sandbox, core::Id id);

   private:
    using Key = std::tuple<events::Kind, bool, core::Id>;
    static constexpr std::size_t kLimit = 100'000;  // then it begins anew

    core::Database& operators_;
    std::mutex mutex_;
    std::map<Key, core::Id> known_;
};

}  // namespace workforce::operations
