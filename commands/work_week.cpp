// Overtime and pay.
#include "commands/work_week.hpp"

#include <algorithm>
#include <tuple>

#include "events/shift.hpp"
#include "events/staff.hpp"

namespace workforce::commands {
namespace {

using events::TimesheetRecord;
using events::TimesheetStatus;

constexpr std::int64_t kWorkMinuteMs = 60'000;
constexpr std::int64_t kDayOfWeekMs = 24 * 60 * kWorkMinuteMs;
/// No zone is further from UTC.
constexpr std::int64_t kFurthestZoneMs = 15 * 60 * kWorkMinuteMs;

bool counts(TimesheetStatus status) {
    return status == TimesheetStatus::submitted || status == TimesheetStatus::approved ||
           status == TimesheetStatus::paid;
}
bool is_frozen(TimesheetStatus status) {
    return status == TimesheetStatus::approved || status == TimesheetStatus::paid;
}

/// All entries that may be of the week, whatever the zone of their facility.
std::vector<IndexEntry> entries_of_week(View const& view, Id staff, core::Date monday) {
    auto const begins = monday.days * kDayOfWeekMs;
    return view.overlapping<events::WorkOfPerson>({begins - kFurthestZoneMs},
                                                  {begins + 7 * kDayOfWeekMs + kFurthestZoneMs}, staff);
}

std::vector<Id> ids_of(std::vector<IndexEntry> const& entries) {
    std::vector<Id> ids;
    for (auto const& entry : entries) ids.push_back(entry.id);
    return ids;
}

}  // namespace

core::Date monday_of(core::Date date) {
    auto const since = (date.days + 3) % 7;  // day 0 was a Thursday
    return {date.days - (since < 0 ? since + 7 : since)};
}

std::int64_t worked_minutes(events::TimesheetTime const& time) {
    if (!time.clockOut.value) return 0;
    auto span = time.clockOut.value->ms - time.clockIn.ms;
    for (auto const& each : time.breaks) {
        if (!each.paid) span -= each.end.ms - each.start.ms;
    }
    return span / kWorkMinuteMs;
}

events::Amount gross_of(core::Rate rate, std::int64_t minutes, std::int64_t overtime, core::Decimal<1, 10> multiplier) {
    constexpr std::int64_t kWhole = 100 * 60;  // hundredths of the multiplier, minutes of an hour
    auto const weighted = (minutes - overtime) * 100 + overtime * multiplier.hundredths;
    return {(rate.hundredths * weighted + kWhole / 2) / kWhole};
}

WorkWeek::WorkWeek(View const& view, Id staff, core::Date monday) : view_(view), monday_(monday) {
    auto const ids = ids_of(entries_of_week(view, staff, monday));
    Requirements(view).rows<TimesheetRecord>(ids).require();
    std::vector<Id> shifts;
    for (Id const id : ids) {
        auto const& log = *view.get<TimesheetRecord>(id);
        if (!counts(log.status) || monday_of(log.date) != monday) continue;
        if (log.shiftId.value) shifts.push_back(*log.shiftId.value);
        logs_.emplace(id, log);
    }
    Requirements(view).rows<events::ShiftRecord>(shifts).rows<events::StaffRecord>(std::array{staff}).require();
    std::ignore = view.organization();  // whose rules of overtime hold
}

void WorkWeek::put(TimesheetRecord log) {
    auto const id = log.id;
    if (counts(log.status) && monday_of(log.date) == monday_) {
        logs_.insert_or_assign(id, std::move(log));
    } else {
        logs_.erase(id);
    }
}

std::int64_t WorkWeek::overtime_of(Id id) const {
    std::vector<TimesheetRecord const*> free;
    auto rest = -view_.organization().settings.overtimeWeeklyMinutes.value;
    for (auto const& [each, log] : logs_) rest += log.workedMinutes;
    for (auto const& [each, log] : logs_) {
        if (is_frozen(log.status)) {
            rest -= log.overtimeMinutes;
        } else {
            free.push_back(&log);
        }
    }
    std::ranges::sort(
        free, [](auto const* a, auto const* b) { return std::tie(a->clockIn, a->id) > std::tie(b->clockIn, b->id); });
    for (auto const* log : free) {
        auto const overtime = std::clamp<std::int64_t>(rest, 0, log->workedMinutes);
        if (log->id == id) return overtime;
        rest -= overtime;
    }
    return 0;
}

core::Rate WorkWeek::rate_of(TimesheetRecord const& log) const {
    if (log.shiftId.value) {
        auto const* shift = view_.get<events::ShiftRecord>(*log.shiftId.value);
        if (shift && shift->shift.rate.hundredths > 0) return shift->shift.rate;
    }
    auto const* person = view_.get<events::StaffRecord>(log.staffId);
    return person ? person->hourlyRate : core::Rate{};
}

events::TimesheetPay WorkWeek::pay_of(TimesheetRecord const& log) const {
    if (is_frozen(log.status)) return log;
    auto const overtime = overtime_of(log.id);
    auto const rate = rate_of(log);
    return {overtime, rate,
            gross_of(rate, log.workedMinutes, overtime, view_.organization().settings.overtimeMultiplier)};
}

void WorkWeek::add_changes(Id told, std::vector<NewEvent>& events) const {
    for (auto const& [id, log] : logs_) {
        if (id == told || is_frozen(log.status)) continue;
        auto const pay = pay_of(log);
        if (pay.overtimeMinutes == log.overtimeMinutes && pay.rate == log.rate && pay.grossAmount == log.grossAmount) {
            continue;
        }
        events.push_back({{events::Kind::timesheet, id},
                          log.facilityId,
                          events::TimesheetEvent(events::TimesheetRecalculated{{pay}})});
    }
}

Requirements& require_week(Requirements& required, View const& view, Id staff, core::Date monday) {
    return required.ask([&] { std::ignore = WorkWeek(view, staff, monday); });
}

}  // namespace workforce::commands
