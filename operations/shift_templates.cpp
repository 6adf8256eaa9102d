// Weekly patterns that shifts are made by.
#include "commands/shift_template.hpp"

#include "operations/declare.hpp"
#include "operations/words/words.hpp"
#include "projections/shift_templates/shift_templates.hpp"

namespace workforce::operations {
namespace {

using events::Kind;

/// As run_command(), with an id for each day that may get a shift.
boost::asio::awaitable<Outcome> generate_shifts(Call& call) {
    auto command = read_command<commands::GenerateShifts>(call);
    std::size_t const days = command ? static_cast<std::size_t>(command->to.days - command->from.days + 1) : 0;
    auto submission = submission_of(call, std::move(command));
    if (days > 0) submission.context.new_ids = co_await call.services.processor.ids().take(Kind::shift, days);
    co_return co_await submit(call, std::move(submission), 0);
}

/// It answers with shifts, and so with no version.
Operation generation() {
    auto row = command<commands::GenerateShifts>("shift_templates.generate", "Make shifts by a template");
    row.description =
        "Posts a shift for each day of the template's pattern in that time which it has made none for: all of them or "
        "none, without people. Returns what was posted. Asked again it posts nothing: a shift that was deleted or "
        "moved "
        "since stays so. Refused for a template that is not active. Subscribers hear of each shift as shift_posted.";
    row.versioned = false;
    row.handler = generate_shifts;
    return row;
}

}  // namespace

std::vector<Operation> shift_template_operations() {
    using enum net::Method;
    using projections::shift_templates;
    return {
        list<shift_templates>("shift_templates.list", "List shift templates")
            .says("Returns a page of shift templates, the oldest first. q looks at title, department and specialty.")
            .needs("scheduling.view")
            .at(get, "/api/shift-templates"),
        one<shift_templates>("shift_templates.get", "Read a shift template")
            .says("Returns one shift template: its days of the week, and what the shifts of these days are like.")
            .needs("scheduling.view")
            .at(get, "/api/shift-templates/{id:int}"),
        command<commands::CreateShiftTemplate>("shift_templates.create", "Add a shift template")
            .says(
                "Adds a weekly pattern of shifts and returns it. It makes no shifts: {shift_templates.generate} does.")
            .needs("scheduling.edit")
            .creates(Kind::shift_template)
            .at(post, "/api/shift-templates"),
        command<commands::UpdateShiftTemplate>("shift_templates.update", "Change a shift template")
            .says("Changes the fields that are given; others stay. Shifts that it made stay as they are.")
            .needs("scheduling.edit")
            .on(Kind::shift_template)
            .at(patch, "/api/shift-templates/{id:int}")
            .also_put("shift_templates.put"),
        command<commands::DeleteShiftTemplate>("shift_templates.delete", "Delete a shift template")
            .says("Deletes a template for good: from then on nobody finds it. Shifts that it made stay.")
            .needs("scheduling.edit")
            .on(Kind::shift_template)
            .destroys()
            .at(del, "/api/shift-templates/{id:int}"),
        generation()
            .needs("scheduling.edit")
            .on(Kind::shift_template)
            .at(post, "/api/shift-templates/{id:int}/generate"),
    };
}

std::vector<StructWords> shift_template_words() {
    return {
        {{"shift-templates/"}, {{"id", "The template's id, from {shift_templates.list}"}}},
        {{"ShiftTemplateDetails"},
         {{"facilityId", "Where its shifts are worked, an id from {facilities.list}; fixed"}}},
        {{"UpdateShiftTemplate"}, {{"facilityId", "Where its shifts are worked already; refused where it is another"}}},
        {{"ShiftTemplateDetails", "ShiftTemplateChanges"},
         {{"title", "What people call its shifts, and it"},
          {"weekdays", "Days of the week that have a shift, each once; 1 is Monday"},
          {"startTime", "Start of each shift, wall clock at the facility"},
          {"endTime", "End of each; not after startTime: next day"},
          {"department", "Department of the facility"},
          {"specialty", "What people have to work as; empty: anything"},
          {"notes", "What the people on its shifts should know"},
          {"breaks", "Breaks within each shift"}}},
        {{"ShiftTemplateDetails"},
         {{"requiredWorkers", "How many people each shift takes; 1 by default"},
          {"urgency", "How pressing its shifts are; medium by default"},
          {"rate", "Pay per hour; 0 (the default): each person's own hourlyRate"},
          {"isActive", "Whether it makes shifts; true by default"}}},
        {{"ShiftTemplateChanges"},
         {{"requiredWorkers", "How many people each shift takes"},
          {"urgency", "How pressing its shifts are"},
          {"rate", "Pay per hour; 0: each person's own hourlyRate"},
          {"isActive", "Whether it makes shifts"}}},
        {{"ShiftTemplateFilter"}, {{"isActive", "true (the default): active ones; false: the others; any: both"}}},
        {{"GenerateShifts"},
         {{"from", "First day, as the facility's calendar has it; 2000 to 2100"},
          {"to", "Last day, included; at most 92 days in all"}}},
        {{"GeneratedShifts"},
         {{"data", "The shifts that were made, the earliest first"},
          {"created", "How many these are"},
          {"existing", "Days of the pattern that the template had made a shift for before"}}},
    };
}

}  // namespace workforce::operations
