// How events of users fold: the one definition, for the write side's memory and for read models.
#include "events/user.hpp"

#include "core/ascii.hpp"
#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {
namespace {

void end(User& user) {
    user.status = UserStatus::deactivated;
    user.lockedUntil = {};
}

/// What users do at the door changes nothing of what they are, and no guess of a stranger changes when that was.
bool is_sign_in(UserEvent const& event) {
    return std::holds_alternative<UserSignedIn>(event) || std::holds_alternative<UserSignedOut>(event) ||
           std::holds_alternative<UserSignInFailed>(event);
}

}  // namespace

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
                              end(user);
                          },
                          [&](UserDeactivated const&) { end(user); },
                          [&](UserReactivated const&) { user.status = UserStatus::active; },
                          [&](UserActivated const&) { user.status = UserStatus::active; },
                          [&](UserLocked const& e) {
                              user.status = UserStatus::locked;
                              user.lockedUntil = e.lockedUntil;
                          },
                          [&](UserUnlocked const&) {
                              user.status = UserStatus::active;
                              user.lockedUntil = {};
                          },
                          [&](UserSignedIn const& e) { user.lastLoginAt = e.signedInAt; },
                          [&](UserMfaEnabled const&) { user.mfaEnabled = true; },
                          [&](UserMfaDisabled const&) { user.mfaEnabled = false; },
                          [&](UserMfaReset const&) { user.mfaEnabled = false; },
                          // These say nothing of what the user is.
                          [&](UserInvited const&) {}, [&](UserSignedOut const&) {}, [&](UserSignInFailed const&) {},
                          [&](UserPasswordChanged const&) {}},
               event);
    if (!is_sign_in(event)) stamp(user, meta);
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

UniqueText login_name(std::string_view text) {
    return {"user e-mail", core::ascii_lower(text)};  // what was reserved before user names were, too
}

std::vector<UniqueText> login_names(UserDetails const& user) {
    std::vector<UniqueText> names;
    auto const& email = user.email.value.value;
    if (!email.empty()) names.push_back(login_name(email));
    auto name = login_name(user.username.value.value);
    if (!name.text.empty() && name.text != email) names.push_back(std::move(name));
    return names;
}

template struct DataCodec<UserEvent>;

}  // namespace workforce::events
