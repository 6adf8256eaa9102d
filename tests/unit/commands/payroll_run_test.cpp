// Payroll runs: every move of their states, what logs a run takes and holds, and what it comes to.
#include "commands/payroll_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/erasure.hpp"
#include "commands/timesheet.hpp"
#include "tests/support/given.hpp"

namespace workforce::commands {
namespace {

using events::AdjustmentKind;
using events::PaymentStatus;
using events::PayrollRunRecord;
using events::PayrollRunStatus;
using events::TimesheetRecord;
using events::TimesheetStatus;
using tests::at;
using tests::day;
using tests::Given;

constexpr Id kAnn = 11;
constexpr Id kBen = 12;
constexpr Id kFirst = 31;   // Ann's log of 2026-07-20, 8 hours at facility 1
constexpr Id kSecond = 32;  // Ben's of the same day
constexpr Id kThird = 33;   // Ann's of 2026-07-21, at facility 2
constexpr Id kRun = 50;

/// An approved log of so many hours from 8 o'clock, at 20 an hour.
void given_log(Given& given, Id id, Id staff, Id facility, std::string_view date, int hours = 8) {
    auto const begins = core::Timestamp{day(date).days * 86'400'000LL + 8 * 3'600'000LL};
    events::TimesheetTime const time{
        day(date), begins, core::Timestamp{begins.ms + hours * 3'600'000LL}, {}, hours * 60};
    events::TimesheetPay const pay{0, {2'000}, {2'000 * hours}};
    events::TimesheetPlace const place{staff, facility, {}};
    events::AggregateRef const log{events::Kind::timesheet, id};
    given.event(log, events::TimesheetEvent(events::TimesheetSubmitted{place, time, pay, {"staff/11"}, {}}), facility);
    given.event(log, events::TimesheetEvent(events::TimesheetApproved{place, pay, day(date), hours * 60}), facility);
}

Given given_logs() {
    Given given;
    given.organization().facility(1).facility(2).staff(kAnn, {1}).staff(kBen, {1});
    given_log(given, kFirst, kAnn, 1, "2026-07-20");
    given_log(given, kSecond, kBen, 1, "2026-07-20", 4);
    given_log(given, kThird, kAnn, 2, "2026-07-21");
    given.context.new_ids = {kRun};
    return given;
}

CreatePayrollRun week(std::optional<Id> facility = {}) {
    CreatePayrollRun command;
    if (facility) command.facilityId = *facility;
    command.periodStart = day("2026-07-20");
    command.periodEnd = day("2026-07-26");
    return command;
}

events::PayrollAdjustment adjustment(Id staff, AdjustmentKind kind, std::int64_t hundredths, char const* note = "") {
    return {{staff, kind, {hundredths}}, core::LongText(note)};
}

template <class Command>
Command on_run(Id id = kRun) {
    Command command;
    command.id = id;
    return command;
}

RecordPayrollSubmission submission(std::int64_t attempt = 1) {
    auto command = on_run<RecordPayrollSubmission>();
    command.attempt = attempt;
    command.externalPayrollId = core::Text<1, 200>("sim_pr_50");
    return command;
}
RecordPayrollRefusal refusal(std::int64_t attempt = 1) {
    auto command = on_run<RecordPayrollRefusal>();
    command.attempt = attempt;
    command.reason = core::LongText("No cover");
    return command;
}

/// What came of the run's payments with these numbers.
SettlePayments outcome(std::vector<std::pair<std::size_t, PaymentStatus>> const& payments, std::int64_t attempt = 1) {
    auto command = on_run<SettlePayments>();
    command.attempt = attempt;
    for (auto const& [number, status] : payments) {
        command.payments.push_back({events::payment_id(kRun, number), status, core::ShortText("ext"),
                                    core::LongText(status == PaymentStatus::failed ? "Closed account" : "")});
    }
    return command;
}

PayrollRunRecord const& run_of(Given const& given, Id id = kRun) { return *given.view().get<PayrollRunRecord>(id); }
TimesheetRecord const& sheet_of(Given const& given, Id id) { return *given.view().get<TimesheetRecord>(id); }

Given given_draft() {
    auto given = given_logs();
    given.after(week());
    return given;
}
Given given_processing() {
    auto given = given_draft();
    given.after(on_run<ApprovePayrollRun>());
    return given;
}
Given given_refused() {
    auto given = given_processing();
    given.after(refusal());
    return given;
}

/// What each command on a run leads to, in the order of kCommands.
std::vector<std::string> moves(Given const& given) {
    auto update = on_run<UpdatePayrollRun>();
    update.payDate = day("2026-08-09");
    return {given.when(update).summary(), given.when(on_run<DeletePayrollRun>()).summary(),
            given.when(on_run<CancelPayrollRun>()).summary(), given.when(on_run<ApprovePayrollRun>()).summary()};
}

std::string allowed(tests::Outcome const& outcome) {
    auto const details = outcome.details();
    auto const begins = details.find("\"allowed\":") + 10;
    return details.substr(begins, details.find(']', begins) + 1 - begins);
}

constexpr auto kNo = "INVALID_STATE_TRANSITION";

TEST(CreatePayrollRun, TakesWhatIsApprovedInThePeriod) {
    auto given = given_logs();
    given_log(given, 34, kBen, 1, "2026-07-27");
    given_log(given, 35, kBen, 1, "2026-07-19");
    given.event({events::Kind::timesheet, 36},
                events::TimesheetEvent(events::TimesheetOpened{
                    {kBen, 1, {}}, {"staff/12"}, day("2026-07-22"), at("2026-07-22T08:00:00Z"), {}}));
    auto const run = given.after(week());
    EXPECT_EQ(run.status, PayrollRunStatus::draft);
    EXPECT_EQ(run.timesheetIds, (std::vector<Id>{kFirst, kSecond, kThird}));
    EXPECT_EQ(run.timesheetCount, 3);
    EXPECT_EQ(run.payDate, day("2026-07-31"));
    EXPECT_EQ(run.totals.staffCount, 2);
    EXPECT_EQ(run.totals.regularMinutes, 20 * 60);
    EXPECT_EQ(run.totals.grossAmount.hundredths, 40'000);
    EXPECT_EQ(run.totals.netAmount.hundredths, 40'000);
    EXPECT_EQ(sheet_of(given, kFirst).payrollRunId.value, std::nullopt) << "no log is told one by one";
}

TEST(CreatePayrollRun, IsOfItsFacility) {
    auto given = given_logs();
    EXPECT_EQ(given.after(week(2)).timesheetIds, std::vector<Id>{kThird});
    given.context.new_ids = {51};
    auto const rest = given.after(week());
    EXPECT_EQ(rest.timesheetIds, (std::vector<Id>{kFirst, kSecond})) << "what another run holds is left to it";
    EXPECT_EQ(given.when(week(3)).summary(), "FACILITY_SCOPE_VIOLATION");
    given.context.facilities = {1, 2};
    EXPECT_EQ(given.when(week()).summary(), "FACILITY_SCOPE_VIOLATION") << "who is bound says where";
    EXPECT_EQ(given.when(on_run<ApprovePayrollRun>(51)).summary(), "NOT_FOUND") << "the organization's is not theirs";
    EXPECT_EQ(given.when(on_run<ApprovePayrollRun>()).summary(), "payroll_run.payments_created payroll_run.approved");
    given.context.facilities = {1};
    EXPECT_EQ(given.when(on_run<ApprovePayrollRun>()).summary(), "NOT_FOUND");
    given.context.new_ids = {52};
    EXPECT_EQ(given.after(week()).facilityId.value, std::optional<Id>(1)) << "their only one";
}

TEST(CreatePayrollRun, LogsThatAreNamed) {
    auto given = given_logs();
    auto some = week(1);
    some.timesheetIds = std::vector<Id>{kSecond, kFirst, kSecond};
    EXPECT_EQ(given.after(some).timesheetIds, (std::vector<Id>{kFirst, kSecond})) << "each once";
    given.context.new_ids = {51};
    some.type = events::PayrollRunType::off_cycle;
    EXPECT_EQ(given.when(some).summary(), "TIMESHEET_LOCKED") << "held by another";
    EXPECT_EQ(given.when(some).details(), R"({"timesheetIds":[31,32]})");
    some.timesheetIds = std::vector<Id>{kThird};
    EXPECT_EQ(given.when(some).summary(), "VALIDATION_ERROR") << "of another facility";
    some.facilityId = {};
    EXPECT_EQ(given.when(some).summary(), "payroll_run.created");
    given.after([] {
        auto undo = on_run<UnapproveTimesheet>(kThird);
        return undo;
    }());
    EXPECT_EQ(given.when(some).summary(), "TIMESHEET_LOCKED") << "not approved";
    some.timesheetIds = std::vector<Id>{99};
    EXPECT_EQ(given.when(some).summary(), "NOT_FOUND");
}

TEST(CreatePayrollRun, RegularDraftsOfAPlaceDoNotOverlap) {
    auto given = given_draft();
    given.context.new_ids = {51};
    auto later = week();
    later.periodStart = day("2026-07-26");
    later.periodEnd = day("2026-08-01");
    EXPECT_EQ(given.when(later).summary(), "PAYROLL_OVERLAP");
    EXPECT_EQ(given.when(later).details(), R"({"payrollRunId":50})");
    later.periodStart = day("2026-07-27");
    EXPECT_EQ(given.when(later).summary(), "payroll_run.created");
    EXPECT_EQ(given.when(week(1)).summary(), "payroll_run.created") << "a facility's beside the organization's";
    auto extra = week();
    extra.type = events::PayrollRunType::off_cycle;
    EXPECT_EQ(given.when(extra).summary(), "payroll_run.created");
    given.after(on_run<ApprovePayrollRun>());
    EXPECT_EQ(given.when(week()).summary(), "payroll_run.created") << "drafts alone are compared";
}

TEST(CreatePayrollRun, AdjustmentsChangeWhatPeopleGet) {
    auto given = given_logs();
    auto command = week();
    command.adjustments = {adjustment(kAnn, AdjustmentKind::bonus, 5'000, "Night of the flood"),
                           adjustment(kBen, AdjustmentKind::deduction, 8'000),
                           adjustment(kBen, AdjustmentKind::reimbursement, 150)};
    EXPECT_EQ(given.when(command).summary(), "payroll_run.created payroll_run.noted");
    EXPECT_EQ(given.when(command).event<events::PayrollRunNoted>().sealedFor.value, "staff/11");
    auto const run = given.after(command);
    EXPECT_EQ(run.totals.adjustmentAmount.hundredths, -2'850);
    EXPECT_EQ(run.totals.netAmount.hundredths, 37'150);
    EXPECT_EQ(run.adjustments.at(0).note.value.value, "Night of the flood");
    given.context.new_ids = {51};
    command.type = events::PayrollRunType::off_cycle;
    command.timesheetIds = std::vector<Id>{};
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR") << "Ben would get less than nothing";
    command.adjustments = {adjustment(99, AdjustmentKind::bonus, 1)};
    EXPECT_EQ(given.when(command).summary(), "NOT_FOUND");
}

TEST(CreatePayrollRun, SaysWhatIsNoRun) {
    auto const faults = [](std::string const& body) { return tests::faults_in<CreatePayrollRun>(body); };
    EXPECT_EQ(faults("{}"), "periodStart required, periodEnd required");
    EXPECT_EQ(faults(R"({"periodStart":"2026-07-20","periodEnd":"2026-07-19"})"), "periodEnd order");
    EXPECT_EQ(faults(R"({"periodStart":"2026-07-01","periodEnd":"2026-08-31"})"), "");
    EXPECT_EQ(faults(R"({"periodStart":"2026-07-01","periodEnd":"2026-09-01"})"), "periodEnd range");
    EXPECT_EQ(faults(R"({"periodStart":"1999-12-31","periodEnd":"2000-01-01"})"), "periodStart range");
    EXPECT_EQ(faults(R"({"periodStart":"2026-07-20","periodEnd":"2026-07-20","type":"odd",
                         "adjustments":[{"staffId":1,"kind":"bonus","amount":-1}]})"),
              "type enum, adjustments[0].amount range");
    EXPECT_EQ(faults(R"({"periodStart":"1999-12-31","periodEnd":"2101-01-01"})"), "periodStart range, periodEnd range");
    auto const named = [&](std::size_t count) {
        core::JsonWriter body;
        body.begin_object();
        body.member("periodStart", "2026-07-20");
        body.member("periodEnd", "2026-07-26");
        body.key("timesheetIds");
        core::write_json(body, std::vector<Id>(count, kFirst));
        body.end_object();
        return faults(body.take());
    };
    EXPECT_EQ(named(10'000), "") << "as many as a run may have";
    EXPECT_EQ(named(10'001), "timesheetIds max_items");
}

TEST(PayrollRun, EachStatePermitsItsMoves) {
    using Moves = std::vector<std::string>;
    auto given = given_draft();
    EXPECT_EQ(moves(given), (Moves{"payroll_run.updated", "payroll_run.deleted", "payroll_run.cancelled",
                                   "payroll_run.payments_created payroll_run.approved"}));
    given.after(on_run<ApprovePayrollRun>());
    EXPECT_EQ(moves(given), (Moves{kNo, kNo, kNo, kNo})) << "it is with the provider";
    EXPECT_EQ(allowed(given.when(on_run<ApprovePayrollRun>())), "[]");
    given.after(refusal());
    EXPECT_EQ(moves(given), (Moves{kNo, kNo, "payroll_run.cancelled", "payroll_run.approved"}))
        << "its payments are there already";
    EXPECT_EQ(allowed(given.when(on_run<DeletePayrollRun>())), R"(["approve","cancel"])");
    given.after(on_run<ApprovePayrollRun>());
    EXPECT_EQ(run_of(given).internals.attempt, 2);
    given.after(outcome({{1, PaymentStatus::paid}, {2, PaymentStatus::paid}}, 2));
    EXPECT_EQ(moves(given), (Moves{kNo, kNo, kNo, kNo})) << "paid";
    auto cancelled = given_draft();
    cancelled.after(on_run<CancelPayrollRun>());
    EXPECT_EQ(moves(cancelled), (Moves{kNo, kNo, "nothing", kNo}));
    auto deleted = given_draft();
    deleted.after(on_run<DeletePayrollRun>());
    EXPECT_EQ(moves(deleted), (Moves{"NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"}));
}

TEST(PayrollRun, ARefusalTellsWhatItsStatePermits) {
    auto const settled = [](PaymentStatus first, PaymentStatus second) {
        auto given = given_processing();
        given.after(outcome({{1, first}, {2, second}}));
        return given;
    };
    auto cancelled = given_draft();
    cancelled.after(on_run<CancelPayrollRun>());
    std::vector<std::tuple<Given, std::string, std::string>> const states{
        {given_processing(), "processing", "[]"},
        {settled(PaymentStatus::paid, PaymentStatus::paid), "paid", "[]"},
        {settled(PaymentStatus::paid, PaymentStatus::failed), "partially_paid", "[]"},
        {settled(PaymentStatus::failed, PaymentStatus::failed), "failed", R"(["approve","cancel"])"},
        {given_refused(), "failed", R"(["approve","cancel"])"},
        {cancelled, "cancelled", "[]"},
    };
    auto update = on_run<UpdatePayrollRun>();
    update.payDate = day("2026-08-09");
    for (auto const& [given, status, permitted] : states) {
        auto const told = [&](char const* command) {
            return R"({"from":")" + status + R"(","command":")" + command + R"(","allowed":)" + permitted + "}";
        };
        EXPECT_EQ(given.when(update).summary(), kNo) << status;
        EXPECT_EQ(given.when(update).details(), told("update"));
        EXPECT_EQ(given.when(on_run<DeletePayrollRun>()).details(), told("delete"));
        if (permitted != "[]") continue;
        EXPECT_EQ(given.when(on_run<ApprovePayrollRun>()).details(), told("approve"));
        if (status != "cancelled") EXPECT_EQ(given.when(on_run<CancelPayrollRun>()).details(), told("cancel"));
    }
}

TEST(UpdatePayrollRun, NamesAllThatCannotChange) {
    auto update = on_run<UpdatePayrollRun>();
    update.facilityId = core::Nullable<Id>(1);
    update.type = events::PayrollRunType::off_cycle;
    auto const details = given_draft().when(update).details();
    EXPECT_THAT(details, testing::HasSubstr(R"("field":"facilityId","rule":"fixed")"));
    EXPECT_THAT(details, testing::HasSubstr(R"("field":"type","rule":"fixed")"));
}

TEST(PayrollRun, AnotherTakesTheLogsOfOneThatIsGone) {
    for (bool const by_cancelling : {true, false}) {
        auto given = given_draft();
        given.context.new_ids = {51};
        auto again = week();
        again.type = events::PayrollRunType::off_cycle;
        EXPECT_EQ(given.when(again).event<events::PayrollRunCreated>().timesheetIds, std::vector<Id>{});
        if (by_cancelling) {
            given.after(on_run<CancelPayrollRun>());
        } else {
            given.after(on_run<DeletePayrollRun>());
        }
        EXPECT_EQ(given.after(again).timesheetCount, 3);
    }
    auto failed = given_refused();
    failed.context.new_ids = {51};
    EXPECT_EQ(failed.after(week()).timesheetCount, 0) << "one that failed holds them";
}

TEST(UpdatePayrollRun, WhatGetShowsChangesNothing) {
    auto given = given_draft();
    auto const shown = run_of(given);
    auto same = on_run<UpdatePayrollRun>();
    same.facilityId = core::Nullable<Id>();
    same.periodStart = shown.periodStart;
    same.type = shown.type;
    same.timesheetIds = core::Nullable<NamedTimesheets>(shown.timesheetIds);
    same.adjustments = shown.adjustments;
    EXPECT_EQ(given.when(same).summary(), "nothing");
    same.facilityId = core::Nullable<Id>(1);
    EXPECT_EQ(given.when(same).summary(), "VALIDATION_ERROR");
    auto other = on_run<UpdatePayrollRun>();
    other.type = events::PayrollRunType::off_cycle;
    EXPECT_EQ(given.when(other).summary(), "VALIDATION_ERROR");
    auto turned = on_run<UpdatePayrollRun>();
    turned.periodEnd = day("2026-07-19");
    EXPECT_EQ(given.when(turned).summary(), "VALIDATION_ERROR");
}

TEST(UpdatePayrollRun, NullTakesThePeriodAnew) {
    auto given = given_draft();
    auto fewer = on_run<UpdatePayrollRun>();
    fewer.timesheetIds = core::Nullable<NamedTimesheets>(std::vector<Id>{kFirst});
    EXPECT_EQ(given.after(fewer).totals.grossAmount.hundredths, 16'000);
    given_log(given, 34, kBen, 1, "2026-07-22");
    auto anew = on_run<UpdatePayrollRun>();
    anew.timesheetIds = core::Nullable<NamedTimesheets>();
    EXPECT_EQ(given.after(anew).timesheetIds, (std::vector<Id>{kFirst, kSecond, kThird, 34}));
    EXPECT_EQ(given.when(anew).summary(), "nothing") << "the period has no others";
}

TEST(UpdatePayrollRun, WhatIsOfSomebodyWhoIsGoneMayStayOrGo) {
    for (bool const erased : {false, true}) {
        auto given = given_logs();
        given.staff(13, {1});
        auto command = week();
        command.adjustments = {adjustment(13, AdjustmentKind::bonus, 5'000, "Night of the flood"),
                               adjustment(kBen, AdjustmentKind::bonus, 100, "Quick")};
        given.after(command);
        given.event({events::Kind::staff, 13}, events::StaffEvent(events::StaffDeleted{}));
        if (erased) {
            ErasePerson erase;
            erase.person = {events::Kind::staff, 13};
            given.after(erase);
        }
        auto later = on_run<UpdatePayrollRun>();
        later.payDate = day("2026-08-09");
        EXPECT_EQ(given.when(later).summary(), erased ? "payroll_run.updated payroll_run.noted"
                                                      : "payroll_run.updated payroll_run.noted payroll_run.noted");
        auto shown = on_run<UpdatePayrollRun>();
        shown.adjustments = command.adjustments;
        shown.adjustments->at(1).amount.hundredths = 200;
        EXPECT_EQ(given.when(shown).event<events::PayrollRunUpdated>().totals.adjustmentAmount.hundredths, 5'200);
        EXPECT_EQ(given.when(shown).summary(), erased ? "payroll_run.updated payroll_run.noted"
                                                      : "payroll_run.updated payroll_run.noted payroll_run.noted")
            << "of who was erased nothing is told";
        shown.adjustments->at(0).amount.hundredths = 5'001;
        EXPECT_EQ(given.when(shown).summary(), "NOT_FOUND") << "what is new is of people who are there";
        shown.adjustments->at(0) = command.adjustments.at(0);
        shown.adjustments->push_back(command.adjustments.at(0));
        EXPECT_EQ(given.when(shown).summary(), "NOT_FOUND") << "twice";
        shown.adjustments = std::vector{adjustment(kAnn, AdjustmentKind::bonus, 300)};
        EXPECT_EQ(given.after(shown).totals.adjustmentAmount.hundredths, 300);
    }
}

TEST(UpdatePayrollRun, NotesAreThoseOfNow) {
    auto given = given_logs();
    auto command = week();
    command.adjustments = {adjustment(kAnn, AdjustmentKind::bonus, 5'000, "Night of the flood")};
    given.after(command);
    auto update = on_run<UpdatePayrollRun>();
    update.adjustments = {adjustment(kBen, AdjustmentKind::bonus, 100, "Quick"),
                          adjustment(kAnn, AdjustmentKind::bonus, 5'000)};
    auto const run = given.after(update);
    EXPECT_EQ(run.adjustments.at(0).note.value.value, "Quick");
    EXPECT_EQ(run.adjustments.at(1).note.value.value, "");
    EXPECT_EQ(run_of(given).toldOfStaffIds, std::vector<Id>{kBen});
}

TEST(ApprovePayrollRun, MakesAPaymentForEachPerson) {
    auto given = given_logs();
    auto command = week();
    command.adjustments = {adjustment(kBen, AdjustmentKind::bonus, 100)};
    given.after(command);
    auto const decided = given.when(on_run<ApprovePayrollRun>());
    auto const& made = decided.event<events::PayrollRunPaymentsCreated>();
    ASSERT_EQ(made.payments.size(), 2U);
    EXPECT_EQ(made.currency, "USD");
    EXPECT_EQ(made.payments[0].paymentId, 5'000'001);
    EXPECT_EQ(made.payments[0].staffId, kAnn);
    EXPECT_EQ(made.payments[0].grossAmount.hundredths, 32'000);
    EXPECT_EQ(made.payments[1].netAmount.hundredths, 8'100);
    EXPECT_EQ(made.payments[1].regularMinutes, 240);
    EXPECT_EQ(decided.event<events::PayrollRunApproved>().attempt, 1);
    auto const run = given.after(on_run<ApprovePayrollRun>());
    EXPECT_EQ(run.status, PayrollRunStatus::processing);
    EXPECT_EQ(run.approvedBy.value, std::optional<Id>(3));
    EXPECT_EQ(run.externalPayrollId.value, std::nullopt);
}

TEST(ApprovePayrollRun, TellsOfFiveHundredPaymentsAnEvent) {
    Given given;
    given.organization().facility(1);
    auto command = week();
    command.timesheetIds.emplace();
    for (Id staff = 1'001; staff <= 2'001; ++staff) {
        given.staff(staff, {1});
        given_log(given, staff, staff, 1, "2026-07-20");
        command.timesheetIds->push_back(staff);
    }
    given.context.new_ids = {kRun};
    auto const run = given.after(command);
    EXPECT_EQ(run.timesheetIds.size(), 1'000U) << "the first thousand are shown";
    EXPECT_EQ(run.timesheetCount, 1'001);
    EXPECT_EQ(given.when(on_run<ApprovePayrollRun>()).summary(),
              "payroll_run.payments_created payroll_run.payments_created payroll_run.payments_created "
              "payroll_run.approved");
    auto update = on_run<UpdatePayrollRun>();
    update.timesheetIds = core::Nullable<NamedTimesheets>(run.timesheetIds);
    EXPECT_EQ(given.when(update).summary(), "nothing") << "what is shown of them leaves the others";
}

TEST(ApprovePayrollRun, RefusesAnEmptyOne) {
    auto given = given_logs();
    auto command = week();
    command.timesheetIds.emplace();
    given.after(command);
    EXPECT_EQ(given.when(on_run<ApprovePayrollRun>()).summary(), "PAYROLL_EMPTY");
    auto update = on_run<UpdatePayrollRun>();
    update.adjustments = {adjustment(kAnn, AdjustmentKind::bonus, 100)};
    given.after(update);
    EXPECT_EQ(given.when(on_run<ApprovePayrollRun>()).summary(), "payroll_run.payments_created payroll_run.approved");
}

TEST(RecordPayrollSubmission, IsRecordedOnce) {
    auto given = given_processing();
    EXPECT_EQ(given.when(submission(2)).summary(), "nothing") << "of an attempt that nobody made";
    EXPECT_EQ(given.when(submission()).summary(), "payroll_run.submitted");
    auto const run = given.after(submission());
    EXPECT_EQ(run.status, PayrollRunStatus::processing);
    EXPECT_EQ(run.externalPayrollId.value, "sim_pr_50");
    EXPECT_EQ(given.when(submission()).summary(), "nothing");
    EXPECT_EQ(given.when(refusal()).summary(), kNo) << "the provider has it";
    EXPECT_EQ(given_refused().when(submission()).summary(), kNo);
    EXPECT_EQ(given_draft().when(submission()).summary(), "nothing");
}

TEST(RecordPayrollSubmission, MayComeAfterTheSettlement) {
    auto given = given_processing();
    given.after(outcome({{1, PaymentStatus::paid}, {2, PaymentStatus::failed}}));
    auto const run = given.after(submission());
    EXPECT_EQ(run.status, PayrollRunStatus::partially_paid);
    EXPECT_EQ(run.externalPayrollId.value, "sim_pr_50");
    auto failed = given_processing();
    failed.after(outcome({{1, PaymentStatus::failed}, {2, PaymentStatus::failed}}));
    EXPECT_EQ(failed.after(submission()).status, PayrollRunStatus::failed);
}

TEST(RecordPayrollRefusal, FailsTheRun) {
    auto given = given_processing();
    auto const run = given.after(refusal());
    EXPECT_EQ(run.status, PayrollRunStatus::failed);
    EXPECT_EQ(run.failureReason, "No cover");
    EXPECT_EQ(given.when(refusal()).summary(), "nothing");
    auto const again = given.after(on_run<ApprovePayrollRun>());
    EXPECT_EQ(again.failureReason, "");
    EXPECT_EQ(given.when(refusal()).summary(), "nothing") << "of the attempt before";
    EXPECT_EQ(given.when(refusal(2)).summary(), "payroll_run.failed");
    given.after(outcome({{1, PaymentStatus::paid}}, 2));
    EXPECT_EQ(given.when(refusal(2)).summary(), kNo) << "a payment was made";
}

TEST(PayrollRun, ARetryIsToldNoNotes) {
    auto given = given_logs();
    auto command = week();
    command.adjustments = {adjustment(kAnn, AdjustmentKind::bonus, 5'000, "Night of the flood")};
    auto run = given.after(command);
    auto const kept = events::answer_for_retries(run);
    ASSERT_TRUE(kept);
    run.adjustments.front().note = {};
    EXPECT_EQ(core::to_json(*kept), core::to_json(run));
    EXPECT_FALSE(events::answer_for_retries(run)) << "it is as it is";
}

TEST(SettlePayments, PaidPartlyPaidAndFailed) {
    auto given = given_processing();
    EXPECT_EQ(given.when(outcome({{1, PaymentStatus::paid}, {2, PaymentStatus::paid}})).summary(),
              "payroll_run.payments_settled payroll_run.paid timesheet.paid timesheet.paid timesheet.paid "
              "payroll_run.timesheets_released");
    EXPECT_EQ(given.when(outcome({{1, PaymentStatus::failed}, {2, PaymentStatus::paid}})).summary(),
              "payroll_run.payments_settled payroll_run.payment_explained payroll_run.partially_paid timesheet.paid "
              "payroll_run.timesheets_released");
    EXPECT_EQ(given.when(outcome({{1, PaymentStatus::failed}, {2, PaymentStatus::failed}})).summary(),
              "payroll_run.payments_settled payroll_run.payment_explained payroll_run.payment_explained "
              "payroll_run.failed");
    EXPECT_EQ(given.when(outcome({{1, PaymentStatus::paid}})).summary(), "payroll_run.payments_settled");
    given.after(outcome({{1, PaymentStatus::paid}}));
    EXPECT_EQ(given.when(outcome({{1, PaymentStatus::failed}})).summary(), "nothing") << "it stays as it was";
    EXPECT_EQ(given.when(outcome({{2, PaymentStatus::paid}}, 2)).summary(), "nothing") << "of no attempt";
    EXPECT_EQ(given.after(outcome({{1, PaymentStatus::failed}, {2, PaymentStatus::paid}})).status,
              PayrollRunStatus::paid);
    EXPECT_EQ(given.when(outcome({{2, PaymentStatus::paid}})).summary(), "nothing");
}

TEST(SettlePayments, LogsArePaidOrFree) {
    auto given = given_processing();
    given.after(outcome({{1, PaymentStatus::failed}, {2, PaymentStatus::paid}}));
    EXPECT_EQ(sheet_of(given, kSecond).status, TimesheetStatus::paid);
    EXPECT_EQ(sheet_of(given, kSecond).payrollRunId.value, std::optional<Id>(kRun));
    EXPECT_NE(sheet_of(given, kSecond).approvedAt.value, std::nullopt) << "who approved it stays";
    EXPECT_EQ(sheet_of(given, kFirst).status, TimesheetStatus::approved);
    EXPECT_EQ(sheet_of(given, kFirst).payrollRunId.value, std::nullopt);
    EXPECT_TRUE(run_of(given).closed);
    given.context.new_ids = {51};
    EXPECT_EQ(given.after(week()).timesheetIds, (std::vector<Id>{kFirst, kThird})) << "what Ann was not paid";
    EXPECT_EQ(given.when(on_run<VoidTimesheet>(kSecond)).summary(), kNo);
}

TEST(SettlePayments, RefusesWhatIsNotTheRuns) {
    auto given = given_processing();
    auto const refused = [&](auto change) {
        auto command = outcome({{1, PaymentStatus::paid}});
        change(command.payments.front());
        return given.when(command).summary();
    };
    EXPECT_EQ(refused([](auto& payment) { payment.paymentId = events::payment_id(51, 1); }), "VALIDATION_ERROR");
    EXPECT_EQ(refused([](auto& payment) { payment.paymentId = events::payment_id(kRun, 0); }), "VALIDATION_ERROR");
    EXPECT_EQ(refused([](auto& payment) { payment.paymentId = events::payment_id(kRun, 3); }), "VALIDATION_ERROR");
    EXPECT_EQ(refused([](auto& payment) { payment.paymentId = -5'000'001; }), "VALIDATION_ERROR");
    EXPECT_EQ(refused([](auto& payment) { payment.status = PaymentStatus::cancelled; }), "VALIDATION_ERROR");
    SettlePayments many = outcome({{1, PaymentStatus::paid}});
    many.payments.resize(501, many.payments.front());
    EXPECT_EQ(given.when(many).summary(), "VALIDATION_ERROR");
    EXPECT_EQ(given_refused().when(outcome({{1, PaymentStatus::paid}})).summary(), kNo);
    EXPECT_EQ(given_draft().when(outcome({{1, PaymentStatus::paid}})).summary(), "VALIDATION_ERROR")
        << "a draft has no payments";
}

TEST(SettlePayments, OneThatFailedCanBeTriedAgain) {
    auto given = given_processing();
    given.after(outcome({{1, PaymentStatus::failed}, {2, PaymentStatus::failed}}));
    EXPECT_EQ(run_of(given).heldTimesheetIds.size(), 3U);
    given.after(on_run<ApprovePayrollRun>());
    EXPECT_EQ(given.when(outcome({{1, PaymentStatus::paid}}, 1)).summary(), "nothing") << "late news";
    EXPECT_EQ(given.after(outcome({{1, PaymentStatus::paid}, {2, PaymentStatus::paid}}, 2)).status,
              PayrollRunStatus::paid);
}

TEST(CancelPayrollRun, OneThatTheProviderGivesBack) {
    auto given = given_processing();
    auto command = on_run<CancelPayrollRun>();
    command.recalled = 1;
    EXPECT_EQ(given.when(command).summary(), "payroll_run.cancelled");
    given.after(outcome({{1, PaymentStatus::failed}}));
    EXPECT_EQ(given.when(command).summary(), kNo) << "it has come to a payment";
}

TEST(CancelPayrollRun, NotByWhatWasSaidOfAnotherAttempt) {
    auto given = given_processing();
    given.after(outcome({{1, PaymentStatus::failed}, {2, PaymentStatus::failed}}));
    given.after(on_run<ApprovePayrollRun>());
    auto command = on_run<CancelPayrollRun>();
    command.recalled = 1;
    EXPECT_EQ(given.when(command).summary(), kNo) << "the provider pays the second one";
    command.recalled = 2;
    EXPECT_EQ(given.when(command).summary(), "payroll_run.cancelled");
}

TEST(MarkTimesheetsPaid, GoesOnWhereTheSettlementEnded) {
    Given given;
    given.organization().facility(1).staff(kAnn, {1}).staff(kBen, {1});
    auto command = week();
    command.timesheetIds.emplace();
    MarkTimesheetsPaid mark;
    for (Id id = 2'001; id <= 2'502; ++id) {
        given_log(given, id, id == 2'502 ? kBen : kAnn, 1, "2026-07-20");
        command.timesheetIds->push_back(id);
        mark.ids.push_back(id);
    }
    given.context.new_ids = {kRun};
    given.after(command);
    given.after(on_run<ApprovePayrollRun>());
    EXPECT_EQ(given.when(mark).summary(), "nothing") << "nothing is settled";
    given.after(outcome({{1, PaymentStatus::paid}, {2, PaymentStatus::failed}}));
    EXPECT_EQ(run_of(given).heldTimesheetIds, (std::vector<Id>{2'501, 2'502}));
    EXPECT_FALSE(run_of(given).closed);
    EXPECT_EQ(given.when(on_run<UnapproveTimesheet>(2'501)).summary(), "TIMESHEET_LOCKED") << "nobody pays it twice";
    EXPECT_EQ(given.when(mark).summary(), "timesheet.paid payroll_run.timesheets_released");
    given.after(mark);
    EXPECT_EQ(sheet_of(given, 2'501).status, TimesheetStatus::paid);
    EXPECT_EQ(sheet_of(given, 2'502).status, TimesheetStatus::approved);
    EXPECT_TRUE(run_of(given).closed);
    EXPECT_EQ(given.when(mark).summary(), "nothing");
}

TEST(Timesheet, OneThatARunHoldsIsLocked) {
    auto given = given_draft();
    auto edit = on_run<UpdateTimesheet>(kFirst);
    edit.notes = core::LongText("Other");
    for (auto const& refused : {given.when(edit), given.when(on_run<UnapproveTimesheet>(kFirst)),
                                given.when(on_run<VoidTimesheet>(kFirst))}) {
        EXPECT_EQ(refused.summary(), "TIMESHEET_LOCKED");
        EXPECT_EQ(refused.details(), R"({"timesheetIds":[31]})");
    }
    given.after(on_run<CancelPayrollRun>());
    EXPECT_EQ(given.when(edit).summary(), kNo) << "it is approved";
    EXPECT_EQ(given.when(on_run<VoidTimesheet>(kFirst)).summary(), "timesheet.voided");
}

TEST(ErasePerson, NothingIsLeftOfThemInRuns) {
    auto given = given_logs();
    auto command = week();
    command.adjustments = {adjustment(kAnn, AdjustmentKind::bonus, 5'000, "Night of the flood")};
    given.after(command);
    given.after(on_run<ApprovePayrollRun>());
    given.after(outcome({{1, PaymentStatus::paid}, {2, PaymentStatus::failed}}));
    EXPECT_EQ(run_of(given).toldOfStaffIds, (std::vector<Id>{kAnn, kBen}));
    ErasePerson erase;
    erase.person = {events::Kind::staff, kAnn};
    EXPECT_NE(given.when(erase).summary().find("payroll_run.person_erased"), std::string::npos);
    given.after(erase);
    EXPECT_EQ(run_of(given).adjustments.at(0).note.value.value, "");
    EXPECT_EQ(run_of(given).adjustments.at(0).amount.hundredths, 5'000) << "sums stay";
    EXPECT_EQ(run_of(given).toldOfStaffIds, std::vector<Id>{kBen});
}

TEST(SettlePayments, OfWhoWasErasedNothingIsTold) {
    auto given = given_processing();
    ErasePerson erase;
    erase.person = {events::Kind::staff, kAnn};
    given.after(erase);
    EXPECT_EQ(given.when(outcome({{1, PaymentStatus::failed}, {2, PaymentStatus::failed}})).summary(),
              "payroll_run.payments_settled payroll_run.payment_explained payroll_run.failed");
}

}  // namespace
}  // namespace workforce::commands
