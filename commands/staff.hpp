// Commands on staff.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/staff.hpp"

namespace workforce::commands {

/// POST /api/staff. E-mail is unique among the organization's staff, checked on the write side. `isActive: false`
/// stands for deactivating at once.
struct CreateStaff : events::StaffDetails {
    using Answer = events::Staff;
    std::optional<bool> isActive;
};
BOOST_DESCRIBE_STRUCT(CreateStaff, (events::StaffDetails), (isActive))
Result<Decision> decide(View const& view, CreateStaff const& command, Context const& context);
events::Staff answer(View const& view, CreateStaff const& command, Decision const& decision);

/// The keys of an emergency contact that an update names.
struct EmergencyContactChanges {
    using PartOf = events::EmergencyContact;
    std::optional<core::ShortText> name;
    std::optional<core::Phone> phone;
    std::optional<core::ShortText> relationship;
};
BOOST_DESCRIBE_STRUCT(EmergencyContactChanges, (), (name, phone, relationship))

/// PUT or PATCH /api/staff/{id}. `isActive` stands for the commands deactivate and reactivate. A caller bound to
/// facilities adds and removes only its own in `facilityIds`, and changes no empty list nor makes one
/// (FACILITY_SCOPE_VIOLATION).
struct UpdateStaff : events::StaffChanges {
    using Answer = events::Staff;
    Id id = 0;
    std::optional<bool> isActive;
    /// Hides that of the event, which is whole: keys that are absent stay.
    std::optional<EmergencyContactChanges> emergencyContact;
    static constexpr bool kHidesMembers = true;
};
BOOST_DESCRIBE_STRUCT(UpdateStaff, (events::StaffChanges), (isActive, emergencyContact))
Result<Decision> decide(View const& view, UpdateStaff const& command, Context const& context);
events::Staff answer(View const& view, UpdateStaff const& command, Decision const& decision);

/// DELETE /api/staff/{id}. With assignments ahead it takes `force`, which removes them. A caller bound to facilities
/// does that to persons of these alone, and forces only where all assignments ahead are there too
/// (FACILITY_SCOPE_VIOLATION).
struct DeactivateStaff {
    using Answer = events::Staff;
    Id id = 0;
    std::optional<bool> force;
};
BOOST_DESCRIBE_STRUCT(DeactivateStaff, (), (force))
Result<Decision> decide(View const& view, DeactivateStaff const& command, Context const& context);
events::Staff answer(View const& view, DeactivateStaff const& command, Decision const& decision);

/// POST /api/staff/{id}/reactivate. Who may not deactivate the person may not undo it either
/// (FACILITY_SCOPE_VIOLATION).
struct ReactivateStaff {
    using Answer = events::Staff;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(ReactivateStaff, (), ())
Result<Decision> decide(View const& view, ReactivateStaff const& command, Context const& context);
events::Staff answer(View const& view, ReactivateStaff const& command, Decision const& decision);

/// Whether a person acts, by themselves or by a client of theirs, whom no facility binds for what is their own; a key
/// that stands for one is bound.
bool acts_as_person(Context const& context);

/// Whether the caller would decide on what is their own, and is no admin, who alone may.
bool decides_on_own(Id staff, Context const& context);

/// Whether the person works at the facility: it is one of theirs, or they work everywhere.
bool works_at(events::Staff const& person, Id facility);
/// Whether the caller's facilities meet the person's, or the person works everywhere.
bool in_scope(events::Staff const& staff, Context const& context);
/// The person, where the caller reaches them: themselves alone, wherever they work, where the caller is a person who
/// acts for themselves alone; else whoever is in scope. Null: they are not there, or out of reach.
events::StaffRecord const* reached_person(View const& view, Id id, Context const& context);

}  // namespace workforce::commands
