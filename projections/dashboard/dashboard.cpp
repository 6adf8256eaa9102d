// The dashboard's statements, and what its figures are while their sources do not exist.
#include "projections/dashboard/dashboard.hpp"

#include <algorithm>

#include "projections/engine/statements.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

/// How many of the active people do not fail, in per cent of one decimal. Of nobody all do.
core::Decimal<0, 100> compliance_rate(std::int64_t active, std::int64_t failing) {
    if (active == 0) return {10'000};
    auto const tenths = (2'000 * (active - failing) + active) / (2 * active);  // the nearest one
    return {10 * tenths};
}

/// What no read model knows yet. There are no timesheets, so no hours were worked and none billed. Their read model's
/// queries take these places.
void set_unknown_figures(DashboardStats& stats) {
    stats.monthlyHours.hundredths = 0;
    stats.monthlyRevenue.hundredths = 0;
}

constexpr core::Statement kUsers{"activity_users", sql::activity_users};

/// Names the organization's own users in a sandbox's items, as a live session of the organization knows them.
void name_users(core::Connection& connection, Id organization, std::vector<ActivityItem>& items) {
    std::vector<Id> ids;
    for (auto const& item : items) {
        if (item.user.id != 0) ids.push_back(item.user.id);
    }
    if (ids.empty()) return;
    connection.use({.organization = organization});
    for (auto const& row : connection.execute(kUsers, organization, ids)) {
        ActivityUser const user{core::read<Id>(row["id"]), core::read<std::string>(row["name"]),
                                core::read<std::string>(row["email"])};
        for (auto& item : items) {
            if (item.user.id == user.id) item.user = user;
        }
    }
}

ActivityUser user_of(pqxx::row const& row) {
    auto const id = core::read<Id>(row["user_id"]);
    if (id == 0) return {0, "System", ""};
    if (row["name"].is_null()) return {id, "Operator", ""};  // of the platform: not of the reader's organization
    return {id, core::read<std::string>(row["name"]), core::read<std::string>(row["email"])};
}

}  // namespace

boost::asio::awaitable<DashboardStats> dashboard_stats(core::Database& database, Scope scope, core::Timestamp now) {
    static ScopedStatement const statement("dashboard_stats", sql::dashboard_stats);
    auto const chosen = statement.of(scope);
    auto const context = tenant(scope);
    co_return co_await database.run(
        [chosen, context, facilities = facilities_parameter(scope), now](core::Connection& connection) {
            auto const row = connection.execute(chosen, context.organization, context.sandbox, facilities, now).at(0);
            DashboardStats stats;
            stats.activeStaff = core::read<std::int64_t>(row["active"]);
            stats.openShifts = core::read<std::int64_t>(row["open"]);
            stats.filledShifts = core::read<std::int64_t>(row["filled"]);
            stats.urgentShifts = core::read<std::int64_t>(row["urgent"]);
            stats.totalFacilities = core::read<std::int64_t>(row["facilities"]);
            stats.expiringCredentials = core::read<std::int64_t>(row["expiring"]);
            stats.complianceRate = compliance_rate(stats.activeStaff, core::read<std::int64_t>(row["failing"]));
            set_unknown_figures(stats);
            return stats;
        },
        context);
}

boost::asio::awaitable<std::vector<ActivityItem>> recent_activity(core::Database& database, Scope scope, int limit) {
    // Ids follow the log within a partition only, so across organizations time decides.
    static ScopedStatement const own("activity_recent", with_fragments(sql::activity_recent, {{"order", ""}}));
    static ScopedStatement const all("activity_recent_all",
                                     with_fragments(sql::activity_recent, {{"order", "t.created_at DESC,"}}));
    bool const across = scope.organization == 0;
    auto const chosen = (across ? all : own).of(scope);
    auto const context = tenant(scope);
    auto read = [chosen, context, facilities = facilities_parameter(scope),
                 limit = std::clamp(limit, 1, 100)](core::Connection& connection) {
        std::vector<ActivityItem> items;
        for (auto const& row : connection.execute(chosen, context.organization, context.sandbox, facilities, limit,
                                                  context.operator_access)) {
            items.push_back({.id = core::read<Id>(row["id"]),
                             .action = core::read<std::string>(row["action"]),
                             .resource = core::read<std::string>(row["resource"]),
                             .createdAt = core::read<core::Timestamp>(row["created_at"]),
                             .user = user_of(row)});
        }
        if (context.sandbox && !context.operator_access) name_users(connection, context.organization, items);
        return items;
    };
    co_return co_await database.run(std::move(read), context);
}

}  // namespace workforce::projections
