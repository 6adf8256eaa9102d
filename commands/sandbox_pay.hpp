// What people of the data set worked, and what they are paid.
#pragma once

#include "commands/sandbox_data_set.hpp"

namespace workforce::commands {

inline constexpr std::size_t kDataSetTimesheets = 9;
inline constexpr std::size_t kDataSetRuns = 2;
/// A timesheet that is submitted, and the shift that it is of.
inline constexpr std::size_t kSubmittedLog = 6;
inline constexpr std::size_t kShiftOfSubmittedLog = 9;
/// A shift whose timesheet is approved.
inline constexpr std::size_t kShiftOfApprovedLog = 10;

/// Adds the events that make timesheets, a run that was paid and a draft; those of people and shifts are there already.
/// The paid run is settled: nothing is left for a provider to do.
void add_pay(DataSetInput const& input, std::vector<NewEvent>& events);

}  // namespace workforce::commands
