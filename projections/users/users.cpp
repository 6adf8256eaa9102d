// The declaration of read.user_account.
#include "projections/users/users.hpp"

namespace workforce::projections {
namespace {

std::string name_of(events::User const& user) { return full_name(user.firstName.value, user.lastName.value); }

}  // namespace

UserRows const& users() {
    static UserRows const model =
        UserRows::declare("user", "user_account")
            .revision(4)
            .seen_at("t.facility_ids && $facilities")
            .column("facility_ids", [](auto const& user) -> auto const& { return user.facilityIds; })
            .column("role", [](auto const& user) { return user.role; })
            .column("status", [](auto const& user) { return user.status; })
            .column("staff_id", [](auto const& user) { return user.staffId; })
            .column("name", [](auto const& user) { return name_of(user); })
            .column("email", [](auto const& user) -> auto const& { return user.email; })
            .column("name_key", [](auto const& user) { return core::fold_case(name_of(user)); })
            .filter<&UserFilter::role>("t.role = ANY ($role)")
            .filter<&UserFilter::status>("t.status = ANY ($status)")
            .search([](auto const& user) { return search_text(name_of(user), user.email.value.value); })
            .stamped()
            .sort("name", "name_key")
            .sort("createdAt", "created_at");
    return model;
}

}  // namespace workforce::projections
