// Agents and their runs: who builds them, how runs start, and how they end.
#include "commands/agent.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "commands/agent_run.hpp"
#include "commands/erasure.hpp"
#include "tests/support/given.hpp"

namespace workforce::commands {
namespace {

using events::AgentRunStatus;
using tests::Given;

constexpr Id kBuilt = 40;

events::Plan plan_with(std::string const& tool) {
    events::PlanStep step;
    step.tool = core::Name(tool);
    return {step};
}

/// An organization with two facilities and one agent, which is active.
Given given_built(std::optional<Id> facility = {}) {
    Given given;
    given.organization().facility(1).facility(2);
    events::AgentCreated created;
    created.name = "Filler";
    if (facility) created.facilityId = *facility;
    created.allowedTools = {"shifts_*"};
    created.plan = plan_with("shifts_list");
    given.event({events::Kind::agent, kBuilt}, events::AgentEvent(created), facility.value_or(0));
    return given;
}

CreateAgent agent_named(std::string const& name) {
    CreateAgent command;
    command.name = core::Name(name);
    command.allowedTools = {"*"};
    return command;
}

StartRun run_start() {
    StartRun command;
    command.agentId = kBuilt;
    command.runAs = 3;
    return command;
}

/// Starts a run with that id.
void started_run(Given& given, Id id) {
    given.context.new_ids = {id};
    std::ignore = given.after(run_start());
}

RecordRun record_of(Given const& given, Id id, events::AgentRunEvent event) {
    return {id, given.state.version({events::Kind::agent_run, id}), {std::move(event)}};
}

TEST(CreateAgent, HasRulesOfItsFields) {
    using tests::faults_in;
    EXPECT_EQ(faults_in<CreateAgent>("{}"), "name required, allowedTools required");
    EXPECT_EQ(faults_in<CreateAgent>(R"({"name":"A","allowedTools":[]})"), "allowedTools min_items");
    EXPECT_EQ(faults_in<CreateAgent>(R"({"name":"A","allowedTools":["*"],"limits":{"maxToolCalls":201}})"),
              "limits.maxToolCalls range");
    EXPECT_EQ(faults_in<CreateAgent>(R"({"name":"A","allowedTools":["*"],"plan":[{"tool":"a","id":"x"},)"
                                     R"({"tool":"b","id":"x"}]})"),
              "plan[1].id unique");
    EXPECT_EQ(faults_in<CreateAgent>(R"({"name":"A","allowedTools":["*"],"approvalMode":"default"})"), "");
}

TEST(CreateAgent, HasANameOfItsOwn) {
    auto given = given_built();
    EXPECT_EQ(given.when(agent_named("Poster")).summary(), "agent.created");
    EXPECT_EQ(given.when(agent_named("fILLER")).summary(), "DUPLICATE_RESOURCE");
    UpdateAgent update;
    update.id = kBuilt;
    update.name = core::Name("FILLER");
    EXPECT_EQ(given.when(update).summary(), "agent.updated");
}

TEST(CreateAgent, IsOneOfSoManyOfAnOrganization) {
    auto given = given_built();
    for (Id id = 1000; id < 1499; ++id) {
        events::AgentCreated created;
        created.name = core::Name(fmt::format("Agent {}", id));
        created.allowedTools = {"*"};
        given.event({events::Kind::agent, id}, events::AgentEvent(created));
    }
    EXPECT_EQ(given.when(agent_named("One more")).summary(), "LIMIT_REACHED");
    given.event({events::Kind::agent, 1000}, events::AgentEvent(events::AgentDeleted{}));
    EXPECT_EQ(given.when(agent_named("One more")).summary(), "agent.created");
}

TEST(CreateAgent, IsOfTheCallersFacilities) {
    auto given = given_built();
    given.context.facilities = {2};
    EXPECT_EQ(given.after(agent_named("Here")).facilityId.value, 2);
    auto elsewhere = agent_named("There");
    elsewhere.facilityId = Id{1};
    EXPECT_EQ(given.when(elsewhere).summary(), "FACILITY_SCOPE_VIOLATION");
    UpdateAgent update;
    update.id = kBuilt;  // the organization's, which they don't see
    update.description = core::LongText("Mine now");
    EXPECT_EQ(given.when(update).summary(), "NOT_FOUND");
}

TEST(CreateAgent, IsTrustedByOperatorsAlone) {
    auto given = given_built();
    auto command = agent_named("Trusted");
    command.approvalMode = events::AgentApprovalMode::trusted;
    EXPECT_EQ(given.when(command).summary(), "FORBIDDEN");
    command.rights.trusts = true;
    EXPECT_EQ(given.after(command).approvalMode, events::AgentApprovalMode::trusted);
    UpdateAgent update;
    update.id = 101;
    update.plan = plan_with("shifts_cancel");
    EXPECT_EQ(given.when(update).summary(), "FORBIDDEN");
    update.approvalMode = events::AgentApprovalMode::default_;
    EXPECT_EQ(given.when(update).summary(), "agent.updated");
}

TEST(CreateAgent, AsksAModelWhereThereIsOne) {
    auto given = given_built();
    auto command = agent_named("Thinker");
    command.executor = events::AgentExecutor::llm;
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR");
    command.rights.has_llm = true;
    EXPECT_EQ(given.when(command).summary(), "agent.created");
}

TEST(DeactivateAgent, CancelsItsLiveRuns) {
    auto given = given_built();
    started_run(given, 201);
    started_run(given, 202);
    std::ignore = given.after(TakeRun{202});
    EXPECT_EQ(given.when(DeactivateAgent{kBuilt}).summary(),
              "agent.deactivated agent_run.cancelled agent_run.cancelled");
    EXPECT_FALSE(given.after(DeactivateAgent{kBuilt}).isActive);
    EXPECT_EQ(given.when(DeactivateAgent{kBuilt}).summary(), "nothing");
    EXPECT_EQ(given.when(run_start()).summary(), "AGENT_INACTIVE");
    UpdateAgent update;
    update.id = kBuilt;
    update.isActive = true;
    EXPECT_EQ(given.when(update).summary(), "agent.reactivated");
}

TEST(StartRun, IsQueuedAsTheCallersUser) {
    auto given = given_built();
    auto const run = given.after(run_start());
    EXPECT_EQ(run.status, AgentRunStatus::queued);
    EXPECT_EQ(run.runAsUserId, 3);
    EXPECT_EQ(run.requestedBy.userId, 3);
    EXPECT_EQ(run.plan.size(), 1U);
    EXPECT_EQ(run.steps.at(0).id, "s1");
    auto nobody = run_start();
    nobody.runAs = 0;
    EXPECT_EQ(given.when(nobody).summary(), "VALIDATION_ERROR");
}

TEST(StartRun, CallsOnlyWhatItsAgentMay) {
    auto given = given_built();
    auto command = run_start();
    command.plan = plan_with("staff_list");
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR");
    command.plan = plan_with("shifts_get");
    EXPECT_EQ(given.when(command).summary(), "agent_run.queued");
    command.plan = events::Plan();
    EXPECT_EQ(given.when(command).summary(), "PLAN_INVALID");
}

TEST(StartRun, IsLimitedToAFacility) {
    auto given = given_built(1);
    EXPECT_EQ(given.after(run_start()).facilityId.value, 1);
    auto there = run_start();
    there.facilityId = Id{2};
    EXPECT_EQ(given.when(there).summary(), "FACILITY_SCOPE_VIOLATION");
    given.context.facilities = {2};
    EXPECT_EQ(given.when(run_start()).summary(), "NOT_FOUND");
}

TEST(StartRun, IsOneOfFiveThatWaitForNobody) {
    auto given = given_built();
    for (Id id = 201; id < 206; ++id) started_run(given, id);
    EXPECT_EQ(given.when(run_start()).summary(), "RUN_LIMIT_REACHED");
    auto triggered = run_start();
    triggered.triggerId = Id{9};
    EXPECT_EQ(given.when(triggered).summary(), "agent_run.queued");
    std::ignore = given.after(TakeRun{201});
    events::AgentRunPendingApproval waits;
    waits.step = "s1";
    waits.approvalId = 7;
    std::ignore = given.after(record_of(given, 201, waits));
    EXPECT_EQ(given.when(run_start()).summary(), "agent_run.queued");
}

/// A run of a trigger.
StartRun triggered_start() {
    auto command = run_start();
    command.triggerId = Id{9};
    return command;
}

TEST(StartRun, OfATriggerIsOneOfAThousandThatAreQueued) {
    auto given = given_built();
    auto const most = static_cast<Id>(events::kMostQueuedRuns);
    for (Id id = 0; id < most; ++id) {
        given.context.new_ids = {201 + id};
        std::ignore = given.after(triggered_start());
    }
    EXPECT_EQ(given.when(triggered_start()).summary(), "RUN_LIMIT_REACHED");
    std::ignore = given.after(TakeRun{201});
    EXPECT_EQ(given.when(triggered_start()).summary(), "agent_run.queued");
}

TEST(CancelRuns, EndsSoManyAtATime) {
    auto given = given_built();
    for (Id id = 201; id < 501; ++id) {
        given.context.new_ids = {id};
        std::ignore = given.after(triggered_start());
    }
    std::vector<std::int64_t> cancelled;
    do cancelled.push_back(given.after(CancelRuns{.agentId = kBuilt}).cancelled);
    while (cancelled.back() > 0);
    EXPECT_EQ(cancelled, (std::vector<std::int64_t>{200, 100, 0}));
}

TEST(VisibleAgent, OfTheOrganizationAsAWholeIsNoneOfThoseBoundToFacilities) {
    auto given = given_built();
    started_run(given, 201);
    given.context.facilities = {1, 2};
    auto command = run_start();
    command.facilityId = Id{1};
    EXPECT_EQ(given.when(command).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(DeactivateAgent{kBuilt}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(CancelRuns{.agentId = kBuilt}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(CancelRun{kBuilt, 201}).summary(), "NOT_FOUND");
}

TEST(TakeRun, StartsNoMoreThanFiveOfAnAgent) {
    auto given = given_built();
    for (Id id = 201; id < 206; ++id) started_run(given, id);
    for (Id id = 201; id < 206; ++id) EXPECT_EQ(given.after(TakeRun{id}).run.status, AgentRunStatus::running);
    auto triggered = run_start();
    triggered.triggerId = Id{9};
    given.context.new_ids = {206};
    std::ignore = given.after(triggered);
    EXPECT_EQ(given.after(TakeRun{206}).run.status, AgentRunStatus::queued);
    std::ignore = given.after(record_of(given, 201, events::AgentRunCompleted{}));
    EXPECT_EQ(given.after(TakeRun{206}).run.status, AgentRunStatus::running);
    EXPECT_EQ(given.when(TakeRun{206}).summary(), "nothing");
    EXPECT_EQ(given.when(TakeRun{999}).summary(), "NOT_FOUND");
}

TEST(StartRun, HasATrustedAgentDoOthersPlansAsAnyAgent) {
    auto given = given_built();
    auto created = events::AgentCreated{};
    created.name = "Trusted";
    created.allowedTools = {"*"};
    created.plan = plan_with("shifts_list");
    created.approvalMode = events::AgentApprovalMode::trusted;
    given.event({events::Kind::agent, 41}, events::AgentEvent(created));
    auto command = run_start();
    command.agentId = 41;
    auto const mode = [&] { return given.when(command).event<events::AgentRunQueued>().approvalMode; };
    EXPECT_EQ(mode(), events::AgentApprovalMode::trusted);
    command.plan = plan_with("shifts_create");
    EXPECT_EQ(mode(), events::AgentApprovalMode::default_);
    std::ignore = given.after(DeactivateAgent{41});
    UpdateAgent back;
    back.id = 41;
    back.isActive = true;
    EXPECT_EQ(given.when(back).summary().substr(0, 9), "FORBIDDEN");
    back.rights.trusts = true;
    EXPECT_EQ(given.when(back).summary(), "agent.reactivated");
}

TEST(StartRun, WithAPlanHasTheOutputThatComesWithIt) {
    auto given = given_built();
    UpdateAgent update;
    update.id = kBuilt;
    update.output = core::Nullable<events::RunValue>{events::RunValue{R"("{{steps.s1.result}}")"}};
    std::ignore = given.after(update);
    auto command = run_start();
    auto const output = [&] { return given.when(command).event<events::AgentRunQueued>().output.value.value; };
    EXPECT_EQ(output()->text, R"("{{steps.s1.result}}")");
    command.plan = plan_with("shifts_create");
    EXPECT_FALSE(output());
    command.output.value = events::RunValue{R"("Done")"};
    EXPECT_EQ(output()->text, R"("Done")");
}

TEST(StartRun, OfAModelsAgentHasNoPlan) {
    auto given = given_built();
    auto created = events::AgentCreated{};
    created.name = "Thinker";
    created.executor = events::AgentExecutor::llm;
    created.allowedTools = {"*"};
    given.event({events::Kind::agent, 41}, events::AgentEvent(created));
    auto command = run_start();
    command.agentId = 41;
    EXPECT_EQ(given.when(command).summary(), "agent_run.queued");
    auto with_output = command;
    with_output.output.value = events::RunValue{R"("Done")"};
    EXPECT_EQ(given.when(with_output).summary(), "VALIDATION_ERROR");
    command.plan = plan_with("shifts_list");
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR");
}

TEST(CreateAgent, ByACredentialOnlyOfWhatItsScopesCover) {
    auto given = given_built();
    auto command = agent_named("Beyond");
    command.rights.beyond = {"payroll_runs_create"};
    EXPECT_EQ(given.when(command).summary().substr(0, 9), "FORBIDDEN");
    command.allowedTools = {"shifts_*"};
    EXPECT_EQ(given.when(command).summary(), "agent.created");
    UpdateAgent wider;
    wider.id = kBuilt;
    wider.allowedTools = {core::Name("payroll_*")};
    wider.rights = command.rights;
    EXPECT_EQ(given.when(wider).summary().substr(0, 9), "FORBIDDEN");
}

TEST(RecordRun, GoesOnFromTheVersionThatItSaw) {
    auto given = given_built();
    started_run(given, 201);
    EXPECT_EQ(given.when(record_of(given, 201, events::AgentRunCompleted{})).summary(), "CONCURRENT_MODIFICATION");
    std::ignore = given.after(TakeRun{201});
    events::AgentRunStepFinished finished;
    finished.step = "s1";
    finished.tool = "shifts_list";
    finished.startedAt = given.context.now;
    auto const first = record_of(given, 201, finished);
    auto const mark = given.after(first);
    EXPECT_EQ(mark.status, AgentRunStatus::running);
    EXPECT_EQ(given.when(first).summary(), "CONCURRENT_MODIFICATION");
    auto last = record_of(given, 201, finished);
    last.events.emplace_back(events::AgentRunCompleted{});
    EXPECT_EQ(given.when(last).event<events::AgentRunCompleted>().run.toolCalls, 2);
    EXPECT_EQ(given.after(last).status, AgentRunStatus::completed);
}

TEST(RecordRun, LeavesOutWhatFollowsAnEnd) {
    auto given = given_built();
    started_run(given, 201);
    std::ignore = given.after(TakeRun{201});
    auto twice = record_of(given, 201, events::AgentRunFailed{"LIMIT_EXCEEDED", core::LongText("Too much.")});
    twice.events.emplace_back(events::AgentRunFailed{"LIMIT_EXCEEDED", core::LongText("Too much.")});
    twice.events.emplace_back(events::AgentRunCompleted{});
    EXPECT_EQ(given.when(twice).summary(), "agent_run.failed");
}

TEST(TakeRun, CancelsWhatAnInactiveAgentLeft) {
    auto given = given_built();
    started_run(given, 201);
    started_run(given, 202);
    std::ignore = given.after(TakeRun{201});
    given.event({events::Kind::agent, kBuilt}, events::AgentEvent(events::AgentDeactivated{}));
    for (Id const id : {201, 202}) EXPECT_EQ(given.after(TakeRun{id}).run.status, AgentRunStatus::cancelled);
    EXPECT_EQ(given.when(TakeRun{201}).summary(), "nothing");
}

TEST(CancelRun, LeavesWhatHasEnded) {
    auto given = given_built();
    started_run(given, 201);
    EXPECT_EQ(given.when(CancelRun{.agentId = 41, .id = 201}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.after(CancelRun{.agentId = kBuilt, .id = 201}).status, AgentRunStatus::cancelled);
    EXPECT_EQ(given.when(CancelRun{.agentId = kBuilt, .id = 201}).summary(), "nothing");
    started_run(given, 202);
    auto const cancelled = given.after(CancelRuns{.agentId = kBuilt});
    EXPECT_EQ(cancelled.runIds, std::vector<Id>{202});
    EXPECT_EQ(given.when(CancelRuns{.agentId = kBuilt}).summary(), "nothing");
}

TEST(Run, TellsWhyItGoesOnNoMore) {
    using events::RunCancellation;
    auto given = given_built();
    for (Id id = 201; id < 204; ++id) started_run(given, id);
    auto const cause = [&](auto const& command) {
        return given.when(command).template event<events::AgentRunCancelled>().cause.value;
    };
    EXPECT_EQ(cause(CancelRun{.agentId = kBuilt, .id = 201}), RunCancellation::requested);
    EXPECT_EQ(cause(CancelRuns{.agentId = kBuilt}), RunCancellation::all_requested);
    UpdateAgent update;
    update.id = kBuilt;
    update.isActive = false;
    EXPECT_EQ(cause(DeactivateAgent{kBuilt}), RunCancellation::agent_deactivated);
    EXPECT_EQ(cause(update), RunCancellation::agent_deactivated);
    given.event({events::Kind::agent, kBuilt}, events::AgentEvent(events::AgentDeactivated{}));
    EXPECT_EQ(cause(TakeRun{202}), RunCancellation::agent_deactivated);
    EXPECT_EQ(cause(CancelRuns{.agentId = kBuilt, .deactivated = true}), RunCancellation::agent_deactivated);
}

TEST(Run, TellsWhyTheCallThatItWaitedForIsNotMade) {
    using events::RejectionCause;
    using events::RunRejection;
    auto given = given_built();
    started_run(given, 201);
    std::ignore = given.after(TakeRun{201});
    events::AgentRunPendingApproval waits;
    waits.step = "s1";
    waits.approvalId = 7;
    std::ignore = given.after(record_of(given, 201, waits));
    events::ApprovalRecord approval;
    approval.id = 7;
    approval.runId = Id{201};
    auto const heard = [&](RejectionCause cause, std::string reason) {
        std::vector<NewEvent> told;
        hear_run(View(Given::kOrganization, given.state, false), given.context, approval,
                 {.what = ApprovalOutcome::What::rejected,
                  .code = std::string(core::enum_name(cause)),
                  .error = std::move(reason)},
                 told);
        return told;
    };
    EXPECT_TRUE(heard(RejectionCause::run_cancelled, "").empty()) << "whoever cancels it says so";
    struct Row {
        RejectionCause cause;
        char const* reason;
        RunRejection told;
        char const* message;
    };
    for (Row const& row :
         {Row{RejectionCause::rejected, "", RunRejection::rejected, "A person rejected the call."},
          Row{RejectionCause::rejected, "Not now", RunRejection::rejected, "A person rejected the call: Not now"},
          Row{RejectionCause::withdrawn, "My fault", RunRejection::withdrawn, "The call was withdrawn: My fault"},
          Row{RejectionCause::erased, "", RunRejection::erased, "What the call says was erased."}}) {
        auto const told = heard(row.cause, row.reason);
        ASSERT_EQ(told.size(), 1U);
        auto const& rejected = events::get<events::AgentRunRejected>(told.front().data);
        EXPECT_EQ(rejected.cause.value, row.told);
        auto run = given.state.rows<events::AgentRunRecord>().at(201).value;
        evolve(run, rejected, events::Envelope());
        EXPECT_EQ(run.error.value.value().message, row.message);
    }
}

TEST(Run, FailsWhereNobodyDecidesInTime) {
    auto given = given_built();
    started_run(given, 201);
    std::ignore = given.after(TakeRun{201});
    events::AgentRunPendingApproval waits;
    waits.step = "s1";
    waits.approvalId = 7;
    std::ignore = given.after(record_of(given, 201, waits));
    events::ApprovalRecord approval;
    approval.id = 7;
    approval.runId = Id{201};
    std::vector<NewEvent> told;
    hear_run(given.view(), given.context, approval, {.what = ApprovalOutcome::What::expired}, told);
    ASSERT_EQ(told.size(), 1U);
    given.event(told.front().subject, told.front().data);
    auto const& run = *given.view().get<events::AgentRunRecord>(201);
    EXPECT_EQ(run.status, events::AgentRunStatus::failed);
    EXPECT_EQ(run.error.value.value().code, "APPROVAL_EXPIRED");
    EXPECT_EQ(run.approvalId.value, 7);
}

TEST(StartRun, TellsTheAgentsVersion) {
    auto given = given_built();
    auto const version = [&] { return given.when(run_start()).event<events::AgentRunQueued>().agentVersion.value; };
    EXPECT_EQ(version(), 1);
    UpdateAgent update;
    update.id = kBuilt;
    update.description = core::LongText("Another one");
    std::ignore = given.after(update);
    EXPECT_EQ(version(), 2);
    started_run(given, 201);
    EXPECT_EQ(given.after(TakeRun{201}).agentVersion, 2);
}

TEST(TakeRun, TellsWhereTheRunStoodBefore) {
    auto given = given_built();
    started_run(given, 201);
    View const view(Given::kOrganization, given.state, false);
    TakeRun const command{201};
    auto const taken = [&](std::int64_t head) {
        auto const decision = decide(view, command, given.context).value();
        for (auto const& event : decision.events) {
            events::Envelope meta;
            meta.time = given.context.now;
            meta.subject = event.subject;
            meta.organization = Given::kOrganization;
            meta.seq = view.version(event.subject) + 1;
            meta.position = head + 1;
            given.state.apply({std::move(meta), event.data});
        }
        return answer(view, command, decision).position;
    };
    EXPECT_EQ(taken(40), 40) << "its own start need not be read";
    EXPECT_EQ(taken(50), 41) << "nor what others appended since";
}

/// A run that names that staff member.
void started_run_for(Given& given, Id id, Id staff) {
    auto command = run_start();
    command.triggerId = Id{9};
    command.input = events::RunObject{fmt::format(R"({{"who":{{"staffId":{}}}}})", staff)};
    given.context.new_ids = {id};
    std::ignore = given.after(command);
}

ErasePerson erasure_of(Id staff) { return {{core::Text<1, 500>("Asked for"), "ops"}, {events::Kind::staff, staff}}; }

TEST(ErasePerson, EmptiesRunsThatNameThem) {
    auto given = given_built();
    given.staff(9).staff(10);
    started_run_for(given, 201, 10);
    std::ignore = given.after(TakeRun{201});
    EXPECT_EQ(given.when(erasure_of(9)).summary(), "staff.erased");
    events::AgentRunStepFinished finished;
    finished.step = "s1";
    finished.tool = "shifts_list";
    finished.namedStaffIds = {9};
    finished.result = events::RunValue{R"({"staffId":9})"};
    std::ignore = given.after(record_of(given, 201, finished));
    EXPECT_EQ(given.when(erasure_of(9)).summary(), "agent_run.erased staff.erased");
    std::ignore = given.after(erasure_of(10));
    EXPECT_EQ(given.when(erasure_of(9)).summary(), "staff.erased");
    auto const& run = given.state.rows<events::AgentRunRecord>().at(201).value;
    EXPECT_EQ(run.status, AgentRunStatus::cancelled);
    EXPECT_TRUE(run.steps.empty());
    EXPECT_TRUE(run.namedStaffIds.empty());
    EXPECT_EQ(run.internals.bytes, 0) << "as where nothing of it can be opened";
}

TEST(StartRun, NamesWhomTheAgentsOwnPlanNames) {
    auto given = given_built();
    events::AgentUpdated update;
    update.plan = plan_with("staff_get");
    update.plan->front().arguments = decltype(update.plan->front().arguments){R"({"staffId":9})"};
    given.event({events::Kind::agent, kBuilt}, events::AgentEvent(update));
    started_run(given, 201);
    EXPECT_EQ(given.state.rows<events::AgentRunRecord>().at(201).value.namedStaffIds, std::vector<Id>{9});
}

TEST(ErasePerson, EmptiesVeryManyRunsSomeAtATime) {
    auto given = given_built();
    given.staff(9);
    auto const most = static_cast<Id>(events::kErasedRunsAtOnce);
    for (Id id = 0; id < most + 3; ++id) started_run_for(given, 201 + id, 9);
    EXPECT_TRUE(given.after(erasure_of(9)).more);
    auto const rest = given.after(erasure_of(9));
    EXPECT_TRUE(rest.recorded && !rest.more);
    EXPECT_EQ(given.when(erasure_of(9)).summary(), "nothing");
}

TEST(Run, OfTheSandboxIsNotSeenFromOutside) {
    auto given = given_built();
    started_run(given, 201);
    given.context.sandbox = true;
    EXPECT_EQ(given.when(run_start()).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(CancelRun{.agentId = kBuilt, .id = 201}).summary(), "NOT_FOUND");
}

}  // namespace
}  // namespace workforce::commands
