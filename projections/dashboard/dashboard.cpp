// The dashboard's statements.
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

/// Hours of so many minutes, to the nearest hundredth.
core::Decimal<0, core::kMaxId> hours_of(std::int64_t minutes) { return {(minutes * 100 + 30) / 60}; }

constexpr core::Statement kUsers{"activity_users", sql::activity_users};

/// Who acted: a user, or else a key, or neither.
struct ActivityActor {
    Id user = 0;
    Id key = 0;
    bool operator==(ActivityActor const&) const = default;
};

/// Names the organization's own users and keys in a sandbox's items, as a live session of the organization knows them.
/// `actors` are those of the items, in the same order.
void name_actors(core::Connection& connection, Id organization, std::vector<ActivityActor> const& actors,
                 std::vector<ActivityItem>& items) {
    std::vector<Id> users, keys;
    for (auto const& actor : actors) {
        if (actor.user != 0) users.push_back(actor.user);
        if (actor.key != 0) keys.push_back(actor.key);
    }
    if (users.empty() && keys.empty()) return;
    connection.use({.organization = organization});
    for (auto const& row : connection.execute(kUsers, organization, users, keys)) {
        auto const id = core::read<Id>(row["id"]);
        bool const is_user = core::read_view(row["type"]) == core::enum_name(events::Kind::user);
        auto const actor = is_user ? ActivityActor{.user = id} : ActivityActor{.key = id};
        ActivityUser const named{actor.user, core::read<std::string>(row["name"]),
                                 core::read<std::string>(row["email"])};
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (actors[i] == actor) items[i].user = named;
        }
    }
}

ActivityUser user_of(ActivityActor const& actor, pqxx::row const& row) {
    if (actor == ActivityActor{}) return {0, "System", ""};
    // One whom the reader's organization does not know is of the platform.
    if (row["name"].is_null()) return {actor.user, "Operator", ""};
    return {actor.user, core::read<std::string>(row["name"]),
            actor.user == 0 ? "" : core::read<std::string>(row["email"])};
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
            stats.monthlyHours = hours_of(core::read<std::int64_t>(row["minutes"]));
            stats.monthlyRevenue.hundredths = core::read<std::int64_t>(row["revenue"]);
            return stats;
        },
        context);
}

boost::asio::awaitable<std::vector<ActivityItem>> recent_activity(core::Database& database, Scope scope, int limit,
                                                                  std::optional<std::vector<events::Kind>> kinds) {
    // Ids follow the log within a partition only, so across organizations time decides.
    static ScopedStatement const own("activity_recent", with_fragments(sql::activity_recent, {{"order", ""}}));
    static ScopedStatement const all("activity_recent_all",
                                     with_fragments(sql::activity_recent, {{"order", "t.created_at DESC,"}}));
    bool const across = scope.organization == 0;
    auto const chosen = (across ? all : own).of(scope);
    auto const context = tenant(scope);
    core::Parameter names;
    if (kinds) {
        std::vector<std::string_view> each;
        for (auto const kind : *kinds) each.push_back(core::enum_name(kind));
        names = core::array_literal(each);
    }
    auto read = [chosen, context, facilities = facilities_parameter(scope), limit = std::clamp(limit, 1, 100),
                 names = std::move(names)](core::Connection& connection) {
        std::vector<ActivityItem> items;
        std::vector<ActivityActor> actors;
        for (auto const& row : connection.execute(chosen, context.organization, context.sandbox, facilities, limit,
                                                  context.operator_access, names)) {
            actors.push_back({core::read<Id>(row["user_id"]), core::read<Id>(row["key_id"])});
            items.push_back({.id = core::read<Id>(row["id"]),
                             .action = core::read<std::string>(row["action"]),
                             .resource = core::read<std::string>(row["resource"]),
                             .createdAt = core::read<core::Timestamp>(row["created_at"]),
                             .user = user_of(actors.back(), row)});
        }
        if (context.sandbox && !context.operator_access) {
            name_actors(connection, context.organization, actors, items);
        }
        return items;
    };
    co_return co_await database.run(std::move(read), context);
}

}  // namespace workforce::projections
