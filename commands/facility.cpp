// Rules of facilities.
#include "commands/facility.hpp"

#include <algorithm>

#include "events/shift.hpp"

namespace workforce::commands {
namespace {

NewEvent facility_event(Id id, events::FacilityEvent event) {
    return {{events::Kind::facility, id}, id, std::move(event)};
}

/// Names and codes are compared as they stand; few facilities make a scan cheaper than an index.
std::optional<tl::unexpected<core::Problem>> taken(View const& view, std::string const* name, std::string const* code,
                                                   Id except, Context const& context) {
    for (auto const& [id, held] : view.all<events::Facility>()) {
        if (id == except) continue;
        bool const same_name = name && held.value.name.value == *name;
        bool const same_code = code && !code->empty() && held.value.code.value == *code;
        if (!same_name && !same_code) continue;
        std::string const field = same_name ? "name" : "code";
        return context.reaches(id) ? duplicate(field, id) : duplicate_unseen(field);
    }
    return std::nullopt;
}

Result<Decision> deactivate(View const& view, events::Facility const& facility, Context const& context) {
    if (!facility.isActive) return Decision{};
    if (auto const ahead = view.any_ending_after<events::ShiftsAhead>(context.now, facility.id)) {
        return refuse(Code::facility_in_use, "The facility has shifts ahead; cancel or move them first.",
                      R"({"shiftId":)" + std::to_string(*ahead) + "}");
    }
    return Decision{{facility_event(facility.id, events::FacilityDeactivated{})}, {}};
}

/// The facility when the caller may change it. A sandbox sees a row of its own, which follows the live one.
events::Facility const* changeable(View const& view, Id id, Context const& context) {
    return context.sandbox || !context.reaches(id) ? nullptr : view.get<events::Facility>(id);
}

}  // namespace

Result<events::Facility const*> facility_in_scope(View const& view, Id id, Context const& context) {
    auto const* facility = context.reaches(id) ? view.get<events::Facility>(id) : nullptr;
    if (facility) return facility;
    return refuse(Code::facility_scope_violation, "Facility " + std::to_string(id) + " is not among your facilities.");
}

tl::unexpected<core::Problem> refuse_inactive(events::Facility const& facility, std::string_view command) {
    auto refused = invalid_transition("facility", "inactive", command, {"reactivate"});
    refused.value().message = "Facility " + std::to_string(facility.id) + " is inactive.";
    refused.value().suggestion = "Reactivate the facility (PATCH isActive: true), or name another one.";
    return refused;
}

Result<Decision> decide(View const& view, CreateFacility const& command, Context const& context) {
    if (!context.facilities.empty()) {
        return refuse(Code::facility_scope_violation, "A credential that is bound to facilities can't create others.");
    }
    if (context.sandbox) {
        return refuse(Code::forbidden, "The sandbox shows the live facilities and has none of its own.", {},
                      "Create the facility with a live credential.");
    }
    if (auto conflict = taken(view, &command.name.value, &command.code.value, 0, context)) return *conflict;
    events::FacilityCreated created{{command}};
    if (created.timezone.value.empty()) created.timezone = view.organization().timezone;
    return Decision{{facility_event(context.new_ids.at(0), std::move(created))}, {}};
}
events::Facility answer(View const& view, CreateFacility const&, Decision const& decision) {
    return *view.get<events::Facility>(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, UpdateFacility const& command, Context const& context) {
    auto const* facility = changeable(view, command.id, context);
    if (!facility) return not_found("facility", command.id);
    events::FacilityUpdated updated{{command}};
    Decision decision;
    if (events::keep_changed(*facility, static_cast<events::FacilityChanges&>(updated))) {
        if (auto conflict = taken(view, updated.name ? &updated.name->value : nullptr,
                                  updated.code ? &updated.code->value : nullptr, command.id, context)) {
            return *conflict;
        }
        decision.events.push_back(facility_event(command.id, std::move(updated)));
    }
    if (command.isActive && *command.isActive && !facility->isActive) {
        decision.events.push_back(facility_event(command.id, events::FacilityReactivated{}));
    } else if (command.isActive && !*command.isActive) {
        auto ended = deactivate(view, *facility, context);
        if (!ended) return ended;
        std::move(ended->events.begin(), ended->events.end(), std::back_inserter(decision.events));
    }
    return decision;
}
events::Facility answer(View const& view, UpdateFacility const& command, Decision const&) {
    return *view.get<events::Facility>(command.id);
}

Result<Decision> decide(View const& view, DeactivateFacility const& command, Context const& context) {
    auto const* facility = changeable(view, command.id, context);
    if (!facility) return not_found("facility", command.id);
    return deactivate(view, *facility, context);
}
events::Facility answer(View const& view, DeactivateFacility const& command, Decision const&) {
    return *view.get<events::Facility>(command.id);
}

}  // namespace workforce::commands
