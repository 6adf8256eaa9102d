// Resets of the sandbox: what goes, what stays, and what the data set is.
#include "commands/sandbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "commands/erasure.hpp"
#include "commands/sandbox_data_set.hpp"
#include "commands/shift.hpp"
#include "commands/staff.hpp"
#include "commands/work_week.hpp"
#include "events/lead.hpp"
#include "events/payroll_run.hpp"
#include "events/timesheet.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::commands {
namespace {

using events::CredentialRecord;
using events::CredentialStatus;
using events::LeadRecord;
using events::PayrollRunRecord;
using events::PayrollRunStatus;
using events::ShiftRecord;
using events::ShiftStatus;
using events::StaffRecord;
using events::TimesheetRecord;
using events::TimesheetStatus;
using tests::Given;

constexpr Id kHere = 1;
constexpr Id kThere = 2;

/// Two facilities, and a caller who acts on the sandbox.
Given given_facilities(std::string const& timezone = "America/New_York") {
    Given given;
    given.organization().facility(kHere, timezone).facility(kThere, timezone);
    given.context.sandbox = true;
    return given;
}

/// Takes ids that nothing had.
ResetSandbox reset(Given& given, std::int64_t seed = 1, Id facility = kHere) {
    static Id next = 1000;
    given.context.new_ids.clear();
    for (int i = 0; i < 70; ++i) given.context.new_ids.push_back(next++);
    return {facility, events::SandboxSeed(seed), {}, false};
}

using OfFacilityIndexes = boost::mp11::mp_list<boost::mp11::mp_list<StaffRecord, events::StaffOfFacility>,
                                               boost::mp11::mp_list<LeadRecord, events::LeadsOfFacility>,
                                               boost::mp11::mp_list<ShiftRecord, events::ShiftsOfFacility>,
                                               boost::mp11::mp_list<TimesheetRecord, events::TimesheetsOfFacility>,
                                               boost::mp11::mp_list<PayrollRunRecord, events::RunsOfFacility>>;
template <class State>
using OfFacilityIndex = boost::mp11::mp_second<boost::mp11::mp_map_find<OfFacilityIndexes, State>>;

template <class State>
std::vector<State> rows(Given const& given, Id facility = kHere) {
    std::vector<State> all;
    for (auto const* row : given.view().by<OfFacilityIndex<State>>(facility)) all.push_back(*row);
    return all;
}

/// Those of people who are of the facility alone.
std::vector<CredentialRecord> credentials(Given const& given, Id facility = kHere) {
    std::vector<CredentialRecord> all;
    for (auto const& person : rows<StaffRecord>(given, facility)) {
        for (auto const* credential : given.view().by<events::CredentialsOfPerson>(person.id))
            all.push_back(*credential);
    }
    return all;
}

void add_credential(Given& given, Id id, Id holder) {
    events::CredentialAdded added;
    added.staffId = holder;
    added.name = core::Name("First aid");
    given.event({events::Kind::credential, id}, events::CredentialEvent(added));
}

/// All that tells two data sets apart but ids and moments.
std::string content(Given const& given, Id facility = kHere) {
    std::map<Id, std::string> names;
    std::string text;
    for (auto staff : rows<StaffRecord>(given, facility)) {
        names[staff.id] = staff.lastName.value.value;
        staff.id = 0;
        staff.createdAt = staff.updatedAt = {};
        text += core::to_json(resource_of(staff)) + "\n";
    }
    for (auto record : rows<ShiftRecord>(given, facility)) {
        auto& shift = record.shift;
        for (Id const person : shift.assignedStaffIds) text += names.at(person) + ": ";
        shift.id = 0;
        shift.assignedStaffIds.clear();
        shift.createdAt = shift.updatedAt = {};
        shift.filledAt = {};
        text += core::to_json(shift) + "\n";
    }
    for (auto lead : rows<LeadRecord>(given, facility)) {
        lead.id = 0;
        lead.createdAt = lead.updatedAt = {};
        lead.qualifiedAt = {};
        text += core::to_json(resource_of(lead)) + "\n";
    }
    for (auto credential : credentials(given, facility)) {
        text += names.at(credential.staffId) + ": ";
        credential.id = credential.staffId = 0;
        credential.createdAt = credential.updatedAt = {};
        credential.verification.checkedAt = {};
        text += core::to_json(resource_of(credential)) + "\n";
    }
    for (auto log : rows<TimesheetRecord>(given, facility)) {
        text += names.at(log.staffId) + ": ";
        log.id = log.staffId = 0;
        log.shiftId = log.payrollRunId = {};
        log.approvedAt = {};
        log.createdAt = log.updatedAt = {};
        text += core::to_json(resource_of(log)) + "\n";
    }
    for (auto run : rows<PayrollRunRecord>(given, facility)) {
        run.id = 0;
        run.timesheetIds.clear();
        run.externalPayrollId = {};
        run.approvedAt = {};
        run.createdAt = run.updatedAt = {};
        text += core::to_json(resource_of(run)) + "\n";
    }
    return text;
}

TEST(ResetSandbox, MakesTheDataSet) {
    auto given = given_facilities();
    auto const done = given.after(reset(given));
    EXPECT_EQ(done.facilityId, kHere);
    EXPECT_EQ(done.seeded, (events::SandboxCounts{{events::Kind::staff, 8},
                                                  {events::Kind::shift, 14},
                                                  {events::Kind::lead, 5},
                                                  {events::Kind::credential, 12},
                                                  {events::Kind::timesheet, 9},
                                                  {events::Kind::payroll_run, 2},
                                                  {events::Kind::guardrail, 1},
                                                  {events::Kind::app, 1},
                                                  {events::Kind::agent, 1},
                                                  {events::Kind::trigger, 1},
                                                  {events::Kind::agent_run, 2},
                                                  {events::Kind::approval, 1},
                                                  {events::Kind::conversation, 1},
                                                  {events::Kind::message, 3},
                                                  {events::Kind::time_off, 2}}));
    EXPECT_EQ(done.cleared, events::SandboxCounts());
    EXPECT_EQ(done.seed, 1);
    EXPECT_EQ(done.resetAt, given.context.now);
    std::map<events::EmploymentType, int> types;
    std::set<std::string> addresses;
    int inactive = 0;
    for (auto const& person : rows<StaffRecord>(given)) {
        ++types[person.employmentType];
        inactive += person.isActive ? 0 : 1;
        addresses.insert(person.email.value.value);
        EXPECT_THAT(person.email.value.value, testing::EndsWith(".1@example.com"));
        EXPECT_EQ(person.facilityIds, std::vector<Id>{kHere});
    }
    EXPECT_EQ(types.size(), 4u) << "every type of employment";
    EXPECT_EQ(addresses.size(), 8u);
    EXPECT_EQ(inactive, 1);
    std::multiset<events::LeadStatus> leads;
    for (auto const& lead : rows<LeadRecord>(given)) {
        leads.insert(lead.status);
        EXPECT_EQ(lead.qualifiedAt.value.has_value(), lead.status == events::LeadStatus::qualified);
        EXPECT_EQ(lead.lostReason.value.empty(), lead.status != events::LeadStatus::lost);
    }
    using enum events::LeadStatus;
    EXPECT_EQ(leads, (std::multiset<events::LeadStatus>{new_, contacted, qualified, won, lost}));
}

TEST(ResetSandbox, ShiftsStandWhereTheirTimesSay) {
    for (auto const* now : {"2026-07-24T04:00:00Z", "2026-07-24T10:00:00Z", "2026-07-25T03:58:00Z",
                            "2026-03-08T12:00:00Z", "2026-11-01T12:00:00Z"}) {  // the last two as clocks change
        auto given = given_facilities();
        given.context.now = tests::at(now);
        given.after(reset(given));
        std::map<ShiftStatus, int> count;
        int critical = 0, part_staffed = 0, overnight = 0;
        std::map<Id, std::set<std::pair<core::Timestamp, core::Timestamp>>> busy;
        for (auto const& record : rows<ShiftRecord>(given)) {
            auto const& shift = record.shift;
            ++count[shift.status];
            critical += shift.status == ShiftStatus::open && shift.urgency == events::Urgency::critical ? 1 : 0;
            part_staffed += shift.status == ShiftStatus::open && !shift.assignedStaffIds.empty() ? 1 : 0;
            overnight += shift.endTime < shift.startTime ? 1 : 0;
            bool const ahead = shift.startsAt > given.context.now;
            bool const over = shift.endsAt < given.context.now;
            EXPECT_EQ(over, shift.status == ShiftStatus::completed) << now << " " << core::to_json(shift);
            if (shift.status == ShiftStatus::in_progress) {
                EXPECT_LE(shift.startsAt.ms - given.context.now.ms, 3'600'000) << now;
            } else {
                EXPECT_EQ(ahead, !over) << now << " " << core::to_json(shift);
            }
            bool const full = shift.status == ShiftStatus::assigned || shift.status == ShiftStatus::in_progress ||
                              shift.status == ShiftStatus::completed;
            EXPECT_EQ(shift.openSpots == 0, full) << core::to_json(shift);
            EXPECT_EQ(shift.filledAt.value.has_value(), full);
            for (Id const person : shift.assignedStaffIds) {
                EXPECT_TRUE(given.view().get<StaffRecord>(person)->isActive);
                for (auto const& [from, to] : busy[person])
                    EXPECT_TRUE(to <= shift.startsAt || shift.endsAt <= from) << "nobody works twice at a time";
                busy[person].emplace(shift.startsAt, shift.endsAt);
            }
        }
        EXPECT_EQ(count, (std::map<ShiftStatus, int>{{ShiftStatus::open, 4},
                                                     {ShiftStatus::assigned, 4},
                                                     {ShiftStatus::in_progress, 1},
                                                     {ShiftStatus::completed, 4},
                                                     {ShiftStatus::cancelled, 1}}))
            << now;
        EXPECT_EQ(critical, 1);
        EXPECT_EQ(part_staffed, 1);
        EXPECT_EQ(overnight, 1);
    }
}

TEST(ResetSandbox, CredentialsStandWhereTheirDatesSay) {
    auto given = given_facilities();
    given.after(reset(given));
    auto const today = core::local_date(given.context.now, "America/New_York");
    std::map<CredentialStatus, int> count;
    std::set<events::StaffCredentialType> types;
    int soon = 0;
    for (auto const& credential : credentials(given)) {
        ++count[credential.status];
        types.insert(credential.type);
        auto const& end = credential.expiresOn.value;
        EXPECT_EQ(end && *end < today, credential.status == CredentialStatus::expired) << core::to_json(credential);
        ASSERT_TRUE(credential.issuedOn.value);
        EXPECT_TRUE(!end || *credential.issuedOn.value < *end);
        EXPECT_THAT(credential.number.value.value, testing::EndsWith("1")) << "what every registry knows";
        EXPECT_EQ(credential.statusReason.value.empty(), credential.status != CredentialStatus::rejected);
        bool const verified = credential.status == CredentialStatus::verified;
        EXPECT_EQ(credential.verification.checkedAt.value.has_value(), verified);
        soon += verified && end && end->days - today.days <= 30 ? 1 : 0;
    }
    EXPECT_EQ(count, (std::map<CredentialStatus, int>{{CredentialStatus::pending, 1},
                                                      {CredentialStatus::verified, 8},
                                                      {CredentialStatus::expired, 2},
                                                      {CredentialStatus::rejected, 1}}));
    EXPECT_EQ(types.size(), 6u) << "every type";
    EXPECT_EQ(soon, 2);
}

/// The log is of work that is over, and tells what it is worth.
void expect_sound(Given const& given, TimesheetRecord const& log, std::string const& zone) {
    SCOPED_TRACE(core::to_json(resource_of(log)));
    EXPECT_EQ(log.date, core::local_date(log.clockIn, zone));
    EXPECT_LT(*log.clockOut.value, given.context.now);
    EXPECT_EQ(log.workedMinutes, worked_minutes(log));
    EXPECT_EQ(log.grossAmount, gross_of(log.rate, log.workedMinutes, 0, {100}));
    EXPECT_EQ(log.rejectionReason.value.value.empty(), log.status != TimesheetStatus::rejected);
    EXPECT_TRUE(given.view().get<StaffRecord>(log.staffId)->isActive);
    if (!log.shiftId.value) return;
    auto const& shift = given.view().get<ShiftRecord>(*log.shiftId.value)->shift;
    EXPECT_EQ(shift.status, ShiftStatus::completed);
    EXPECT_THAT(shift.assignedStaffIds, testing::Contains(log.staffId));
}

TEST(ResetSandbox, RunsPayWhatTheLogsComeTo) {
    for (auto const* now : {"2026-07-24T04:00:00Z", "2026-03-08T12:00:00Z", "2026-11-01T12:00:00Z"}) {
        auto given = given_facilities();
        given.context.now = tests::at(now);
        given.after(reset(given));
        std::map<TimesheetStatus, std::vector<TimesheetRecord>> logs;
        for (auto const& log : rows<TimesheetRecord>(given)) {
            logs[log.status].push_back(log);
            expect_sound(given, log, "America/New_York");
        }
        EXPECT_EQ(logs[TimesheetStatus::submitted].size(), 2U);
        EXPECT_EQ(logs[TimesheetStatus::rejected].size(), 1U);
        std::map<PayrollRunStatus, PayrollRunRecord> runs;
        for (auto const& run : rows<PayrollRunRecord>(given)) runs.emplace(run.status, run);
        ASSERT_EQ(runs.size(), 2U);
        for (auto const& [run_status, log_status] : {std::pair{PayrollRunStatus::draft, TimesheetStatus::approved},
                                                     std::pair{PayrollRunStatus::paid, TimesheetStatus::paid}}) {
            auto const& run = runs.at(run_status);
            auto const& paid = logs[log_status];
            EXPECT_EQ(paid.size(), 3U) << now;
            EXPECT_EQ(run.timesheetIds.size(), 3U);
            std::int64_t gross = 0, minutes = 0;
            for (auto const& log : paid) {
                gross += log.grossAmount.hundredths;
                minutes += log.workedMinutes;
                EXPECT_THAT(run.timesheetIds, testing::Contains(log.id));
                EXPECT_TRUE(run.periodStart <= log.date && log.date <= run.periodEnd);
                bool const is_paid = run_status == PayrollRunStatus::paid;
                EXPECT_EQ(log.payrollRunId.value, is_paid ? std::optional(run.id) : std::nullopt);
            }
            EXPECT_EQ(run.totals.netAmount.hundredths, gross);
            EXPECT_EQ(run.totals.regularMinutes, minutes);
        }
        EXPECT_TRUE(runs.at(PayrollRunStatus::paid).closed);
        EXPECT_EQ(runs.at(PayrollRunStatus::draft).heldTimesheetIds.size(), 3U);
    }
}

TEST(ResetSandbox, IsTheSameForTheSameSeed) {
    auto given = given_facilities();
    given.after(reset(given));
    auto const first = content(given);
    auto const ids = rows<StaffRecord>(given).front().id;
    given.context.now = {given.context.now.ms + 60'000};
    auto const again = given.after(reset(given));
    EXPECT_EQ(content(given), first);
    EXPECT_EQ(again.cleared, again.seeded);
    EXPECT_NE(rows<StaffRecord>(given).front().id, ids) << "ids are new";
    given.after(reset(given, 2));
    EXPECT_NE(content(given), first);
    given.after(reset(given, 1));
    EXPECT_EQ(content(given), first);
    given.context.now = {given.context.now.ms + 24 * 3'600'000};
    given.after(reset(given, 1));
    EXPECT_NE(content(given), first) << "dates go with the day";
}

TEST(ResetSandbox, EndsWhatIsOfTheFacilityAlone) {
    auto given = given_facilities("UTC");
    given.context.sandbox = false;
    given.staff(10, {kHere}).shift(20, kHere, "2026-07-25", "08:00", "16:00", 1, {10});
    add_credential(given, 40, 10);
    given.context.sandbox = true;
    given.staff(11, {kHere}).staff(12, {kHere, kThere}).staff(13).staff(14, {kThere});
    for (Id const holder : {11, 12, 13, 14}) add_credential(given, 30 + holder, holder);
    add_credential(given, 45, 11);
    given.shift(21, kHere, "2026-07-25", "08:00", "16:00", 2, {11, 12});
    given.shift(22, kHere, "2026-07-20", "08:00", "16:00", 1, {12})
        .on_shift(22, events::ShiftStarted{})
        .on_shift(22, events::ShiftCompleted{});
    given.shift(23, kThere, "2026-07-26", "08:00", "16:00", 2, {11, 14});
    events::LeadCreated lead;
    lead.facilityId = kHere;
    given.event({events::Kind::lead, 30}, events::LeadEvent(lead));
    lead.facilityId = core::Nullable<Id>();
    given.event({events::Kind::lead, 31}, events::LeadEvent(lead));
    auto const done = given.after(reset(given));
    EXPECT_EQ(done.cleared, (events::SandboxCounts{{events::Kind::staff, 1},
                                                   {events::Kind::shift, 2},
                                                   {events::Kind::lead, 1},
                                                   {events::Kind::credential, 2}}));
    auto const view = given.view();
    EXPECT_TRUE(view.get<StaffRecord>(11)->deleted);
    for (Id const staying : {12, 13, 14}) EXPECT_FALSE(view.get<StaffRecord>(staying)->deleted);
    for (Id const gone : {41, 45}) EXPECT_TRUE(view.get<CredentialRecord>(gone)->deleted);
    for (Id const staying : {42, 43, 44}) EXPECT_FALSE(view.get<CredentialRecord>(staying)->deleted);
    EXPECT_TRUE(view.get<ShiftRecord>(21)->deleted);
    EXPECT_TRUE(view.get<ShiftRecord>(22)->deleted);
    EXPECT_TRUE(view.get<ShiftRecord>(22)->assignments.empty()) << "nor what was completed";
    EXPECT_FALSE(view.get<ShiftRecord>(23)->deleted);
    EXPECT_EQ(view.get<ShiftRecord>(23)->shift.assignedStaffIds, std::vector<Id>{14}) << "who goes is taken off";
    EXPECT_TRUE(view.get<LeadRecord>(30)->deleted);
    EXPECT_FALSE(view.get<LeadRecord>(31)->deleted);
    EXPECT_TRUE(view.ending_after<events::BookingsOfPerson>({0}, Id{12}).empty())
        << "what was deleted takes nobody's time";
    given.context.sandbox = false;
    EXPECT_FALSE(given.view().get<StaffRecord>(10)->deleted) << "live rows stay";
    EXPECT_FALSE(given.view().get<CredentialRecord>(40)->deleted);
    EXPECT_EQ(given.view().get<ShiftRecord>(20)->shift.status, ShiftStatus::assigned);
}

TEST(ResetSandbox, WhoWasDeletedIsThereForNobody) {
    auto given = given_facilities();
    given.after(reset(given));
    auto const before = rows<StaffRecord>(given).front();
    given.after(reset(given));
    EXPECT_EQ(given.when(UpdateStaff{{}, before.id, {}, {}}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(DeactivateStaff{before.id, {}}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(ReactivateStaff{before.id}).summary(), "NOT_FOUND");
    auto const open = rows<ShiftRecord>(given).front().shift.id;
    AssignStaff assign;
    assign.id = open;
    assign.staffId = before.id;
    EXPECT_EQ(given.when(assign).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(ErasePerson{{"asked for", "ops"}, {events::Kind::staff, before.id}}).summary(),
              "credential.holder_erased credential.holder_erased timesheet.holder_erased timesheet.holder_erased "
              "agent_run.erased staff.erased")
        << "and can still be forgotten, with what was deleted of theirs";
}

TEST(ResetSandbox, AnErasedPersonGoesToo) {
    auto given = given_facilities();
    given.staff(11, {kHere});
    add_credential(given, 40, 11);
    given.after(ErasePerson{{"asked for", "ops"}, {events::Kind::staff, 11}});
    EXPECT_EQ(given.after(reset(given)).cleared,
              (events::SandboxCounts{{events::Kind::staff, 1}, {events::Kind::credential, 1}}));
    EXPECT_TRUE(given.view().get<StaffRecord>(11)->deleted);
    EXPECT_TRUE(given.view().get<CredentialRecord>(40)->deleted);
    EXPECT_TRUE(events::ends(events::StaffEvent(events::StaffDeleted{})));
    EXPECT_TRUE(events::ends(events::LeadEvent(events::LeadDeleted{})));
    EXPECT_FALSE(events::ends(events::StaffEvent(events::StaffDeactivated{})));
}

TEST(ResetSandbox, FindsAddressesThatAreFree) {
    auto given = given_facilities();
    given.after(reset(given));
    auto const first = rows<StaffRecord>(given).front();
    UpdateStaff shared;
    shared.id = first.id;
    shared.facilityIds = std::vector<Id>{kHere, kThere};
    given.after(shared);
    auto const cleared = given.after(reset(given)).cleared;
    EXPECT_EQ(cleared.of(events::Kind::staff), 7);
    auto const kept = std::ssize(given.view().by<events::CredentialsOfPerson>(first.id));
    EXPECT_GT(kept, 0) << "with who stays";
    EXPECT_EQ(cleared.of(events::Kind::credential), 12 - kept);
    auto const again = rows<StaffRecord>(given).front();
    EXPECT_EQ(again.lastName.value.value, first.lastName.value.value);
    EXPECT_EQ(again.email.value.value,
              first.email.value.value.substr(0, first.email.value.value.find('@')) + "-2@example.com");
    given.after(reset(given, 1, kThere));
    EXPECT_EQ(rows<StaffRecord>(given, kThere).size(), 8u) << "two facilities of one organization";
}

TEST(ResetSandbox, TriesSoManyAddresses) {
    auto given = given_facilities();
    auto const person = data_set_people(1).front();
    for (int attempt = 1; attempt <= 20; ++attempt) {
        events::StaffOnboarded onboarded;
        onboarded.email = core::Email(data_set_address(person, kHere, attempt));
        given.event({events::Kind::staff, attempt}, events::StaffEvent(onboarded));
    }
    auto const command = reset(given);
    auto const id = given.context.new_ids.front();
    given.after(command);
    EXPECT_EQ(given.view().get<StaffRecord>(id)->email.value.value, data_set_address(person, kHere, 20 + id));
}

TEST(ResetSandbox, IsRefusedWhereItMayNotBe) {
    auto given = given_facilities();
    EXPECT_EQ(given.when(reset(given, 1, 99)).summary(), "FACILITY_SCOPE_VIOLATION");
    given.context.facilities = {kThere};
    EXPECT_EQ(given.when(reset(given)).summary(), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(given.when(ClearSandbox{kHere}).summary(), "FACILITY_SCOPE_VIOLATION");
    given.context.facilities.clear();
    given.context.sandbox = false;
    given.event({events::Kind::facility, kHere}, events::FacilityEvent(events::FacilityDeactivated{}));
    given.context.sandbox = true;
    EXPECT_EQ(given.when(reset(given)).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(tests::faults_in<ResetSandbox>(R"({"facilityId":1,"seed":-1})"), "seed range");
    EXPECT_EQ(tests::faults_in<ResetSandbox>(R"({"facilityId":"1"})"), "facilityId type");
}

TEST(ResetSandbox, OnceIsOnce) {
    auto given = given_facilities();
    auto command = reset(given, 3);
    command.first_only = true;
    EXPECT_EQ(given.after(command).seed, 3);
    command = reset(given, 4);
    command.first_only = true;
    EXPECT_EQ(given.when(command).summary(), "nothing");
    EXPECT_EQ(given.after(command).seed, 3);
}

TEST(ClearSandbox, EndsManyInSteps) {
    auto given = given_facilities();
    EXPECT_EQ(given.when(ClearSandbox{kHere}).summary(), "nothing");
    constexpr Id kMany = static_cast<Id>(events::kMostOfFacility) + 5;
    for (Id id = 1; id <= kMany; ++id) {
        events::LeadCreated lead;
        lead.facilityId = kHere;
        given.event({events::Kind::lead, id}, events::LeadEvent(lead));
    }
    given.staff(11, {kHere});
    auto const refused = decide(given.view(), reset(given), given.context);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, core::Code::service_unavailable);
    EXPECT_TRUE(tells_too_many_rows(refused.error()));
    EXPECT_FALSE(tells_too_many_rows({core::Code::service_unavailable, "An upgrade is under way."}));
    EXPECT_EQ(given.after(ClearSandbox{kHere, 7, {{events::Kind::staff, 1}}}),
              (events::SandboxCounts{{events::Kind::lead, kMany - 5}}));
    auto const part = *given.view().get<events::Sandbox>(kHere);
    EXPECT_EQ(part.cleared, (events::SandboxCounts{{events::Kind::staff, 1}, {events::Kind::lead, kMany - 5}}));
    EXPECT_EQ(part.seeded, events::SandboxCounts());
    EXPECT_EQ(part.seed, 7);
    EXPECT_EQ(given.when(ClearSandbox{kHere}).summary(), "nothing") << "the rest is the reset's";
    auto command = reset(given);
    command.cleared_before = {{events::Kind::lead, kMany - 5}};
    command.first_only = true;  // the part before it is its own
    EXPECT_EQ(given.after(command).cleared,
              (events::SandboxCounts{{events::Kind::staff, 1}, {events::Kind::lead, kMany}}));
}

TEST(ClearSandbox, EndsManyCredentialsOfFewPeople) {
    auto given = given_facilities();
    constexpr Id kMost = static_cast<Id>(events::kMostOfFacility);
    given.staff(11, {kHere}).staff(12, {kThere});
    for (Id id = 1; id <= kMost + 5; ++id) add_credential(given, id, 11);
    add_credential(given, kMost + 6, 12);
    auto const refused = decide(given.view(), reset(given), given.context);
    ASSERT_FALSE(refused);
    EXPECT_TRUE(tells_too_many_rows(refused.error()));
    EXPECT_EQ(given.after(ClearSandbox{kHere}), (events::SandboxCounts{{events::Kind::credential, kMost}}));
    EXPECT_EQ(std::ranges::count_if(given.view().by<events::CredentialsOfPerson>(Id{11}),
                                    [](auto const* held) { return !held->deleted; }),
              5);
    EXPECT_EQ(given.when(ClearSandbox{kHere}).summary(), "nothing");
    EXPECT_EQ(given.after(reset(given)).cleared,
              (events::SandboxCounts{{events::Kind::staff, 1}, {events::Kind::credential, 5}}));
    EXPECT_EQ(given.view().by<events::CredentialsOfPerson>(Id{12}).size(), 1u);
}

TEST(ClearSandbox, EndsManyPeopleWithTheirCredentials) {
    auto given = given_facilities();
    constexpr Id kMost = static_cast<Id>(events::kMostOfFacility);
    for (Id id = 1; id <= kMost + 5; ++id) {
        given.staff(id, {kHere});
        add_credential(given, id, id);
    }
    EXPECT_EQ(given.after(ClearSandbox{kHere}),
              (events::SandboxCounts{{events::Kind::staff, kMost}, {events::Kind::credential, kMost}}));
    EXPECT_EQ(given.after(reset(given)).cleared,
              (events::SandboxCounts{{events::Kind::staff, 5}, {events::Kind::credential, 5}}));
}

}  // namespace
}  // namespace workforce::commands
