// Rules of staff.
#include "commands/staff.hpp"

#include <algorithm>

#include "commands/facility.hpp"
#include "commands/shift_staffing.hpp"

namespace workforce::commands {
namespace {

NewEvent event_of(Id id, events::StaffEvent event) { return {{events::Kind::staff, id}, 0, std::move(event)}; }

/// What is wrong between the fields of a work history: what each field alone can't tell.
std::vector<core::FieldError> check_history(std::vector<events::WorkHistoryItem> const& items) {
    std::vector<core::FieldError> errors;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].endDate && *items[i].endDate < items[i].startDate) {
            errors.push_back(
                {"workHistory[" + std::to_string(i) + "].endDate", "order", "must not be before startDate"});
        }
    }
    return errors;
}

std::optional<tl::unexpected<core::Problem>> check_facilities(View const& view, std::vector<Id> const& facilities,
                                                              Context const& context) {
    for (Id const id : facilities) {
        if (auto facility = facility_in_scope(view, id, context); !facility) return tl::unexpected(facility.error());
    }
    return std::nullopt;
}

/// What `after` has and `before` has not.
std::vector<Id> added_to(std::vector<Id> const& before, std::vector<Id> const& after) {
    std::vector<Id> added;
    std::copy_if(after.begin(), after.end(), std::back_inserter(added),
                 [&](Id id) { return std::find(before.begin(), before.end(), id) == before.end(); });
    return added;
}

events::Staff const* visible(View const& view, Id id, Context const& context) {
    auto const* staff = view.staff(id);
    return staff && in_scope(*staff, context) ? staff : nullptr;
}

Result<Decision> deactivate(View const& view, events::Staff const& staff, bool force, Context const& context) {
    if (!staff.isActive) return Decision{};
    Decision decision;
    for (auto const* shift : shifts_ahead(view, staff.id, context.now)) {
        if (!force) {
            return refuse(Code::staff_has_future_shifts,
                          "The staff member is assigned to shifts ahead; pass force=true to remove them.",
                          R"({"shiftId":)" + std::to_string(shift->id) + "}");
        }
        take_off(*shift, staff.id, decision.events);
    }
    decision.events.push_back(event_of(staff.id, events::StaffDeactivated{}));
    return decision;
}

}  // namespace

bool in_scope(events::Staff const& staff, Context const& context) {
    return context.facilities.empty() || staff.facilityIds.empty() ||
           std::any_of(staff.facilityIds.begin(), staff.facilityIds.end(), [&](Id id) { return context.reaches(id); });
}

Result<Decision> decide(View const& view, CreateStaff const& command, Context const& context) {
    if (auto errors = check_history(command.workHistory.value); !errors.empty()) {
        return tl::unexpected(core::validation_problem(errors));
    }
    if (auto fault = check_facilities(view, command.facilityIds, context)) return *fault;
    if (auto existing = view.staff_by_email(command.email.value.value)) return duplicate("email", *existing);
    events::StaffOnboarded onboarded{{command}};
    if (onboarded.facilityIds.empty()) onboarded.facilityIds = context.facilities;
    return Decision{{event_of(context.new_ids.at(0), std::move(onboarded))}, {}};
}
events::Staff answer(View const& view, CreateStaff const&, Decision const& decision) {
    return *view.staff(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, UpdateStaff const& command, Context const& context) {
    auto const* staff = visible(view, command.id, context);
    if (!staff) return not_found("staff member", command.id);
    if (command.workHistory) {
        if (auto errors = check_history(command.workHistory->value); !errors.empty()) {
            return tl::unexpected(core::validation_problem(errors));
        }
    }
    if (command.facilityIds) {
        bool const widened = command.facilityIds->empty() && !staff->facilityIds.empty();
        if (widened && !context.facilities.empty()) {
            return refuse(Code::facility_scope_violation, "No facilities means all of them, which is outside yours.");
        }
        if (auto fault = check_facilities(view, added_to(staff->facilityIds, *command.facilityIds), context))
            return *fault;
    }
    Decision decision;
    events::StaffUpdated updated{{command}};
    if (events::keep_changed(*staff, static_cast<events::StaffChanges&>(updated))) {
        auto const existing = updated.email ? view.staff_by_email(updated.email->value.value) : std::nullopt;
        if (existing && *existing != command.id) return duplicate("email", *existing);
        decision.events.push_back(event_of(command.id, std::move(updated)));
    }
    if (command.isActive && *command.isActive && !staff->isActive) {
        decision.events.push_back(event_of(command.id, events::StaffReactivated{}));
    } else if (command.isActive && !*command.isActive) {
        auto ended = deactivate(view, *staff, false, context);
        if (!ended) return ended;
        std::move(ended->events.begin(), ended->events.end(), std::back_inserter(decision.events));
    }
    return decision;
}
events::Staff answer(View const& view, UpdateStaff const& command, Decision const&) { return *view.staff(command.id); }

Result<Decision> decide(View const& view, DeactivateStaff const& command, Context const& context) {
    auto const* staff = visible(view, command.id, context);
    if (!staff) return not_found("staff member", command.id);
    return deactivate(view, *staff, command.force.value_or(false), context);
}
events::Staff answer(View const& view, DeactivateStaff const& command, Decision const&) {
    return *view.staff(command.id);
}

Result<Decision> decide(View const& view, ReactivateStaff const& command, Context const& context) {
    auto const* staff = visible(view, command.id, context);
    if (!staff) return not_found("staff member", command.id);
    if (staff->isActive) return Decision{};
    return Decision{{event_of(command.id, events::StaffReactivated{})}, {}};
}
events::Staff answer(View const& view, ReactivateStaff const& command, Decision const&) {
    return *view.staff(command.id);
}

}  // namespace workforce::commands
