// Making shifts: their times on the world's clock, who may, staffing at once, and many in one command.
#include <gtest/gtest.h>

#include "commands/shift.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::tests {
namespace {

using commands::CreateShift;
using commands::CreateShifts;

CreateShift shift_at(Id facility, std::string_view date, std::string_view start, std::string_view end) {
    CreateShift command;
    command.facilityId = facility;
    command.title = "Night watch";
    command.date = day(date);
    command.startTime = clock(start);
    command.endTime = clock(end);
    return command;
}

CreateShift with_staff(CreateShift command, std::vector<Id> staff, int required = 1) {
    command.assignedStaffIds = std::move(staff);
    command.requiredWorkers = required;
    return command;
}

struct SpanCase {
    std::string zone, date, start, end;
    std::string starts_at, ends_at;  // or the rule that the command breaks
};

class ShiftSpan : public testing::TestWithParam<SpanCase> {};

TEST_P(ShiftSpan, IsTheFacilitysWallClock) {
    auto const& c = GetParam();
    Given given;
    given.organization().facility(1, c.zone);
    auto const outcome = given.when(shift_at(1, c.date, c.start, c.end));
    if (c.ends_at.empty()) {
        EXPECT_EQ(outcome.summary(), "VALIDATION_ERROR");
        EXPECT_NE(outcome.details().find("\"rule\":\"" + c.starts_at + "\""), std::string::npos) << outcome.details();
        return;
    }
    ASSERT_EQ(outcome.summary(), "shift.posted");
    auto const& posted = outcome.event<events::ShiftPosted>();
    EXPECT_EQ(posted.timezone, c.zone);
    EXPECT_EQ(core::to_string(posted.startsAt), c.starts_at);
    EXPECT_EQ(core::to_string(posted.endsAt), c.ends_at);
}

INSTANTIATE_TEST_SUITE_P(
    Days, ShiftSpan,
    testing::Values(
        SpanCase{"UTC", "2026-07-24", "08:00", "16:00", "2026-07-24T08:00:00.000Z", "2026-07-24T16:00:00.000Z"},
        SpanCase{"UTC", "2026-07-24", "22:00", "06:00", "2026-07-24T22:00:00.000Z", "2026-07-25T06:00:00.000Z"},
        SpanCase{"UTC", "2026-12-31", "23:59", "00:00", "2026-12-31T23:59:00.000Z", "2027-01-01T00:00:00.000Z"},
        SpanCase{"Europe/Berlin", "2026-07-24", "08:00", "16:00", "2026-07-24T06:00:00.000Z",
                 "2026-07-24T14:00:00.000Z"},
        SpanCase{"America/New_York", "2026-01-15", "19:00", "07:00", "2026-01-16T00:00:00.000Z",
                 "2026-01-16T12:00:00.000Z"},
        // Nights in which the clocks change are an hour shorter or longer.
        SpanCase{"Europe/Berlin", "2026-03-28", "22:00", "06:00", "2026-03-28T21:00:00.000Z",
                 "2026-03-29T04:00:00.000Z"},
        SpanCase{"Europe/Berlin", "2026-10-24", "22:00", "06:00", "2026-10-24T20:00:00.000Z",
                 "2026-10-25T05:00:00.000Z"},
        SpanCase{"America/New_York", "2026-03-07", "22:00", "06:00", "2026-03-08T03:00:00.000Z",
                 "2026-03-08T10:00:00.000Z"},
        SpanCase{"America/New_York", "2026-10-31", "22:00", "06:00", "2026-11-01T02:00:00.000Z",
                 "2026-11-01T11:00:00.000Z"},
        // 02:30 does not exist that day and moves to 03:30; of 01:30 twice the first counts.
        SpanCase{"America/New_York", "2026-03-08", "02:30", "08:00", "2026-03-08T07:30:00.000Z",
                 "2026-03-08T12:00:00.000Z"},
        SpanCase{"America/New_York", "2026-11-01", "01:30", "03:00", "2026-11-01T05:30:00.000Z",
                 "2026-11-01T08:00:00.000Z"}));

INSTANTIATE_TEST_SUITE_P(Refused, ShiftSpan,
                         testing::Values(SpanCase{"UTC", "2026-07-24", "08:00", "08:00", "order", ""},
                                         // The start that the clocks skip moves behind the end, or onto it.
                                         SpanCase{"America/New_York", "2026-03-08", "02:30", "03:15", "order", ""},
                                         SpanCase{"Europe/Berlin", "2026-03-29", "02:00", "03:00", "order", ""},
                                         // 23:59 hours of wall clock are more than 24 when the clocks go back between.
                                         SpanCase{"Europe/Berlin", "2026-10-25", "00:30", "00:29", "range", ""},
                                         SpanCase{"America/New_York", "2026-10-31", "03:00", "02:30", "range", ""}));

TEST(CreateShift, NamesAllWrongFieldsAtOnce) {
    EXPECT_EQ(faults_in<CreateShift>(
                  R"({"facilityId":1,"title":"","date":"1999-12-31","startTime":"08:00","endTime":"08:00","rate":-1})"),
              "title min_length, rate range, date range, endTime order");
    EXPECT_EQ(faults_in<CreateShift>(R"({"facilityId":1,"title":"T","date":"x","startTime":"8","endTime":"08:00"})"),
              "date date, startTime time");
    EXPECT_EQ(faults_in<CreateShifts>(R"({"shifts":[]})"), "shifts min_items");
    EXPECT_EQ(faults_in<CreateShifts>(R"({"shifts":[{"facilityId":1,"title":"T","date":"2101-01-01",)"
                                      R"("startTime":"08:00","endTime":"08:00"},{}]})"),
              "shifts[0].date range, shifts[0].endTime order, shifts[1].facilityId required, shifts[1].title required, "
              "shifts[1].date required, shifts[1].startTime required, shifts[1].endTime required");
}

TEST(CreateShift, TakesTheYearsFrom2000To2100) {
    for (auto const* date : {"2000-01-01", "2100-12-31"}) {
        EXPECT_EQ(
            faults_in<CreateShift>(R"({"facilityId":1,"title":"T","startTime":"08:00","endTime":"16:00","date":")" +
                                   std::string(date) + "\"}"),
            "");
    }
}

TEST(CreateShift, AnswersTheWholeShift) {
    Given given;
    given.organization().facility(1);
    auto command = shift_at(1, "2026-07-25", "08:00", "16:00");
    command.requiredWorkers = 3;
    auto const shift = given.after(command);
    EXPECT_EQ(shift.id, 101);
    EXPECT_EQ(shift.organizationId, Given::kOrganization);
    EXPECT_EQ(shift.status, events::ShiftStatus::open);
    EXPECT_EQ(shift.openSpots, 3);
    EXPECT_EQ(shift.createdAt, given.context.now);
}

TEST(CreateShift, NeedsAnActiveFacilityWithinReach) {
    Given given;
    given.organization().facility(1).facility(2).facility(3);
    given.event({events::Kind::facility, 3}, events::FacilityEvent(events::FacilityDeactivated{}));
    auto const to = [&](Id facility) {
        return given.when(shift_at(facility, "2026-07-25", "08:00", "16:00")).summary();
    };
    EXPECT_EQ(to(9), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(to(3), "INVALID_STATE_TRANSITION");
    auto const inactive = given.when(shift_at(3, "2026-07-25", "08:00", "16:00"));
    EXPECT_EQ(inactive.message(), "Facility 3 is inactive.");
    EXPECT_EQ(inactive.details(), R"({"from":"inactive","command":"create-shift","allowed":["reactivate"]})");
    given.context.facilities = {1};
    EXPECT_EQ(to(1), "shift.posted");
    EXPECT_EQ(to(2), "FACILITY_SCOPE_VIOLATION");
    // What lies outside looks the same whether it exists or not.
    EXPECT_EQ(to(9), "FACILITY_SCOPE_VIOLATION");
}

TEST(CreateShift, StaffsAtOnceByTheRulesOfAssign) {
    Given given;
    given.organization().facility(1).staff(11).staff(12).shift(21, 1, "2026-07-25", "08:00", "16:00", 1, {12});
    auto const base = shift_at(1, "2026-07-25", "15:00", "23:00");
    struct {
        std::vector<Id> staff;
        int required;
        std::string summary;
    } const cases[] = {
        {{11}, 1, "shift.posted shift.staff_assigned shift.filled"},
        {{11}, 2, "shift.posted shift.staff_assigned"},
        {{11, 11}, 1, "shift.posted shift.staff_assigned shift.filled"},
        {{11, 12}, 1, "SHIFT_FULL"},
        {{12}, 1, "STAFF_DOUBLE_BOOKED"},
        {{99}, 1, "NOT_FOUND"},
    };
    for (auto const& c : cases) {
        EXPECT_EQ(given.when(with_staff(base, c.staff, c.required)).summary(), c.summary) << c.summary;
    }
    EXPECT_EQ(given.when(with_staff(base, {11, 12}, 1)).message(), "requiredWorkers is 1, and 2 people are named.");
    EXPECT_EQ(given.when(with_staff(base, {11, 12}, 1)).details(),
              R"({"requiredWorkers":1,"assignedCount":0,"addedCount":2})");
    given.context.may_assign = false;
    EXPECT_EQ(given.when(with_staff(base, {11})).summary(), "INSUFFICIENT_SCOPE");
    EXPECT_EQ(given.when(base).summary(), "shift.posted");
}

TEST(CreateShift, AnswersWhatIsFlagged) {
    Given given;
    given.organization().facility(1).staff(11);
    auto command = with_staff(shift_at(1, "2026-07-25", "15:00", "23:00"), {11});
    EXPECT_FALSE(given.after(command).warnings);
    command = with_staff(shift_at(1, "2026-07-26", "15:00", "23:00"), {11});
    command.specialty = "icu";
    given.context.new_ids = {102};
    EXPECT_EQ(given.after(command).warnings.value().at(0).code, "SPECIALTY_MISMATCH");
    given.context.new_ids = {103};
    command.date = day("2026-07-27");
    EXPECT_EQ(given.after(CreateShifts{{command}}).warnings.value().at(0).code, "SPECIALTY_MISMATCH");
}

TEST(CreateShift, PermissionIsAskedBeforeTheFacility) {
    Given given;
    given.organization();
    given.context.may_assign = false;
    EXPECT_EQ(given.when(with_staff(shift_at(9, "2026-07-25", "08:00", "16:00"), {11})).summary(),
              "INSUFFICIENT_SCOPE");
}

TEST(CreateShifts, MakesAllInTheOrderAskedFor) {
    Given given;
    given.organization().facility(1).staff(11);
    CreateShifts command;
    command.shifts = {shift_at(1, "2026-07-25", "08:00", "16:00"),
                      with_staff(shift_at(1, "2026-07-26", "08:00", "16:00"), {11}),
                      shift_at(1, "2026-07-27", "08:00", "16:00")};
    EXPECT_EQ(given.when(command).summary(),
              "shift.posted shift.posted shift.staff_assigned shift.filled shift.posted");
    auto const list = given.after(command).data;
    ASSERT_EQ(list.size(), 3U);
    EXPECT_EQ(list[0].id, 101);
    EXPECT_EQ(list[1].status, events::ShiftStatus::assigned);
    EXPECT_EQ(core::to_string(list[2].date), "2026-07-27");
}

TEST(CreateShifts, MakesAllOrNone) {
    Given given;
    given.organization().facility(1);
    given.context.new_ids = {101, 102, 103, 104};
    CreateShifts command;
    command.shifts = {shift_at(1, "2026-07-25", "08:00", "16:00"), shift_at(9, "2026-07-25", "08:00", "16:00")};
    EXPECT_EQ(given.when(command).summary(), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(given.when(command).result.error().message.substr(0, 9), "shifts[1]");
    command.shifts[1] = shift_at(1, "2026-07-25", "08:00", "08:00");
    command.shifts.push_back(shift_at(9, "2026-07-25", "08:00", "16:00"));
    command.shifts.push_back(shift_at(1, "2026-07-25", "09:00", "09:00"));
    auto const details = given.when(command).details();
    EXPECT_NE(details.find(R"("field":"shifts[1].endTime")"), std::string::npos) << details;
    EXPECT_NE(details.find(R"("field":"shifts[3].endTime")"), std::string::npos) << details;
}

TEST(CreateShifts, SeesDoubleBookingWithinTheRequest) {
    Given given;
    given.organization().facility(1).staff(11);
    CreateShifts command;
    command.shifts = {with_staff(shift_at(1, "2026-07-25", "08:00", "16:00"), {11}),
                      with_staff(shift_at(1, "2026-07-25", "15:59", "23:00"), {11})};
    EXPECT_EQ(given.when(command).summary(), "STAFF_DOUBLE_BOOKED");
    command.shifts[1].startTime = clock("16:00");
    EXPECT_EQ(given.when(command).summary(),
              "shift.posted shift.staff_assigned shift.filled shift.posted shift.staff_assigned shift.filled");
}

TEST(CreateShifts, NamesDoubleBookingBeforeTheRulesBehindIt) {
    Given given;
    events::SchedulingRules rules;
    rules.specialtyMismatch = events::RuleLevel::block;
    given.organization().facility(1, "UTC", rules).staff(11, {}, "icu");
    CreateShifts command;
    command.shifts = {with_staff(shift_at(1, "2026-07-25", "08:00", "16:00"), {11}),
                      with_staff(shift_at(1, "2026-07-25", "08:00", "16:00"), {11})};
    command.shifts[1].specialty = "surgery";
    EXPECT_EQ(given.when(command).summary(), "STAFF_DOUBLE_BOOKED");
}

}  // namespace
}  // namespace workforce::tests
