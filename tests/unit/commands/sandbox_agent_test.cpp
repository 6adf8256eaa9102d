// What a reset makes of agents: what is on record of its runs is what their executor would have done, and the call that
// waits can be decided.
#include <gtest/gtest.h>

#include <map>

#include "commands/agent_run.hpp"
#include "commands/approval.hpp"
#include "commands/sandbox.hpp"
#include "commands/sandbox_data_set.hpp"
#include "commands/trigger.hpp"
#include "core/canonical_json.hpp"
#include "core/json_values.hpp"
#include "events/timesheet.hpp"
#include "operations/agents/plan_check.hpp"
#include "operations/agents/scripted.hpp"
#include "tests/support/given.hpp"

namespace workforce::commands {
namespace {

using events::AgentRunRecord;
using events::AgentRunStatus;
using tests::Given;

constexpr Id kPlace = 1;

/// A sandbox that was reset, and the events that did it.
struct Reset {
    Given given;
    std::vector<NewEvent> events;

    template <class Index>
    [[nodiscard]] auto rows() const {
        return given.view().by<Index>(kPlace);
    }
    [[nodiscard]] AgentRunRecord const& run(AgentRunStatus status) const {
        for (auto const* run : rows<events::AgentRunsOfFacility>()) {
            if (run->status == status) return *run;
        }
        throw std::logic_error("no such run");
    }
};

void add_user(Given& given, Id id, events::Role role, std::vector<Id> facilities = {},
              events::UserStatus status = events::UserStatus::active) {
    events::UserCreated user;
    user.email = core::Email("user" + std::to_string(id) + "@example.test");
    user.role = role;
    user.facilityIds = std::move(facilities);
    user.status = status;
    given.event({events::Kind::user, id}, events::UserEvent(user));
}

/// As many ids as the data set has rows.
std::vector<Id> ids_from(Id first) {
    std::vector<Id> ids;
    for (auto const& rows : data_set_rows()) {
        for (std::size_t i = 0; i < rows.count; ++i) ids.push_back(first++);
    }
    return ids;
}

Reset reset_by(Given given) {
    given.context.sandbox = true;
    given.context.new_ids = ids_from(1000);
    auto outcome = given.when(ResetSandbox{kPlace, {}, {}, false});
    Reset reset{std::move(given), outcome.result.value().events};
    for (auto const& made : reset.events) reset.given.event(made.subject, made.data, made.facility);
    return reset;
}

Reset reset_by_user() {
    Given given;
    given.organization().facility(kPlace);
    add_user(given, 3, events::Role::admin);
    return reset_by(std::move(given));
}

TEST(SandboxAgent, HasWhatItsBuilderWouldBeAllowed) {
    auto const reset = reset_by_user();
    auto const& agent = *reset.rows<events::AgentsOfFacility>().at(0);
    EXPECT_TRUE(agent.isActive);
    EXPECT_EQ(agent.createdBy.value, 3);
    EXPECT_TRUE(operations::faults_of_tools(agent.allowedTools).empty());
    EXPECT_TRUE(operations::faults_of_plan(agent.plan, "plan", &agent.allowedTools).empty());
    auto const& trigger = *reset.rows<events::TriggersOfFacility>().at(0);
    EXPECT_EQ(trigger.agentId, agent.id);
    EXPECT_FALSE(trigger.isEnabled);
    EXPECT_EQ(trigger.disabledReason, events::kDisabledByHand);
    EXPECT_EQ(trigger.runAsUserId, 3);
    EXPECT_TRUE(faults_of(trigger).empty());
}

/// What the executor would do next, in the words of the event that is on record.
void expect_next(AgentRunRecord const& run, events::AgentRunEvent const& recorded) {
    auto const next = operations::next_of_plan({.run = run, .version = 1, .agent = {}, .timezone = "UTC"});
    auto const expect_call = [&](auto const& event) {
        auto const& call = std::get<operations::CallTool>(next);
        EXPECT_EQ(call.place.step, event.step);
        EXPECT_EQ(call.place.tool, event.tool);
        EXPECT_EQ(call.last, event.last);
        auto const arguments = core::parse_json(event.arguments.value.text).value();
        EXPECT_EQ(core::canonical_json(core::parse_json(call.arguments).value()), core::canonical_json(arguments));
    };
    if (auto const* finished = std::get_if<events::AgentRunStepFinished>(&recorded)) {
        if (finished->startedAt.value) return expect_call(*finished);
        auto const& only = std::get<events::AgentRunStepFinished>(std::get<operations::RecordOnly>(next).event);
        EXPECT_EQ(core::to_json(only), core::to_json(*finished));
    } else if (auto const* pending = std::get_if<events::AgentRunPendingApproval>(&recorded)) {
        expect_call(*pending);
    } else {
        EXPECT_EQ(std::get<operations::FinishRun>(next).output,
                  std::get<events::AgentRunCompleted>(recorded).output.value.text);
    }
}

TEST(SandboxAgent, ItsRunsAreWhatTheirExecutorWouldHaveDone) {
    auto const reset = reset_by_user();
    std::map<Id, AgentRunRecord> runs;
    std::map<Id, std::int64_t> seen;
    for (auto const& event : reset.events) {
        auto const* data = events::get_if<events::AgentRunEvent>(event.data);
        if (!data) continue;
        auto& run = runs[event.subject.id];
        if (++seen[event.subject.id] > 2) expect_next(run, *data);  // after it was queued and began
        events::Envelope meta;
        meta.subject = event.subject;
        meta.seq = seen[event.subject.id];
        meta.time = reset.given.context.now;
        evolve(run, *data, meta);
    }
    ASSERT_EQ(runs.size(), 2U);
    for (auto const& [id, run] : runs) EXPECT_EQ(seen[id], run.status == AgentRunStatus::completed ? 5 : 4);
    auto const& waiting = reset.run(AgentRunStatus::pending_approval);
    EXPECT_EQ(waiting.runAsUserId, 3);
    EXPECT_TRUE(waiting.isSandbox);
    auto const read = core::parse_json(waiting.steps.front().result.text).value();
    auto const& log = read["data"][0];
    auto const* stands = reset.given.view().get<events::TimesheetRecord>(log["id"].GetInt64());
    ASSERT_NE(stands, nullptr);
    EXPECT_EQ(stands->status, events::TimesheetStatus::submitted);
    EXPECT_EQ(core::json_of(log), core::to_json(resource_of(*stands))) << "it read what is there";
    EXPECT_EQ(waiting.namedStaffIds, std::vector<Id>{stands->staffId});
}

events::ApprovalRecord const& waiting_approval(Reset const& reset) {
    return *reset.rows<events::ApprovalsOfFacility>().at(0);
}

TEST(SandboxAgent, ItsCallWaits) {
    auto const reset = reset_by_user();
    auto const& approval = waiting_approval(reset);
    auto const& run = reset.run(AgentRunStatus::pending_approval);
    EXPECT_EQ(approval.status, events::ApprovalStatus::pending);
    EXPECT_EQ(approval.runId.value, run.id);
    EXPECT_EQ(run.approvalId.value, approval.id);
    EXPECT_EQ(approval.agentId.value, run.agentId);
    EXPECT_EQ(approval.requestedBy.userId, 3);
    EXPECT_EQ(approval.expiresAt, run.internals.waitsUntil.value);
    EXPECT_EQ(approval.expiresAt.ms - reset.given.context.now.ms,
              reset.given.view().organization().settings.approvalTtlHours.value * 3'600'000);
}

TEST(SandboxAgent, ItsRunGoesOnOnceTheCallWasMade) {
    auto reset = reset_by_user();
    auto const& approval = waiting_approval(reset);
    auto const run = reset.run(AgentRunStatus::pending_approval).id;
    std::vector<NewEvent> heard;
    EXPECT_TRUE(hear_run(reset.given.view(), reset.given.context, approval, {.result = R"({"results":[]})"}, heard));
    for (auto const& made : heard) reset.given.event(made.subject, made.data, made.facility);
    auto const& resumed = *reset.given.view().get<AgentRunRecord>(run);
    EXPECT_EQ(resumed.status, AgentRunStatus::running);
    auto const next = operations::next_of_plan({.run = resumed, .version = 1, .agent = {}, .timezone = "UTC"});
    EXPECT_EQ(std::get<operations::FinishRun>(next).output, R"({"results":[]})");
}

TEST(SandboxAgent, ActsForWhoResetsOrTheFirstAdministratorThere) {
    Given given;
    given.organization().facility(kPlace).facility(2);
    given.context.actor = {};
    EXPECT_EQ(reset_by(given).run(AgentRunStatus::completed).runAsUserId, 0) << "there is nobody";
    add_user(given, 4, events::Role::manager);
    add_user(given, 5, events::Role::admin, {2});
    add_user(given, 6, events::Role::facility_admin, {kPlace});
    EXPECT_EQ(reset_by(given).run(AgentRunStatus::completed).runAsUserId, 6);
    add_user(given, 7, events::Role::admin, {}, events::UserStatus::deactivated);
    add_user(given, 9, events::Role::admin);
    add_user(given, 8, events::Role::admin);
    auto const reset = reset_by(given);
    EXPECT_EQ(reset.run(AgentRunStatus::completed).runAsUserId, 8);
    EXPECT_EQ(waiting_approval(reset).requestedBy.userId, 8);
    EXPECT_FALSE(reset.rows<events::AgentsOfFacility>().at(0)->createdBy.value);
}

TEST(SandboxAgent, GoesWithAReset) {
    auto reset = reset_by_user();
    auto const run = reset.run(AgentRunStatus::pending_approval).id;
    auto const approval = waiting_approval(reset).id;
    auto& given = reset.given;
    given.context.new_ids = ids_from(2000);
    auto const again = given.after(ResetSandbox{kPlace, {}, {}, false});
    EXPECT_EQ(again.cleared, data_set_counts());
    EXPECT_EQ(given.view().get<AgentRunRecord>(run)->status, AgentRunStatus::cancelled);
    EXPECT_TRUE(given.view().get<AgentRunRecord>(run)->deleted);
    EXPECT_TRUE(given.view().get<events::ApprovalRecord>(approval)->deleted);
    auto const refused =
        require_resolvable(given.view(), given.context, {.id = approval, .by = {}}, Resolution::approve);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, core::Code::not_found);
}

}  // namespace
}  // namespace workforce::commands
