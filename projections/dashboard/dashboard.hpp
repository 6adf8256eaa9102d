// The dashboard's figures and its feed of what happened (spec 2.3, 2.4; formulas in domain 3.6).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <vector>

#include "core/database.hpp"
#include "core/json.hpp"
#include "core/text.hpp"
#include "events/aggregate.hpp"
#include "projections/engine/query.hpp"

namespace workforce::projections {

/// The figures, named as on the wire; `recentActivity` is a query of its own.
struct DashboardStats {
    std::int64_t activeStaff = 0;
    std::int64_t openShifts = 0;
    std::int64_t filledShifts = 0;
    core::Decimal<0, 100> complianceRate;  ///< per cent of active staff who have what their facilities require
    core::Decimal<0, core::kMaxId> monthlyHours;
    std::int64_t totalFacilities = 0;
    std::int64_t urgentShifts = 0;
    std::int64_t expiringCredentials = 0;  ///< pending and verified ones that end within 30 days
    core::Decimal<0, core::kMaxId> monthlyRevenue;
};
BOOST_DESCRIBE_STRUCT(DashboardStats, (),
                      (activeStaff, openShifts, filledShifts, complianceRate, monthlyHours, totalFacilities,
                       urgentShifts, expiringCredentials, monthlyRevenue))

/// Who did it; id 0 and no address where no user stands behind it: a key by its name, or "System".
struct ActivityUser {
    Id id = 0;
    std::string name;
    std::string email;
};
BOOST_DESCRIBE_STRUCT(ActivityUser, (), (id, name, email))

/// One thing that happened.
struct ActivityItem {
    Id id = 0;             ///< position × 1024 + partition of the event
    std::string action;    ///< the event's type, `shift.filled`
    std::string resource;  ///< `shift:12`
    core::Timestamp createdAt;
    ActivityUser user;
};
BOOST_DESCRIBE_STRUCT(ActivityItem, (), (id, action, resource, createdAt, user))

/// The figures as of `now`; "this month" is the month that each facility's own calendar shows then. Credentials go by
/// today's date on the organization's calendar, whatever `now` is.
boost::asio::awaitable<DashboardStats> dashboard_stats(core::Database& database, Scope scope, core::Timestamp now);

/// The newest first, of these kinds alone (nothing: of all); `limit` is clamped to 1–100. Scopes of facilities see what
/// happened at these, and to staff of these and their credentials.
boost::asio::awaitable<std::vector<ActivityItem>> recent_activity(
    core::Database& database, Scope scope, int limit, std::optional<std::vector<events::Kind>> kinds = std::nullopt);

}  // namespace workforce::projections
