// Shift templates as queries see them.
#pragma once

#include "core/bool_or_any.hpp"
#include "events/shift_template.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

struct ShiftTemplateFilter : ListFilter {
    std::optional<core::BoolOrAny> isActive = core::BoolOrAny{true};
};
BOOST_DESCRIBE_STRUCT(ShiftTemplateFilter, (ListFilter), (isActive))

using ShiftTemplateRows = ReadModel<events::ShiftTemplateRecord, ShiftTemplateFilter>;

/// read.shift_template. A facility sees its own.
ShiftTemplateRows const& shift_templates();

}  // namespace workforce::projections
