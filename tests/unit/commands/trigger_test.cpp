// Triggers: what one may say, by whose rights its runs act, and when it fires, is skipped, or is given up.
#include "commands/trigger.hpp"

#include <gtest/gtest.h>

#include "commands/agent.hpp"
#include "commands/agent_run.hpp"
#include "tests/support/given.hpp"

namespace workforce::commands {
namespace {

using events::TriggerType;
using tests::at;
using tests::Given;

constexpr Id kAgent = 40;
constexpr Id kTrigger = 101;  // Given's first new id
constexpr Id kMaker = 3;      // who Given's caller is

void add_user(Given& given, Id id) {
    events::UserCreated user;
    user.email = core::Email("user" + std::to_string(id) + "@example.test");
    given.event({events::Kind::user, id}, events::UserEvent(user));
}

/// An organization in Berlin with a user and an agent, of that facility where one is named.
Given given_agent(Id facility = 0) {
    Given given;
    given.organization().facility(1).facility(2);
    add_user(given, kMaker);
    events::AgentCreated agent;
    agent.name = "Filler";
    agent.allowedTools = {core::Name("shifts_*")};
    if (facility != 0) agent.facilityId = facility;
    events::PlanStep step;
    step.tool = core::Name("shifts_list");
    agent.plan = {step};
    given.event({events::Kind::agent, kAgent}, events::AgentEvent(agent), facility);
    return given;
}

CreateTrigger schedule(std::string_view cron = "0 9 * * *") {
    CreateTrigger command;
    command.name = "Each morning";
    command.type = TriggerType::schedule;
    command.cron = core::ShortText(std::string(cron));
    command.agent = kAgent;
    return command;
}

CreateTrigger on_event(std::string_view type = "shift.posted") {
    CreateTrigger command;
    command.name = "New shifts";
    command.type = TriggerType::event;
    command.eventType = core::ShortText(std::string(type));
    command.agent = kAgent;
    return command;
}

UpdateTrigger update() {
    UpdateTrigger command;
    command.agent = kAgent;
    command.id = kTrigger;
    return command;
}

ToggleTrigger toggle(std::optional<bool> enabled = {}) {
    ToggleTrigger command;
    command.isEnabled = enabled;
    command.agent = kAgent;
    command.id = kTrigger;
    return command;
}

/// Takes inputs as they are.
tl::expected<std::string, std::string> as_it_is(std::string const& input, std::string_view,
                                                core::Nullable<events::RunValue> const&) {
    return input;
}

FireTrigger fire() {
    FireTrigger command;
    command.id = kTrigger;
    command.run_as_user = kMaker;
    command.run_as = {false, true};
    command.render = as_it_is;
    return command;
}

FireTrigger see(std::int64_t depth = 0, std::string_view type = "shift.posted") {
    auto command = fire();
    command.event = SeenEvent{"event-1", std::string(type), at("2026-07-24T10:00:00Z"), "shift:5", {1}, {}};
    command.depth = depth;
    return command;
}

RunTriggerNow run_now() {
    RunTriggerNow command;
    command.agent = kAgent;
    command.id = kTrigger;
    command.run_as = {false, true};
    command.render = as_it_is;
    return command;
}

events::TriggerRecord trigger_of(Given const& given) { return *given.view().get<events::TriggerRecord>(kTrigger); }

/// One that is seen with a new id for its run.
TriggerDispatch seen(Given& given, Id run) {
    given.context.new_ids = {run};
    return given.after(see());
}

/// What follows from the end of a run.
std::vector<NewEvent> follows(Given const& given, Id run, events::AgentRunEvent const& end) {
    std::vector<NewEvent> events{run_event(*given.view().get<events::AgentRunRecord>(run), end)};
    follow_run_ends(given.view(), events);
    events.erase(events.begin());
    return events;
}

void end_run(Given& given, Id run, events::AgentRunEvent const& end) {
    for (auto const& event : follows(given, run, end)) given.event(event.subject, event.data, event.facility);
}

events::AgentRunFailed failed_by(std::string_view code) {
    events::AgentRunFailed failed;
    failed.code = code;
    failed.message = core::LongText("secret words");
    return failed;
}

TEST(CreateTrigger, SaysWhatIsWrongByField) {
    auto const faults = [](std::string_view body) { return tests::faults_in<CreateTrigger>(body); };
    EXPECT_EQ(faults("{}"), "name required, type required");
    EXPECT_EQ(faults(R"({"name":"A","type":"schedule"})"), "cron required");
    EXPECT_EQ(faults(R"({"name":"A","type":"event"})"), "eventType required");
    EXPECT_EQ(faults(R"({"name":"A","type":"webhook"})"), "type enum");
    EXPECT_EQ(faults(R"({"name":"A","type":"schedule","cron":"0 9 * * *"})"), "");
    EXPECT_EQ(faults(R"({"name":"A","type":"schedule","cron":"0 9 * *"})"), "cron cron");
    EXPECT_EQ(faults(R"({"name":"A","type":"schedule","cron":"*/4 * * * *"})"), "cron distance");
    EXPECT_EQ(faults(R"({"name":"A","type":"schedule","cron":"*/5 * * * *"})"), "");
    EXPECT_EQ(faults(R"({"name":"A","type":"schedule","cron":"0 9 30 2 *"})"), "cron cron");
    EXPECT_EQ(faults(R"({"name":"A","type":"schedule","cron":"0 9 * * *","timezone":"Mars/Base"})"),
              "timezone time_zone");
    EXPECT_EQ(faults(R"({"name":"A","type":"schedule","cron":"0 9 * * *","eventType":"shift.*","filter":{"a":1}})"),
              "eventType unused, filter unused");
    EXPECT_EQ(faults(R"({"name":"A","type":"event","eventType":"shift.dropped"})"), "eventType enum");
    EXPECT_EQ(faults(R"({"name":"A","type":"event","eventType":"shift.*","cron":"0 9 * * *","timezone":"UTC"})"),
              "cron unused, timezone unused");
    EXPECT_EQ(faults(R"({"name":"A","type":"event","eventType":"shift.posted","filter":{"urgent":1,"rate":{}}})"),
              "filter.urgent known, filter.rate type");
    EXPECT_EQ(faults(R"({"name":"A","type":"event","eventType":"shift.posted","filter":[]})"), "filter type");
    EXPECT_EQ(faults(R"({"name":"A","type":"event","eventType":"shift.*","input":{"a":"{{ event.id }}{{now.date}}"}})"),
              "");
    EXPECT_EQ(faults(R"({"name":"A","type":"event","eventType":"shift.*","input":{"a":["{{steps.a.result}}"]}})"),
              "input template");
    EXPECT_EQ(faults(R"({"name":"A","type":"schedule","cron":"0 9 * * *","input":{"a":"{{event.id}}"}})"),
              "input template");
    EXPECT_EQ(faults(R"({"name":"","type":"schedule","cron":"x","maxRunsPerHour":601,"input":5,"isEnabled":"no"})"),
              "name min_length, input type, maxRunsPerHour range, isEnabled type, cron cron");
    EXPECT_EQ(faults(R"({"name":"A","type":"schedule","cron":"0 9 * * *","maxRunsPerHour":0})"),
              "maxRunsPerHour range");
}

TEST(CreateTrigger, OfAScheduleKnowsItsNextMoment) {
    auto given = given_agent();
    auto const trigger = given.after(schedule());
    EXPECT_EQ(trigger.agentId, kAgent);
    EXPECT_EQ(trigger.timezone.value, "Europe/Berlin") << "the organization's";
    EXPECT_EQ(trigger.nextRunAt.value, at("2026-07-25T07:00:00Z"));
    EXPECT_EQ(trigger.runAsUserId, kMaker);
    EXPECT_EQ(trigger.createdBy.value, kMaker);
    EXPECT_EQ(trigger.maxRunsPerHour.value, 60);
    EXPECT_TRUE(trigger.isEnabled);
    auto disabled = schedule();
    disabled.isEnabled = false;
    given.context.new_ids = {102};
    auto const second = given.after(disabled);
    EXPECT_FALSE(second.nextRunAt.value);
    EXPECT_EQ(second.disabledReason, "manual");
}

TEST(CreateTrigger, NeedsAnActiveAgentThatTheCallerMayChange) {
    auto given = given_agent(1);
    EXPECT_EQ(given.when(schedule()).summary(), "trigger.created");
    given.context.facilities = {1};
    EXPECT_EQ(given.when(schedule()).summary(), "trigger.created");
    given.context.facilities = {2};
    EXPECT_EQ(given.when(schedule()).summary(), "NOT_FOUND");
    auto of_organization = given_agent();
    of_organization.context.facilities = {1};
    EXPECT_EQ(of_organization.when(schedule()).summary(), "NOT_FOUND") << "they see it, and may not change it";
    auto other = schedule();
    other.agent = 41;
    EXPECT_EQ(given_agent().when(other).summary(), "NOT_FOUND");
    auto inactive = given_agent();
    inactive.event({events::Kind::agent, kAgent}, events::AgentEvent(events::AgentDeactivated{}));
    EXPECT_EQ(inactive.when(schedule()).summary(), "AGENT_INACTIVE");
    auto disabled = schedule();
    disabled.isEnabled = false;
    EXPECT_EQ(inactive.when(disabled).summary(), "trigger.created");
}

TEST(CreateTrigger, HasALimitOfAnAgent) {
    auto given = given_agent();
    for (Id id = 200; id < 200 + static_cast<Id>(kMostTriggers); ++id) {
        given.context.new_ids = {id};
        given.after(on_event());
    }
    EXPECT_EQ(given.when(on_event()).summary(), "LIMIT_REACHED");
    DeleteTrigger gone;
    gone.agent = kAgent;
    gone.id = 200;
    given.after(gone);
    EXPECT_EQ(given.when(on_event()).summary(), "trigger.created");
}

TEST(RunAs, IsTheMakerUnlessAnOperatorSaysOtherwise) {
    auto given = given_agent();
    auto other = schedule();
    other.runAsUserId = 9;
    other.run_as = {.own = false, .usable = true};
    EXPECT_EQ(given.when(other).summary(), "RUN_AS_FORBIDDEN");
    other.operates = true;
    EXPECT_EQ(given.when(other).event<events::TriggerCreated>().runAsUserId, 9);
    other.run_as.usable = false;
    EXPECT_EQ(given.when(other).summary(), "VALIDATION_ERROR");
    EXPECT_NE(given.when(other).details().find("runAsUserId"), std::string::npos);
    auto own = schedule();
    own.runAsUserId = kMaker;
    EXPECT_EQ(given.when(own).summary(), "trigger.created");
    given.context.actor = {events::ActorType::api_key, 55, 0};
    EXPECT_EQ(given.when(schedule()).summary(), "VALIDATION_ERROR") << "nobody stands behind the key";
}

TEST(RunAs, IsUsedByThoseAloneWhoMayUseIt) {
    auto given = given_agent();
    events::UserCreated above;
    above.email = core::Email("above@example.test");
    above.role = events::Role::super_admin;
    given.event({events::Kind::user, 9}, events::UserEvent(above));
    auto made = on_event();
    made.runAsUserId = 9;
    made.run_as = {.own = false, .usable = true};
    made.operates = true;
    given.after(made);
    auto feeding = update();
    feeding.input = events::TriggerInput{R"({"a":1})"};
    EXPECT_EQ(given.when(feeding).summary(), "RUN_AS_FORBIDDEN");
    EXPECT_EQ(given.when(run_now()).summary(), "RUN_AS_FORBIDDEN");
    UpdateAgent steering;
    steering.id = kAgent;
    steering.plan.emplace();
    EXPECT_EQ(given.when(steering).summary(), "RUN_AS_FORBIDDEN");
    auto renamed = update();
    renamed.name = "Renamed";
    EXPECT_EQ(given.when(renamed).summary(), "trigger.updated");
    feeding.operates = true;
    EXPECT_EQ(given.when(feeding).summary(), "trigger.updated");
    feeding.operates = false;
    feeding.runAsUserId = kMaker;
    EXPECT_EQ(given.when(feeding).summary(), "trigger.updated") << "it is taken over";
    given.context.role = events::Role::super_admin;
    EXPECT_EQ(given.when(run_now()).summary(), "trigger.fired agent_run.queued");
    EXPECT_EQ(given.when(steering).summary(), "agent.updated");
    given.context.facilities = {1};
    EXPECT_FALSE(may_borrow(given.view(), 9, given.context, false)) << "they reach more";
}

TEST(UpdateTrigger, LooksAtWhatItComesTo) {
    auto given = given_agent();
    given.after(schedule());
    auto command = update();
    command.cron = core::ShortText("30 8 * * *");
    command.timezone = core::ShortText("America/New_York");
    EXPECT_EQ(given.after(command).nextRunAt.value, at("2026-07-24T12:30:00Z"));
    EXPECT_EQ(given.when(command).summary(), "nothing");
    auto wrong = update();
    wrong.cron = core::ShortText("* * * * *");
    wrong.eventType = core::ShortText("shift.*");
    wrong.type = TriggerType::event;
    wrong.agentId = 41;
    auto const details = given.when(wrong).details();
    auto event = update();
    event.input = events::TriggerInput{R"({"a":"{{event.id}}"})"};
    EXPECT_EQ(given.when(event).summary(), "VALIDATION_ERROR") << "a schedule sees no event";
    for (auto const* field : {"\"type\"", "\"agentId\"", "\"cron\"", "\"eventType\""}) {
        EXPECT_NE(details.find(field), std::string::npos) << field << details;
    }
    auto same = update();
    same.type = TriggerType::schedule;
    same.agentId = kAgent;
    same.eventType = core::ShortText("");
    same.filter = events::TriggerFilter{};
    EXPECT_EQ(given.when(same).summary(), "nothing") << "what GET shows can be sent back";
    auto other = update();
    other.runAsUserId = 9;
    other.run_as = {.own = false, .usable = true};
    EXPECT_EQ(given.when(other).summary(), "RUN_AS_FORBIDDEN");
    other.operates = true;
    EXPECT_EQ(given.after(other).runAsUserId, 9);
    other.operates = false;
    EXPECT_EQ(given.when(other).summary(), "nothing") << "it is so already";
}

TEST(UpdateTrigger, IsOfItsAgentAlone) {
    auto given = given_agent();
    given.after(schedule());
    auto elsewhere = update();
    elsewhere.agent = 41;
    EXPECT_EQ(given.when(elsewhere).summary(), "NOT_FOUND");
    events::AgentCreated another;
    another.name = "Another";
    given.event({events::Kind::agent, 41}, events::AgentEvent(another));
    EXPECT_EQ(given.when(elsewhere).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(toggle()).summary(), "trigger.disabled");
}

TEST(ToggleTrigger, ForgetsFailuresWhenItEnables) {
    auto given = given_agent();
    given.after(schedule());
    auto failing = fire();
    failing.run_as.usable = false;
    failing.run_as_user = 9;
    auto command = update();
    command.runAsUserId = 9;
    command.run_as = {.own = false, .usable = true};
    command.operates = true;
    given.after(command);
    given.context.now = at("2026-07-25T07:00:00Z");
    EXPECT_EQ(given.after(failing).result, DispatchResult::failed);
    EXPECT_EQ(trigger_of(given).consecutiveFailures, 1);
    EXPECT_EQ(trigger_of(given).lastError.value->code, "RUN_AS_USER_INACTIVE");
    EXPECT_EQ(given.when(toggle(true)).summary(), "nothing");
    auto const off = given.after(toggle());
    EXPECT_FALSE(off.isEnabled);
    EXPECT_EQ(off.disabledReason, "manual");
    EXPECT_FALSE(off.nextRunAt.value);
    EXPECT_EQ(off.consecutiveFailures, 1);
    auto const on = given.after(toggle());
    EXPECT_TRUE(on.isEnabled);
    EXPECT_EQ(on.disabledReason, "");
    EXPECT_FALSE(on.disabledAt.value);
    EXPECT_EQ(on.consecutiveFailures, 0);
    EXPECT_EQ(on.nextRunAt.value, at("2026-07-26T07:00:00Z"));
}

TEST(FireTrigger, FiresOnceForAMoment) {
    auto given = given_agent();
    given.after(schedule());
    EXPECT_EQ(given.when(fire()).summary(), "nothing") << "it is not due";
    given.context.now = at("2026-07-25T07:00:03Z");
    given.context.new_ids = {501};
    auto const fired = given.after(fire());
    EXPECT_EQ(fired.result, DispatchResult::fired);
    EXPECT_EQ(fired.runId.value, 501);
    auto const run = *given.view().get<events::AgentRunRecord>(501);
    EXPECT_EQ(run.triggerId.value, kTrigger);
    EXPECT_EQ(run.runAsUserId, kMaker);
    EXPECT_EQ(run.internals.depth, 0);
    EXPECT_EQ(given.after(fire()).result, DispatchResult::ignored);
    auto const trigger = trigger_of(given);
    EXPECT_EQ(trigger.lastRunId.value, 501);
    EXPECT_EQ(trigger.lastRunStatus, "queued");
    EXPECT_EQ(trigger.nextRunAt.value, at("2026-07-26T07:00:00Z"));
}

TEST(FireTrigger, FiresOnceForWhatWasMissedWithinTheHour) {
    auto given = given_agent();
    given.after(schedule("*/15 * * * *"));
    given.context.now = at("2026-07-24T14:10:00Z");
    given.context.new_ids = {501};
    EXPECT_EQ(given.when(fire()).event<events::TriggerFired>().dueAt.value, at("2026-07-24T13:15:00Z"));
    EXPECT_EQ(given.after(fire()).result, DispatchResult::fired);
    EXPECT_EQ(given.after(fire()).result, DispatchResult::ignored);
    EXPECT_EQ(trigger_of(given).nextRunAt.value, at("2026-07-24T14:15:00Z"));
}

TEST(FireTrigger, SkipsWhatIsAnHourLate) {
    auto given = given_agent();
    given.after(schedule());
    given.context.now = at("2026-07-25T07:59:59Z");
    EXPECT_EQ(given.when(fire()).summary(), "trigger.fired agent_run.queued");
    given.context.now = at("2026-07-25T08:00:00Z");
    EXPECT_EQ(given.when(fire()).event<events::TriggerSkipped>().reason, events::SkipReason::late);
    EXPECT_EQ(given.after(fire()).result, DispatchResult::skipped);
    EXPECT_EQ(trigger_of(given).nextRunAt.value, at("2026-07-26T07:00:00Z"));
    EXPECT_EQ(trigger_of(given).consecutiveFailures, 0);
}

TEST(FireTrigger, NeverFiresAgainAtAMomentAfterAClockWentBack) {
    auto given = given_agent();
    given.after(schedule());
    given.context.now = at("2026-07-25T07:00:03Z");
    given.after(fire());
    given.context.now = at("2026-07-25T06:30:00Z");
    given.after(toggle());
    EXPECT_EQ(given.after(toggle()).nextRunAt.value, at("2026-07-26T07:00:00Z"));
    auto command = update();
    command.cron = core::ShortText("0 9,10 * * *");
    EXPECT_EQ(given.after(command).nextRunAt.value, at("2026-07-25T08:00:00Z"));
}

TEST(FireTrigger, PassesTheEventOn) {
    auto given = given_agent(1);
    given.after(on_event());
    auto command = see(1);
    std::string told;
    command.render = [&](std::string const& input, std::string_view zone, auto const& event) {
        told = std::string(zone) + ' ' + event.value->text;
        return as_it_is(input, zone, event);
    };
    given.context.new_ids = {501};
    EXPECT_EQ(given.when(command).summary(), "trigger.fired agent_run.queued");
    EXPECT_EQ(given.after(command).result, DispatchResult::fired);
    EXPECT_TRUE(told.starts_with("Europe/Berlin {\"id\":\"event-1\",\"type\":\"shift.posted\"")) << told;
    auto const run = *given.view().get<events::AgentRunRecord>(501);
    EXPECT_EQ(run.internals.depth, 1) << "as many hops as the event";
    EXPECT_EQ(run.facilityId.value, 1);
    EXPECT_TRUE(run.internals.event.value);
}

TEST(FireTrigger, StopsAtTheThirdHop) {
    auto given = given_agent();
    given.after(on_event());
    EXPECT_EQ(given.when(see(2)).summary(), "trigger.fired agent_run.queued");
    EXPECT_EQ(given.when(see(3)).event<events::TriggerSkipped>().reason, events::SkipReason::depth);
    EXPECT_EQ(given.when(see(9)).summary(), "trigger.skipped");
}

TEST(FireTrigger, SkipsEventsWhoseAnswersMayBeForgotten) {
    auto given = given_agent();
    given.after(on_event());
    given.context.now = at("2026-07-25T09:00:00Z");
    EXPECT_EQ(given.when(see()).summary(), "trigger.fired agent_run.queued");
    given.context.now.ms += 1;
    EXPECT_EQ(given.when(see()).event<events::TriggerSkipped>().reason, events::SkipReason::late);
}

TEST(FireTrigger, ComesToNothingWhereItIsNotToFire) {
    auto given = given_agent();
    given.after(on_event());
    auto unseen = see();
    unseen.sees = false;
    EXPECT_EQ(given.when(unseen).summary(), "nothing") << "its user does not reach where it happened";
    EXPECT_EQ(given.when(see(0, "shift.filled")).summary(), "nothing") << "it waits for something else by now";
    EXPECT_EQ(given.when(fire()).summary(), "nothing") << "it has no moments";
    auto other = see();
    other.run_as_user = 9;
    EXPECT_EQ(given.when(other).summary(), "CONCURRENT_MODIFICATION");
    auto unknown = see();
    unknown.id = 77;
    EXPECT_EQ(given.when(unknown).summary(), "nothing");
    given.after(toggle(false));
    EXPECT_EQ(given.when(see()).summary(), "nothing");
    given.after(toggle(true));
    given.event({events::Kind::organization, Given::kOrganization},
                events::OrganizationEvent(events::OrganizationDeactivated{}));
    EXPECT_EQ(given.when(see()).summary(), "nothing");
}

TEST(FireTrigger, SkipsMoreThanItMayInAnHour) {
    auto given = given_agent();
    auto command = on_event();
    command.maxRunsPerHour = 2;
    given.after(command);
    EXPECT_EQ(seen(given, 501).result, DispatchResult::fired);
    given.context.now = at("2026-07-24T10:40:00Z");
    EXPECT_EQ(seen(given, 502).result, DispatchResult::fired);
    EXPECT_EQ(seen(given, 503).result, DispatchResult::skipped);
    EXPECT_EQ(trigger_of(given).consecutiveFailures, 0);
    EXPECT_EQ(given.when(run_now()).summary(), "RUN_LIMIT_REACHED");
    given.context.now = at("2026-07-24T11:00:00Z");
    EXPECT_EQ(seen(given, 504).result, DispatchResult::fired);
}

TEST(FireTrigger, SkipsWhereVeryManyRunsOfItsAgentAreQueued) {
    auto given = given_agent();
    auto command = on_event();
    command.maxRunsPerHour = 600;
    given.after(command);
    auto const most = static_cast<Id>(events::kMostQueuedRuns);
    for (Id id = 0; id < most; ++id) {
        if (id == most / 2) given.context.now.ms += events::kTriggerHourMs;  // its hour is over
        EXPECT_EQ(seen(given, 501 + id).result, DispatchResult::fired);
    }
    EXPECT_EQ(given.when(see()).event<events::TriggerSkipped>().reason, events::SkipReason::queue_full);
    EXPECT_EQ(seen(given, 501 + most).result, DispatchResult::skipped);
    EXPECT_EQ(trigger_of(given).consecutiveFailures, 0);
    EXPECT_EQ(given.when(run_now()).summary(), "RUN_LIMIT_REACHED");
}

TEST(FireTrigger, FailsWhereItsUserMayNotActAndIsGivenUp) {
    auto given = given_agent();
    given.after(on_event());
    given.event({events::Kind::user, kMaker}, events::UserEvent(events::UserDeactivated{}));
    for (int i = 1; i < 5; ++i) {
        EXPECT_EQ(given.when(see()).summary(), "trigger.dispatch_failed");
        given.after(see());
        EXPECT_EQ(trigger_of(given).consecutiveFailures, i);
    }
    auto const outcome = given.when(see());
    EXPECT_EQ(outcome.summary(), "trigger.dispatch_failed trigger.disabled");
    EXPECT_EQ(outcome.event<events::TriggerDisabled>().reason, "max_consecutive_failures");
    EXPECT_EQ(outcome.event<events::TriggerDisabled>().createdBy.value, kMaker);
    given.after(see());
    EXPECT_FALSE(trigger_of(given).isEnabled);
    EXPECT_EQ(trigger_of(given).consecutiveFailures, 5);
}

TEST(FireTrigger, FailsWhereInputOrPlanIsNone) {
    auto given = given_agent();
    given.after(on_event());
    auto command = see();
    command.render = [](auto const&...) -> tl::expected<std::string, std::string> {
        return tl::unexpected(std::string("The template {{event.x}} names nothing."));
    };
    EXPECT_EQ(given.when(command).event<events::TriggerDispatchFailed>().error.code, "PLAN_INVALID");
    events::AgentUpdated emptied;
    emptied.plan.emplace();
    given.event({events::Kind::agent, kAgent}, events::AgentEvent(emptied));
    EXPECT_EQ(given.when(see()).event<events::TriggerDispatchFailed>().error.code, "PLAN_INVALID");
}

TEST(RunTriggerNow, StartsARunAndCountsAsAFire) {
    auto given = given_agent();
    given.after(schedule());
    given.after(toggle(false));
    given.context.new_ids = {501};
    auto command = run_now();
    command.input = events::TriggerInput{R"({"a":1})"};
    EXPECT_EQ(given.when(command).summary(), "trigger.fired agent_run.queued");
    auto const run = given.after(command);
    EXPECT_EQ(run.id, 501);
    EXPECT_EQ(run.status, events::AgentRunStatus::queued);
    EXPECT_EQ(run.triggerId.value, kTrigger);
    EXPECT_EQ(run.requestedBy.userId, kMaker);
    EXPECT_EQ(trigger_of(given).internals.fires, 1);
    EXPECT_EQ(trigger_of(given).lastFiredAt.value, given.context.now);
    given.event({events::Kind::user, kMaker}, events::UserEvent(events::UserDeactivated{}));
    EXPECT_EQ(given.when(run_now()).summary(), "INVALID_STATE_TRANSITION");
    given.event({events::Kind::agent, kAgent}, events::AgentEvent(events::AgentDeactivated{}));
    EXPECT_EQ(given.when(run_now()).summary(), "AGENT_INACTIVE");
}

TEST(RunTriggerNow, SaysWhenTheHourWillBeOver) {
    auto given = given_agent();
    auto command = schedule();
    command.maxRunsPerHour = 1;
    given.after(command);
    given.after(run_now());
    given.context.now.ms += 20 * 60'000 + 1;
    auto const refused = decide(given.view(), run_now(), given.context);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, core::Code::run_limit_reached);
    EXPECT_EQ(refused.error().retry_after, 40 * 60);
    EXPECT_EQ(refused.error().details, R"({"maxRunsPerHour":1,"retryAfter":2400})");
}

TEST(RunTriggerNow, LeavesTheScheduleAsItIs) {
    auto given = given_agent();
    given.after(schedule());
    given.after(run_now());
    EXPECT_EQ(trigger_of(given).nextRunAt.value, at("2026-07-25T07:00:00Z"));
}

TEST(TriggerStreak, GoesByHowRunsEnd) {
    auto given = given_agent();
    given.after(on_event());
    Id run = 500;
    auto const fail = [&] {
        seen(given, ++run);
        end_run(given, run, failed_by("TOOL_FAILED"));
    };
    for (int i = 1; i <= 4; ++i) fail();
    EXPECT_EQ(trigger_of(given).consecutiveFailures, 4);
    EXPECT_EQ(trigger_of(given).lastRunStatus, "failed");
    EXPECT_EQ(trigger_of(given).lastError.value->code, "TOOL_FAILED");
    EXPECT_EQ(trigger_of(given).lastError.value->message, "Run 504 failed.") << "what runs say lies under their keys";
    for (events::AgentRunEvent const& end :
         {events::AgentRunEvent(events::AgentRunRejected{}), events::AgentRunEvent(events::AgentRunCancelled{}),
          events::AgentRunEvent(failed_by("APPROVAL_EXPIRED"))}) {
        seen(given, ++run);
        end_run(given, run, end);
        EXPECT_EQ(trigger_of(given).consecutiveFailures, 4);
    }
    end_run(given, run, events::AgentRunStarted{});
    EXPECT_EQ(trigger_of(given).lastRunStatus, "failed");
    seen(given, ++run);
    end_run(given, run, events::AgentRunCompleted{});
    EXPECT_EQ(trigger_of(given).consecutiveFailures, 0);
    EXPECT_FALSE(trigger_of(given).lastError.value);
    for (int i = 1; i <= 5; ++i) fail();
    EXPECT_FALSE(trigger_of(given).isEnabled);
    EXPECT_EQ(trigger_of(given).disabledReason, "max_consecutive_failures");
}

TEST(TriggerStreak, GoesByTheOrganizationsLimit) {
    auto given = given_agent();
    events::OrganizationUpdated updated;
    updated.settings.emplace().triggerFailureLimit = 1;
    given.event({events::Kind::organization, Given::kOrganization}, events::OrganizationEvent(updated));
    given.after(on_event());
    seen(given, 501);
    EXPECT_EQ(follows(given, 501, failed_by("TOOL_FAILED")).size(), 2U);
    given.after(toggle(false));
    EXPECT_EQ(follows(given, 501, failed_by("TOOL_FAILED")).size(), 1U);
    DeleteTrigger gone;
    gone.agent = kAgent;
    gone.id = kTrigger;
    given.after(gone);
    EXPECT_TRUE(follows(given, 501, failed_by("TOOL_FAILED")).empty());
}

TEST(StopTriggers, DisablesThoseThatFire) {
    auto given = given_agent();
    given.after(schedule());
    given.context.new_ids = {102};
    auto disabled = on_event();
    disabled.isEnabled = false;
    given.after(disabled);
    std::vector<NewEvent> events;
    stop_triggers(given.view(), kAgent, events);
    ASSERT_EQ(events.size(), 1U);
    for (auto const& event : events) given.event(event.subject, event.data);
    EXPECT_EQ(trigger_of(given).disabledReason, "agent_deactivated");
    EXPECT_FALSE(trigger_of(given).nextRunAt.value);
}

}  // namespace
}  // namespace workforce::commands
