// Rows of ops.billing_outbox, as operators see them (domain 8.6).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/database.hpp"
#include "core/json.hpp"
#include "core/time.hpp"
#include "projections/engine/query.hpp"

namespace workforce::projections {

/// How a row stands.
enum class BillingStatus : std::uint8_t { pending, sent, dead, held, no_subject };
BOOST_DESCRIBE_ENUM(BillingStatus, pending, sent, dead, held, no_subject)

/// Filters of the list.
struct BillingFilter {
    std::optional<std::vector<BillingStatus>> status{};
};
BOOST_DESCRIBE_STRUCT(BillingFilter, (), (status))

struct BillingRow {
    Id id = 0;
    Id organizationId = 0;
    std::string requestId;
    std::string eventName;
    core::Nullable<std::string> subject{};
    std::string value = "1";
    std::string identifier;
    core::Timestamp occurredAt;
    BillingStatus status = BillingStatus::pending;
    std::int64_t attempts = 0;
    core::Nullable<core::Timestamp> nextAttemptAt{};
    core::Nullable<std::string> lastError{};
};
BOOST_DESCRIBE_STRUCT(BillingRow, (),
                      (id, organizationId, requestId, eventName, subject, value, identifier, occurredAt, status,
                       attempts, nextAttemptAt, lastError))

/// At most so many, newest first, with ids below `before`; of the scope's organization, or of all. The database is the
/// operators'.
boost::asio::awaitable<std::vector<BillingRow>> billing_rows(core::Database& operators, Scope scope,
                                                             BillingFilter filter, std::optional<Id> before, int most);

}  // namespace workforce::projections
