// Commands on shift templates. Who is bound to facilities sees and changes templates of these.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/shift_template.hpp"

namespace workforce::commands {

/// POST /api/shift-templates. Errors: FACILITY_SCOPE_VIOLATION; INVALID_STATE_TRANSITION of a facility that is not
/// active.
struct CreateShiftTemplate : events::ShiftTemplateDetails {
    using Answer = events::ShiftTemplate;
};
BOOST_DESCRIBE_STRUCT(CreateShiftTemplate, (events::ShiftTemplateDetails), ())
Result<Decision> decide(View const& view, CreateShiftTemplate const& command, Context const& context);
events::ShiftTemplate answer(View const& view, CreateShiftTemplate const& command, Decision const& decision);

/// PUT or PATCH /api/shift-templates/{id}. Shifts that it made stay as they are. Errors: NOT_FOUND; VALIDATION_ERROR
/// of another facility, and of an end that is the start then.
struct UpdateShiftTemplate : events::ShiftTemplateChanges {
    using Answer = events::ShiftTemplate;
    Id id = 0;
    std::optional<Id> facilityId;  ///< fixed after create: only its present value is taken
};
BOOST_DESCRIBE_STRUCT(UpdateShiftTemplate, (events::ShiftTemplateChanges), (facilityId))
Result<Decision> decide(View const& view, UpdateShiftTemplate const& command, Context const& context);
events::ShiftTemplate answer(View const& view, UpdateShiftTemplate const& command, Decision const& decision);

/// DELETE /api/shift-templates/{id}. For good: NOT_FOUND from then on. Shifts that it made stay.
struct DeleteShiftTemplate {
    using Answer = Nothing;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(DeleteShiftTemplate, (), ())
Result<Decision> decide(View const& view, DeleteShiftTemplate const& command, Context const& context);

/// The shifts that a template made over some days.
struct GeneratedShifts {
    std::vector<events::Shift> data;
    std::int64_t created = 0;   ///< days that got a shift
    std::int64_t existing = 0;  ///< days of the pattern that the template had made one for before
};
BOOST_DESCRIBE_STRUCT(GeneratedShifts, (), (data, created, existing))

/// From its first to its last day a request has no more.
inline constexpr std::int32_t kMostTemplateDays = 92;

/// POST /api/shift-templates/{id}/generate: a shift for each day of the pattern, both ends included, that the template
/// has made none for; all of them or none. One that was deleted or moved since stays so. The context has a new id for
/// each day. Errors: NOT_FOUND; INVALID_STATE_TRANSITION of a template, or a facility, that is not active;
/// VALIDATION_ERROR of times that a day's clocks turn round, naming each such day.
struct GenerateShifts {
    using Answer = GeneratedShifts;
    Id id = 0;
    core::Date from;
    core::Date to;

    static constexpr std::array<std::string_view, 2> kRequired{"from", "to"};
    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(GenerateShifts, (), (from, to))
Result<Decision> decide(View const& view, GenerateShifts const& command, Context const& context);
GeneratedShifts answer(View const& view, GenerateShifts const& command, Decision const& decision);

}  // namespace workforce::commands
