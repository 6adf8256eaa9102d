// How people sign in: what the operations on sessions and passwords work with.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/password_hasher.hpp"
#include "operations/call.hpp"
#include "workers/engine/reactor.hpp"
#include "workers/store/calendar_tokens.hpp"
#include "workers/store/mfa_store.hpp"
#include "workers/store/password_store.hpp"
#include "workers/store/session_store.hpp"

namespace workforce::operations {

/// Owned by the composition root; the functions are called on the request's executor.
struct Accounts {
    workers::SessionStore& sessions;
    workers::PasswordStore& passwords;
    workers::MfaStore& second_factors;
    workers::CalendarTokens& calendar_tokens;
    core::PasswordHasher& hasher;
    /// What stands for a login name where names are reserved.
    std::function<std::string(events::UniqueText const&)> digest;
    /// The user as one who signed in, of now. Errors: UNAUTHENTICATED for one who may not.
    std::function<boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>>(workers::AccountRef)> find;
    /// Opens a session that a token stands for, and returns the token; nothing as workers::open_session, `hash` as
    /// there.
    std::function<boost::asio::awaitable<std::optional<std::string>>(workers::AccountRef, workers::Origin,
                                                                     std::string hash)>
        open_token;
    /// Some of the user's sessions ended: this process takes none that it knew.
    std::function<void(Id user)> forget;
    /// Asks for an operation as the installation.
    workers::AskOperation ask;
};

/// A password that somebody chooses.
using NewPassword = core::Typed<12>;

/// The one rule of passwords, which each place that takes one asks: many people have no such password, and it is none
/// of `names`, those that its user signs in by. Errors: VALIDATION_ERROR that names the field.
core::Result<void> check_password(std::string_view field, NewPassword const& password,
                                  std::vector<std::string> const& names);
/// The same for a user of whom no record is at hand: their names are asked for where names are reserved, which is never
/// behind. Throws as PasswordStore.
boost::asio::awaitable<core::Result<void>> check_password_of(Accounts& accounts, std::string_view field,
                                                             NewPassword password, workers::AccountRef whom);
/// The names that the user signs in by, as check_password() takes them.
std::vector<std::string> names_of(events::UserDetails const& user);

/// Whether the text is among the most common passwords, or one of these with digits and signs around it.
bool is_common_password(std::string_view password);

/// From where the call came.
workers::Origin origin_of(Call const& call);

/// Begins an attempt by `begin`, one of PasswordStore::begin_attempt. Where others take all places it waits, some
/// seconds at most, whether one of them succeeds.
boost::asio::awaitable<workers::Attempt> begin_attempt(std::function<boost::asio::awaitable<workers::Attempt>()> begin);

/// The result of what is done for an attempt. Where that throws, the attempt was not judged, or came to nothing: it
/// does not count.
template <class T>
boost::asio::awaitable<T> undone_by_trouble(workers::PasswordStore& passwords, workers::Attempt attempt,
                                            boost::asio::awaitable<T> work) {
    std::exception_ptr trouble;
    try {
        co_return co_await std::move(work);
    } catch (...) {
        trouble = std::current_exception();
    }
    try {
        co_await passwords.undo(std::move(attempt));
    } catch (std::exception const&) {
        // The same trouble, of which the caller is told; the attempt counts for a quarter of an hour.
    }
    std::rethrow_exception(trouble);
}

/// Judges an attempt that has begun: the user, where the password is right. Errors: ACCOUNT_LOCKED;
/// RATE_LIMITED where others that are under way decide whether it is; INVALID_CREDENTIALS, the same whoever the account
/// is of, and counted; SERVICE_UNAVAILABLE where nothing was judged.
/// What throws before that was not judged either; a failure that can't be recorded still counts.
boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> judge(Call& call, workers::Attempt attempt,
                                                                          std::string password, core::HashFor whom);

/// A session for a browser, with what its cookie holds.
struct OpenedSession {
    events::User user;
    workers::Session session;
    std::string secret;
};
/// Opens a session for whom that name and password are of; `otp` may be empty. Errors: VALIDATION_ERROR for what can be
/// none of these; MFA_REQUIRED; as judge().
boost::asio::awaitable<core::Result<OpenedSession>> open_by_password(Call& call, std::string name, std::string password,
                                                                     std::string otp);

/// Sets the password of the user whom a link in a mail is for, once. Errors: VALIDATION_ERROR for a link that is good
/// no more, or a password that is none; SERVICE_UNAVAILABLE.
boost::asio::awaitable<core::Result<void>> set_password_by_link(Call& call, workers::LinkPurpose purpose,
                                                                std::string token, std::string password);

/// Login, tokens, invitations and resets.
std::vector<Operation> sign_in_operations();
/// Operations on people's second factors.
std::vector<Operation> mfa_operations();
/// What people do with their own sessions and password.
std::vector<Operation> session_operations();

}  // namespace workforce::operations
