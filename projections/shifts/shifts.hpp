// Shifts and their assignments as queries see them.
#pragma once

#include "events/shift.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of shifts is narrowed to (domain 3.4).
struct ShiftFilter : ListFilter {
    std::optional<std::vector<events::ShiftStatus>> status{};
    std::optional<core::Date> from{};  ///< first date, inclusive, as the facility's calendar has it
    std::optional<core::Date> to{};    ///< last date, inclusive
    std::optional<std::vector<events::Urgency>> urgency{};
    std::optional<core::ShortText> specialty{};   ///< equal but for case
    std::optional<core::ShortText> department{};  ///< equal but for case
    std::optional<Id> staffId{};                  ///< assigned to that person
    std::optional<bool> open{};                   ///< true: open and not ended
    std::optional<Id> templateId{};               ///< made by that template
};
BOOST_DESCRIBE_STRUCT(ShiftFilter, (ListFilter),
                      (status, from, to, urgency, specialty, department, staffId, open, templateId))

using ShiftRows = ReadModel<events::ShiftRecord, ShiftFilter>;

/// read.shift. Deleted shifts are there for nobody. A person's own are those that they are assigned to, those that were
/// cancelled while they were, and each open one where they work.
ShiftRows const& shifts();

/// Finds a shift's assignments, a JSON array in the order made, as find_document() takes it.
ScopedStatement const& assignments_by_shift();

}  // namespace workforce::projections
