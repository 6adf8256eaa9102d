// User accounts as queries see them.
#pragma once

#include "events/user.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

using UserRows = ReadModel<events::User>;

/// read.user_account.
UserRows const& users();

}  // namespace workforce::projections
