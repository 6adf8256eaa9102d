// Who signs in, and what they may do.
#include "projections/users/users.hpp"

#include "commands/user.hpp"
#include "operations/declare.hpp"

namespace workforce::operations {

using events::Kind;

std::vector<Operation> user_operations() {
    using enum net::Method;
    return {
        list<projections::users>("users.list", "List users").needs("users.view").at(get, "/api/users"),
        one<projections::users>("users.get", "Read a user").needs("users.view").at(get, "/api/users/{id:int}"),
        command<commands::CreateUser>("users.create", "Invite a user")
            .needs("users.create")
            .of_live_data()
            .creates(Kind::user)
            .else_at_home()
            .audit()
            .at(post, "/api/users"),
        command<commands::UpdateUser>("users.update", "Change a user")
            .needs("users.edit")
            .of_live_data()
            .on(Kind::user)
            .audit()
            .at(patch, "/api/users/{id:int}")
            .also_put("users.put"),
        command<commands::DeactivateUser>("users.deactivate", "Deactivate a user")
            .needs("users.deactivate")
            .of_live_data()
            .on(Kind::user)
            .destroys()
            .audit()
            .at(del, "/api/users/{id:int}"),
    };
}

}  // namespace workforce::operations
