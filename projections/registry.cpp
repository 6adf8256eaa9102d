// The list of projections, each from its own folder.
#include "projections/registry.hpp"

#include <algorithm>
#include <array>

#include "core/json.hpp"
#include "projections/activity/activity.hpp"
#include "projections/agent_runs/agent_runs.hpp"
#include "projections/agents/agents.hpp"
#include "projections/answers/answers.hpp"
#include "projections/api_keys/api_keys.hpp"
#include "projections/approvals/approvals.hpp"
#include "projections/apps/apps.hpp"
#include "projections/audit/audit.hpp"
#include "projections/conversations/conversations.hpp"
#include "projections/credentials/credentials.hpp"
#include "projections/event_tap/event_tap.hpp"
#include "projections/facilities/facilities.hpp"
#include "projections/guardrails/guardrails.hpp"
#include "projections/leads/leads.hpp"
#include "projections/messages/messages.hpp"
#include "projections/notifications/notifications.hpp"
#include "projections/oauth_clients/oauth_clients.hpp"
#include "projections/oauth_grants/oauth_grants.hpp"
#include "projections/organizations/organizations.hpp"
#include "projections/payroll_payments/payroll_payments.hpp"
#include "projections/payroll_runs/payroll_runs.hpp"
#include "projections/sandbox/sandboxes.hpp"
#include "projections/shift_claims/shift_claims.hpp"
#include "projections/shift_offers/shift_offers.hpp"
#include "projections/shift_swaps/shift_swaps.hpp"
#include "projections/shift_templates/shift_templates.hpp"
#include "projections/shifts/shifts.hpp"
#include "projections/staff/staff.hpp"
#include "projections/time_off/time_off.hpp"
#include "projections/timesheets/timesheets.hpp"
#include "projections/triggers/triggers.hpp"
#include "projections/users/users.hpp"
#include "projections/webhooks/webhooks.hpp"

namespace workforce::projections {

std::span<ProjectionType const> registry() {
    static std::array const all{
        projection_of<organizations>(),
        projection_of<facilities>(),
        projection_of<users>(),
        projection_of<api_keys>(),
        projection_of<staff>(),
        projection_of<shifts>(),
        projection_of<leads>(),
        projection_of<sandboxes>(),
        projection_of<notifications>(),
        activity_projection(),
        answer_projection(),
        audit_projection(),
        projection_of<webhooks>(),
        projection_of<credentials>(),
        projection_of<timesheets>(),
        projection_of<payroll_runs>(),
        payroll_payment_projection(),
        projection_of<oauth_clients>(),
        projection_of<oauth_grants>(),
        projection_of<guardrails>(),
        projection_of<approvals>(),
        projection_of<agents>(),
        projection_of<agent_runs>(),
        projection_of<triggers>(),
        projection_of<app_connections>(),
        app_execution_projection(),
        event_tap_projection(),
        projection_of<conversations>(),
        projection_of<messages>(),
        projection_of<time_off>(),
        projection_of<shift_claims>(),
        projection_of<shift_swaps>(),
        projection_of<shift_templates>(),
        projection_of<shift_offers>(),
    };
    return all;
}

std::string_view projection_name(events::Kind kind) {
    return kind == events::Kind::command ? "answer" : core::enum_name(kind);
}

std::string_view table_of(events::Kind kind) {
    auto const types = registry();
    auto const found = std::find_if(types.begin(), types.end(),
                                    [&](ProjectionType const& type) { return type.name == projection_name(kind); });
    return found == types.end() ? std::string_view{} : found->table;
}

std::vector<std::string> names_of(std::span<ProjectionType const> projections) {
    std::vector<std::string> names;
    for (auto const& type : projections) names.emplace_back(type.name);
    return names;
}

}  // namespace workforce::projections
