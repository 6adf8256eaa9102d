// Rules of approvals (domain 1.10, 2.5, 4.5).
#include "commands/approval.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/approval_target.hpp"
#include "events/agent_run.hpp"
#include "events/api_key.hpp"
#include "events/roles.hpp"

namespace workforce::commands {
namespace {

using events::ApprovalRecord;
using events::ApprovalStatus;

constexpr std::size_t kMostArguments = 1 << 19;  // bytes, as ApprovalArguments takes
// So many calls wait for a person at a time.
constexpr std::size_t kMostOfCredential = 200;
constexpr std::size_t kMostOfOrganization = 2000;

constexpr core::Permission kApproveActions("ai.approve_actions");

bool includes(std::vector<Id> const& facilities, core::Nullable<Id> const& facility) {
    return facilities.empty() || (facility.value && std::ranges::find(facilities, *facility.value) != facilities.end());
}

bool role_approves(ApprovalParticipant const& participant) {
    auto const permissions = events::permissions_of_role(participant.user.role, participant.user_internal);
    return permissions[kApproveActions.index()];
}

/// Whether it is an internal user of no facility in particular, whose role approves actions (domain 4.5 a).
bool is_operator(ApprovalParticipant const& participant) {
    return participant.user_internal && participant.user.facilityIds.empty() && role_approves(participant);
}

/// Whether it is an administrator of an organization or of facilities (domain 4.5 b).
bool decides_by_role(events::User const& user) {
    return user.role == events::Role::facility_admin || user.role == events::Role::admin;
}

/// Whether the user behind the credential decides about the approval by who they are.
bool is_approver(ApprovalParticipant const& participant, events::Approval const& approval) {
    auto const& user = participant.user;
    if (user.id == 0) return false;
    if (is_operator(participant)) return true;
    return decides_by_role(user) && user.organizationId == approval.organizationId &&
           includes(user.facilityIds, approval.facilityId);
}

ApprovalStatus status_at(ApprovalRecord const& approval, Timestamp now) {
    bool const late = approval.status == ApprovalStatus::pending && approval.expiresAt <= now;
    return late ? ApprovalStatus::expired : approval.status;
}

tl::unexpected<core::Problem> too_many_wait(std::string_view whose, std::size_t limit) {
    return refuse(Code::limit_reached,
                  fmt::format("{} has {} calls that wait for a person, as many as it may.", whose, limit),
                  fmt::format(R"({{"resource":"approval","limit":{}}})", limit));
}

/// Whether one more call of the credential may wait.
Result<void> require_room(View const& view, Context const& context, std::string const& lineage) {
    std::size_t of_credential = 0;
    std::size_t of_organization = 0;
    Requirements(view)
        .ask([&] { of_credential = view.ending_after<events::WaitingApprovalsOfLineage>(context.now, lineage).size(); })
        .ask([&] { of_organization = view.ending_after<events::WaitingApprovalsOfOrganization>(context.now).size(); })
        .require();
    if (of_credential >= kMostOfCredential) return too_many_wait("The credential", kMostOfCredential);
    if (of_organization >= kMostOfOrganization) return too_many_wait("The organization", kMostOfOrganization);
    return {};
}

tl::unexpected<core::Problem> resolved(ApprovalRecord const& approval, Timestamp now, bool in_app) {
    auto const status = core::enum_name(status_at(approval, now));
    core::JsonWriter w;
    w.begin_object();
    w.member("status", status);
    w.key("resolvedAt");
    core::write_json(w, approval.resolvedAt);
    w.end_object();
    return refuse(in_app ? Code::already_resolved_in_app : Code::already_resolved,
                  "The approval is " + std::string(status) + " already.", w.take());
}

/// The approval as the caller who has just acted on it sees it: it is decided.
events::Approval shown_approval(View const& view, Id id, ApprovalParticipant const* by) {
    events::Approval approval = *view.get<ApprovalRecord>(id);
    auto const name = [&](events::ApprovalParty& party) {
        if (party.userId == 0) return;
        auto const* user = view.get<events::User>(party.userId);
        if (!user && by != nullptr && by->user.id == party.userId) user = &by->user;
        if (user) party.name = user->firstName.value.value + " " + user->lastName.value.value;
    };
    name(approval.requestedBy);
    if (approval.resolvedBy.value) name(*approval.resolvedBy.value);
    if (auto const arguments = core::parse_json(approval.arguments.text)) {
        approval.arguments.text = core::without_secrets(*arguments);
    }
    return approval;
}

}  // namespace

ApprovalParticipant as_of_now(View const& view, ApprovalParticipant participant) {
    if (participant.user.id != 0) {
        if (auto const* user = view.get<events::User>(participant.user.id)) participant.user = *user;
        if (!events::is_usable(participant.user)) participant.user = {};  // nobody any more
    }
    if (participant.credential_type == events::ActorType::api_key) {
        if (auto const* key = view.get<events::ApiKey>(participant.credential)) {
            std::vector<std::string> scopes;
            for (auto const& scope : key->scopes) scopes.push_back(scope.value);
            participant.approves_own = core::permissions_of(scopes)[kApproveActions.index()];
        }
        return participant;
    }
    if (participant.user.organizationId == view.organization().id)
        participant.facilities = participant.user.facilityIds;
    participant.approves_own = participant.approves_own && role_approves(participant);
    return participant;
}

bool is_requester(ApprovalParticipant const& participant, events::Approval const& approval, std::string_view lineage) {
    bool const same_user = participant.user.id != 0 && participant.user.id == approval.requestedBy.userId;
    return same_user || participant.lineage == lineage;
}

bool sees(ApprovalParticipant const& participant, events::Approval const& approval, std::string_view lineage) {
    if (participant.sandbox != approval.isSandbox) return false;
    if (participant.organization != approval.organizationId && !participant.across) return false;
    if (participant.lineage == lineage || includes(participant.facilities, approval.facilityId)) return true;
    // What binds a key bounds what it sees before whose it is.
    bool const is_key = participant.credential_type == events::ActorType::api_key;
    return !is_key && is_requester(participant, approval, lineage);
}

bool is_decider(ApprovalParticipant const& participant) {
    return participant.user.id != 0 && (is_operator(participant) || decides_by_role(participant.user));
}

bool may_resolve(ApprovalParticipant const& participant, events::Approval const& approval, std::string_view lineage,
                 Resolution how, bool same_credential_may) {
    bool const own = is_requester(participant, approval, lineage);
    if (own && (how == Resolution::reject || participant.approves_own)) return true;
    bool const barred = how == Resolution::approve && !same_credential_may && participant.lineage == lineage;
    return !barred && is_approver(participant, approval);
}

Result<std::vector<NewEvent>> request_approval(View const& view, Context const& context, Id id,
                                               ApprovalRequest const& request) {
    if (request.arguments.size() > kMostArguments) {
        return refuse(Code::payload_too_large, "The arguments are too large for a call that waits for a person.");
    }
    if (auto const room = require_room(view, context, request.requester.lineage.value); !room) {
        return tl::unexpected(room.error());
    }
    auto const facility = facility_of_call(view, context, request.target, request.about);
    if (!facility) return tl::unexpected(facility.error());
    events::ApprovalRequested requested;
    requested.tool = request.tool;
    requested.arguments.value.text = request.arguments;
    requested.reason = request.reason;
    requested.guardrail.value = request.guardrail;
    requested.guardrailId.value = request.guardrail_id;
    requested.facilityId.value = *facility;
    requested.agentId.value = request.agent;
    requested.runId.value = request.run;
    if (!request.session.empty()) requested.sessionId = request.session;
    requested.origin = request.origin;
    requested.requestedBy = request.requested_by;
    constexpr std::int64_t kHourMs = 3'600'000;
    requested.expiresAt.ms = context.now.ms + view.organization().settings.approvalTtlHours.value * kHourMs;
    static_cast<events::NamedPeople&>(requested) = request.named;
    requested.requester = request.requester;
    requested.correlationId = context.correlation();
    requested.step = request.step;
    requested.depth = context.cause.depth;
    requested.dedupeKey = context.cause.dedupe_key;
    std::vector<NewEvent> events;
    events.push_back(
        {{events::Kind::approval, id}, facility->value_or(0), events::ApprovalEvent(std::move(requested))});
    return events;
}

Result<Decision> decide(View const& view, RequestApproval const& command, Context const& context) {
    return request_approval(view, context, context.new_ids.at(0), command.request)
        .map([](std::vector<NewEvent> events) { return Decision{std::move(events), {}}; });
}
PendingCall answer(View const& view, RequestApproval const&, Decision const& decision) {
    auto const& approval = *view.get<ApprovalRecord>(decision.events.at(0).subject.id);
    return {.approvalId = approval.id, .expiresAt = approval.expiresAt, .tool = approval.tool};
}

bool tell_waiter(View const& view, Context const& context, ApprovalRecord const& approval,
                 ApprovalOutcome const& outcome, std::vector<NewEvent>& events) {
    for (auto const& waiter : approval_waiters()) {
        if (waiter.origin == approval.origin) return waiter.hear(view, context, approval, outcome, events);
    }
    return false;
}

NewEvent approval_event(ApprovalRecord const& approval, events::ApprovalEvent event) {
    return {{events::Kind::approval, approval.id}, approval.facilityId.value.value_or(0), std::move(event)};
}

std::vector<NewEvent> reject_approval(View const& view, Context const& context, ApprovalRecord const& approval,
                                      events::ApprovalRejected rejected) {
    auto const& said = rejected.reason.value.value;
    ApprovalOutcome const outcome{.what = ApprovalOutcome::What::rejected,
                                  .code = std::string(core::enum_name(rejected.cause)),
                                  .error = said ? said->value : std::string()};
    std::vector<NewEvent> events{approval_event(approval, std::move(rejected))};
    tell_waiter(view, context, approval, outcome, events);
    return events;
}

Result<ApprovalRecord const*> require_resolvable(View const& view, Context const& context,
                                                 ResolveApproval const& command, Resolution how) {
    auto const* approval = view.get<ApprovalRecord>(command.id);
    auto const by = as_of_now(view, command.by);
    auto const lineage = approval ? approval->internals.requester.lineage.value : std::string();
    if (!approval || approval->deleted || !sees(by, *approval, lineage)) return not_found("approval", command.id);
    bool const same_may = !view.organization().settings.forbidSameCredentialApproval;
    if (!may_resolve(by, *approval, lineage, how, same_may)) {
        return refuse(Code::self_approval_forbidden,
                      how == Resolution::approve ? "You may not approve this call." : "You may not reject this call.");
    }
    if (status_at(*approval, context.now) != ApprovalStatus::pending) {
        return resolved(*approval, context.now, command.in_app);
    }
    return approval;
}

Result<NewEvent> approve(View const& view, Context const& context, ResolveApproval const& command) {
    return require_resolvable(view, context, command, Resolution::approve).map([&](ApprovalRecord const* approval) {
        bool const own = is_requester(command.by, *approval, approval->internals.requester.lineage.value);
        return approval_event(*approval, events::ApprovalApproved{command.by.party(), own, command.outside});
    });
}

NewEvent execution_event(ApprovalRecord const& approval, ApprovalOutcome const& outcome, events::NamedPeople named) {
    if (outcome.what == ApprovalOutcome::What::execution_failed) {
        return approval_event(approval, events::ApprovalExecutionFailed{outcome.code, outcome.error});
    }
    events::ApprovalExecuted executed;
    static_cast<events::NamedPeople&>(executed) = std::move(named);
    executed.result.value.text = outcome.result;
    return approval_event(approval, std::move(executed));
}

Result<Decision> decide(View const& view, RejectApproval const& command, Context const& context) {
    auto const found = require_resolvable(view, context, command.resolve, Resolution::reject);
    if (!found) return tl::unexpected(found.error());
    auto const& approval = **found;
    bool const own = is_requester(command.resolve.by, approval, approval.internals.requester.lineage.value);
    events::ApprovalRejected rejected;
    rejected.cause = own ? events::RejectionCause::withdrawn : events::RejectionCause::rejected;
    rejected.resolvedBy = command.resolve.by.party();
    rejected.reason.value.value = command.reason;
    Decision decision{reject_approval(view, context, approval, std::move(rejected)), {}};
    auto as = std::make_shared<Context>(context);
    as->cause.correlation_id = approval.internals.correlationId;  // it is a part of that story
    for (auto& event : decision.events) event.as = as;
    return decision;
}
events::Approval answer(View const& view, RejectApproval const& command, Decision const&) {
    return shown_approval(view, command.resolve.id, &command.resolve.by);
}

Result<Decision> decide(View const& view, RecordExecution const& command, Context const& context) {
    auto const* approval = view.get<ApprovalRecord>(command.id);
    if (!approval) return not_found("approval", command.id);
    bool const open = approval->status == ApprovalStatus::approved && !approval->executionResult.value;
    Decision decision;
    if (!open || approval->deleted || view.erased({events::Kind::approval, command.id})) return decision;
    decision.events.push_back(execution_event(*approval, command.outcome, command.named));
    tell_waiter(view, context, *approval, command.outcome, decision.events);
    return decision;
}

Result<Decision> decide(View const& view, ExpireApprovals const& command, Context const& context) {
    Requirements(view).rows<ApprovalRecord>(command.ids).require();
    std::vector<Id> runs;
    for (Id const id : command.ids) {
        auto const* approval = view.get<ApprovalRecord>(id);
        if (approval && approval->runId.value) runs.push_back(*approval->runId.value);
    }
    Requirements(view).rows<events::AgentRunRecord>(runs).require();
    Decision decision;
    for (Id const id : command.ids) {
        auto const* approval = view.get<ApprovalRecord>(id);
        bool const due = approval && !approval->deleted && approval->status == ApprovalStatus::pending &&
                         approval->expiresAt <= context.now;
        if (!due) continue;
        decision.events.push_back(approval_event(*approval, events::ApprovalExpired{}));
        tell_waiter(view, context, *approval, {.what = ApprovalOutcome::What::expired}, decision.events);
    }
    return decision;
}

}  // namespace workforce::commands
