// Imports: each row is decided as the command of one resource is, and no row stops another.
#include "commands/import.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/given_shift.hpp"

namespace workforce::tests {
namespace {

using commands::ImportShifts;
using commands::ImportStaff;
using commands::ImportStatus;

ImportStaff::Line person_line(std::int64_t number, std::string const& email, std::string const& phone = {}) {
    ImportStaff::Line line;
    line.line = number;
    line.key = email;
    line.create.firstName = core::Name("Grace");
    line.create.lastName = core::Name("Hill");
    line.create.email = core::Email(email);
    line.create.phone = core::Phone(phone);
    if (!phone.empty()) line.update.phone = core::Personal<core::Phone>(core::Phone(phone));
    return line;
}

ImportShifts::Line shift_line(std::int64_t number, std::string const& key, std::string_view start,
                              std::string_view end) {
    ImportShifts::Line line;
    line.line = number;
    line.key = key;
    line.create.facilityId = 1;
    line.create.title = core::Name("Night");
    line.create.date = day("2026-07-25");
    line.create.startTime = clock(start);
    line.create.endTime = clock(end);
    line.create.externalId = core::ShortText(key);
    line.update.facilityId = 1;
    line.update.startTime = line.create.startTime;
    line.update.endTime = line.create.endTime;
    return line;
}

/// The outcome of each line: `2 created 101`, `3 updated 11`, `4 failed VALIDATION_ERROR`; with a comma between.
std::string rows_of(core::Result<commands::Decision> const& decision) {
    if (!decision) return "refused: " + std::string(core::info(decision.error().code).name);
    std::string all;
    for (auto const& row : decision->imported) {
        all += all.empty() ? "" : ", ";
        all += fmt::format("{} {}", row.line, core::enum_name(row.status));
        if (row.id.value) all += fmt::format(" {}", *row.id.value);
        for (auto const& error : row.errors) {
            all += " " + error.code;
            if (error.field.value) all += " " + *error.field.value;
        }
    }
    return all;
}

Given& on_external(Given& given, Id id, std::string const& external) {
    events::ShiftUpdated updated;
    updated.externalId = core::ShortText(external);
    return given.on_shift(id, std::move(updated));
}

TEST(ImportStaff, MakesWhoIsNewAndChangesWhoIsThere) {
    Given given;
    given.organization().facility(1).staff(11).staff(12);
    ImportStaff command;
    command.lines = {person_line(2, "new@example.test"), person_line(3, "staff11@example.test", "+1 555"),
                     person_line(5, "staff12@example.test")};
    auto const outcome = given.when(command);
    EXPECT_EQ(rows_of(outcome.result), "2 created 101, 3 updated 11, 5 updated 12");
    EXPECT_EQ(outcome.summary(), "staff.onboarded staff.updated") << "nothing changes of the last one";
    auto const answer = given.after(command);
    EXPECT_EQ(answer.rows.size(), 3U);
    given.context.new_ids = {201, 202, 203};
    EXPECT_EQ(rows_of(given.when(command).result), "2 updated 101, 3 updated 11, 5 updated 12");
    EXPECT_EQ(given.when(command).summary(), "nothing");
}

TEST(ImportStaff, ABadRowStopsNoOther) {
    Given given;
    given.organization().facility(1).staff(11);
    ImportStaff command;
    command.lines = {person_line(2, "a@example.test"), person_line(3, "b@example.test"),
                     person_line(4, "staff11@example.test")};
    command.lines[0].fault = core::Problem{Code::validation_error, "It has other cells."};
    command.lines[1].create_fault =
        core::validation_problem({{"lastName", "required", "is required"}, {"phone", "phone", "may have digits"}});
    command.lines[1].update_fault = command.lines[1].create_fault;
    command.lines[2].create_fault = command.lines[1].create_fault;  // which does not matter for who is there
    EXPECT_EQ(rows_of(given.when(command).result),
              "2 failed VALIDATION_ERROR, 3 failed VALIDATION_ERROR lastName VALIDATION_ERROR phone, 4 updated 11");
    command.lines[2].update_fault = command.lines[1].create_fault;
    EXPECT_TRUE(
        rows_of(given.when(command).result).ends_with("4 failed VALIDATION_ERROR lastName VALIDATION_ERROR phone"));
}

TEST(ImportStaff, TellsTheFirstTenFaultsOfARow) {
    Given given;
    given.organization();
    ImportStaff command;
    command.lines = {person_line(2, "a@example.test")};
    std::vector<core::FieldError> const faults(30, {"skills[0]", "length", "is too long"});
    command.lines[0].create_fault = core::validation_problem(faults);
    EXPECT_EQ(given.when(command).result.value().imported.at(0).errors.size(), 10U);
}

TEST(ImportStaff, ChangesTakeTheirPermission) {
    Given given;
    given.organization().facility(1).staff(11);
    ImportStaff command;
    command.lines = {person_line(2, "new@example.test"), person_line(3, "staff11@example.test", "+1 555")};
    command.lacks_update = core::Problem{Code::insufficient_scope, "The credential lacks the permission staff.edit."};
    EXPECT_EQ(rows_of(given.when(command).result), "2 created 101, 3 failed INSUFFICIENT_SCOPE");
}

TEST(ImportStaff, WhoIsBoundToFacilitiesChangesTheirPeople) {
    Given given;
    given.organization().facility(1).facility(2).staff(11, {1}).staff(12, {2}).staff(13);
    given.context.facilities = {1};
    given.context.new_ids = {101, 102, 103, 104};
    ImportStaff command;
    command.lines = {person_line(2, "staff11@example.test", "+1 555"), person_line(3, "staff12@example.test", "+1 555"),
                     person_line(4, "staff13@example.test", "+1 555"), person_line(5, "new@example.test")};
    auto const outcome = given.when(command);
    EXPECT_EQ(rows_of(outcome.result), "2 updated 11, 3 failed DUPLICATE_RESOURCE, 4 updated 13, 5 created 104");
    EXPECT_EQ(outcome.event<events::StaffOnboarded>().facilityIds, std::vector<Id>{1});
    command.facilityId = 2;
    EXPECT_EQ(rows_of(given.when(command).result), "refused: FACILITY_SCOPE_VIOLATION");
}

TEST(ImportStaff, AFacilityForAllRowsIsWhereNewPeopleWork) {
    Given given;
    given.organization().facility(1).facility(2).staff(11, {1});
    ImportStaff command;
    command.facilityId = 2;
    command.lines = {person_line(2, "a@example.test"), person_line(3, "b@example.test"),
                     person_line(4, "staff11@example.test")};
    command.lines[1].create.facilityIds = {1};
    given.after(command);
    auto const works_at = [&](Id id) { return given.view().get<events::StaffRecord>(id)->facilityIds; };
    EXPECT_EQ(works_at(101), std::vector<Id>{2});
    EXPECT_EQ(works_at(102), std::vector<Id>{1});
    EXPECT_EQ(works_at(11), std::vector<Id>{1});
}

TEST(ImportStaff, ADryRunSaysTheSameAndDoesNothing) {
    Given given;
    given.organization().facility(1).staff(11);
    ImportStaff command;
    command.lines = {person_line(2, "new@example.test"), person_line(3, "staff11@example.test", "+1 555")};
    command.dry_run = true;
    given.context.new_ids = {};
    auto const outcome = given.when(command);
    EXPECT_EQ(rows_of(outcome.result), "2 created, 3 updated 11");
    EXPECT_EQ(outcome.summary(), "nothing");
}

TEST(ImportShifts, AreMatchedByTheirExternalIds) {
    Given given;
    given.organization().facility(1);
    given.shift(21, 1, "2026-07-25", "08:00", "16:00").shift(22, 1, "2026-07-25", "08:00", "16:00");
    on_external(given, 21, "x-1");
    on_external(given, 22, "x-2").on_shift(22, events::ShiftCancelled{"rain"}).on_shift(22, events::ShiftDeleted{});
    ImportShifts command;
    command.lines = {shift_line(2, "x-1", "09:00", "16:00"), shift_line(3, "x-2", "08:00", "16:00"),
                     shift_line(4, "", "08:00", "16:00")};
    auto const outcome = given.when(command);
    EXPECT_EQ(rows_of(outcome.result), "2 updated 21, 3 created 102, 4 created 103") << "a deleted one is none";
    EXPECT_EQ(outcome.summary(), "shift.updated shift.posted shift.posted");
    command.lines[0].update.facilityId = 2;
    EXPECT_EQ(rows_of(given.when(command).result).substr(0, 38), "2 failed VALIDATION_ERROR facilityId, ");
    command.lacks_update = core::Problem{Code::forbidden, "The credential lacks the permission shifts.edit."};
    EXPECT_EQ(rows_of(given.when(command).result).substr(0, 20), "2 failed FORBIDDEN, ");
}

TEST(ImportShifts, OfSeveralItIsTheOneAtTheFacility) {
    Given given;
    given.organization().facility(1).facility(2);
    given.shift(21, 1, "2026-07-25", "08:00", "16:00").shift(22, 2, "2026-07-25", "08:00", "16:00");
    on_external(given, 21, "x-1");
    on_external(given, 22, "x-1");
    ImportShifts command;
    command.lines = {shift_line(2, "x-1", "09:00", "16:00")};
    EXPECT_EQ(rows_of(given.when(command).result), "2 updated 21");
    given.shift(23, 1, "2026-07-25", "08:00", "16:00");
    on_external(given, 23, "x-1");
    auto const result = given.when(command).result;
    EXPECT_EQ(rows_of(result), "2 failed DUPLICATE_RESOURCE");
    EXPECT_EQ(result->imported.at(0).errors.at(0).message, "3 shifts have the externalId: 21, 22, 23.");
    // A caller who sees one of them alone means that one.
    given.context.facilities = {2};
    command.lines[0].create.facilityId = 2;
    command.lines[0].update.facilityId = 2;
    EXPECT_EQ(rows_of(given.when(command).result), "2 updated 22");
}

/// The person of both shifts would be at two places at once, though each of the moves alone is fine.
TEST(ImportShifts, MovesOfOneFileSeeOneAnother) {
    Given given;
    given.organization().facility(1).staff(11);
    given.shift(21, 1, "2026-07-25", "08:00", "10:00", 1, {11}).shift(22, 1, "2026-07-25", "20:00", "22:00", 1, {11});
    on_external(given, 21, "x-1");
    on_external(given, 22, "x-2");
    ImportShifts command;
    command.lines = {shift_line(2, "x-1", "14:00", "16:00"), shift_line(3, "x-2", "15:00", "17:00")};
    EXPECT_EQ(rows_of(given.when(command).result), "2 updated 21, 3 failed STAFF_DOUBLE_BOOKED");
    command.dry_run = true;
    EXPECT_EQ(rows_of(given.when(command).result), "2 updated 21, 3 failed STAFF_DOUBLE_BOOKED");
    command.dry_run = false;
    // Where one leaves, another may come.
    command.lines = {shift_line(2, "x-1", "14:00", "16:00"), shift_line(3, "x-2", "08:00", "10:00")};
    EXPECT_EQ(rows_of(given.when(command).result), "2 updated 21, 3 updated 22");
}

}  // namespace
}  // namespace workforce::tests
