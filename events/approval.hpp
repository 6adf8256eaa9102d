// Approvals: calls of tools that wait for a person to decide (domain 1.10), their events, and how they fold. What a
// call says and what came of it is sealed under the approval's own key, so that it ends with any person whom it names.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/any_json.hpp"
#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

enum class ApprovalStatus : std::uint8_t { pending, approved, rejected, expired };
BOOST_DESCRIBE_ENUM(ApprovalStatus, pending, approved, rejected, expired)

/// Why a call waits.
enum class DeferralReason : std::uint8_t { tool_policy, guardrail, agent_setting };
BOOST_DESCRIBE_ENUM(DeferralReason, tool_policy, guardrail, agent_setting)

/// What tools are called with, and what they answer, as far as a record of the log has room for it.
using ApprovalArguments = core::AnyObject<1 << 19>;
using ApprovalResult = core::AnyJson<1 << 19>;

/// What waits for the decision.
enum class ApprovalOrigin : std::uint8_t { agent_run, mcp, dashboard };
BOOST_DESCRIBE_ENUM(ApprovalOrigin, agent_run, mcp, dashboard)

/// Who asked for the call, or decided: `name` is that of a key that no user stands behind, and else looked up.
struct ApprovalParty {
    Id userId = 0;
    std::string name;
};
BOOST_DESCRIBE_STRUCT(ApprovalParty, (), (userId, name))

/// What the call is about, as everybody may know it who sees the approval.
struct ApprovalSubject {
    std::string tool;
    DeferralReason reason = DeferralReason::tool_policy;
    core::Nullable<std::string> guardrail;  ///< the policy's name, as it was then
    core::Nullable<Id> guardrailId;
    core::Nullable<Id> facilityId;  ///< null where there are several, or none
    core::Nullable<Id> agentId;
    core::Nullable<Id> runId;
    core::Nullable<std::string> sessionId;
    ApprovalOrigin origin = ApprovalOrigin::mcp;
    ApprovalParty requestedBy;
    Timestamp expiresAt;
};
BOOST_DESCRIBE_STRUCT(ApprovalSubject, (),
                      (tool, reason, guardrail, guardrailId, facilityId, agentId, runId, sessionId, origin, requestedBy,
                       expiresAt))

/// What came of the call.
struct ExecutionResult {
    bool success = false;
    ApprovalResult result;
    core::Nullable<std::string> error;
};
BOOST_DESCRIBE_STRUCT(ExecutionResult, (), (success, result, error))

struct ApprovalResolution {
    core::Nullable<ApprovalParty> resolvedBy;
    core::Nullable<Timestamp> resolvedAt;
    core::Nullable<ExecutionResult> executionResult;
    core::Nullable<std::string> rejectionReason;
};
BOOST_DESCRIBE_STRUCT(ApprovalResolution, (), (resolvedBy, resolvedAt, executionResult, rejectionReason))

struct Approval : Identified, ApprovalSubject, ApprovalResolution, Stamped {
    ApprovalStatus status = ApprovalStatus::pending;
    ApprovalArguments arguments;
    Timestamp requestedAt;
    bool canApprove = false;  ///< whether the caller may approve it now; of the state itself it is false
    bool isSandbox = false;
};
BOOST_DESCRIBE_STRUCT(Approval, (Identified, ApprovalSubject, ApprovalResolution, Stamped),
                      (status, arguments, requestedAt, canApprove, isSandbox))

/// The credential by which the call was asked for: with it the requester is looked up again when it is carried out.
struct ApprovalRequester {
    ActorType type = ActorType::api_key;
    core::Internal<Id> credentialId;
    Id organizationId = 0;                 ///< the credential's own
    core::Internal<std::string> lineage;   ///< what stays the same when the credential is rotated
    core::Internal<std::string> clientId;  ///< of OAuth: which client acts
};
BOOST_DESCRIBE_STRUCT(ApprovalRequester, (), (type, credentialId, organizationId, lineage, clientId))

/// The people whom arguments and result name.
struct NamedPeople {
    std::vector<Id> namedStaffIds;
    std::vector<Id> namedUserIds;
    std::vector<Id> namedLeadIds;
};
BOOST_DESCRIBE_STRUCT(NamedPeople, (), (namedStaffIds, namedUserIds, namedLeadIds))
void add_people(NamedPeople& people, NamedPeople const& more);

/// What the call would be carried out by. Nothing here is made of the arguments but `dedupeKey`, a keyed digest: what
/// stands in clear outlives those whom arguments name.
struct ApprovalCall {
    ApprovalRequester requester;
    std::string correlationId;  ///< of the request that was deferred: that itself, or what began its run
    std::string step;           ///< of a run: which one waits
    std::int32_t depth = 0;
    core::Internal<std::string> dedupeKey;
};
BOOST_DESCRIBE_STRUCT(ApprovalCall, (), (requester, correlationId, step, depth, dedupeKey))

/// The call waits.
struct ApprovalRequested : ApprovalSubject, ApprovalCall, NamedPeople {
    static constexpr std::string_view kType = "approval.requested";
    static constexpr std::int32_t kVersion = 2;
    core::Personal<ApprovalArguments> arguments;
};
BOOST_DESCRIBE_STRUCT(ApprovalRequested, (ApprovalSubject, ApprovalCall, NamedPeople), (arguments))

/// Somebody let the call be carried out. What came of it follows: in the same command, or once whoever is asked
/// outside has answered.
struct ApprovalApproved {
    static constexpr std::string_view kType = "approval.approved";
    static constexpr std::int32_t kVersion = 1;
    ApprovalParty resolvedBy;
    bool selfApproved = false;
    bool outside = false;  ///< somebody outside is asked: it is carried out afterwards
};
BOOST_DESCRIBE_STRUCT(ApprovalApproved, (), (resolvedBy, selfApproved, outside))

/// The call was carried out.
struct ApprovalExecuted : NamedPeople {
    static constexpr std::string_view kType = "approval.executed";
    static constexpr std::int32_t kVersion = 1;
    core::Personal<ApprovalResult> result;
};
BOOST_DESCRIBE_STRUCT(ApprovalExecuted, (NamedPeople), (result))

/// The call was refused when it was to be carried out. It is not tried again.
struct ApprovalExecutionFailed {
    static constexpr std::string_view kType = "approval.execution_failed";
    static constexpr std::int32_t kVersion = 1;
    std::string code;
    core::Personal<std::string> error;
};
BOOST_DESCRIBE_STRUCT(ApprovalExecutionFailed, (), (code, error))

/// Why a call is not carried out.
enum class RejectionCause : std::uint8_t { rejected, withdrawn, run_cancelled, erased };
BOOST_DESCRIBE_ENUM(RejectionCause, rejected, withdrawn, run_cancelled, erased)

struct ApprovalRejected {
    static constexpr std::string_view kType = "approval.rejected";
    static constexpr std::int32_t kVersion = 1;
    RejectionCause cause = RejectionCause::rejected;
    core::Nullable<ApprovalParty> resolvedBy;  ///< null: nobody, it ended with something else
    core::Personal<core::Nullable<core::LongText>> reason;
};
BOOST_DESCRIBE_STRUCT(ApprovalRejected, (), (cause, resolvedBy, reason))

/// Nobody decided in time.
struct ApprovalExpired {
    static constexpr std::string_view kType = "approval.expired";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ApprovalExpired, (), ())

/// Of a reset of its sandbox.
struct ApprovalDeleted {
    static constexpr std::string_view kType = "approval.deleted";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kEnds = true;
};
BOOST_DESCRIBE_STRUCT(ApprovalDeleted, (), ())

/// Somebody whom it names was erased: arguments, result and reason are gone, the rest stays.
struct ApprovalErased : ErasureDetails {
    static constexpr std::string_view kType = "approval.erased";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kErases = true;
};
BOOST_DESCRIBE_STRUCT(ApprovalErased, (ErasureDetails), ())

using ApprovalEvent = std::variant<ApprovalRequested, ApprovalApproved, ApprovalExecuted, ApprovalExecutionFailed,
                                   ApprovalRejected, ApprovalExpired, ApprovalDeleted, ApprovalErased>;

/// An approval with what callers don't see of it.
struct ApprovalRecord : Approval, NamedPeople {
    static constexpr Kind kKind = Kind::approval;
    ApprovalCall internals;
    std::string lineage;  ///< of the credential that asked
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(ApprovalRecord, (Approval, NamedPeople), (internals, lineage, deleted))
inline Approval const& resource_of(ApprovalRecord const& record) { return record; }

/// So many approvals that name a person are emptied at a time.
inline constexpr std::size_t kErasedApprovalsAtOnce = 200;
/// Those that name a person.
template <auto Ids>
struct ApprovalsNaming : Index<Kind::approval, Each<Ids>> {
    static constexpr std::size_t kMost = kErasedApprovalsAtOnce;
};
struct ApprovalsNamingStaff : ApprovalsNaming<&NamedPeople::namedStaffIds> {};
struct ApprovalsNamingUser : ApprovalsNaming<&NamedPeople::namedUserIds> {};
struct ApprovalsNamingLead : ApprovalsNaming<&NamedPeople::namedLeadIds> {};

/// No call waits for longer (approvalTtlHours).
inline constexpr std::int64_t kLongestWaitMs = 720 * 3'600'000LL;
/// The time that calls wait, of those that nobody has decided about: an organization's.
template <class... Parts>
struct WaitingApprovals : Index<Kind::approval, Parts...> {
    using Time = Span<&Approval::createdAt, &Approval::expiresAt, kLongestWaitMs>;
    using Where = boost::mp11::mp_list<OneOf<&Approval::status, ApprovalStatus::pending>>;
    static constexpr bool kDeleted = false;
    static constexpr Finds kFinds = Finds::entries;
};
struct WaitingApprovalsOfOrganization : WaitingApprovals<> {};
/// Those that one credential asked for, however often it was rotated.
struct WaitingApprovalsOfLineage : WaitingApprovals<Value<&ApprovalRecord::lineage>> {};
/// Those of a facility in its sandbox.
struct ApprovalsOfFacility : OfFacility<Kind::approval, Value<&Approval::facilityId>> {};

/// Folds one event into the approval.
void evolve(ApprovalRecord& approval, ApprovalEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::approval> : Declared<ApprovalRecord, ApprovalEvent> {
    using Indexes =
        boost::mp11::mp_list<ApprovalsNamingStaff, ApprovalsNamingUser, ApprovalsNamingLead,
                             WaitingApprovalsOfOrganization, WaitingApprovalsOfLineage, ApprovalsOfFacility>;
    using Deleted = ApprovalDeleted;
};

}  // namespace workforce::events
