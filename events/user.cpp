// How events of users fold: the one definition, for the write side's memory and for read models.
#include "events/user.hpp"

#include "core/ascii.hpp"
#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {

void evolve(User& user, UserEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](UserCreated const& e) {
                              static_cast<UserDetails&>(user) = e;
                              static_cast<UserFlags&>(user) = e;
                              if (user.username.value.value.empty()) {
                                  user.username = core::ShortText(user.email.value.value);
                              }
                              if (e.email.erased) user.status = UserStatus::deactivated;
                          },
                          [&](UserUpdated const& e) { merge(user, static_cast<UserChanges const&>(e)); },
                          [&](UserErased const&) {
                              erase_personal(static_cast<UserDetails&>(user));
                              user.status = UserStatus::deactivated;
                          },
                          [&](UserDeactivated const&) { user.status = UserStatus::deactivated; },
                          [&](UserReactivated const&) { user.status = UserStatus::active; }},
               event);
    stamp(user, meta);
}

int rank_of(Role role) {
    using enum Role;
    switch (role) {
        case super_admin:
            return 0;
        case admin:
            return 1;
        case manager:
        case facility_admin:
            return 2;
        case scheduler:
        case payroll_manager:
        case sales_rep:
            return 3;
        case viewer:
            return 4;
        case staff:
            return 5;
    }
    return 5;
}

std::vector<UniqueText> login_names(UserDetails const& user) {
    constexpr std::string_view kName = "user e-mail";  // what was reserved before user names were, too
    std::vector<UniqueText> names;
    auto const& email = user.email.value.value;
    if (!email.empty()) names.push_back({kName, email});
    auto name = core::ascii_lower(user.username.value.value);
    if (!name.empty() && name != email) names.push_back({kName, std::move(name)});
    return names;
}

template struct DataCodec<UserEvent>;

}  // namespace workforce::events
