// What work is worth: the overtime of an ISO week, and what a log of it earns (domain 15 and 16, time and pay).
#pragma once

#include <map>
#include <vector>

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/timesheet.hpp"

namespace workforce::commands {

/// The Monday on or before the date.
core::Date monday_of(core::Date date);

/// Whole minutes of the span that are not in unpaid breaks; 0 while the log is open.
std::int64_t worked_minutes(events::TimesheetTime const& time);

/// Rate × (regular + overtime × multiplier), half up to the cent. `minutes` includes `overtime`.
events::Amount gross_of(core::Rate rate, std::int64_t minutes, std::int64_t overtime, core::Decimal<1, 10> multiplier);

/// The logs of a person in an ISO week that count for overtime (submitted, approved and paid ones), as a decision
/// leaves them. What is approved or paid keeps its overtime; the rest of the week's falls to the others, the latest
/// first.
class WorkWeek {
   public:
    /// Throws NotResident.
    WorkWeek(View const& view, Id staff, core::Date monday);

    /// The log as the decision leaves it; it counts as its status says.
    void put(events::TimesheetRecord log);
    /// What the log is worth now. Of one that does not count for overtime: its time at its rate.
    [[nodiscard]] events::TimesheetPay pay_of(events::TimesheetRecord const& log) const;
    /// Adds the events that tell of logs whose worth changed, but of `told`, whose own event tells it.
    void add_changes(Id told, std::vector<NewEvent>& events) const;

   private:
    [[nodiscard]] std::int64_t overtime_of(Id id) const;
    [[nodiscard]] core::Rate rate_of(events::TimesheetRecord const& log) const;

    View const& view_;
    core::Date monday_;
    std::map<Id, events::TimesheetRecord> logs_;
};

/// What deciding on the week of a log looks at; to be asked of many persons at once.
Requirements& require_week(Requirements& required, View const& view, Id staff, core::Date monday);

}  // namespace workforce::commands
