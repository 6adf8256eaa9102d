// The moves of a shift: a table of commands by states, and the clock that makes them by itself.
#include <gtest/gtest.h>

#include "commands/shift.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::tests {
namespace {

using namespace commands;  // the commands are what these tests are about

constexpr std::string_view kNo = "INVALID_STATE_TRANSITION";

/// Shifts of today at 10:30–16:00 UTC, the time being 10:00: 21 open and empty, 22 open with one of two, 23 assigned,
/// 24 in progress, 25 completed, 26 cancelled, 27 deleted.
Given scene_of_states() {
    Given given;
    given.organization().facility(1);
    for (Id staff = 11; staff <= 17; ++staff) given.staff(staff);
    auto const make = [&](Id id, int required, std::vector<Id> const& staff) {
        given.shift(id, 1, "2026-07-24", "10:30", "16:00", required, staff);
    };
    make(21, 1, {});
    make(22, 2, {12});
    make(23, 1, {13});
    make(24, 1, {14});
    given.on_shift(24, events::ShiftStarted{});
    make(25, 1, {15});
    given.on_shift(25, events::ShiftStarted{}).on_shift(25, events::ShiftCompleted{});
    make(26, 1, {16});
    given.on_shift(26, events::ShiftCancelled{"rain"});
    make(27, 1, {});
    given.on_shift(27, events::ShiftCancelled{"deleted"}).on_shift(27, events::ShiftDeleted{});
    return given;
}

CancelShift cancel_of(Id id, std::string const& reason = {}) {
    CancelShift command;
    command.id = id;
    if (!reason.empty()) command.reason = core::LongText(reason);
    return command;
}

struct MoveCase {
    Id shift;
    std::string_view start, complete, cancel, reopen, remove;
};

TEST(ShiftStates, EveryCommandInEveryState) {
    MoveCase const cases[] = {
        {21, kNo, kNo, "shift.cancelled", "nothing", "shift.cancelled shift.deleted"},
        {22, "shift.started", kNo, "shift.cancelled", "nothing", "shift.cancelled shift.deleted"},
        {23, "shift.started", kNo, "shift.cancelled", kNo, "shift.cancelled shift.deleted"},
        {24, "nothing", "shift.completed", "VALIDATION_ERROR", kNo, "shift.cancelled shift.deleted"},
        {25, kNo, "nothing", kNo, kNo, kNo},
        {26, kNo, kNo, "nothing", "shift.reopened", "shift.deleted"},
        {27, "NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"},
        {99, "NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"},
    };
    auto const given = scene_of_states();
    for (auto const& c : cases) {
        EXPECT_EQ(given.when(StartShift{c.shift}).summary(), c.start) << "start " << c.shift;
        EXPECT_EQ(given.when(CompleteShift{c.shift}).summary(), c.complete) << "complete " << c.shift;
        EXPECT_EQ(given.when(cancel_of(c.shift)).summary(), c.cancel) << "cancel " << c.shift;
        EXPECT_EQ(given.when(ReopenShift{c.shift}).summary(), c.reopen) << "reopen " << c.shift;
        EXPECT_EQ(given.when(DeleteShift{c.shift}).summary(), c.remove) << "delete " << c.shift;
    }
}

TEST(ShiftStates, ShiftsOfOthersAreNotThere) {
    auto given = scene_of_states();
    auto const all_hidden = [&] {
        for (auto const& summary :
             {given.when(StartShift{23}).summary(), given.when(CompleteShift{24}).summary(),
              given.when(cancel_of(23)).summary(), given.when(ReopenShift{26}).summary(),
              given.when(DeleteShift{23}).summary(), given.when(UnassignStaff{23, 13, {}}).summary()}) {
            EXPECT_EQ(summary, "NOT_FOUND");
        }
    };
    given.context.facilities = {2};
    all_hidden();
    given.context.facilities = {};
    given.context.sandbox = true;
    all_hidden();
}

TEST(ShiftStates, ADeletedShiftIsNotThere) {
    auto given = scene_of_states();
    EXPECT_EQ(given.after(DeleteShift{23}).cancelReason, "deleted");
    AssignStaff assign;
    assign.id = 23;
    assign.staffId = 13;
    UpdateShift update;
    update.id = 23;
    EXPECT_EQ(given.when(update).summary(), "NOT_FOUND") << "also where nothing would change";
    update.status = events::ShiftStatus::open;
    EXPECT_EQ(given.when(update).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(assign).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(UnassignStaff{23, 13, {}}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(DeleteShift{23}).summary(), "NOT_FOUND");
}

TEST(ShiftStates, ItsPeopleAcknowledgeAShift) {
    auto given = scene_of_states();
    EXPECT_EQ(given.when(AcknowledgeShift{23}).summary(), "NOT_FOUND") << "the caller is no staff member";
    given.context.staff = 13;
    EXPECT_EQ(given.when(AcknowledgeShift{23}).summary(), "shift.acknowledged");
    given.after(AcknowledgeShift{23});
    EXPECT_EQ(given.view().get<events::ShiftRecord>(23)->assignments.at(0).acknowledgedAt.value, given.context.now);
    EXPECT_EQ(given.when(AcknowledgeShift{23}).summary(), "nothing");
    for (Id const shift : {21, 26, 27, 99}) {
        EXPECT_EQ(given.when(AcknowledgeShift{shift}).summary(), "NOT_FOUND") << "not on it: " << shift;
    }
    given.context.staff = given.view().get<events::ShiftRecord>(25)->shift.assignedStaffIds.at(0);
    EXPECT_EQ(given.when(AcknowledgeShift{25}).summary(), kNo) << "it is over";
}

TEST(ShiftStates, AKeyAcknowledgesWithinItsFacilitiesAlone) {
    auto given = scene_of_states();
    given.context.staff = 13;
    given.context.facilities = {2};
    EXPECT_EQ(given.when(AcknowledgeShift{23}).summary(), "shift.acknowledged") << "a person's own shift is anywhere";
    given.context.actor = {events::ActorType::api_key, 55, 3};
    EXPECT_EQ(given.when(AcknowledgeShift{23}).summary(), "NOT_FOUND");
}

TEST(ShiftStates, ACancelledShiftHasNobodyOnIt) {
    auto given = scene_of_states();
    auto const shift = given.after(cancel_of(23));
    EXPECT_TRUE(shift.assignedStaffIds.empty());
    EXPECT_TRUE(given.view().get<events::ShiftRecord>(23)->assignments.empty());
    EXPECT_TRUE(given.view().overlapping<events::BookingsOfPerson>(shift.startsAt, shift.endsAt, Id{13}).empty())
        << "the person is free";
}

TEST(ShiftStates, StartsAnHourEarlyAtMost) {
    auto given = scene_of_states();
    given.context.now = at("2026-07-24T09:30:00Z");
    EXPECT_EQ(given.when(StartShift{23}).summary(), "shift.started");
    given.context.now = at("2026-07-24T09:29:59.999Z");
    auto const refused = given.when(StartShift{23});
    EXPECT_EQ(refused.summary(), kNo);
    EXPECT_NE(refused.details().find(R"("from":"assigned","command":"start")"), std::string::npos);
    EXPECT_NE(refused.details().find(R"("cancel")"), std::string::npos);
}

TEST(ShiftStates, ARunningOneIsCancelledWithAReason) {
    auto given = scene_of_states();
    EXPECT_NE(given.when(cancel_of(24)).details().find(R"("field":"reason")"), std::string::npos);
    auto const shift = given.after(cancel_of(24, "flood"));
    EXPECT_EQ(shift.status, events::ShiftStatus::cancelled);
    EXPECT_EQ(shift.cancelReason, "flood");
}

TEST(ShiftStates, ReopensEmptyAndBeforeItsStart) {
    auto given = scene_of_states();
    auto const shift = given.after(ReopenShift{26});
    EXPECT_EQ(shift.status, events::ShiftStatus::open);
    EXPECT_TRUE(shift.assignedStaffIds.empty());
    EXPECT_EQ(shift.openSpots, 1);
    EXPECT_EQ(shift.cancelReason, "");
    auto late = scene_of_states();
    late.context.now = at("2026-07-24T10:30:00Z");
    EXPECT_EQ(late.when(ReopenShift{26}).summary(), kNo);
}

TEST(ShiftStates, RefusalsNameTheCommandAskedFor) {
    auto const given = scene_of_states();
    EXPECT_NE(given.when(DeleteShift{25}).details().find(R"("from":"completed","command":"delete","allowed":[])"),
              std::string::npos);
}

/// The clock's command for all shifts of the scene_of_states, whether due or not.
MoveDueShifts all_shifts() { return {{21, 22, 23, 24, 25, 26, 27, 61, 999}}; }

TEST(Clock, MovesWhatIsDue) {
    auto given = scene_of_states();
    auto const tick = [&](std::string_view time) {
        given.context.now = at(time);
        return given.when(all_shifts()).summary();
    };
    EXPECT_EQ(tick("2026-07-24T10:29:59Z"), "nothing");
    EXPECT_EQ(tick("2026-07-24T10:30:00Z"), "shift.started shift.started");  // 22, part-staffed, and 23; never 21
    EXPECT_EQ(given.after(all_shifts()).moved, 2);
    EXPECT_EQ(tick("2026-07-24T16:14:59Z"), "nothing");
    EXPECT_EQ(tick("2026-07-24T16:15:00Z"), "shift.completed shift.completed shift.completed");
    EXPECT_EQ(given.after(all_shifts()).moved, 3);
    EXPECT_EQ(tick("2026-07-30T00:00:00Z"), "nothing");
    EXPECT_EQ(given.view().get<events::ShiftRecord>(21)->shift.status, events::ShiftStatus::open);
}

TEST(Clock, LeavesToPeopleWhatTheFacilityWants) {
    auto given = scene_of_states();
    events::FacilityUpdated manual;
    manual.autoStart = false;
    given.event({events::Kind::facility, 1}, events::FacilityEvent(manual));
    given.context.now = at("2026-07-24T16:15:00Z");
    EXPECT_EQ(given.when(all_shifts()).summary(), "shift.completed");
    manual.autoStart = true;
    manual.autoComplete = false;
    given.event({events::Kind::facility, 1}, events::FacilityEvent(manual));
    EXPECT_EQ(given.when(all_shifts()).summary(), "shift.started shift.started");
}

TEST(Clock, EndsAtOnceWhatItStartsTooLate) {
    Given given;
    given.organization().facility(1).staff(11).shift(21, 1, "2026-07-23", "09:00", "16:00", 1, {11});
    EXPECT_EQ(given.when(all_shifts()).summary(), "shift.started shift.completed");
}

TEST(Clock, TicksLiveAndSandboxApart) {
    Given given;
    given.organization().facility(1).staff(11).shift(21, 1, "2026-07-24", "09:00", "16:00", 1, {11});
    given.context.sandbox = true;
    EXPECT_EQ(given.when(all_shifts()).summary(), "nothing");
    given.staff(51).shift(61, 1, "2026-07-24", "09:00", "16:00", 1, {51});
    auto const outcome = given.when(all_shifts());
    ASSERT_EQ(outcome.summary(), "shift.started");
    EXPECT_EQ(outcome.result->events[0].subject.id, 61);
}

TEST(Clock, ForgetsMovedTimes) {
    Given given;
    given.organization().facility(1).staff(11).shift(21, 1, "2026-07-24", "09:00", "16:00", 1, {11});
    events::ShiftUpdated later;
    later.span = events::ShiftSpan{"UTC", at("2026-07-24T12:00:00Z"), at("2026-07-24T16:00:00Z")};
    given.on_shift(21, later);
    EXPECT_EQ(given.when(all_shifts()).summary(), "nothing");
    given.context.now = at("2026-07-24T12:00:00Z");
    EXPECT_EQ(given.when(all_shifts()).summary(), "shift.started");
}

}  // namespace
}  // namespace workforce::tests
