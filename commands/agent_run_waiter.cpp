// Runs that wait for an approval: what they hear of its outcome.
#include <algorithm>
#include <iterator>

#include "commands/agent_run.hpp"
#include "commands/approval.hpp"
#include "commands/trigger.hpp"

namespace workforce::commands {
namespace {

events::AgentRunResumed failed_call(Id approval, std::string code, std::string message) {
    events::AgentRunResumed resumed;
    resumed.approvalId = approval;
    resumed.status = events::RunStepStatus::error;
    resumed.error = core::Nullable<events::RunError>(events::RunError{std::move(code), std::move(message)});
    return resumed;
}

/// An approval's error without its code, which a step keeps apart.
std::string message_of(ApprovalOutcome const& outcome) {
    auto const code = outcome.code + ": ";
    return outcome.error.starts_with(code) ? outcome.error.substr(code.size()) : outcome.error;
}

}  // namespace

bool hear_run(View const& view, Context const& /*context*/, events::ApprovalRecord const& approval,
              ApprovalOutcome const& outcome, std::vector<NewEvent>& events) {
    using What = ApprovalOutcome::What;
    auto const* run = view.get<events::AgentRunRecord>(approval.runId.value.value_or(0));
    bool const waits = run && !run->deleted && run->status == events::AgentRunStatus::pending_approval &&
                       run->approvalId.value == approval.id;
    if (!waits) return false;
    auto const add = [&](events::AgentRunEvent event) {
        std::vector<NewEvent> told{run_event(*run, std::move(event))};
        follow_run_ends(view, told);
        std::ranges::move(told, std::back_inserter(events));
    };
    switch (outcome.what) {
        case What::executed: {
            if (outcome.result.size() > events::kLongestRunField) {
                add(failed_call(approval.id, "LIMIT_EXCEEDED", "The result has more than 256 KiB."));
                return true;
            }
            events::AgentRunResumed resumed;
            resumed.approvalId = approval.id;
            resumed.result = events::RunValue{outcome.result};
            add(std::move(resumed));
            return true;
        }
        case What::execution_failed:
            add(failed_call(approval.id, outcome.code, message_of(outcome)));
            return true;
        case What::rejected:
            // Who cancels the run says so itself.
            if (outcome.code != core::enum_name(events::RejectionCause::run_cancelled)) {
                events::AgentRunRejected rejected;
                rejected.cause.value = core::parse_enum<events::RunRejection>(outcome.code);
                rejected.approvalId = approval.id;
                rejected.reason = core::LongText(outcome.error);
                add(std::move(rejected));
            }
            return false;
        case What::expired: {
            events::AgentRunFailed failed{"APPROVAL_EXPIRED", core::LongText("Nobody decided in time.")};
            failed.approvalId = approval.id;
            add(std::move(failed));
            return false;
        }
    }
    return false;
}

}  // namespace workforce::commands
