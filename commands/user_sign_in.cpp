// What the log is told of how users sign in.
#include "commands/user_sign_in.hpp"

#include "commands/oauth_grant.hpp"

namespace workforce::commands {
namespace {

using events::User;
using events::UserStatus;

NewEvent event_of(Id user, events::UserEvent data) { return {{events::Kind::user, user}, 0, std::move(data)}; }

/// The user, unless there is nothing to record of them.
User const* recorded(View const& view, Id id) {
    auto const* user = view.get<User>(id);
    return user && user->status != UserStatus::deactivated ? user : nullptr;
}

template <class E>
Decision record(View const& view, Id id, E event) {
    if (!recorded(view, id)) return {};
    return {{event_of(id, std::move(event))}, {}};
}

}  // namespace

Result<Decision> decide(View const& view, ActivateUser const& command, Context const&) {
    auto const* user = view.get<User>(command.id);
    if (!user) return not_found("user", command.id);
    if (user->status == UserStatus::deactivated) {
        return invalid_transition("user", core::enum_name(user->status), "activate", {});
    }
    if (user->status != UserStatus::invited) return Decision{};
    return Decision{{event_of(user->id, events::UserActivated{})}, {}};
}
User answer(View const& view, ActivateUser const& command, Decision const&) { return *view.get<User>(command.id); }

Result<Decision> decide(View const& view, LockUser const& command, Context const&) {
    auto const* user = view.get<User>(command.id);
    if (!user || !events::is_usable(*user)) return Decision{};
    return Decision{{event_of(user->id, events::UserLocked{command.lockedUntil})}, {}};
}

Result<Decision> decide(View const& view, UnlockUser const& command, Context const&) {
    auto const* user = view.get<User>(command.id);
    if (!user || user->status != UserStatus::locked) return Decision{};
    return Decision{{event_of(user->id, events::UserUnlocked{})}, {}};
}

Result<Decision> decide(View const& view, RecordSignIn const& command, Context const&) {
    auto const* user = recorded(view, command.id);
    if (!user) return Decision{};
    Decision decision;
    if (user->status == UserStatus::locked) decision.events.push_back(event_of(user->id, events::UserUnlocked{}));
    decision.events.push_back(event_of(user->id, events::UserSignedIn{{command}, command.signedInAt}));
    return decision;
}

Result<Decision> decide(View const& view, RecordSignOut const& command, Context const&) {
    return record(view, command.id, events::UserSignedOut{{command}});
}

Result<Decision> decide(View const& view, RecordSignInFailure const& command, Context const&) {
    return record(view, command.id, events::UserSignInFailed{});
}

Result<Decision> decide(View const& view, RecordPasswordChange const& command, Context const&) {
    auto decision = record(view, command.id, events::UserPasswordChanged{});
    if (command.changedAt && !decision.events.empty()) {
        revoke_grants(view, command.id, decision.events, *command.changedAt);
    }
    return decision;
}

Result<Decision> decide(View const& view, RecordMfaEnabled const& command, Context const&) {
    return record(view, command.id, events::UserMfaEnabled{});
}

Result<Decision> decide(View const& view, RecordMfaDisabled const& command, Context const&) {
    return record(view, command.id, events::UserMfaDisabled{});
}

}  // namespace workforce::commands
