// Wall-clock times as moments.
#include "commands/shift_times.hpp"

#include <utility>

namespace workforce::commands {
namespace {

constexpr std::int64_t kMaxSpanMs = 24 * 3'600'000LL;

}  // namespace

tl::expected<events::ShiftSpan, core::FieldError> span_of(core::Date date, core::TimeOfDay start, core::TimeOfDay end,
                                                          std::string const& zone) {
    auto const fault = [](std::string rule, std::string message) {
        return tl::unexpected(core::FieldError{"endTime", std::move(rule), std::move(message)});
    };
    if (start == end) return fault("order", "must differ from startTime");
    core::Date const last{end < start ? date.days + 1 : date.days};
    events::ShiftSpan span{zone, core::to_utc(date, start, zone), core::to_utc(last, end, zone)};
    if (span.endsAt <= span.startsAt) return fault("order", "is not after startTime on that day's clocks");
    if (span.endsAt.ms - span.startsAt.ms > kMaxSpanMs) return fault("range", "makes it longer than 24 hours");
    return span;
}

}  // namespace workforce::commands
