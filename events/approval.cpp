// How events of approvals fold: the one definition, for the write side's memory and for read models.
#include "events/approval.hpp"

#include <algorithm>

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {
namespace {

void add_ids(std::vector<Id>& ids, std::vector<Id> const& more) {
    ids.insert(ids.end(), more.begin(), more.end());
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
}

void resolve(ApprovalRecord& approval, ApprovalStatus status, core::Nullable<ApprovalParty> by, Envelope const& meta) {
    approval.status = status;
    approval.resolvedBy = std::move(by);
    approval.resolvedAt = meta.time;
}

void erase_contents(ApprovalRecord& approval) {
    approval.arguments = {};
    static_cast<NamedPeople&>(approval) = {};
    if (approval.rejectionReason.value) approval.rejectionReason = std::string(core::enum_name(RejectionCause::erased));
    if (auto& done = approval.executionResult.value) {
        done->result = {};
        if (!done->success) done->error = std::string();
    }
}

}  // namespace

void add_people(NamedPeople& people, NamedPeople const& more) {
    add_ids(people.namedStaffIds, more.namedStaffIds);
    add_ids(people.namedUserIds, more.namedUserIds);
    add_ids(people.namedLeadIds, more.namedLeadIds);
}

void evolve(ApprovalRecord& approval, ApprovalEvent const& event, Envelope const& meta) {
    std::visit(
        Overloaded{[&](ApprovalRequested const& e) {
                       static_cast<ApprovalSubject&>(approval) = e;
                       approval.internals = e;
                       approval.lineage = e.requester.lineage;
                       add_people(approval, e);
                       approval.arguments = e.arguments.value;
                       approval.requestedAt = meta.time;
                       approval.isSandbox = meta.sandbox;
                   },
                   [&](ApprovalApproved const& e) { resolve(approval, ApprovalStatus::approved, e.resolvedBy, meta); },
                   [&](ApprovalExecuted const& e) {
                       add_people(approval, e);
                       approval.executionResult = ExecutionResult{true, e.result.value, {}};
                   },
                   [&](ApprovalExecutionFailed const& e) {
                       approval.executionResult = ExecutionResult{false, {}, e.error.value};
                   },
                   [&](ApprovalRejected const& e) {
                       resolve(approval, ApprovalStatus::rejected, e.resolvedBy, meta);
                       auto const& said = e.reason.value.value;
                       approval.rejectionReason = said ? said->value : std::string(core::enum_name(e.cause));
                   },
                   [&](ApprovalExpired const&) { resolve(approval, ApprovalStatus::expired, {}, meta); },
                   [&](ApprovalDeleted const&) { approval.deleted = true; },
                   [&](ApprovalErased const&) { erase_contents(approval); }},
        event);
    stamp(approval, meta);
}

template struct DataCodec<ApprovalEvent>;

}  // namespace workforce::events
