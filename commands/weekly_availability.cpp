// Minutes of a week, and what is said of them.
#include "commands/weekly_availability.hpp"

#include <algorithm>
#include <utility>

#include "commands/staff.hpp"
#include "commands/work_week.hpp"
#include "core/local_time.hpp"

namespace workforce::commands {
namespace {

constexpr std::int64_t kDayMinutes = 24 * 60;
constexpr std::int64_t kWeekMinutes = 7 * kDayMinutes;

/// From one minute to another, counted from a Monday's midnight.
using Minutes = std::pair<std::int64_t, std::int64_t>;

/// The blocks of that week, of the one before and of the one after, the earliest first.
std::vector<Minutes> around(std::span<events::AvailabilityBlock const> blocks) {
    std::vector<Minutes> all;
    for (auto const& block : blocks) {
        bool const overnight = block.to <= block.from;
        auto const from = (block.weekday.value - 1) * kDayMinutes + block.from.minutes;
        auto const length = block.to.minutes - block.from.minutes + (overnight ? kDayMinutes : 0);
        for (auto const week : {-kWeekMinutes, std::int64_t{0}, kWeekMinutes})
            all.emplace_back(week + from, week + from + length);
    }
    std::ranges::sort(all);
    return all;
}

}  // namespace

std::int64_t minutes_outside(events::ShiftSpan const& shift, std::span<events::AvailabilityBlock const> blocks) {
    if (blocks.empty()) return 0;
    auto const starts = core::local_time(shift.startsAt, shift.timezone);
    auto const ends = core::local_time(shift.endsAt, shift.timezone);
    auto const monday = monday_of(starts.date);
    auto const minute = [&](core::LocalTime const& reading) {
        return (reading.date.days - monday.days) * kDayMinutes + reading.time.minutes;
    };
    auto at = minute(starts);
    auto const end = minute(ends);
    std::int64_t outside = 0;
    for (auto const& [from, to] : around(blocks)) {
        if (from >= end) break;
        if (to <= at) continue;
        outside += std::max<std::int64_t>(from - at, 0);
        at = to;
    }
    return outside + std::max<std::int64_t>(end - at, 0);
}

Result<Decision> decide(View const& view, SetAvailability const& command, Context const& context) {
    auto const* person = reached_person(view, command.id, context);
    if (!person) return not_found("staff member", command.id);
    if (command.blocks == person->internals.availability.blocks) return Decision{};
    return Decision{
        {{{events::Kind::staff, command.id}, 0, events::StaffEvent(events::StaffAvailabilitySet{command.blocks})}}, {}};
}
Availability answer(View const& view, SetAvailability const& command, Decision const&) {
    return {{command.id}, view.get<events::StaffRecord>(command.id)->internals.availability};
}

}  // namespace workforce::commands
