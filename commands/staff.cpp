// Rules of staff.
#include "commands/staff.hpp"

#include <algorithm>

#include "commands/facility.hpp"
#include "commands/shift_staffing.hpp"

namespace workforce::commands {
namespace {

NewEvent staff_event(Id id, events::StaffEvent event) { return {{events::Kind::staff, id}, 0, std::move(event)}; }

std::optional<tl::unexpected<core::Problem>> check_facilities(View const& view, std::vector<Id> const& facilities,
                                                              Context const& context) {
    for (Id const id : facilities) {
        if (auto facility = facility_in_scope(view, id, context); !facility) return tl::unexpected(facility.error());
    }
    return std::nullopt;
}

/// What `some` has and `others` has not.
std::vector<Id> without(std::vector<Id> const& some, std::vector<Id> const& others) {
    std::vector<Id> rest;
    std::copy_if(some.begin(), some.end(), std::back_inserter(rest),
                 [&](Id id) { return std::find(others.begin(), others.end(), id) == others.end(); });
    return rest;
}

/// Whether the caller may give the person these facilities, which say who else has a claim on the person.
std::optional<tl::unexpected<core::Problem>> check_move(View const& view, std::vector<Id> const& before,
                                                        std::vector<Id> const& after, Context const& context) {
    if (auto fault = check_facilities(view, without(after, before), context)) return fault;
    if (context.facilities.empty()) return std::nullopt;
    if (before.empty() != after.empty()) {
        return refuse(Code::facility_scope_violation,
                      "An empty facilityIds means every facility, and you are bound to some.");
    }
    return check_facilities(view, without(before, after), context);
}

/// Whether the person is the caller's alone: someone tied to no facility is no bound caller's.
bool owns(events::Staff const& staff, Context const& context) {
    return context.facilities.empty() ||
           (!staff.facilityIds.empty() && std::all_of(staff.facilityIds.begin(), staff.facilityIds.end(),
                                                      [&](Id id) { return context.reaches(id); }));
}

tl::unexpected<core::Problem> refuse_shared() {
    return refuse(Code::facility_scope_violation, "The staff member belongs to facilities beside yours, too.");
}

events::Staff const* visible(View const& view, Id id, Context const& context) {
    (void)view.organization();  // whose users the answer looks at
    auto const* staff = view.get<events::StaffRecord>(id);
    return staff && !staff->deleted && in_scope(*staff, context) ? staff : nullptr;
}

Result<Decision> deactivate(View const& view, events::Staff const& staff, bool force, Context const& context) {
    if (!staff.isActive) return Decision{};
    if (!owns(staff, context)) return refuse_shared();
    auto const ahead = shifts_ahead(view, staff.id, context.now);
    if (!ahead.empty() && !force) {
        auto const seen = std::find_if(ahead.begin(), ahead.end(),
                                       [&](auto const* shift) { return context.reaches(shift->facilityId); });
        return refuse(Code::staff_has_future_shifts,
                      "The staff member is assigned to shifts ahead; force=true takes them off these.",
                      seen == ahead.end() ? std::string{} : R"({"shiftId":)" + std::to_string((*seen)->id) + "}");
    }
    Decision decision;
    for (auto const* shift : ahead) {
        if (!context.reaches(shift->facilityId)) {
            return refuse(Code::facility_scope_violation,
                          "The staff member is assigned to shifts ahead outside your facilities.");
        }
        take_off(*shift, staff.id, decision.events);
    }
    decision.events.push_back(staff_event(staff.id, events::StaffDeactivated{}));
    return decision;
}

Result<Decision> reactivate(events::Staff const& staff, Context const& context) {
    if (staff.isActive) return Decision{};
    if (!owns(staff, context)) return refuse_shared();
    return Decision{{staff_event(staff.id, events::StaffReactivated{})}, {}};
}

/// The refusal of an address that somebody has, who is named only to those who can see the person.
tl::unexpected<core::Problem> refuse_address(events::StaffRecord const& owner, Context const& context) {
    return in_scope(owner, context) ? duplicate("email", owner.id) : duplicate_unseen("email");
}

/// The person as an answer shows them: with the user who names them, as projections::kStaffDocument picks one.
events::Staff with_login(View const& view, Id id) {
    events::Staff staff = *view.get<events::StaffRecord>(id);
    bool ended = false;
    for (auto const& [user, held] : view.all<events::User>()) {
        auto const& each = held.value;
        if (each.staffId.value != id || each.email.erased) continue;
        bool const deactivated = each.status == events::UserStatus::deactivated;
        bool const first =
            !staff.userId.value || (ended && !deactivated) || (ended == deactivated && user < *staff.userId.value);
        if (!first) continue;
        staff.userId = user;
        ended = deactivated;
    }
    return staff;
}

/// The facilities, each once: a person of one facility is known by there being one.
std::vector<Id> distinct(std::vector<Id> ids) {
    auto end = ids.begin();
    for (Id const id : ids) {
        if (std::find(ids.begin(), end, id) == end) *end++ = id;
    }
    ids.erase(end, ids.end());
    return ids;
}

}  // namespace

bool in_scope(events::Staff const& staff, Context const& context) {
    return context.facilities.empty() || staff.facilityIds.empty() ||
           std::any_of(staff.facilityIds.begin(), staff.facilityIds.end(), [&](Id id) { return context.reaches(id); });
}

bool acts_as_person(Context const& context) {
    return context.actor.type == events::ActorType::user || context.actor.type == events::ActorType::oauth;
}

bool decides_on_own(Id staff, Context const& context) {
    bool const admin = context.role == events::Role::admin || context.role == events::Role::super_admin;
    return context.staff != 0 && context.staff == staff && !admin;
}

bool works_at(events::Staff const& person, Id facility) {
    return person.facilityIds.empty() || std::ranges::count(person.facilityIds, facility) != 0;
}

events::StaffRecord const* reached_person(View const& view, Id id, Context const& context) {
    auto const* person = view.get<events::StaffRecord>(id);
    if (!person || person->deleted || (context.own_only && id != context.staff)) return nullptr;
    return (context.own_only && acts_as_person(context)) || in_scope(*person, context) ? person : nullptr;
}

Result<Decision> decide(View const& view, CreateStaff const& command, Context const& context) {
    if (auto fault = check_facilities(view, command.facilityIds, context)) return *fault;
    if (auto const* other = view.first_by<events::StaffByEmail>(command.email.value.value)) {
        return refuse_address(*other, context);
    }
    events::StaffOnboarded onboarded{{command}};
    onboarded.facilityIds = distinct(command.facilityIds.empty() ? context.facilities : command.facilityIds);
    Id const id = context.new_ids.at(0);
    Decision decision{{staff_event(id, std::move(onboarded))}, {}};
    if (!command.isActive.value_or(true)) decision.events.push_back(staff_event(id, events::StaffDeactivated{}));
    return decision;
}
events::Staff answer(View const& view, CreateStaff const&, Decision const& decision) {
    return *view.get<events::StaffRecord>(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, UpdateStaff const& command, Context const& context) {
    auto const* staff = visible(view, command.id, context);
    if (!staff) return not_found("staff member", command.id);
    if (command.facilityIds) {
        if (auto fault = check_move(view, staff->facilityIds, *command.facilityIds, context)) return *fault;
    }
    Decision decision;
    events::StaffUpdated updated{{command}};
    if (command.facilityIds) updated.facilityIds = distinct(*command.facilityIds);
    if (command.emergencyContact) {
        auto contact = staff->emergencyContact.value;
        events::merge(contact, *command.emergencyContact);
        updated.emergencyContact = std::move(contact);
    }
    if (events::keep_changed(*staff, static_cast<events::StaffChanges&>(updated))) {
        auto const* other = updated.email ? view.first_by<events::StaffByEmail>(updated.email->value.value) : nullptr;
        if (other && other->id != command.id) return refuse_address(*other, context);
        decision.events.push_back(staff_event(command.id, std::move(updated)));
    }
    if (!command.isActive) return decision;
    auto moved = *command.isActive ? reactivate(*staff, context) : deactivate(view, *staff, false, context);
    if (!moved) return moved;
    std::move(moved->events.begin(), moved->events.end(), std::back_inserter(decision.events));
    return decision;
}
events::Staff answer(View const& view, UpdateStaff const& command, Decision const&) {
    return with_login(view, command.id);
}

Result<Decision> decide(View const& view, DeactivateStaff const& command, Context const& context) {
    auto const* staff = visible(view, command.id, context);
    if (!staff) return not_found("staff member", command.id);
    return deactivate(view, *staff, command.force.value_or(false), context);
}
events::Staff answer(View const& view, DeactivateStaff const& command, Decision const&) {
    return with_login(view, command.id);
}

Result<Decision> decide(View const& view, ReactivateStaff const& command, Context const& context) {
    auto const* staff = visible(view, command.id, context);
    if (!staff) return not_found("staff member", command.id);
    return reactivate(*staff, context);
}
events::Staff answer(View const& view, ReactivateStaff const& command, Decision const&) {
    return with_login(view, command.id);
}

}  // namespace workforce::commands
