// Imports: many rows of a file in one command, each decided as the POST or PATCH of one resource would be.
#pragma once

#include <string>

#include "commands/shift.hpp"
#include "commands/staff.hpp"

namespace workforce::commands {

/// A row, read as both of the commands that may come of it.
template <class Create, class Update>
struct ImportLine {
    std::int64_t line = 0;               ///< of the file, from 1
    std::optional<core::Problem> fault;  ///< why it is no row that could be decided
    std::string key;                     ///< what it is matched by; empty: nothing, so that it can only be made
    Create create{};
    std::optional<core::Problem> create_fault;  ///< why it is no such command
    Update update{};
    std::optional<core::Problem> update_fault;
};

/// The outcome of each line of a command, in their order.
struct ImportedRows {
    std::vector<ImportedRow> rows;
};
BOOST_DESCRIBE_STRUCT(ImportedRows, (), (rows))

/// The members of all imports. No two lines have the same key.
template <class Create, class Update>
struct ImportLines {
    using Answer = ImportedRows;
    using Line = ImportLine<Create, Update>;

    std::vector<Line> lines;
    std::optional<Id> facilityId;               ///< the one of rows that name none
    std::optional<core::Problem> lacks_update;  ///< why the caller may change nothing; nothing: they may
    bool dry_run = false;                       ///< nothing is appended, and no ids are needed
};

/// POST /api/staff/import. Rows are matched by their e-mail addresses; `facilityId` is where those work who are made.
/// The context has a new id for each line. Errors: FACILITY_SCOPE_VIOLATION for `facilityId`.
struct ImportStaff : ImportLines<CreateStaff, UpdateStaff> {};
Result<Decision> decide(View const& view, ImportStaff const& command, Context const& context);
ImportedRows answer(View const& view, ImportStaff const& command, Decision const& decision);

/// POST /api/shifts/import. Rows are matched by `externalId`, among the shifts that the caller sees: of several it is
/// the one at the row's facility, which is in both of a line's commands.
struct ImportShifts : ImportLines<CreateShift, UpdateShift> {};
Result<Decision> decide(View const& view, ImportShifts const& command, Context const& context);
ImportedRows answer(View const& view, ImportShifts const& command, Decision const& decision);

}  // namespace workforce::commands
