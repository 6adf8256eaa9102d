// The table of webhook types.
#include "events/webhook_types.hpp"

#include <algorithm>

namespace workforce::events {
namespace {

constexpr std::array kWebhookTypes{
    WebhookType{"shift_posted", "a new shift is created", "shifts.view"},
    WebhookType{"shift_filled", "the assigned staff count reaches the required staffing", "shifts.view"},
    WebhookType{"credential_expired", "a credential is marked expired or is past its expiry", "credentials.view"},
    WebhookType{"timesheet_approved", "a timesheet is approved", "timesheets.view"},
    WebhookType{"lead_qualified", "a lead's status becomes qualified", "crm.view"},
    WebhookType{"payroll_completed", "a payroll run is approved and submitted to the provider", "payroll.view"},
    WebhookType{"staff_onboarded", "a staff member is created", "staff.view"},
    WebhookType{"agent_run.pending_approval", "an agent's run waits for an approval", "agents.view"},
    WebhookType{"agent_run.completed", "an agent's run finished", "agents.view"},
    WebhookType{"agent_run.failed", "an agent's run failed, or an approver rejected it", "agents.view"},
};

}  // namespace

std::span<WebhookType const> webhook_types() { return kWebhookTypes; }

WebhookType const* find_webhook_type(std::string_view name) {
    auto const found = std::ranges::find(kWebhookTypes, name, &WebhookType::name);
    return found == kWebhookTypes.end() ? nullptr : &*found;
}

bool can_subscribe_to(std::string_view name) {
    return name == kEveryType || name == kTestType || find_webhook_type(name) != nullptr;
}

std::vector<std::string> readable_types(core::Permissions const& permissions) {
    constexpr core::Permission kLifts("integrations.manage_webhooks");
    if (permissions[kLifts.index()]) return {std::string(kEveryType)};
    std::vector<std::string> readable;
    for (auto const& type : kWebhookTypes) {
        if (permissions[type.permission.index()]) readable.emplace_back(type.name);
    }
    return readable;
}

std::vector<std::string> effective_types(std::span<core::ShortText const> named,
                                         std::span<std::string const> readable) {
    bool const all = std::ranges::find(named, kEveryType, &core::ShortText::value) != named.end();
    if (all) return {readable.begin(), readable.end()};
    std::vector<std::string> effective;
    for (auto const& type : named) {
        if (includes_type(readable, type.value)) effective.push_back(type.value);
    }
    return effective;
}

std::vector<std::string> types_to_replay(std::vector<std::string> const& effective,
                                         std::vector<std::string> const& wanted) {
    if (wanted.empty()) return effective;
    std::vector<std::string> types;
    for (auto const& type : wanted) {
        if (includes_type(effective, type)) types.push_back(type);
    }
    return types;
}

bool includes_type(std::span<std::string const> types, std::string_view type) {
    return std::ranges::any_of(types, [&](std::string const& each) { return each == kEveryType || each == type; });
}

}  // namespace workforce::events
