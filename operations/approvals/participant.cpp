// From a caller to what approvals look at, and back to what the caller is shown.
#include "operations/approvals/participant.hpp"

#include <algorithm>
#include <array>

#include "operations/tools/tool.hpp"

namespace workforce::operations {
namespace {

constexpr std::array<core::Permission, 3> kReadApprovals{"agents.view", "agents.approve", "ai.approve_actions"};

std::string shown_json(std::string const& text) {
    auto const document = core::parse_json(text);
    return document ? core::without_secrets(*document) : text;
}

/// What the tool says is for those who may call it, or decide about it; others are told the code of a failure.
void show_contents(events::Approval& approval, bool may_know) {
    approval.arguments.text = may_know ? shown_json(approval.arguments.text) : "{}";
    auto& done = approval.executionResult.value;
    if (!done) return;
    done->result.text = may_know ? shown_json(done->result.text) : "null";
    auto& error = done->error.value;
    if (!may_know && error) error->resize(std::min(error->find(':'), error->size()));
}

}  // namespace

commands::ApprovalParticipant participant_of(Caller const& caller) {
    commands::ApprovalParticipant participant;
    participant.credential_type = caller.credential_type;
    participant.credential = caller.credential_id;
    participant.organization = caller.organization;
    participant.across = caller.across_organizations;
    participant.sandbox = caller.sandbox;
    participant.facilities = caller.facilities;
    participant.lineage = caller.lineage();
    participant.name = caller.name;
    participant.user = caller.user;
    participant.user_internal = caller.is_internal() && caller.user.organizationId == caller.organization;
    participant.approves_own = caller.permits("ai.approve_actions");
    return participant;
}

std::optional<core::Problem> lacks_approvals(Caller const& caller) {
    if (std::ranges::any_of(kReadApprovals, [&](auto const& permission) { return caller.permits(permission); })) {
        return std::nullopt;
    }
    auto const& permission = kReadApprovals.front();
    return core::Problem{caller.refused_with(permission),
                         "The credential lacks the permission agents.view, and did not ask for this.",
                         R"({"permission":"agents.view"})"};
}

boost::asio::awaitable<core::Result<FoundApproval>> find_approval(Call& call, Id id) {
    auto scope = read_scope(call);
    if (!scope) co_return tl::unexpected(scope.error());
    scope->facilities.clear();  // what the caller asked for itself lies anywhere
    co_await await_own_writes(call);
    auto const document = co_await projections::approvals().find(call.services.database_of(*scope), *scope, id);
    if (!document) co_return commands::not_found("approval", id);
    auto const json = core::parse_json(document->doc);
    auto [approval, beside] = projections::read_approval(*json);
    if (!commands::sees(participant_of(*call.caller), approval, beside.call.requester.lineage.value)) {
        co_return commands::not_found("approval", id);
    }
    co_return FoundApproval{std::move(approval), std::move(beside), document->version};
}

events::Approval shown_to(Caller const& caller, FoundApproval found) {
    auto& [approval, beside, version] = found;
    auto const name = [&](events::ApprovalParty& party) {
        auto const known = beside.names.find(std::to_string(party.userId));
        if (party.userId != 0 && known != beside.names.end()) party.name = known->second;
    };
    name(approval.requestedBy);
    if (approval.resolvedBy.value) name(*approval.resolvedBy.value);
    bool const waits = approval.status == events::ApprovalStatus::pending && approval.expiresAt > core::now();
    bool const same_may = !caller.organization_record.settings.forbidSameCredentialApproval;
    auto const participant = participant_of(caller);
    auto const& lineage = beside.call.requester.lineage.value;
    bool const may = commands::may_resolve(participant, approval, lineage, commands::Resolution::approve, same_may);
    approval.canApprove = waits && may;
    auto const* const tool = find_tool(approval.tool);
    bool const may_know = tool == nullptr || may || commands::is_requester(participant, approval, lineage) ||
                          !lacking(caller, *tool->operation);
    show_contents(approval, may_know);
    return std::move(approval);
}

}  // namespace workforce::operations
