// Commands on staff.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"

namespace workforce::commands {

/// POST /api/staff. E-mail is unique among the organization's staff, checked on the write side.
struct CreateStaff : events::StaffDetails {
    using Answer = events::Staff;
};
BOOST_DESCRIBE_STRUCT(CreateStaff, (events::StaffDetails), ())
Result<Decision> decide(View const& view, CreateStaff const& command, Context const& context);
events::Staff answer(View const& view, CreateStaff const& command, Decision const& decision);

/// PUT or PATCH /api/staff/{id}. `isActive` stands for the commands deactivate and reactivate.
struct UpdateStaff : events::StaffChanges {
    using Answer = events::Staff;
    Id id = 0;
    std::optional<bool> isActive;
};
BOOST_DESCRIBE_STRUCT(UpdateStaff, (events::StaffChanges), (isActive))
Result<Decision> decide(View const& view, UpdateStaff const& command, Context const& context);
events::Staff answer(View const& view, UpdateStaff const& command, Decision const& decision);

/// DELETE /api/staff/{id}. With assignments ahead it takes `force`, which removes them.
struct DeactivateStaff {
    using Answer = events::Staff;
    Id id = 0;
    std::optional<bool> force;
};
BOOST_DESCRIBE_STRUCT(DeactivateStaff, (), (force))
Result<Decision> decide(View const& view, DeactivateStaff const& command, Context const& context);
events::Staff answer(View const& view, DeactivateStaff const& command, Decision const& decision);

/// POST /api/staff/{id}/reactivate.
struct ReactivateStaff {
    using Answer = events::Staff;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(ReactivateStaff, (), ())
Result<Decision> decide(View const& view, ReactivateStaff const& command, Context const& context);
events::Staff answer(View const& view, ReactivateStaff const& command, Decision const& decision);

/// Whether the caller's facilities meet the person's, or the person works everywhere.
bool in_scope(events::Staff const& staff, Context const& context);

}  // namespace workforce::commands
