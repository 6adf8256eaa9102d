// The table of audited events.
#include "projections/audit/rules.hpp"

#include <array>
#include <unordered_map>

#include "events/catalogue.hpp"

namespace workforce::projections {
namespace {

/// Events of the type leave an entry.
template <class E>
constexpr AuditRule as(std::string_view action) {
    return {.event = E::kType, .action = action, .reason = {}};
}

/// As as(), where the metadata has all members of the event.
template <class E>
constexpr AuditRule told_as(std::string_view action) {
    auto rule = as<E>(action);
    rule.tell = [](core::JsonWriter& w, events::AnyEvent const& event) {
        core::JsonType<E>::write_members(w, events::get<E>(event));
    };
    return rule;
}

/// As told_as(), of what users do, which the installation records.
template <class E>
constexpr AuditRule own_as(std::string_view action) {
    auto rule = told_as<E>(action);
    rule.by_subject = true;
    return rule;
}

/// Events of the type leave none.
template <class E>
constexpr AuditRule none(std::string_view reason) {
    return {.event = E::kType, .action = {}, .reason = reason};
}

/// As told_as(), of those assignments alone that overrode a rule: others are work as usual.
constexpr AuditRule overrides_as(std::string_view action) {
    auto rule = told_as<events::ShiftStaffAssigned>(action);
    rule.applies = [](events::AnyEvent const& event) {
        return !events::get<events::ShiftStaffAssigned>(event).overrides.empty();
    };
    return rule;
}

constexpr std::string_view kWork = "work, which the activity feed shows";

constexpr std::string_view kProvider = "what a provider says of a run, which the activity feed shows";

constexpr auto make_rules() {
    using namespace events;  // every line names something of it
    return std::array{
        as<OrganizationCreated>("ORGANIZATION_CREATED"),
        as<OrganizationUpdated>("ORGANIZATION_UPDATED"),
        as<OrganizationDeactivated>("ORGANIZATION_DEACTIVATED"),
        as<OrganizationReactivated>("ORGANIZATION_REACTIVATED"),
        as<UserCreated>("USER_CREATED"),
        as<UserUpdated>("USER_UPDATED"),
        as<UserDeactivated>("USER_DEACTIVATED"),
        as<UserReactivated>("USER_REACTIVATED"),
        told_as<UserErased>("USER_ERASED"),
        as<UserInvited>("USER_INVITED"),
        own_as<UserActivated>("USER_ACTIVATED"),
        told_as<UserLocked>("USER_LOCKED"),
        as<UserUnlocked>("USER_UNLOCKED"),
        own_as<UserSignedIn>("USER_LOGGED_IN"),
        own_as<UserSignedOut>("USER_LOGGED_OUT"),
        as<UserSignInFailed>("USER_LOGIN_FAILED"),
        own_as<UserPasswordChanged>("USER_PASSWORD_CHANGED"),
        own_as<UserMfaEnabled>("USER_MFA_ENABLED"),
        own_as<UserMfaDisabled>("USER_MFA_DISABLED"),
        as<UserMfaReset>("USER_MFA_RESET"),
        as<ApiKeyCreated>("API_KEY_CREATED"),
        as<ApiKeyUpdated>("API_KEY_UPDATED"),
        as<ApiKeyRotated>("API_KEY_ROTATED"),
        as<ApiKeySecretRetired>("API_KEY_SECRET_RETIRED"),
        as<ApiKeyExpired>("API_KEY_EXPIRED"),
        told_as<ApiKeyRevoked>("API_KEY_REVOKED"),
        told_as<OAuthClientRegistered>("OAUTH_CLIENT_REGISTERED"),
        told_as<OAuthClientRemoved>("OAUTH_CLIENT_REMOVED"),
        told_as<OAuthGrantApproved>("OAUTH_GRANT_APPROVED"),
        told_as<OAuthGrantRevoked>("OAUTH_GRANT_REVOKED"),
        told_as<OAuthGrantChainRevoked>("OAUTH_CHAIN_REVOKED"),
        told_as<SandboxReset>("SANDBOX_RESET"),
        as<WebhookCreated>("WEBHOOK_SUBSCRIPTION_CREATED"),
        as<WebhookUpdated>("WEBHOOK_SUBSCRIPTION_UPDATED"),
        as<WebhookEnabled>("WEBHOOK_SUBSCRIPTION_ENABLED"),
        told_as<WebhookDisabled>("WEBHOOK_SUBSCRIPTION_DISABLED"),
        told_as<WebhookSecretRotated>("WEBHOOK_SUBSCRIPTION_SECRET_ROTATED"),
        told_as<WebhookTested>("WEBHOOK_SUBSCRIPTION_TESTED"),
        told_as<WebhookRedelivered>("WEBHOOK_SUBSCRIPTION_REDELIVERED"),
        told_as<WebhookReplayed>("WEBHOOK_SUBSCRIPTION_REPLAYED"),
        as<WebhookDeleted>("WEBHOOK_SUBSCRIPTION_DELETED"),
        overrides_as("SHIFT_RULE_OVERRIDDEN"),
        none<FacilityCreated>(kWork),
        none<FacilityUpdated>(kWork),
        none<FacilityDeactivated>(kWork),
        none<FacilityReactivated>(kWork),
        none<StaffOnboarded>(kWork),
        none<StaffUpdated>(kWork),
        none<StaffDeactivated>(kWork),
        none<StaffReactivated>(kWork),
        none<StaffErased>(kWork),
        none<StaffDeleted>(kWork),
        none<ShiftPosted>(kWork),
        none<ShiftUpdated>(kWork),
        none<ShiftFilled>(kWork),
        none<ShiftUnassigned>(kWork),
        none<ShiftVacancyOpened>(kWork),
        none<ShiftStarted>(kWork),
        none<ShiftCompleted>(kWork),
        none<ShiftCancelled>(kWork),
        none<ShiftReopened>(kWork),
        none<ShiftDeleted>(kWork),
        none<ShiftSwapped>(kWork),
        none<ShiftAcknowledged>(kWork),
        none<LeadCreated>(kWork),
        none<LeadUpdated>(kWork),
        none<LeadStatusChanged>(kWork),
        none<LeadQualified>(kWork),
        none<LeadDeleted>(kWork),
        none<LeadErased>(kWork),
        none<CredentialAdded>(kWork),
        none<CredentialUpdated>(kWork),
        none<CredentialVerified>(kWork),
        none<CredentialRejected>(kWork),
        none<CredentialExpired>(kWork),
        none<CredentialExpiring>(kWork),
        none<CredentialRevoked>(kWork),
        none<CredentialHolderErased>(kWork),
        none<CredentialDeleted>(kWork),
        none<TimesheetOpened>(kWork),
        none<TimesheetSubmitted>(kWork),
        none<TimesheetEdited>(kWork),
        none<TimesheetRecalculated>(kWork),
        none<TimesheetApproved>(kWork),
        none<TimesheetRejected>(kWork),
        none<TimesheetUnapproved>(kWork),
        none<TimesheetVoided>(kWork),
        none<TimesheetHolderErased>(kWork),
        none<TimesheetDeleted>(kWork),
        none<TimesheetPaid>(kWork),
        as<PayrollRunCreated>("PAYROLL_RUN_CREATED"),
        as<PayrollRunUpdated>("PAYROLL_RUN_UPDATED"),
        none<PayrollRunNoted>("a part of what made or changed the run"),
        none<PayrollRunPaymentsCreated>("a part of the run's approval"),
        told_as<PayrollRunApproved>("PAYROLL_RUN_APPROVED"),
        none<PayrollRunSubmitted>(kProvider),
        none<PayrollRunPaymentsSettled>(kProvider),
        none<PayrollRunPaymentExplained>(kProvider),
        none<PayrollRunPaid>(kProvider),
        none<PayrollRunPartiallyPaid>(kProvider),
        none<PayrollRunFailed>(kProvider),
        as<PayrollRunCancelled>("PAYROLL_RUN_CANCELLED"),
        as<PayrollRunDeleted>("PAYROLL_RUN_DELETED"),
        none<PayrollRunTimesheetsReleased>("a part of the run's end"),
        none<PayrollRunPersonErased>("a part of the person's erasure"),
        none<NotificationCreated>("what somebody is told of another event"),
        none<NotificationRead>("what somebody has read"),
        none<CommandAnswered>("an answer that is kept, and no event of the domain"),
    };
}

constexpr auto kRules = make_rules();

}  // namespace

std::span<AuditRule const> audit_rules() { return kRules; }

AuditRule const* audit_rule(events::Event const& event) {
    static auto const by_type = [] {
        std::unordered_map<std::string_view, AuditRule const*> rules;
        for (auto const& rule : kRules) {
            if (!rule.action.empty()) rules.emplace(rule.event, &rule);
        }
        return rules;
    }();
    auto const found = by_type.find(event.meta.type);
    if (found == by_type.end()) return nullptr;
    auto const* rule = found->second;
    return rule->applies == nullptr || rule->applies(event.data) ? rule : nullptr;
}

}  // namespace workforce::projections
