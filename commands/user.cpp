// Rules of users.
#include "commands/user.hpp"

#include <algorithm>

#include "commands/facility.hpp"
#include "commands/oauth_grant.hpp"
#include "commands/staff.hpp"

namespace workforce::commands {
namespace {

using events::Role;
using events::User;
using events::UserStatus;

NewEvent user_event(Id user, events::UserEvent data) { return {{events::Kind::user, user}, 0, std::move(data)}; }

bool is_active_super_admin(User const& user) { return user.role == Role::super_admin && events::is_usable(user); }

std::optional<tl::unexpected<core::Problem>> check_rank(View const& view, Role role, Context const& context) {
    if (events::rank_of(role) >= highest_rank(view, context)) return std::nullopt;
    return refuse(Code::forbidden, "The role " + std::string(core::enum_name(role)) + " is above yours.");
}

/// What holds of a user whoever makes or changes them. `before`: what the user had.
std::optional<tl::unexpected<core::Problem>> check_details(View const& view, events::UserDetails const& user,
                                                           events::UserDetails const& before, Context const& context) {
    if (user.role == Role::super_admin && view.organization().type != events::OrganizationType::internal) {
        return invalid_field("role", "role", "super_admin exists in the internal organization only");
    }
    if (user.role == Role::facility_admin && user.facilityIds.empty()) {
        return invalid_field("facilityIds", "min_items", "must name at least one facility for a facility_admin");
    }
    if (!context.facilities.empty() && user.facilityIds.empty()) {
        return refuse(Code::facility_scope_violation,
                      "An empty facilityIds means every facility, and you are bound to some.");
    }
    for (Id const id : user.facilityIds) {
        if (std::ranges::count(before.facilityIds, id) > 0) continue;
        if (auto facility = facility_in_scope(view, id, context); !facility) return tl::unexpected(facility.error());
    }
    auto const& staff = user.staffId.value;
    if (staff && staff != before.staffId.value) {
        auto const* person = view.get<events::StaffRecord>(*staff);
        // What the user then reads as their own, whoever says so could read.
        if (!person || !in_scope(*person, context)) {
            return invalid_field("staffId", "known", "must name a staff member whom you see");
        }
    }
    return std::nullopt;
}

/// The user, unless the caller, who is bound to facilities or to a sandbox, doesn't see them.
User const* visible_user(View const& view, Id id, Context const& context) {
    auto const* user = context.sandbox ? nullptr : view.get<User>(id);
    bool const seen = user && (context.facilities.empty() ||
                               std::ranges::any_of(user->facilityIds, [&](Id each) { return context.reaches(each); }));
    return seen ? user : nullptr;
}

/// Whether the caller may change the user at all.
std::optional<tl::unexpected<core::Problem>> check_user_reach(View const& view, User const& user,
                                                              Context const& context) {
    if (auto fault = check_rank(view, user.role, context)) return fault;
    if (std::ranges::all_of(user.facilityIds, [&](Id each) { return context.reaches(each); })) return std::nullopt;
    return refuse(Code::facility_scope_violation, "The user belongs to facilities beside yours, too.");
}

tl::unexpected<core::Problem> refuse_names() {
    // Names are unique across organizations: nobody is told whose they are.
    return refuse(Code::duplicate_resource, "Another user has this email or username already.", {},
                  "Use another email or username.");
}

tl::unexpected<core::Problem> refuse_last() {
    return refuse(Code::last_super_admin, "The user is the last active super admin; make another one first.");
}

Result<Decision> deactivate_user(View const& view, User const& user) {
    if (user.status == UserStatus::deactivated) return Decision{};
    if (is_last_super_admin(view, user)) return refuse_last();
    Decision decision{{user_event(user.id, events::UserDeactivated{})}, {}};
    revoke_grants(view, user.id, decision.events);
    return decision;
}

Result<Decision> reactivate_user(User const& user) {
    if (user.email.erased) return invalid_transition("user", "erased", "reactivate", {});
    if (user.status != UserStatus::deactivated) return Decision{};
    return Decision{{user_event(user.id, events::UserReactivated{})}, {}};
}

}  // namespace

int highest_rank(View const& view, Context const& context) {
    if (context.actor.type == events::ActorType::system) return events::rank_of(Role::super_admin);
    // What the request's process knew of the role may be a moment old; a caller at home is known as of now.
    auto const* caller = context.actor.user == 0 ? nullptr : view.get<User>(context.actor.user);
    return events::rank_of(caller ? caller->role : context.role);
}

bool is_last_super_admin(View const& view, User const& user) {
    if (!is_active_super_admin(user)) return false;
    return std::ranges::none_of(view.all<User>(), [&](auto const& each) {
        return each.first != user.id && is_active_super_admin(each.second.value);
    });
}

Result<Decision> decide(View const& view, CreateUser const& command, Context const& context) {
    if (context.sandbox) {
        return refuse(Code::forbidden, "The sandbox has no users of its own.", {},
                      "Create the user with a live credential.");
    }
    if (auto fault = check_rank(view, command.role, context)) return *fault;
    if (auto fault = check_details(view, command, {}, context)) return *fault;
    events::AggregateRef const user{events::Kind::user, context.new_ids.at(0)};
    if (!view.reserve(user, events::login_names(command))) return refuse_names();
    bool const by_system = context.actor.type == events::ActorType::system;
    return Decision{{{user, 0,
                      events::UserEvent(events::UserCreated{
                          {command}, {by_system || command.has_password ? UserStatus::active : UserStatus::invited}})}},
                    {}};
}
User answer(View const& view, CreateUser const&, Decision const& decision) {
    return *view.get<User>(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, UpdateUser const& command, Context const& context) {
    auto const* user = visible_user(view, command.id, context);
    if (!user) return not_found("user", command.id);
    if (auto fault = check_user_reach(view, *user, context)) return *fault;
    if (user->email.erased) return invalid_transition("user", "erased", "update", {});
    Decision decision;
    if (command.isActive) {
        auto moved = *command.isActive ? reactivate_user(*user) : deactivate_user(view, *user);
        if (!moved) return moved;
        decision = *std::move(moved);
    }
    events::UserUpdated updated{{command}};
    if (!events::keep_changed(*user, static_cast<events::UserChanges&>(updated))) return decision;
    auto after = *user;
    events::merge(after, static_cast<events::UserChanges const&>(updated));
    // Who signs in by the address alone goes on to do so by the new one.
    bool const named_by_address = user->username.value.value == user->email.value.value;
    bool const no_name = after.username.value.value.empty();
    if (no_name || (updated.email && !updated.username && named_by_address)) {
        after.username = core::ShortText(after.email.value.value);
        updated.username = after.username;
    }
    if (updated.role) {
        if (auto fault = check_rank(view, *updated.role, context)) return *fault;
        if (is_last_super_admin(view, *user)) return refuse_last();
    }
    if (auto fault = check_details(view, after, *user, context)) return *fault;
    if (updated.email || updated.username) {
        // What the user has now is asked for as well: whoever settles reservations then frees what is no longer theirs.
        auto names = events::login_names(after);
        auto const now = events::login_names(*user);
        names.insert(names.end(), now.begin(), now.end());
        std::ranges::sort(names, {}, &events::UniqueText::text);
        auto const twice = std::ranges::unique(names, {}, &events::UniqueText::text);
        names.erase(twice.begin(), twice.end());
        if (!view.reserve({events::Kind::user, user->id}, names)) return refuse_names();
    }
    decision.events.insert(decision.events.begin(), user_event(user->id, std::move(updated)));
    return decision;
}
User answer(View const& view, UpdateUser const& command, Decision const&) { return *view.get<User>(command.id); }

Result<Decision> decide(View const& view, DeactivateUser const& command, Context const& context) {
    auto const* user = visible_user(view, command.id, context);
    if (!user) return not_found("user", command.id);
    if (auto fault = check_user_reach(view, *user, context)) return *fault;
    return deactivate_user(view, *user);
}
User answer(View const& view, DeactivateUser const& command, Decision const&) { return *view.get<User>(command.id); }

Result<Decision> decide(View const& view, InviteUser const& command, Context const& context) {
    auto const* user = visible_user(view, command.id, context);
    if (!user) return not_found("user", command.id);
    if (auto fault = check_user_reach(view, *user, context)) return *fault;
    if (user->status == UserStatus::deactivated) {
        return invalid_transition("user", core::enum_name(user->status), "invite", {"reactivate"});
    }
    return Decision{{user_event(user->id, events::UserInvited{})}, {}};
}
User answer(View const& view, InviteUser const& command, Decision const&) { return *view.get<User>(command.id); }

Result<Decision> decide(View const& view, ResetUserMfa const& command, Context const& context) {
    if (highest_rank(view, context) > events::rank_of(Role::super_admin)) {
        return refuse(Code::forbidden, "Only a super admin takes a second factor away.");
    }
    if (command.id == context.actor.user) {
        return refuse(Code::forbidden, "Nobody takes their own second factor away without a code of it.", {},
                      "Use POST /api/auth/mfa/disable, or ask another super admin.");
    }
    auto const* user = visible_user(view, command.id, context);
    if (!user) return not_found("user", command.id);
    if (auto fault = check_user_reach(view, *user, context)) return *fault;
    if (!user->mfaEnabled) return Decision{};
    return Decision{{user_event(user->id, events::UserMfaReset{})}, {}};
}

Result<Decision> decide(View const& view, ReactivateUser const& command, Context const& context) {
    auto const* user = visible_user(view, command.id, context);
    if (!user) return not_found("user", command.id);
    if (auto fault = check_user_reach(view, *user, context)) return *fault;
    return reactivate_user(*user);
}
User answer(View const& view, ReactivateUser const& command, Decision const&) { return *view.get<User>(command.id); }

}  // namespace workforce::commands
