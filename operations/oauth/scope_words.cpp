// The table of words.
#include "operations/oauth/scope_words.hpp"

#include <algorithm>
#include <array>

#include "core/scopes.hpp"

namespace workforce::operations {
namespace {

struct Row {
    std::string_view scope;
    ScopeWeight weight;
    std::string_view text;
};

using enum ScopeWeight;

constexpr auto kRows = std::to_array<Row>({
    {"organizations:read", reads, "see your organization's record"},
    {"users:read", reads, "see who can sign in, and their roles"},
    {"facilities:read", reads, "see facilities and their rules"},
    {"users:write", sensitive, "invite, change and deactivate people who sign in"},
    {"facilities:write", changes, "create and change facilities"},
    {"organizations:manage", sensitive, "create and change organizations"},
    {"staff:read", reads, "see staff, with their contact details"},
    {"staff:write", changes, "add and change staff"},
    {"credentials:read", reads, "see licenses and certificates"},
    {"credentials:write", changes, "add and change licenses and certificates"},
    {"credentials:verify", sensitive, "confirm or reject licenses and certificates"},
    {"shifts:read", reads, "see shifts and who works them"},
    {"shifts:write", changes, "create, change and cancel shifts"},
    {"shifts:assign", changes, "put people on shifts and take them off"},
    {"shifts:override", sensitive, "assign people against a rule that forbids it"},
    {"timesheets:read", reads, "see logs of work"},
    {"timesheets:write", changes, "clock people in and out, and change logs of work"},
    {"timesheets:approve", sensitive, "approve and reject logs of work"},
    {"payroll:read", reads, "see payroll runs and what people are paid"},
    {"payroll:run", sensitive, "prepare, approve and pay payroll runs"},
    {"crm:read", reads, "see leads"},
    {"crm:write", changes, "create and change leads"},
    {"communications:read", reads, "read messages"},
    {"communications:write", changes, "send messages to people"},
    {"notifications:read", reads, "see your notifications"},
    {"notifications:write", changes, "mark your notifications as read"},
    {"analytics:read", reads, "see figures and reports"},
    {"integrations:read", reads, "see webhooks and other integrations"},
    {"integrations:write", sensitive, "have events sent to other services"},
    {"guardrails:read", reads, "see what agents are kept from"},
    {"guardrails:write", sensitive, "change what agents are kept from"},
    {"events:read", reads, "follow all that happens"},
    {"audit:read", reads, "read the audit log"},
    {"apps:read", reads, "see connected apps"},
    {"apps:write", sensitive, "connect apps and use them"},
    {"agents:read", reads, "see agents and their runs"},
    {"agents:run", sensitive, "run agents"},
    {"agents:approve", sensitive, "approve what agents want to do"},
    {"agents:manage", sensitive, "create and change agents"},
    {"ai:approve_actions", sensitive, "approve what assistants want to do"},
    {"scheduling:read", reads, "see the schedule"},
    {"scheduling:write", changes, "plan shifts and who works them"},
    {"scheduling:request", changes, "ask for swaps and time off"},
    {"hr:read", reads, "see staff and their certificates"},
    {"hr:write", changes, "change staff and their certificates"},
    {"finance:read", reads, "see logs of work and payroll"},
});

}  // namespace

ScopeWords words_of_scope(std::string_view scope) {
    auto const found = std::ranges::find(kRows, scope, &Row::scope);
    if (found != kRows.end()) return {found->weight, std::string(found->text)};
    auto const resource = scope.substr(0, scope.find(':'));
    return {sensitive, "do everything with " + std::string(resource)};
}

std::vector<std::string> scopes_of_text(std::string_view text) {
    std::vector<std::string> scopes;
    while (!text.empty()) {
        auto const end = std::min(text.find(' '), text.size());
        std::string scope(text.substr(0, end));
        if (!scope.empty() && std::ranges::count(scopes, scope) == 0) scopes.push_back(std::move(scope));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return scopes;
}

std::string text_of_scopes(std::span<std::string const> scopes) {
    std::string text;
    for (auto const& scope : scopes) text.append(text.empty() ? "" : " ").append(scope);
    return text;
}

std::vector<std::string> default_scopes(std::span<std::string const> most) {
    std::vector<std::string> scopes;
    for (auto const& scope : core::scope_catalogue()) {
        if (!scope.in_default_grant) continue;
        if (most.empty() || std::ranges::count(most, scope.name) > 0) scopes.emplace_back(scope.name);
    }
    return scopes;
}

}  // namespace workforce::operations
