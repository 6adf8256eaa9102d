// The table of audited events.
#include "projections/audit/rules.hpp"

#include <array>
#include <unordered_map>

#include "events/catalogue.hpp"
#include "events/index.hpp"

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

/// As told_as(), of those members alone: others are personal, or say nothing.
template <class E, auto... Members>
constexpr AuditRule part_as(std::string_view action) {
    auto rule = as<E>(action);
    rule.tell = [](core::JsonWriter& w, events::AnyEvent const& event) {
        auto const& data = events::get<E>(event);
        auto const tell = [&]<auto Member>() {
            w.key(events::detail::member_name<Member>());
            core::write_json(w, data.*Member);
        };
        (tell.template operator()<Members>(), ...);
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

/// Events of the type leave none, though the activity feed does not show them.
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

/// As as(), of what an app was asked for: which action it was, and nothing of what it was about.
template <class E>
constexpr AuditRule action_as(std::string_view action) {
    auto rule = as<E>(action);
    rule.tell = [](core::JsonWriter& w, events::AnyEvent const& event) {
        events::AppActionAsked const& asked = events::get<E>(event);
        w.member("app", asked.app.value);
        w.member("action", asked.action.value);
        w.member("executionId", asked.executionId);
    };
    return rule;
}

constexpr std::string_view kMessaging = "what people write to one another, which they see themselves";

constexpr std::string_view kRun = "what a run does, which the run itself tells";

constexpr auto make_rules() {
    using namespace events;  // every line names something of it
    return std::array{
        as<OrganizationCreated>("ORGANIZATION_CREATED"),
        as<OrganizationUpdated>("ORGANIZATION_UPDATED"),
        as<OrganizationDeactivated>("ORGANIZATION_DEACTIVATED"),
        as<OrganizationReactivated>("ORGANIZATION_REACTIVATED"),
        told_as<OrganizationUsageExported>("USAGE_EXPORTED"),
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
        as<AppConnected>("APP_CONNECTED"),
        as<AppDisconnected>("APP_DISCONNECTED"),
        action_as<AppExecuted>("APP_ACTION_EXECUTED"),
        action_as<AppExecutionFailed>("APP_ACTION_FAILED"),
        as<ApiKeyCreated>("API_KEY_CREATED"),
        as<ApiKeyUpdated>("API_KEY_UPDATED"),
        as<ApiKeyRotated>("API_KEY_ROTATED"),
        as<ApiKeySecretRetired>("API_KEY_SECRET_RETIRED"),
        as<ApiKeyExpired>("API_KEY_EXPIRED"),
        told_as<ApiKeyRevoked>("API_KEY_REVOKED"),
        told_as<OAuthClientRegistered>("OAUTH_CLIENT_REGISTERED"),
        told_as<OAuthClientRemoved>("OAUTH_CLIENT_REMOVED"),
        told_as<OAuthClientUpdated>("OAUTH_CLIENT_UPDATED"),
        told_as<OAuthGrantApproved>("OAUTH_GRANT_APPROVED"),
        told_as<OAuthGrantRevoked>("OAUTH_GRANT_REVOKED"),
        told_as<OAuthGrantDenied>("OAUTH_GRANT_DENIED"),
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
        none<WebhookGranted>("the entry of the subscription that a client made or changed tells it"),
        overrides_as("SHIFT_RULE_OVERRIDDEN"),
        as<PayrollRunCreated>("PAYROLL_RUN_CREATED"),
        as<PayrollRunUpdated>("PAYROLL_RUN_UPDATED"),
        told_as<PayrollRunApproved>("PAYROLL_RUN_APPROVED"),
        as<PayrollRunCancelled>("PAYROLL_RUN_CANCELLED"),
        as<PayrollRunDeleted>("PAYROLL_RUN_DELETED"),
        none<ConversationStarted>(kMessaging),
        none<ConversationMessageAdded>(kMessaging),
        none<ConversationRead>(kMessaging),
        none<ConversationDeleted>("a part of the sandbox's reset"),
        told_as<ConversationErased>("CONVERSATION_ERASED"),
        none<MessageSent>(kMessaging),
        none<MessageDelivered>(kMessaging),
        none<MessageDeliveryFailed>(kMessaging),
        none<MessageRetracted>(kMessaging),
        none<MessageHolderErased>("a part of the conversation's erasure"),
        none<MessageDeleted>("a part of the sandbox's reset"),
        as<GuardrailCreated>("GUARDRAIL_CREATED"),
        as<GuardrailUpdated>("GUARDRAIL_UPDATED"),
        as<GuardrailDeleted>("GUARDRAIL_DELETED"),
        part_as<ApprovalRequested, &ApprovalRequested::tool, &ApprovalRequested::reason, &ApprovalRequested::guardrail>(
            "APPROVAL_REQUESTED"),
        part_as<ApprovalApproved, &ApprovalApproved::selfApproved>("APPROVAL_APPROVED"),
        part_as<ApprovalExecutionFailed, &ApprovalExecutionFailed::code>("APPROVAL_EXECUTION_FAILED"),
        part_as<ApprovalRejected, &ApprovalRejected::cause>("APPROVAL_REJECTED"),
        as<ApprovalExpired>("APPROVAL_EXPIRED"),
        as<AgentCreated>("AGENT_CREATED"),
        as<AgentUpdated>("AGENT_UPDATED"),
        as<AgentDeactivated>("AGENT_DEACTIVATED"),
        as<AgentReactivated>("AGENT_REACTIVATED"),
        as<AgentDeleted>("AGENT_DELETED"),
        as<AgentRunQueued>("AGENT_RUN_STARTED"),
        none<AgentRunStarted>(kRun),
        none<AgentRunStepFinished>(kRun),
        none<AgentRunTurnFinished>(kRun),
        none<AgentRunPendingApproval>(kRun),
        none<AgentRunResumed>(kRun),
        none<AgentRunCompleted>(kRun),
        none<AgentRunFailed>(kRun),
        none<AgentRunRejected>(kRun),
        part_as<AgentRunCancelled, &AgentRunCancelled::cause>("AGENT_RUN_CANCELLED"),
        none<AgentRunDeleted>("a part of the sandbox's reset"),
        none<AgentRunErased>("a part of a person's erasure"),
        as<TriggerCreated>("AGENT_TRIGGER_CREATED"),
        as<TriggerUpdated>("AGENT_TRIGGER_UPDATED"),
        as<TriggerEnabled>("AGENT_TRIGGER_ENABLED"),
        told_as<TriggerDisabled>("AGENT_TRIGGER_DISABLED"),
        as<TriggerDeleted>("AGENT_TRIGGER_DELETED"),
        none<TriggerFired>("what a trigger did, which its runs show"),
        none<TriggerDispatchFailed>("what a trigger could not do, which it shows itself"),
        none<TriggerSkipped>("what a trigger left out"),
        none<TriggerRunEnded>("a part of the run's end"),
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
