// Rules of shift templates (decision 144).
#include "commands/shift_template.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/facility.hpp"
#include "commands/shift.hpp"
#include "core/faults.hpp"

namespace workforce::commands {
namespace {

using events::ShiftTemplate;
using events::ShiftTemplateRecord;

constexpr std::string_view kTemplate = "shift template";
constexpr Timestamp kBeforeShifts{};  // of which none is before 2000

NewEvent template_event(Id id, Id facility, events::ShiftTemplateEvent event) {
    return {{events::Kind::shift_template, id}, facility, std::move(event)};
}

/// The template that a command is about, where the caller reaches its facility. Errors: NOT_FOUND.
Result<ShiftTemplateRecord const*> find_template(View const& view, Id id, Context const& context) {
    auto const* record = view.get<ShiftTemplateRecord>(id);
    if (!record || record->deleted || !context.reaches(record->facilityId)) return not_found(kTemplate, id);
    return record;
}

/// The days of the pattern from one to another, both included.
std::vector<core::Date> days_of(ShiftTemplate const& pattern, core::Date from, core::Date to) {
    std::vector<core::Date> days;
    for (auto day = from; day <= to; ++day.days) {
        auto const is_that = [weekday = events::weekday_of(day)](auto const& each) { return each.value == weekday; };
        if (std::ranges::any_of(pattern.weekdays, is_that)) days.push_back(day);
    }
    return days;
}

/// Those of them for which the template has made no shift.
std::vector<core::Date> days_without_shift(View const& view, ShiftTemplate const& pattern,
                                           std::vector<core::Date> const& days) {
    std::vector<core::Date> lacking;
    Requirements required(view);
    for (auto const day : days) {
        required.ask([&] {
            if (view.ending_after<events::ShiftsOfTemplate>(kBeforeShifts, pattern.id, day).empty())
                lacking.push_back(day);
        });
    }
    required.require();
    return lacking;
}

events::ShiftDetails shift_on(core::Date day, ShiftTemplate const& pattern) {
    return {.facilityId = pattern.facilityId,
            .title = pattern.title,
            .date = day,
            .startTime = pattern.startTime,
            .endTime = pattern.endTime,
            .department = pattern.department,
            .specialty = pattern.specialty,
            .requiredWorkers = pattern.requiredWorkers,
            .urgency = pattern.urgency,
            .rate = pattern.rate,
            .notes = pattern.notes,
            .breaks = pattern.breaks,
            .externalId = {}};
}

/// Errors: VALIDATION_ERROR where the answer with so many shifts by the pattern would not fit into a record of the log,
/// which keeps it for retries.
Result<void> require_room(ShiftTemplateRecord const& pattern, std::size_t days) {
    constexpr std::size_t kMostBytes = 1 << 20;
    constexpr std::size_t kBesides = 600;  // what a shift's JSON has and its template's has not
    core::JsonWriter quoted;               // as text within an event
    quoted.string(core::to_json(static_cast<ShiftTemplate const&>(pattern)));
    auto const most = kMostBytes / (quoted.text().size() + kBesides);
    if (days <= most) return {};
    return invalid_field("to", "size", fmt::format("must make it {} shifts at most, for their notes are long", most));
}

}  // namespace

Result<Decision> decide(View const& view, CreateShiftTemplate const& command, Context const& context) {
    auto const facility = facility_in_scope(view, command.facilityId, context);
    if (!facility) return tl::unexpected(facility.error());
    if (!(*facility)->isActive) return refuse_inactive(**facility, "create-shift-template");
    events::ShiftTemplateCreated created{command};
    std::ranges::sort(created.weekdays);
    return Decision{{template_event(context.new_ids.at(0), command.facilityId, std::move(created))}, {}};
}
ShiftTemplate answer(View const& view, CreateShiftTemplate const&, Decision const& decision) {
    return *view.get<ShiftTemplateRecord>(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, UpdateShiftTemplate const& command, Context const& context) {
    auto const found = find_template(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& record = **found;
    if (command.facilityId && *command.facilityId != record.facilityId) {
        return invalid_field("facilityId", "fixed", "can't be changed");
    }
    events::ShiftTemplateUpdated updated{command};
    if (updated.weekdays) std::ranges::sort(*updated.weekdays);
    bool const changed = events::keep_changed(static_cast<ShiftTemplate const&>(record),
                                              static_cast<events::ShiftTemplateChanges&>(updated));
    if (!changed) return Decision{};
    if (updated.startTime.value_or(record.startTime) == updated.endTime.value_or(record.endTime)) {
        return invalid_field("endTime", "order", "must differ from startTime");
    }
    return Decision{{template_event(command.id, record.facilityId, std::move(updated))}, {}};
}
ShiftTemplate answer(View const& view, UpdateShiftTemplate const& command, Decision const&) {
    return *view.get<ShiftTemplateRecord>(command.id);
}

Result<Decision> decide(View const& view, DeleteShiftTemplate const& command, Context const& context) {
    auto const found = find_template(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    return Decision{{template_event(command.id, (*found)->facilityId, events::ShiftTemplateDeleted{})}, {}};
}

void GenerateShifts::check(core::FieldCheck& fields) const {
    if (!fields.sound("from") || !fields.sound("to")) return;
    if (to < from) return fields.fail("to", "order", "must not be before from");
    if (to.days - from.days >= kMostTemplateDays) {
        fields.fail("to", "range", fmt::format("must make it {} days at most", kMostTemplateDays));
    }
    events::check_shift_day("from", from, fields);
    events::check_shift_day("to", to, fields);
}

Result<Decision> decide(View const& view, GenerateShifts const& command, Context const& context) {
    auto const found = find_template(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& pattern = **found;
    if (!pattern.isActive) {
        auto refused = invalid_transition(kTemplate, "inactive", "generate", {"update"});
        refused.value().suggestion = "Activate the template (PATCH isActive: true).";
        return refused;
    }
    auto const days = days_without_shift(view, pattern, days_of(pattern, command.from, command.to));
    if (auto fits = require_room(pattern, days.size()); !fits) return tl::unexpected(fits.error());
    Decision decision;
    std::vector<core::FieldError> faults;
    for (auto const day : days) {
        auto const id = context.new_ids.at(decision.events.size());
        auto posted = post_shift(view, shift_on(day, pattern), pattern.id, id, context);
        if (posted) {
            decision.events.push_back(*std::move(posted));
            continue;
        }
        if (posted.error().code != Code::validation_error) return tl::unexpected(std::move(posted.error()));
        for (auto& fault : core::fields_of(posted.error())) {
            fault.message += " on " + core::to_string(day);
            faults.push_back(std::move(fault));
        }
    }
    if (!faults.empty()) return tl::unexpected(core::validation_problem(faults));
    return decision;
}
GeneratedShifts answer(View const& view, GenerateShifts const& command, Decision const& decision) {
    GeneratedShifts generated;
    for (auto const& event : decision.events) {
        generated.data.push_back(view.get<events::ShiftRecord>(event.subject.id)->shift);
    }
    auto const& pattern = *view.get<ShiftTemplateRecord>(command.id);
    generated.created = std::ssize(generated.data);
    generated.existing = std::ssize(days_of(pattern, command.from, command.to)) - generated.created;
    return generated;
}

}  // namespace workforce::commands
