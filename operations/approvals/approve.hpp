// Letting calls be carried out that wait, and carrying them out: exactly once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/approval.hpp"
#include "operations/approvals/participant.hpp"
#include "operations/tools/tool_runner.hpp"

namespace workforce::operations {

/// What an approval answers (spec 4.1).
struct ApprovalAnswer {
    bool success = false;
    bool runResumed = false;
    core::AnyJson<1 << 19> result{};
    std::optional<std::string> error{};
};
BOOST_DESCRIBE_STRUCT(ApprovalAnswer, (), (success, runResumed, result, error))

/// Whether whoever is outside has a part in what the tool does: then it is not done in the approval's own command.
bool is_done_outside(Tool const& tool);

/// What a call that was approved takes to be carried out.
struct ApprovedCall {
    Tool const* tool = nullptr;
    rapidjson::Document arguments;
    std::shared_ptr<Caller const> caller;  ///< who asked for it, with the rights of now
    ToolContext context{.approved = true};
    CallMeta meta;  ///< of a request of its own, whose first cause is the one that waited
};
/// The call, as far as the tool, the rights of who asked and the arguments allow it now. Errors: what it is refused
/// with.
boost::asio::awaitable<core::Result<ApprovedCall>> approved_call(Services& services, FoundApproval const& found);

/// Whether a refusal with that code says nothing of the call itself: it may be carried out a moment later.
bool is_passing(core::Code code);
/// Whether the installation makes a call again that ended so at that attempt, of which the first is 1: what passes, and
/// what nobody outside has said yet; a failure of the service, and that, not for ever.
bool is_made_again(Outcome const& outcome, std::int64_t attempt);
/// What became of a call by its outcome.
commands::ApprovalOutcome outcome_of_call(Tool const& tool, Outcome const& outcome);
commands::ApprovalOutcome failed_with(core::Problem const& problem);
/// The people whom the result names.
events::NamedPeople people_in_result(Tool const* tool, std::string const& result);

/// Tells usage of a call that was carried out, which is a row of its own (domain 16).
void observe_call(Services& services, ApprovedCall const& call, Outcome const& outcome, core::Id organization,
                  bool sandbox);

/// POST …/approve: without the access of its route, and as the application has it.
Operation approve_operation();
Operation approve_operation_in_app();
/// Operations by which the installation carries out what was approved, and tells people.
std::vector<Operation> execution_operations();

}  // namespace workforce::operations
