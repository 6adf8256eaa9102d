// Who signs in, and what they may do.
#include "projections/users/users.hpp"

#include <algorithm>
#include <iterator>

#include "commands/user.hpp"
#include "commands/user_sign_in.hpp"
#include "operations/accounts.hpp"
#include "operations/declare.hpp"
#include "operations/words/words.hpp"

namespace workforce::operations {

using boost::asio::awaitable;
using events::Kind;

/// A new user, with a password or to be invited.
struct NewUser : commands::CreateUser {
    std::optional<NewPassword> password;
};
BOOST_DESCRIBE_STRUCT(NewUser, (commands::CreateUser), (password))

namespace {

/// The hash of the new user's password; empty: there is none. Errors: VALIDATION_ERROR, SERVICE_UNAVAILABLE.
awaitable<core::Result<std::string>> hash_of(Call& call, NewUser const& user) {
    if (!user.password) co_return "";
    auto const fit = check_password("password", *user.password, names_of(user));
    if (!fit) co_return tl::unexpected(fit.error());
    co_return co_await call.services.accounts->hasher.hash(user.password->value, core::HashFor::caller);
}

/// The password, or what the mail of an invitation is made from, is stored before the user, so that a user who is there
/// can sign in.
awaitable<Outcome> create_user(Call& call) {
    auto command = read_command<NewUser>(call);
    std::string hash;
    if (command) {
        auto hashed = co_await hash_of(call, *command);
        if (!hashed) {
            command = tl::unexpected(hashed.error());
        } else {
            hash = *std::move(hashed);
            command->has_password = !hash.empty();
            command->password.reset();
        }
    }
    bool const valid = command.has_value();
    auto submission = submission_of(call, std::move(command));
    if (!valid) co_return co_await submit(call, std::move(submission), 0);
    auto& passwords = call.services.accounts->passwords;
    submission.context.new_ids = co_await call.services.processor.ids().take(Kind::user, 1);
    workers::AccountRef const whom{submission.context.organization, submission.context.new_ids.front()};
    if (hash.empty()) {
        co_await passwords.make_link(whom);
    } else {
        co_await passwords.put(whom, std::move(hash));
    }
    auto outcome = co_await submit(call, std::move(submission), 0);
    // Where the outcome is unknown the user may be there; else what was stored is of nobody, and ends by itself.
    bool const made = !outcome.refused && !outcome.replayed;
    if (!made && outcome.refused != core::Code::log_unavailable) co_await passwords.forget(whom);
    co_return outcome;
}

awaitable<Outcome> update_user(Call& call) {
    workers::AccountRef const whom{call.meta.organization, call.input.path.id()};
    auto command = read_command<commands::UpdateUser>(call);
    bool const may_move = command && command->email;
    auto outcome = co_await submit(call, submission_of(call, std::move(command)), 0);
    // Whether the address changed the links tell, also where this is a retry of what came to no answer.
    if (may_move && !outcome.refused) co_await call.services.accounts->passwords.move_links(whom, outcome.version);
    co_return outcome;
}

/// Another request sends another mail; a retry sees to the one.
awaitable<Outcome> reset_invite(Call& call) {
    workers::AccountRef const whom{call.meta.organization, call.input.path.id()};
    auto outcome = co_await run_command<commands::InviteUser>(call);
    if (!outcome.refused) {
        co_await call.services.accounts->passwords.make_link(whom, outcome.version, outcome.replayed);
    }
    co_return outcome;
}

/// The event first: whoever finds no second factor any more finds who took it away.
awaitable<Outcome> reset_mfa(Call& call) {
    workers::AccountRef const whom{call.meta.organization, call.input.path.id()};
    auto outcome = co_await run_command<commands::ResetUserMfa>(call);
    if (outcome.status < 300) co_await call.services.accounts->second_factors.remove(whom, origin_of(call), true);
    co_return outcome;
}

/// What the jobs of the installation tell the log of sign-ins.
template <class Command>
Operation recorded(std::string_view name, std::string_view summary) {
    return command<Command>(name, summary).by_installation().on(Kind::user);
}

std::vector<Operation> recorded_operations() {
    return {
        recorded<commands::ActivateUser>("users.activate", "A user who was invited has a password"),
        recorded<commands::LockUser>("users.lock", "Too many attempts to sign in failed"),
        recorded<commands::UnlockUser>("users.unlock", "A lock has ended"),
        recorded<commands::RecordSignIn>("users.record_sign_in", "Somebody signed in"),
        recorded<commands::RecordSignOut>("users.record_sign_out", "Somebody ended a session"),
        recorded<commands::RecordSignInFailure>("users.record_sign_in_failure", "An attempt to sign in failed"),
        recorded<commands::RecordPasswordChange>("users.record_password_change", "A user has another password"),
        recorded<commands::RecordMfaEnabled>("users.record_mfa_enabled", "A user signs in with a one-time code"),
        recorded<commands::RecordMfaDisabled>("users.record_mfa_disabled", "A user needs no one-time code any more"),
    };
}

}  // namespace

std::vector<Operation> user_operations() {
    using enum net::Method;
    auto created = command<NewUser>("users.create", "Make a user, who is invited by mail unless there is a password");
    created.description =
        "Makes a user and returns it: active with a password, else invited by a mail whose link is good for 72 hours. "
        "Refused for a role above your own, and for an address or name that somebody on the platform has.";
    created.refusals = {core::Code::duplicate_resource};
    created.handler = create_user;
    auto updated = command<commands::UpdateUser>("users.update", "Change a user");
    updated.description =
        "Changes the fields that are given; others stay. Refused for users and roles above your own, and where no "
        "active super admin would be left.";
    updated.refusals = {core::Code::duplicate_resource, core::Code::last_super_admin};
    updated.handler = update_user;
    auto invited = command<commands::InviteUser>("users.reset_invite", "Send a link by mail to set a password by");
    invited.description =
        "Sends the user another mail with a link to set a password by, and returns the user; links before it are void. "
        "Refused for a deactivated user.";
    invited.handler = reset_invite;
    auto reset = command<commands::ResetUserMfa>("users.reset_mfa", "Take a user's second factor away");
    reset.description =
        "The user signs in without a one-time code again, as after the loss of program and recovery codes. For super "
        "admins.";
    reset.handler = reset_mfa;
    std::vector<Operation> all{
        std::move(reset)
            .needs("organizations.manage")
            .by_people()
            .of_live_data()
            .on(Kind::user)
            .audit()
            .at(post, "/api/users/{id:int}/reset-mfa"),
        list<projections::users>("users.list", "List users")
            .says("Returns a page of the users you may see.")
            .needs("users.view")
            .at(get, "/api/users"),
        one<projections::users>("users.get", "Read a user")
            .says("Returns one user.")
            .needs("users.view")
            .at(get, "/api/users/{id:int}"),
        std::move(created)
            .needs("users.create")
            .of_live_data()
            .creates(Kind::user)
            .else_at_home()
            .audit()
            .at(post, "/api/users"),
        std::move(updated)
            .needs("users.edit")
            .of_live_data()
            .on(Kind::user)
            .audit()
            .at(patch, "/api/users/{id:int}")
            .also_put("users.put"),
        command<commands::DeactivateUser>("users.deactivate", "Deactivate a user")
            .says("Keeps a user from signing in: sessions end, and keys that stand for the user open nothing. Refused "
                  "for the last active super admin.")
            .refuses({core::Code::last_super_admin})
            .needs("users.deactivate")
            .of_live_data()
            .on(Kind::user)
            .destroys()
            .audit()
            .at(del, "/api/users/{id:int}"),
        command<commands::ReactivateUser>("users.reactivate", "Reactivate a user")
            .says("Takes a deactivation back. Sessions that ended are not opened again.")
            .needs("users.deactivate")
            .of_live_data()
            .on(Kind::user)
            .audit()
            .at(post, "/api/users/{id:int}/reactivate"),
        std::move(invited)
            .needs("users.edit")
            .audit()
            .of_live_data()
            .on(Kind::user)
            .at(post, "/api/users/{id:int}/reset-invite"),
    };
    std::ranges::move(recorded_operations(), std::back_inserter(all));
    return all;
}

std::vector<StructWords> user_words() {
    return {
        {{"users/"}, {{"id", "The user's id, from {users.list}"}}},
        {{"UserDetails", "UserChanges"},
         {{"email", "Address to sign in by and to write to; unique on the platform"},
          {"username", "Another name to sign in by, unique on the platform; the address where it is not given"},
          {"firstName", "Given name"},
          {"lastName", "Family name"},
          {"role", "What the user may do; never above your own"},
          {"facilityIds", "Facilities that the user is bound to, from {facilities.list}; empty: all of them"},
          {"staffId", "Staff member whom the user signs in as, from {staff.list}; null: none"}}},
        {{"NewUser"},
         {{"password", "At least 12 characters, and no common word; absent: the user is invited by mail"}}},
        {{"UserFlags"}, {{"status", "Whether the user can sign in"}}},
        {{"UserSignIn"},
         {{"mfaEnabled", "Whether signing in takes a one-time code as well"},
          {"lastLoginAt", "When the user last signed in; null: never"},
          {"lockedUntil", "End of the lock after failed attempts; null: not locked"}}},
        {{"UpdateUser"}, {{"isActive", "false deactivates the user, true takes that back"}}},
        {{"UserFilter"}, {{"role", "Only users of these roles"}, {"status", "Only those that stand so"}}},
    };
}

}  // namespace workforce::operations
