// Due jobs through the real writer: what is due by the time that the job is told, who is asked, and who is left in
// peace.
#include "workers/jobs/due_job.hpp"

#include <algorithm>

#include "commands/credential.hpp"
#include "commands/payroll_run.hpp"
#include "commands/shift.hpp"
#include "commands/trigger.hpp"
#include "events/agent.hpp"
#include "events/approval.hpp"
#include "events/shift_swap.hpp"
#include "events/timesheet.hpp"
#include "events/trigger.hpp"
#include "tests/integration/commands/engine/residency_fixture.hpp"
#include "workers/engine/standing.hpp"

namespace workforce::tests {
namespace {

class DueJobTest : public ResidencyTest {
   protected:
    DueJobTest() : sessions_(workers::due_session({.url = database_.url()}), 1) {}

    std::size_t round(workers::DueRounds& rounds) {
        settle();
        return await(rounds.run());
    }
    workers::DueRounds rounds_of(workers::DueJob const& job) {
        return {job, first_->processor, sessions_, threads_, [this](core::Connection&) { return now_; }};
    }
    /// A shift of that day with somebody on it.
    Id staffed(std::string const& date, Id person) {
        EXPECT_EQ(told(shift(date)), "200");
        auto const id = last_id_;
        EXPECT_EQ(told(assign(id, person)), "200");
        return id;
    }
    Id onboard() {
        EXPECT_EQ(told(staff("ada")), "201");
        return last_id_;
    }
    /// A credential of the person whose last day is so many days after today, by the calendar of the zone.
    Id credential(Id person, std::string const& zone, int days = 0) {
        commands::AddCredential command;
        command.staffId = person;
        command.type = events::StaffCredentialType::license;
        command.name = core::Name("Registered Nurse");
        command.expiresOn = core::Nullable<core::Date>(core::Date{core::local_date(core::now(), zone).days + days});
        caller_.new_ids = {++last_id_};
        EXPECT_EQ(told(make(std::move(command))), "200");
        return last_id_;
    }
    /// Approved logs of the person, an hour each, one after the other from the beginning of 2024 on.
    void log_hours(Id person, std::size_t hours) {
        std::vector<commands::NewEvent> events;
        auto const sealed = "staff/" + std::to_string(person);
        for (std::size_t i = 0; i < hours; ++i) {
            core::Timestamp const begins{core::parse_timestamp("2024-01-01T00:00:00Z")->ms +
                                         static_cast<std::int64_t>(i) * 3'600'000};
            core::Timestamp const ends{begins.ms + 3'600'000};
            auto const date = core::local_date(begins, "UTC");
            events::TimesheetPlace const place{person, kFacility, {}};
            events::TimesheetPay const pay{0, {2'000}, {2'000}};
            auto const add = [&, id = ++last_id_](events::TimesheetEvent event) {
                events.push_back({{Kind::timesheet, id}, kFacility, std::move(event)});
            };
            add(events::TimesheetSubmitted{place, {date, begins, ends, {}, 60}, pay, {sealed}, {}});
            add(events::TimesheetApproved{place, pay, date, 60});
        }
        auto submission = look();
        submission.decide = [events](auto&&...) { return commands::Decision{events, {}}; };
        EXPECT_EQ(told(std::move(submission)), "200");
    }
    /// A swap request that waits for the peer.
    void request_swap(events::ShiftSwapSides const& sides) {
        auto submission = look();
        submission.decide = [sides, id = ++last_id_](auto&&...) {
            events::ShiftSwapEvent requested = events::ShiftSwapRequested{{kFacility}, sides};
            return commands::Decision{{{{Kind::shift_swap, id}, kFacility, std::move(requested)}}, {}};
        };
        EXPECT_EQ(told(std::move(submission)), "200");
    }
    /// A trigger of each quarter of an hour, whose next moment was then.
    Id due_since(std::int64_t minutes) {
        auto const agent = ++last_id_;
        auto const trigger = ++last_id_;
        events::AgentCreated made;
        made.name = "Filler";
        events::PlanStep step;
        step.tool = core::Name("shifts_list");
        made.plan = {step};
        events::TriggerCreated created;
        created.agentId = agent;
        created.cron = "*/15 * * * *";
        created.timezone = "UTC";
        created.runAsUserId = 31;
        created.nextRunAt = core::Timestamp{core::now().ms - minutes * 60'000};
        auto submission = look();
        submission.decide = [=](auto&&...) {
            return commands::Decision{{{{Kind::agent, agent}, 0, events::AgentEvent(made)},
                                       {{Kind::trigger, trigger}, 0, events::TriggerEvents(created)}},
                                      {}};
        };
        EXPECT_EQ(told(std::move(submission)), "200");
        return trigger;
    }
    /// Asks as the service does, but for what it looks up.
    workers::AskOperation fires() {
        return
            [this](
                workers::OperationRequest request) -> boost::asio::awaitable<core::Result<workers::OperationAnswer>> {
                ++asked_;
                if (away_) co_return core::refuse(core::Code::service_unavailable, "It is away.");
                commands::FireTrigger command;
                command.id = request.id;
                command.run_as_user = 31;
                command.run_as = {false, true};
                command.render = [](std::string const& input, auto&&...) { return input; };
                commands::Context context;
                context.organization = request.organization;
                context.sandbox = request.sandbox;
                context.new_ids = {++last_run_};
                auto submission = commands::make_submission(std::move(command), std::move(context));
                submission.render_problem = [](core::Problem const& problem) { return problem.message; };
                auto const reply = co_await first_->processor.submit(std::move(submission));
                co_return workers::OperationAnswer{reply.status, reply.body, reply.refused};
            };
    }
    /// The whole organization goes by that zone from now on.
    void move_to(std::string const& zone) {
        commands::UpdateOrganization command;
        command.id = kOrganization;
        command.timezone = core::TimeZoneName(zone);
        EXPECT_EQ(told(make(std::move(command), {Kind::organization, kOrganization})), "200");
    }
    void set_now(std::string const& text) { now_ = core::parse_timestamp(text).value(); }

    core::SessionPool sessions_;
    boost::asio::thread_pool threads_{1};
    core::Timestamp now_ = core::now();
    int asked_ = 0;
    bool away_ = false;
    Id last_run_ = 90'000;
    workers::DueJob const& clock_ = workers::due_jobs()[0];
    workers::DueJob const& late_ = workers::due_jobs()[1];
};

TEST_F(DueJobTest, TheShiftClockMovesWhatIsDueAtItsTime) {
    auto const ada = onboard();
    staffed("2024-03-03", ada);
    staffed("2031-03-03", ada);
    ASSERT_EQ(told(shift("2024-03-04")), "200") << "nobody's";
    auto common = rounds_of(clock_);
    auto late = rounds_of(late_);
    EXPECT_EQ(round(common), 0U) << "it began more than a week ago";
    EXPECT_EQ(round(late), 1U);
    EXPECT_EQ(count<events::ShiftStarted>() + count<events::ShiftCompleted>(), 2U) << "long past its end, too";
    EXPECT_EQ(round(late), 0U);
    set_now("2024-03-03T00:00:00Z");
    staffed("2024-03-05", ada);
    EXPECT_EQ(round(common), 0U) << "not yet";
    set_now("2024-03-06T00:00:00Z");
    EXPECT_EQ(round(common), 1U);
    EXPECT_EQ(round(late), 0U);
}

TEST_F(DueJobTest, TheCredentialClockTellsOfTheEndAndMarksIt) {
    auto const jobs = workers::due_jobs();
    auto rounds = rounds_of(*std::ranges::find(jobs, std::string_view("credential_clock"), &workers::DueJob::name));
    auto const ada = onboard();
    move_to("Pacific/Pago_Pago");
    credential(ada, "Pacific/Pago_Pago", 60);
    EXPECT_EQ(round(rounds), 0U) << "that is far ahead";
    credential(ada, "Pacific/Pago_Pago", 20);
    credential(ada, "Pacific/Pago_Pago");
    EXPECT_EQ(round(rounds), 2U);
    EXPECT_EQ(count<events::CredentialExpiring>(), 2U);
    EXPECT_EQ(round(rounds), 0U) << "they were told";
    EXPECT_EQ(count<events::CredentialExpired>(), 0U);
    move_to("Pacific/Kiritimati");  // where it is a day later
    EXPECT_EQ(round(rounds), 1U);
    EXPECT_EQ(count<events::CredentialExpired>(), 1U);
    EXPECT_EQ(round(rounds), 0U);
}

TEST_F(DueJobTest, TheTriggerClockFiresOnceForWhatIsDue) {
    auto const jobs = workers::due_jobs();
    auto const& job = *std::ranges::find(jobs, std::string_view("trigger_clock"), &workers::DueJob::name);
    workers::DueRounds rounds{
        job, first_->processor, sessions_, threads_, [this](core::Connection&) { return now_; }, fires()};
    due_since(-60);
    EXPECT_EQ(round(rounds), 0U) << "that is ahead";
    for (int i = 0; i < 20; ++i) due_since(40);  // two moments of each have come since
    away_ = true;
    EXPECT_EQ(round(rounds), 20U);
    EXPECT_EQ(count<events::TriggerFired>(), 0U);
    away_ = false;
    EXPECT_EQ(round(rounds), 20U) << "nothing was judged, so all are asked for again";
    EXPECT_EQ(count<events::TriggerFired>(), 20U);
    EXPECT_EQ(count<events::AgentRunQueued>(), 20U);
    EXPECT_EQ(round(rounds), 0U);
    EXPECT_EQ(asked_, 40);
    now_.ms += 2 * 3'600'000;  // a clock that is ahead of the writer's
    EXPECT_EQ(round(rounds), 21U);
    EXPECT_EQ(count<events::TriggerFired>(), 20U) << "their moments have not come";
    EXPECT_EQ(round(rounds), 21U) << "read models may have been behind";
    EXPECT_EQ(round(rounds), 0U) << "they rest";
}

TEST_F(DueJobTest, ThePayrollClockMarksWhatASettlementLeft) {
    auto const ada = onboard();
    log_hours(ada, events::kPaymentsOfEvent + 2);
    commands::CreatePayrollRun draft;
    draft.periodStart = core::parse_date("2024-01-01").value();
    draft.periodEnd = core::parse_date("2024-01-31").value();
    caller_.new_ids = {++last_id_};
    auto const run = last_id_;
    EXPECT_EQ(told(make(draft)), "200");
    EXPECT_EQ(told(make(commands::ApprovePayrollRun{run}, {Kind::payroll_run, run})), "200");
    auto const jobs = workers::due_jobs();
    auto rounds = rounds_of(*std::ranges::find(jobs, std::string_view("payroll_clock"), &workers::DueJob::name));
    EXPECT_EQ(round(rounds), 0U) << "nothing is settled";
    commands::SettlePayments settled{run, 1, {}};
    settled.payments.resize(1);
    settled.payments.front().paymentId = events::payment_id(run, 1);
    EXPECT_EQ(told(make(settled, {Kind::payroll_run, run})), "200");
    EXPECT_EQ(count<events::TimesheetPaid>(), events::kPaymentsOfEvent);
    EXPECT_EQ(round(rounds), 2U);
    EXPECT_EQ(count<events::TimesheetPaid>(), events::kPaymentsOfEvent + 2);
    EXPECT_EQ(round(rounds), 0U);
}

TEST_F(DueJobTest, TheApprovalClockEndsWhatNobodyDecided) {
    for (int const hours : {-1, -2, 1}) {
        events::ApprovalRequested requested;
        requested.tool = "staff_deactivate";
        requested.expiresAt.ms = core::now().ms + hours * 3'600'000LL;
        auto submission = look();
        submission.context.new_ids = {++last_id_};
        submission.decide = [requested, id = last_id_](auto&&...) {
            return commands::Decision{{{{Kind::approval, id}, 0, requested}}, {}};
        };
        EXPECT_EQ(told(std::move(submission)), "200");
    }
    auto const jobs = workers::due_jobs();
    auto rounds = rounds_of(*std::ranges::find(jobs, std::string_view("approval_clock"), &workers::DueJob::name));
    EXPECT_EQ(round(rounds), 2U);
    EXPECT_EQ(count<events::ApprovalExpired>(), 2U);
    EXPECT_EQ(round(rounds), 0U);
}

TEST_F(DueJobTest, TheShiftSwapClockEndsWhatCannotHappenAnyMore) {
    auto const ada = onboard();
    EXPECT_EQ(told(staff("kay")), "201");
    auto const kay = last_id_;
    set_now("2031-03-01T00:00:00Z");
    auto const mine = staffed("2031-03-03", ada);
    auto const other = staffed("2031-03-05", kay);
    auto const left = staffed("2031-03-07", kay);
    auto const cancelled = staffed("2031-03-09", kay);
    for (auto const shift : {other, left, cancelled}) request_swap({mine, ada, shift, kay});
    auto const jobs = workers::due_jobs();
    auto rounds = rounds_of(*std::ranges::find(jobs, std::string_view("shift_swap_clock"), &workers::DueJob::name));
    EXPECT_EQ(round(rounds), 0U);
    commands::UnassignStaff unassign;
    unassign.id = left;
    unassign.staffId = kay;
    EXPECT_EQ(told(make(unassign, {Kind::shift, left})), "200");
    EXPECT_EQ(told(make(commands::CancelShift{cancelled, {}}, {Kind::shift, cancelled})), "200");
    EXPECT_EQ(round(rounds), 2U);
    EXPECT_EQ(count<events::ShiftSwapExpired>(), 2U);
    EXPECT_EQ(round(rounds), 0U);
    set_now("2031-03-03T23:00:00Z");  // a clock that is ahead of the writer's
    EXPECT_EQ(round(rounds), 1U);
    EXPECT_EQ(count<events::ShiftSwapExpired>(), 2U) << "by the writer's clock it can happen";
}

TEST_F(DueJobTest, OnlyPartitionsThatAreWrittenHereAreLookedAt) {
    staffed("2024-03-03", onboard());
    auto late = rounds_of(late_);
    await(first_->processor.release(home_));
    EXPECT_EQ(round(late), 0U);
    await(first_->processor.acquire(home_));
    EXPECT_EQ(round(late), 1U);
}

TEST_F(DueJobTest, WhoGainsNothingByItIsLeftInPeaceForLongerAndLonger) {
    auto const ada = onboard();
    set_now("2031-03-04T00:00:00Z");  // the job believes so, the command does not
    staffed("2031-03-03", ada);
    auto rounds = rounds_of(clock_);
    std::vector<int> asked;
    settle();
    for (int minute = 0; minute < 7 * 60; ++minute) {  // seven hours of rounds
        if (await(rounds.run()) > 0) asked.push_back(minute);
        now_.ms += std::chrono::milliseconds(clock_.period).count();
    }
    EXPECT_EQ(asked, (std::vector{0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363}));
    EXPECT_EQ(count<events::ShiftStarted>(), 0U);
}

TEST_F(DueJobTest, APauseHoldsIt) {
    staffed("2024-03-03", onboard());
    auto late = rounds_of(late_);
    core::Connection operators(workers::reactor_session({.url = database_.url()}));
    workers::pause(operators, late_.name, "Op", "a test");
    EXPECT_EQ(round(late), 0U);
    workers::resume(operators, late_.name);
    EXPECT_EQ(round(late), 1U);
}

TEST_F(DueJobTest, OneLeadsARound) {
    core::SessionPool sessions(workers::reactor_session({.url = database_.url()}), 1);
    EXPECT_TRUE(workers::lead(sessions, "a job", std::chrono::hours(1)));
    EXPECT_FALSE(workers::lead(sessions, "a job", std::chrono::hours(1)));
    EXPECT_TRUE(workers::lead(sessions, "another", std::chrono::milliseconds(0)));
    EXPECT_TRUE(workers::lead(sessions, "another", std::chrono::hours(1))) << "its time is over";
}

}  // namespace
}  // namespace workforce::tests
