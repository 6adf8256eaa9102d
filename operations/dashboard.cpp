// Figures, and what happened last.
#include "projections/dashboard/dashboard.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "events/aggregate.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/declare.hpp"
#include "operations/words/words.hpp"

namespace workforce::operations {

template <>
inline constexpr core::Id kLeastId<projections::ActivityUser> = 0;

struct ActivityQuery {
    std::optional<core::Int<1, core::kMaxId>> limit;  ///< default 20; over 100 is clamped
    std::optional<Id> orgUnitId;
};
BOOST_DESCRIBE_STRUCT(ActivityQuery, (), (limit, orgUnitId))

/// Spec 2.3 with its ten newest activities.
struct DashboardAnswer : projections::DashboardStats {
    std::vector<projections::ActivityItem> recentActivity;
};
BOOST_DESCRIBE_STRUCT(DashboardAnswer, (projections::DashboardStats), (recentActivity))

namespace {

/// What happened last, of the kinds that the caller may read.
boost::asio::awaitable<std::vector<projections::ActivityItem>> activity_of(Call& call, projections::Scope const& scope,
                                                                           std::int64_t limit) {
    std::vector<events::Kind> kinds;
    bool all = true;
    for (auto const kind : events::kAllKinds) {
        if (!events::is_in_activity(kind)) continue;
        bool const may = may_read(*call.caller, kind);
        if (may) kinds.push_back(kind);
        all = all && may;
    }
    if (kinds.empty()) co_return std::vector<projections::ActivityItem>{};
    std::optional<std::vector<events::Kind>> narrowed;
    if (!all) narrowed = std::move(kinds);
    co_return co_await projections::recent_activity(call.services.database_of(scope), scope, static_cast<int>(limit),
                                                    std::move(narrowed));
}

boost::asio::awaitable<Outcome> get_dashboard_stats(Call& call) {
    auto query = read_query<ScopeQuery>(call.input.parameters);
    if (!query) co_return refuse(call, query.error());
    auto scope = read_scope(call, query->facilityId);
    if (!scope) co_return refuse(call, scope.error());
    co_await await_own_writes(call);
    if (auto known = co_await check_facility(call, query->facilityId); !known) co_return refuse(call, known.error());
    DashboardAnswer answer;
    static_cast<projections::DashboardStats&>(answer) =
        co_await projections::dashboard_stats(call.services.database_of(*scope), *scope, core::now());
    answer.recentActivity = co_await activity_of(call, *scope, 10);
    co_return Outcome{.body = core::to_json(answer), .facility = query->facilityId.value_or(0)};
}

boost::asio::awaitable<Outcome> get_recent_activity(Call& call) {
    auto query = read_query<ActivityQuery>(call.input.parameters);
    if (!query) co_return refuse(call, query.error());
    auto scope = read_scope(call);
    if (!scope) co_return refuse(call, scope.error());
    co_await await_own_writes(call);
    auto const limit = query->limit ? query->limit->value : 20;
    auto const items = co_await activity_of(call, *scope, std::min<std::int64_t>(limit, 100));
    co_return Outcome{.body = core::to_json(items)};
}

}  // namespace

std::vector<Operation> dashboard_operations() {
    using enum net::Method;
    std::vector<Operation> all{
        query_with<DashboardAnswer, ScopeQuery>("dashboard.stats", "The dashboard's figures", get_dashboard_stats)
            .says("Returns counts of people, shifts and facilities, compliance, hours and revenue of this month, and "
                  "the ten newest of what happened. Lists have the rows behind these.")
            .needs("analytics.view")
            .at(get, "/api/dashboard/stats")
            .as_tool({.name = "dashboard_stats"}),
        query_with<std::vector<projections::ActivityItem>, ActivityQuery>(
            "dashboard.activity", "What happened last to what you may read, newest first", get_recent_activity)
            .says("Returns what happened last, newest first: what, to what, by whom and when. Only kinds that you may "
                  "read.")
            .needs("analytics.view")
            .at(get, "/api/dashboard/recent-activity")
            .as_tool({.name = "activity_recent", .answers_list = true}),
    };
    std::ranges::move(dashboard_page_operations(), std::back_inserter(all));
    return all;
}

std::vector<StructWords> dashboard_words() {
    return {
        {{"DashboardStats"},
         {{"activeStaff", "People who are active"},
          {"openShifts", "Shifts that miss people and are not over"},
          {"filledShifts", "Shifts of this month that have or had all their people"},
          {"complianceRate", "Per cent of active people with every credential that their facilities require"},
          {"monthlyHours", "Hours worked this month"},
          {"totalFacilities", "Active facilities"},
          {"urgentShifts", "Open shifts of high or critical urgency"},
          {"expiringCredentials", "Pending and verified credentials that end within 30 days"},
          {"monthlyRevenue", "What this month's work is billed, in the organization's currency"}}},
        {{"DashboardAnswer"}, {{"recentActivity", "The ten newest of what happened"}}},
        {{"ActivityItem"},
         {{"id", "Names the event; newer ones have higher ids"},
          {"action", "What happened, such as shift.filled"},
          {"resource", "What it happened to, as kind:id"},
          {"createdAt", "When it happened (UTC)"},
          {"user", "Who did it"}}},
        {{"ActivityUser"},
         {{"id", "The user; 0: a key or the system"},
          {"name", "Full name, or the key's"},
          {"email", "The user's address; empty for a key"}}},
    };
}

}  // namespace workforce::operations
