// User accounts as queries see them.
#pragma once

#include "events/user.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of users is narrowed to (domain 3.3).
struct UserFilter : ListFilter {
    std::optional<std::vector<events::Role>> role{};
    std::optional<std::vector<events::UserStatus>> status{};
};
BOOST_DESCRIBE_STRUCT(UserFilter, (ListFilter), (role, status))

using UserRows = ReadModel<events::User, UserFilter>;

/// read.user_account. Who is bound to facilities sees users who are bound to one of these.
UserRows const& users();

}  // namespace workforce::projections
