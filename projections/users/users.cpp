// The declaration of read.user_account.
#include "projections/users/users.hpp"

namespace workforce::projections {

UserRows const& users() {
    static UserRows const model =
        UserRows::declare("user", "user_account")
            .column("name", [](auto const& user) { return full_name(user.firstName.value, user.lastName.value); })
            .column("email", [](auto const& user) -> auto const& { return user.email; });
    return model;
}

}  // namespace workforce::projections
