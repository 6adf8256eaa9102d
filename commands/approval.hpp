// Commands on approvals, and who may decide (domain 4.5).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/approval.hpp"
#include "events/user.hpp"

namespace workforce::commands {

/// Who asks for approvals, as far as that tells what they see and decide.
struct ApprovalParticipant {
    events::ActorType credential_type = events::ActorType::api_key;
    Id credential = 0;
    Id organization = 0;         ///< of the credential
    bool across = false;         ///< the credential acts on any organization
    bool sandbox = false;        ///< it acts on the sandbox
    std::vector<Id> facilities;  ///< that bind the credential; empty: none do
    std::string lineage;         ///< what stays the same when the credential is rotated
    std::string name;            ///< of a key
    events::User user;           ///< behind the credential; id 0: nobody
    bool user_internal = false;  ///< the user is of the organization that runs the installation
    bool approves_own = false;   ///< holds ai.approve_actions

    /// How approvals and events name who decides.
    [[nodiscard]] events::ApprovalParty party() const { return {user.id, user.id == 0 ? name : std::string()}; }
};

/// The participant with the rights that stand in the view, where the credential or its user is of that organization.
ApprovalParticipant as_of_now(View const& view, ApprovalParticipant participant);

/// Whether the participant asked for the call: the same credential, or one of the same user. `lineage` is of the
/// credential that asked.
bool is_requester(ApprovalParticipant const& participant, events::Approval const& approval, std::string_view lineage);
/// Whether the participant sees the approval.
bool sees(ApprovalParticipant const& participant, events::Approval const& approval, std::string_view lineage);

/// Whether the user behind the credential decides about approvals of others. sees() and may_resolve() say about which.
bool is_decider(ApprovalParticipant const& participant);

enum class Resolution : std::uint8_t { approve, reject };
/// Whether the participant, who sees the approval, may resolve it so, whatever its state.
/// `same_credential_may`: the credential that asked may approve, where its user is an approver.
bool may_resolve(ApprovalParticipant const& participant, events::Approval const& approval, std::string_view lineage,
                 Resolution how, bool same_credential_may);

/// What a call that is to wait says of itself.
struct ApprovalRequest {
    std::string tool;
    std::string arguments;  ///< a JSON object
    events::DeferralReason reason = events::DeferralReason::tool_policy;
    std::optional<std::string> guardrail{};  ///< name of the policy that is the reason
    std::optional<Id> guardrail_id{};
    std::optional<events::AggregateRef> target{};  ///< what it is about
    std::vector<events::AggregateRef> about{};     ///< what its arguments name
    std::optional<Id> agent{};
    std::optional<Id> run{};
    std::string step{};
    std::string session{};
    events::ApprovalOrigin origin = events::ApprovalOrigin::mcp;
    events::ApprovalParty requested_by{};
    events::ApprovalRequester requester{};
    events::NamedPeople named{};
};

/// The events by which a call waits from now on, for decisions of any aggregate: `id` is new. Errors: NOT_FOUND for a
/// target that is not there; PAYLOAD_TOO_LARGE; LIMIT_REACHED where too many wait already.
Result<std::vector<NewEvent>> request_approval(View const& view, Context const& context, Id id,
                                               ApprovalRequest const& request);

/// What a client is told of its call that waits.
struct PendingCall {
    std::string status = "pending_approval";
    Id approvalId = 0;
    Timestamp expiresAt;
    std::string tool;
};
BOOST_DESCRIBE_STRUCT(PendingCall, (), (status, approvalId, expiresAt, tool))

/// A call of a tool waits.
struct RequestApproval {
    using Answer = PendingCall;
    ApprovalRequest request;
};
Result<Decision> decide(View const& view, RequestApproval const& command, Context const& context);
PendingCall answer(View const& view, RequestApproval const& command, Decision const& decision);

/// What became of a call, for whoever waits for it.
struct ApprovalOutcome {
    enum class What : std::uint8_t { executed, execution_failed, rejected, expired };
    What what = What::executed;
    std::string result{};  ///< JSON of what the tool answered
    std::string code{};    ///< why it failed
    std::string error{};
};

/// What waits for approvals of an origin.
struct ApprovalWaiter {
    events::ApprovalOrigin origin;
    /// Adds the events by which it hears of the outcome. Returns whether something goes on by it.
    bool (*hear)(View const& view, Context const& context, events::ApprovalRecord const& approval,
                 ApprovalOutcome const& outcome, std::vector<NewEvent>& events);
};
/// All that may wait for an approval, beside callers of MCP, who ask again.
std::span<ApprovalWaiter const> approval_waiters();
/// Tells what waits for the approval. Returns whether something goes on by it.
bool tell_waiter(View const& view, Context const& context, events::ApprovalRecord const& approval,
                 ApprovalOutcome const& outcome, std::vector<NewEvent>& events);

/// The events by which a pending approval is rejected.
std::vector<NewEvent> reject_approval(View const& view, Context const& context, events::ApprovalRecord const& approval,
                                      events::ApprovalRejected rejected);

/// The event, about that approval.
NewEvent approval_event(events::ApprovalRecord const& approval, events::ApprovalEvent event);

/// Decides of an approval.
struct ResolveApproval {
    Id id = 0;
    bool in_app = false;  ///< refused as the application has it (domain 11.4)
    ApprovalParticipant by;
    bool outside = false;  ///< somebody outside has a part in the call: it is carried out afterwards
};
/// The approval, which the participant may resolve so now. Errors: NOT_FOUND, SELF_APPROVAL_FORBIDDEN,
/// ALREADY_RESOLVED, in this order.
Result<events::ApprovalRecord const*> require_resolvable(View const& view, Context const& context,
                                                         ResolveApproval const& command, Resolution how);

/// The first part of an approval: somebody lets the call be carried out. Errors: as require_resolvable().
Result<NewEvent> approve(View const& view, Context const& context, ResolveApproval const& command);

/// The event that ends what was approved: its result, or why there is none.
NewEvent execution_event(events::ApprovalRecord const& approval, ApprovalOutcome const& outcome,
                         events::NamedPeople named);

/// POST …/reject {reason?}: the call is not carried out. Of who asked for it, it is a withdrawal.
struct RejectApproval {
    using Answer = events::Approval;
    std::optional<core::LongText> reason;
    ResolveApproval resolve;  ///< not read from a body
};
BOOST_DESCRIBE_STRUCT(RejectApproval, (), (reason))
Result<Decision> decide(View const& view, RejectApproval const& command, Context const& context);
events::Approval answer(View const& view, RejectApproval const& command, Decision const& decision);

/// Of the installation: what came of an approved call that was carried out outside the approval's own command. Nothing
/// where that is known already.
struct RecordExecution {
    using Answer = Nothing;
    Id id = 0;
    ApprovalOutcome outcome;
    events::NamedPeople named;
};
Result<Decision> decide(View const& view, RecordExecution const& command, Context const& context);

/// Of the installation: nobody decided in time about those of these that still wait.
struct ExpireApprovals {
    using Answer = Nothing;
    std::vector<Id> ids;
};
Result<Decision> decide(View const& view, ExpireApprovals const& command, Context const& context);

}  // namespace workforce::commands
