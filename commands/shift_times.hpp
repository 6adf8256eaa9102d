// When a shift is on the world's clock.
#pragma once

#include <tl/expected.hpp>

#include <string>

#include "core/json.hpp"
#include "events/shift.hpp"

namespace workforce::commands {

/// The span of wall-clock times in a zone. Errors: equal times, and times that a change of the clocks turns round (a
/// start that it skips) or stretches past 24 hours, which no booking may be.
tl::expected<events::ShiftSpan, core::FieldError> span_of(core::Date date, core::TimeOfDay start, core::TimeOfDay end,
                                                          std::string const& zone);

}  // namespace workforce::commands
