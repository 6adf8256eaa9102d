// Calls of tools that wait for a person: who sees them, and who decides.
#include "commands/approval.hpp"

#include <utility>

#include "core/json_values.hpp"
#include "operations/approvals/approve.hpp"
#include "operations/approvals/deferral.hpp"
#include "operations/approvals/participant.hpp"
#include "operations/declare.hpp"
#include "operations/words/words.hpp"

namespace workforce::operations {

template <>
inline constexpr core::Id kLeastId<events::ApprovalParty> = 0;

/// What becomes of a call depends on its tool.
template <>
struct ApiExample<events::Approval> {
    static void write(core::JsonWriter& w, Side, events::Approval const&) {
        w.raw(R"({"id":31,"organizationId":1,"tool":"staff_deactivate","reason":"tool_policy","guardrail":null,)"
              R"("guardrailId":null,"facilityId":1,"agentId":null,"runId":null,"sessionId":null,"origin":"mcp",)"
              R"("requestedBy":{"userId":2,"name":"Ada Byron"},"expiresAt":"2026-07-27T10:00:00.000Z",)"
              R"("resolvedBy":null,"resolvedAt":null,"executionResult":null,"rejectionReason":null,)"
              R"("createdAt":"2026-07-24T10:00:00.000Z","updatedAt":"2026-07-24T10:00:00.000Z","status":"pending",)"
              R"("arguments":{"staffId":7},"requestedAt":"2026-07-24T10:00:00.000Z","canApprove":true,)"
              R"("isSandbox":false})");
    }
};

namespace {

using boost::asio::awaitable;
using events::Kind;

using ApprovalQuery = ListQuery<projections::ApprovalFilter>;

/// Whom the list is narrowed to: what the caller asked for, and where it may read others, what lies at its facilities.
projections::SeenApprovalFilter seen_by(Caller const& caller, projections::ApprovalFilter const& asked) {
    projections::SeenApprovalFilter filter{asked, caller.lineage(), {}, {}, {}};
    if (caller.user.id != 0) filter.ownUser = caller.user.id;
    if (caller.counts_as_person()) filter.person = filter.ownUser;
    if (!caller.facilities.empty()) filter.visibleAt = caller.facilities;
    return filter;
}

/// The rows as the caller is shown them.
std::string shown_rows(Caller const& caller, std::string const& rows) {
    auto const documents = core::parse_json(rows);
    core::JsonWriter w;
    w.begin_array();
    for (auto const& document : documents->GetArray()) {
        auto [approval, beside] = projections::read_approval(document);
        core::write_json(w, shown_to(caller, {std::move(approval), std::move(beside), 0}));
    }
    w.end_array();
    return w.take();
}

awaitable<core::Result<projections::Page>> approval_page(core::Database& database, projections::Scope scope,
                                                         projections::PageRequest request,
                                                         std::vector<core::Parameter> filters,
                                                         std::shared_ptr<Caller const> caller, bool one_facility) {
    if (!one_facility) scope.facilities.clear();
    auto page = co_await projections::approvals().lists().run(database, std::move(scope), std::move(request),
                                                              std::move(filters));
    if (page) page->rows = shown_rows(*caller, page->rows);
    co_return page;
}

awaitable<Outcome> list_approvals(Call& call) {
    bool one_facility = false;
    auto input = read_query<ApprovalQuery>(call.input.parameters).map([&](ApprovalQuery query) {
        if (!query.sort) query.sort = core::Text<1, 100>("-createdAt");
        one_facility = query.facilityId.has_value();
        return ListInput{query, projections::approvals().filters(seen_by(*call.caller, query))};
    });
    auto page = [caller = call.caller, one_facility](core::Database& database, projections::Scope scope,
                                                     projections::PageRequest request,
                                                     std::vector<core::Parameter> filters) {
        return approval_page(database, std::move(scope), std::move(request), std::move(filters), caller, one_facility);
    };
    co_return co_await get_list(call, PageSource(page), std::move(input));
}

awaitable<Outcome> get_approval(Call& call) {
    auto found = co_await find_approval(call, call.input.path.id());
    auto const lacks = lacks_approvals(*call.caller);
    bool const own = found && commands::is_requester(participant_of(*call.caller), found->approval,
                                                     found->beside.call.requester.lineage.value);
    if (lacks && !own) co_return refuse(call, *lacks);
    if (!found) co_return refuse(call, found.error());
    Outcome outcome;
    outcome.version = found->version;
    outcome.body = core::to_json(shown_to(*call.caller, *std::move(found)));
    co_return outcome;
}

/// The handler of a rejection: the headless route's, or the application's.
template <bool InApp>
awaitable<Outcome> reject_call(Call& call) {
    auto command = read_command<commands::RejectApproval>(call).map([&](commands::RejectApproval rejection) {
        rejection.resolve = {call.input.path.id(), InApp, participant_of(*call.caller)};
        return rejection;
    });
    return submit(call, submission_of(call, std::move(command)), 0);
}

core::Problem invalid_approval_id() {
    return {core::Code::already_resolved_in_app, "There is no such approval id.", R"({"reason":"invalid_id"})",
            "Use the id of an approval, a positive integer."};
}

Operation approval_list() {
    auto row =
        query_with<events::Approval, ApprovalQuery>("approvals.list", "List approvals, newest first", list_approvals);
    row.answer = &page_of<events::Approval>;
    row.answer_example = &page_example<events::Approval>;
    row.reads = {projections::approvals().spec().name, core::enum_name(Kind::facility), core::enum_name(Kind::user)};
    for (auto& parameter : row.parameters) {
        if (parameter.name == "sort") parameter.values = {"-createdAt", "createdAt"};
    }
    return row;
}

Operation approval_read() {
    auto row = query_with<events::Approval, TargetQuery>("approvals.get", "Read an approval", get_approval);
    row.reads = {projections::approvals().spec().name, core::enum_name(Kind::user)};
    row.versioned = true;
    return row;
}

Operation rejection(std::string_view name, Handler handler) {
    auto row = command<commands::RejectApproval>(name, "Reject a call that waits, or withdraw your own");
    row.handler = handler;
    return std::move(row)
        .says(
            "Ends a call that waits: it is not carried out, and a run that waits for it ends. Returns the approval. "
            "Whoever asked for the call may always withdraw it.")
        .refuses({core::Code::self_approval_forbidden})
        .on(Kind::approval)
        .audit();
}

}  // namespace

std::vector<Operation> approval_operations() {
    using enum net::Method;
    auto rejected = rejection("approvals.reject", reject_call<false>);
    rejected.refusals.push_back(core::Code::already_resolved);
    auto all = std::vector<Operation>{
        approval_list()
            .says("Returns a page of calls of tools that wait for a person, or did: what was to be done, who asked, "
                  "and what came of it.")
            .needs("agents.view")
            .or_needs("agents.approve")
            .or_needs("ai.approve_actions")
            .shows(Kind::approval)
            .at(get, "/api/approvals")
            .as_tool({.name = "approvals_list", .headless = false}),
        approval_read()
            .says("Returns one approval. Once it is approved, executionResult has what the tool answered; poll it "
                  "after a call that answered pending_approval.")
            .for_any_organization()
            .at(get, "/api/approvals/{id:int}")
            .as_tool({.name = "approvals_get", .headless = false, .renamed = {{"approvalId", "id"}}}),
        approve_operation().needs("agents.approve").at(post, "/api/approvals/{id:int}/approve"),
        std::move(rejected).needs("agents.approve").at(post, "/api/approvals/{id:int}/reject"),
    };
    std::ranges::move(deferral_operations(), std::back_inserter(all));
    std::ranges::move(execution_operations(), std::back_inserter(all));
    return all;
}

std::vector<Operation> ai_action_operations() {
    using enum net::Method;
    auto rejected = rejection("ai_actions.reject", reject_call<true>);
    rejected.refusals.push_back(core::Code::already_resolved_in_app);
    return {
        approve_operation_in_app()
            .for_any_organization()
            .at(post, "/api/ai/actions/{id:int}/approve")
            .refuses_malformed_ids_with(invalid_approval_id),
        std::move(rejected)
            .for_any_organization()
            .at(post, "/api/ai/actions/{id:int}/reject")
            .refuses_malformed_ids_with(invalid_approval_id),
    };
}

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
