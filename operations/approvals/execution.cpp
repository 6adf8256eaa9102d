// What the installation does of approvals: it carries out what is asked outside, and finds who is told.
#include <algorithm>
#include <utility>

#include "core/crypto.hpp"
#include "core/database.hpp"
#include "core/logging.hpp"
#include "events/log/log.hpp"
#include "operations/approvals/approve.hpp"
#include "operations/declare.hpp"

namespace workforce::operations {

/// That a call is to be carried out: for the how manieth time.
struct ApprovalExecution {
    std::int64_t attempt = 1;
};
BOOST_DESCRIBE_STRUCT(ApprovalExecution, (), (attempt))

/// What has to be told of an approval: that it waits, or what was decided.
struct ApprovalNews {
    bool requested = false;
};
BOOST_DESCRIBE_STRUCT(ApprovalNews, (), (requested))

/// A user who is told, of which organization.
struct ToldParty {
    Id userId = 0;
    Id organizationId = 0;
};
BOOST_DESCRIBE_STRUCT(ToldParty, (), (userId, organizationId))

/// Who is told, and what.
struct ApprovalAudience {
    std::vector<ToldParty> users;
    std::string tool;
    events::ApprovalStatus status = events::ApprovalStatus::pending;
};
BOOST_DESCRIBE_STRUCT(ApprovalAudience, (), (users, tool, status))

namespace {

using boost::asio::awaitable;
using events::Kind;

/// Of a credential with so many calls that wait approvers heard; they are not told of more.
constexpr std::int64_t kToldOfCredential = 20;

constexpr core::Statement kWaitingBefore{"approvals_waiting_before", R"(
SELECT count(*) FROM read.approval
WHERE organization_id = $1 AND is_sandbox = $2 AND lineage = $3 AND status = 'pending' AND NOT deleted AND id < $4)"};

/// Who may approve what lies at facility $2 of organization $1 (domain 4.5 b); where nobody may, the operators of the
/// installation.
constexpr core::Statement kApprovers{"approval_approvers", R"(
WITH theirs AS (
    SELECT t.id, t.organization_id FROM read.user_account t
    WHERE t.organization_id = $1 AND NOT t.is_sandbox AND t.status = 'active' AND t.role IN ('admin', 'facility_admin')
      AND (t.facility_ids = '{}' OR $2::bigint = ANY (t.facility_ids)))
SELECT id, organization_id FROM theirs
UNION ALL
SELECT t.id, t.organization_id FROM read.user_account t
JOIN read.organization o ON o.id = t.organization_id AND o.organization_id = o.id AND NOT o.is_sandbox
    AND o.doc::json ->> 'type' = 'internal'
WHERE NOT t.is_sandbox AND t.status = 'active' AND t.role IN ('super_admin', 'admin') AND t.facility_ids = '{}'
  AND NOT EXISTS (SELECT FROM theirs)
LIMIT 100)"};

/// The approval as its partition has it. Errors: NOT_FOUND for one that a reset deleted, and where the partition can't
/// tell now.
awaitable<core::Result<FoundApproval>> look_at_approval(Call& call) {
    commands::Submission look;
    look.context = command_context(call);
    look.deadline = std::min(look.deadline, call.meta.deadline);
    look.decide = [id = call.input.path.id()](commands::View const& view,
                                              auto const&) -> core::Result<commands::Decision> {
        auto const* approval = view.get<events::ApprovalRecord>(id);
        if (!approval || approval->deleted) return commands::not_found("approval", id);
        return commands::Decision{};
    };
    look.render = [id = call.input.path.id()](commands::View const& view, auto const&) {
        return commands::Rendered{.body = core::to_json(*view.get<events::ApprovalRecord>(id)), .created = {}};
    };
    look.render_problem = [](core::Problem const& problem) { return problem.message; };
    auto reply = co_await call.services.processor.submit(std::move(look));
    if (reply.refused) co_return core::refuse(*reply.refused, std::move(reply.body));
    auto record = core::from_stored_json<events::ApprovalRecord>(reply.body);
    co_return FoundApproval{record, {record.internals, {}}, 0};
}

awaitable<Outcome> record(Call& call, commands::RecordExecution execution) {
    core::Result<commands::RecordExecution> command(std::move(execution));
    return submit(call, submission_of(call, std::move(command)), 0);
}

/// Whether what was thrown ends when what is away comes back.
bool is_of_outage(std::exception const& error) {
    if (dynamic_cast<core::StatementFailed const*>(&error)) return false;
    return dynamic_cast<core::DatabaseUnavailable const*>(&error) || dynamic_cast<core::DatabaseBusy const*>(&error) ||
           dynamic_cast<events::LogUnavailable const*>(&error);
}

/// Carries the call out under the approval's key. Throws for what is away; any other failure is an outcome.
awaitable<Outcome> carry_out(Call& call, FoundApproval const& found, ApprovedCall const& approved) {
    auto meta = approved.meta;
    meta.idempotency = commands::key_that_names("approval/" + std::to_string(found.approval.id) + "/call");
    // What a process of an earlier release began is asked for under the key that it made. Nobody keeps this one.
    meta.provider_key =
        meta.idempotency->key + '\n' + core::hex_encode(core::bytes(core::sha256(found.approval.arguments.text)));
    meta.deadline = call.meta.deadline;
    core::Problem problem{core::Code::internal_error, "An approved call waits once more."};
    try {
        auto result = co_await run_tool(call.services,
                                        {*approved.tool, approved.arguments, approved.caller, approved.context, meta},
                                        [](Call& inner) { return inner.operation.handler(inner); });
        if (auto* const outcome = std::get_if<Outcome>(&result.what)) co_return std::move(*outcome);
    } catch (std::exception const& error) {
        if (is_of_outage(error)) throw;
        core::log(core::Level::error, "an approved call failed",
                  {{"approval", found.approval.id}, {"request_id", meta.request_id}, {"error", error.what()}});
        problem.message = "The service failed.";
    }
    co_return refusal(problem, meta.request_id);
}

awaitable<Outcome> execute_approved(Call& call) {
    auto const execution = read_command<ApprovalExecution>(call);
    if (!execution) co_return refuse(call, execution.error());
    auto const id = call.input.path.id();
    auto const found = co_await look_at_approval(call);
    if (!found && found.error().code == core::Code::not_found) co_return Outcome{.status = 204};  // it is gone
    if (!found) co_return refuse(call, found.error());
    if (found->approval.executionResult.value) co_return Outcome{.status = 204};
    auto approved = co_await approved_call(call.services, *found);
    if (!approved) {
        if (is_passing(approved.error().code)) co_return refuse(call, approved.error());
        co_return co_await record(call, {id, failed_with(approved.error()), {}});
    }
    auto const outcome = co_await carry_out(call, *found, *approved);
    if (is_made_again(outcome, execution->attempt)) {
        co_return refuse(call, {core::Code::service_unavailable, "What comes of the call is not known yet."});
    }
    auto const done = outcome_of_call(*approved->tool, outcome);
    auto recorded = co_await record(call, {id, done, people_in_result(approved->tool, done.result)});
    if (recorded.status < 300 && !recorded.replayed) {
        observe_call(call.services, *approved, outcome, call.meta.organization, call.meta.sandbox);
    }
    co_return recorded;
}

std::vector<ToldParty> approvers_of(core::Connection& connection, FoundApproval const& found) {
    auto const& approval = found.approval;
    auto const& lineage = found.beside.call.requester.lineage.value;
    connection.use({.sandbox = approval.isSandbox, .operator_access = true});
    auto const before =
        connection.execute(kWaitingBefore, approval.organizationId, approval.isSandbox, lineage, approval.id).at(0)[0];
    if (core::read<std::int64_t>(before) >= kToldOfCredential) return {};
    connection.use({.operator_access = true});
    std::vector<ToldParty> users;
    for (auto const& row : connection.execute(kApprovers, approval.organizationId, approval.facilityId.value)) {
        users.push_back({core::read<Id>(row[0]), core::read<Id>(row[1])});
    }
    return users;
}

awaitable<Outcome> find_audience(Call& call) {
    auto const news = read_command<ApprovalNews>(call);
    if (!news) co_return refuse(call, news.error());
    auto const found = co_await look_at_approval(call);
    if (!found && found.error().code == core::Code::not_found)
        co_return Outcome{.body = core::to_json(ApprovalAudience())};
    if (!found) co_return refuse(call, found.error());
    auto const& approval = found->approval;
    ApprovalAudience audience{{}, approval.tool, approval.status};
    if (!news->requested) {
        auto const asked = approval.requestedBy.userId;
        bool const decided_alone = approval.resolvedBy.value && approval.resolvedBy.value->userId == asked;
        if (asked != 0 && !decided_alone) {
            audience.users.push_back({asked, found->beside.call.requester.organizationId});
        }
    } else if (approval.status == events::ApprovalStatus::pending) {
        audience.users = co_await call.services.operators.run(
            [&](core::Connection& connection) { return approvers_of(connection, *found); });
    }
    co_return Outcome{.body = core::to_json(audience)};
}

}  // namespace

std::vector<Operation> execution_operations() {
    Operation executed;
    executed.name = "approvals.execute";
    executed.summary = "An approved call is carried out";
    executed.effect = Effect::write;
    executed.success = 204;
    executed.body = &request_of<ApprovalExecution>;
    executed.handler = execute_approved;
    executed.asks_provider = true;
    Operation audience;
    audience.name = "approvals.audience";
    audience.summary = "Who is told of an approval";
    audience.effect = Effect::write;  // of its partition's writer, who knows the approval
    audience.body = &request_of<ApprovalNews>;
    audience.handler = find_audience;
    return {std::move(executed).by_installation().on(Kind::approval),
            std::move(audience).by_installation().on(Kind::approval)};
}

}  // namespace workforce::operations
