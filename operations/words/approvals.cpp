// Words for approvals.
#include "operations/words/words.hpp"

namespace workforce::operations {

std::vector<StructWords> approval_words() {
    return {
        {{"approvals/", "actions/"},
         {{"id", "The approval's id, from {approvals.list} or an answer pending_approval"}}},
        {{"ApprovalSubject"},
         {{"tool", "The tool that is to be called"},
          {"reason", "Why the call waits"},
          {"guardrail", "Name of the policy because of which it waits, as it was then; null: none"},
          {"guardrailId", "That policy; null: none, or one that was not noted"},
          {"facilityId", "Facility of what the call is about; null where there are several, or none"},
          {"agentId", "Agent whose run calls; null: no agent's"},
          {"runId", "Run that waits; null: none does"},
          {"sessionId", "What the client calls its session (Mcp-Session-Id); null: it said nothing"},
          {"origin", "What waits for the decision"},
          {"requestedBy", "Who asked for the call"},
          {"expiresAt", "When the call ends undecided"}}},
        {{"ApprovalResolution"},
         {{"resolvedBy", "Who decided; null: nobody did"},
          {"resolvedAt", "When it was decided, or ended undecided; null: it waits"},
          {"executionResult", "What came of the call; null until it was carried out"},
          {"rejectionReason", "Why it was not carried out; null: it waits, or it was"}}},
        {{"Approval"},
         {{"status", "Whether the call waits, or how it was decided"},
          {"arguments", "What the tool is called with"},
          {"requestedAt", "When the call was made"},
          {"canApprove", "Whether you may approve it now"},
          {"isSandbox", "Whether it is of the sandbox"}}},
        {{"ApprovalParty"},
         {{"userId", "The user; 0: a key that no user stands behind"},
          {"name", "What the user, or that key, is called"}}},
        {{"ExecutionResult", "ApprovalAnswer"},
         {{"success", "Whether the tool did what it was called for"},
          {"result", "What the tool answered; null: it did not, or it was too long to be kept"},
          {"error", "Why it did not"}}},
        {{"ApprovalAnswer"}, {{"runResumed", "Whether a run that waited goes on"}}},
        {{"RejectApproval"}, {{"reason", "Why the call is not to be carried out"}}},
        {{"ApprovalFilter"},
         {{"status", "Only those that stand so"},
          {"agentId", "Only calls of this agent's runs"},
          {"mine", "true: only what you asked for yourself"}}},
        {{"ApprovalStatus"}, {{"", "How a call that waited was decided"}}},
        {{"DeferralReason"}, {{"", "Why a call waits: its tool's rule, a guardrail, or a setting of the agent"}}},
        {{"ApprovalOrigin"}, {{"", "What waits for the decision"}}},
    };
}

}  // namespace workforce::operations
