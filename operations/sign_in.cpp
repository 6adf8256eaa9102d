// How people begin: login, tokens for programs of their own, invitations and resets.
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "operations/accounts.hpp"
#include "operations/declare.hpp"

namespace workforce::operations {

/// What somebody signs in by: one of the names, and the password.
struct SignIn {
    std::optional<core::Text<1, 254>> email;
    std::optional<core::Text<1, 254>> username;
    core::Typed<1> password;
    std::optional<core::Text<1, 40>> otp;  ///< of the user's program, or one for recovery
};
BOOST_DESCRIBE_STRUCT(SignIn, (), (email, username, password, otp))

template <>
struct ApiExample<SignIn> {
    static void write(core::JsonWriter& w, Side, SignIn const&) {
        w.raw(R"({"email":"ada@example.com","password":"a word that I know"})");
    }
};

struct SignedIn {
    events::User user;
    workers::Session session;
};
BOOST_DESCRIBE_STRUCT(SignedIn, (), (user, session))

struct TokenAnswer {
    std::string token;
    std::string tokenType = "Bearer";
    std::int64_t expiresIn = 0;  ///< seconds
};
BOOST_DESCRIBE_STRUCT(TokenAnswer, (), (token, tokenType, expiresIn))

struct Forgot {
    core::Text<1, 254> email;
};
BOOST_DESCRIBE_STRUCT(Forgot, (), (email))

struct UseLink {
    core::Text<1, 200> token;
    NewPassword password;
};
BOOST_DESCRIBE_STRUCT(UseLink, (), (token, password))

namespace {

using boost::asio::awaitable;
using core::Code;

/// How long a read model may take to show a user who has a password.
constexpr std::chrono::seconds kPatience{2};
constexpr std::chrono::milliseconds kPause{20};
/// How long an attempt waits for others before it asks again: longer each time, less than two seconds in all.
constexpr std::chrono::milliseconds kFirstLook{25};
constexpr std::chrono::milliseconds kLastLook{800};

tl::unexpected<core::Problem> invalid_credentials() {
    return core::refuse(Code::invalid_credentials, "There is no such account with that password.");
}

/// The user behind a password that was right. Whoever got it moments ago may be ahead of the read model.
awaitable<core::Result<std::shared_ptr<Caller const>>> find(Accounts& accounts, workers::AccountRef whom, bool recent) {
    auto const deadline = std::chrono::steady_clock::now() + kPatience;
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    while (true) {
        auto found = co_await accounts.find(whom);
        if (found || !recent || std::chrono::steady_clock::now() >= deadline) co_return found;
        timer.expires_after(kPause);
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

/// Who signs in, by which attempt.
struct Known {
    workers::Attempt attempt;
    events::User user;
};

/// The user whom a name and a password are of, who gave the code that they need, if any. Errors: MFA_REQUIRED, which
/// does not count as an attempt; as judge().
awaitable<core::Result<Known>> known_by(Call& call, std::string name, std::string password,
                                        std::optional<std::string> otp) {
    auto& accounts = *call.services.accounts;
    auto const digest = accounts.digest(events::login_name(name));
    auto attempt = co_await begin_attempt([&] { return accounts.passwords.begin_attempt(digest); });
    auto const caller = co_await judge(call, attempt, std::move(password), core::HashFor::stranger);
    if (!caller) co_return tl::unexpected(caller.error());
    auto const factor = co_await undone_by_trouble(accounts.passwords, attempt,
                                                   accounts.second_factors.check(attempt.whom, std::move(otp)));
    if (factor == workers::SecondFactor::lacking) {
        co_await accounts.passwords.undo(attempt);
        co_return core::refuse(Code::mfa_required, "Signing in to this account takes a one-time code.");
    }
    if (factor == workers::SecondFactor::wrong) {
        co_await accounts.passwords.fail(attempt, origin_of(call));
        co_return invalid_credentials();
    }
    co_return Known{std::move(attempt), (*caller)->user};
}

/// The user whom a login names. Errors: VALIDATION_ERROR; as judge().
awaitable<core::Result<Known>> signed_in(Call& call) {
    auto input = read_command<SignIn>(call);
    if (!input) co_return tl::unexpected(input.error());
    if (input->email.has_value() == input->username.has_value()) {
        co_return tl::unexpected(
            core::validation_problem({{"email", "one_of", "or username is required, and not both"}}));
    }
    auto const& name = (input->email ? *input->email : *input->username).value;
    auto otp = input->otp ? std::optional(input->otp->value) : std::nullopt;
    co_return co_await known_by(call, name, std::move(input->password.value), std::move(otp));
}

/// What an attempt opened; nothing, and counted, where the account or the password is another by now.
template <class Opened>
awaitable<std::optional<Opened>> opened(Call& call, workers::Attempt attempt, awaitable<std::optional<Opened>> work) {
    auto& passwords = call.services.accounts->passwords;
    auto found = co_await undone_by_trouble(passwords, attempt, std::move(work));
    if (!found) co_await passwords.fail(std::move(attempt), origin_of(call));
    co_return found;
}

/// A session of whom an attempt was right for. Errors: INVALID_CREDENTIALS where account or password changed meanwhile.
awaitable<core::Result<OpenedSession>> session_of(Call& call, Known known) {
    auto secret = workers::make_session_secret();
    auto const& attempt = known.attempt;
    auto session = co_await opened(call, attempt,
                                   call.services.accounts->sessions.open({attempt.whom, events::SessionKind::cookie,
                                                                          secret, origin_of(call), attempt.hash}));
    if (!session) co_return invalid_credentials();
    session->current = true;
    known.user.lastLoginAt = session->createdAt;
    co_return OpenedSession{std::move(known.user), *std::move(session), std::move(secret)};
}

awaitable<Outcome> log_in(Call& call) {
    auto known = co_await signed_in(call);
    if (!known) co_return refuse(call, known.error());
    auto session = co_await session_of(call, *std::move(known));
    if (!session) co_return refuse(call, session.error());
    co_return Outcome{.body = core::to_json(SignedIn{session->user, session->session}),
                      .session_cookie = std::move(session->secret)};
}

awaitable<Outcome> give_token(Call& call) {
    auto const known = co_await signed_in(call);
    if (!known) co_return refuse(call, known.error());
    auto const& attempt = known->attempt;
    auto token =
        co_await opened(call, attempt, call.services.accounts->open_token(attempt.whom, origin_of(call), attempt.hash));
    if (!token) co_return refuse(call, invalid_credentials().value());
    TokenAnswer const answer{.token = *std::move(token), .expiresIn = workers::kTokenLife.count()};
    co_return Outcome{.body = core::to_json(answer)};
}

/// Whether anybody has the address is not told, nor shown by the time: the mail leaves later.
awaitable<Outcome> forgot(Call& call) {
    auto const input = read_command<Forgot>(call);
    if (!input) co_return refuse(call, input.error());
    auto& accounts = *call.services.accounts;
    co_await accounts.passwords.make_reset(accounts.digest(events::login_name(input->email.value)));
    co_return Outcome{.status = 202};
}

core::Problem invalid_link() {
    return core::validation_problem({{"token", "valid", "was used, has ended, or never was"}});
}

/// Sets the password of the user whom a link is for; one who was invited is active from then on.
awaitable<core::Result<void>> spend_link(Call& call, workers::LinkPurpose purpose, UseLink input) {
    auto& accounts = *call.services.accounts;
    auto const link = co_await accounts.passwords.find_link(purpose, input.token.value);
    if (!link) co_return tl::unexpected(invalid_link());
    auto const fit = co_await check_password_of(accounts, "password", input.password, link->whom);
    if (!fit) co_return tl::unexpected(fit.error());
    auto hash = co_await accounts.hasher.hash(std::move(input.password.value), core::HashFor::caller);
    if (!hash) co_return tl::unexpected(hash.error());
    // Before the link is used up, so that a request that ends here can be made again.
    workers::OperationRequest activation{.verb = "users.activate",
                                         .organization = link->whom.organization,
                                         .id = link->whom.user,
                                         .key = "link " + link->id + ' ' + call.meta.request_id,
                                         .correlation_id = call.meta.request_id};
    auto const activated = co_await accounts.ask(std::move(activation));
    if (!activated) co_return tl::unexpected(activated.error());
    if (activated->status >= 300) co_return tl::unexpected(invalid_link());
    if (!co_await accounts.passwords.use_link(*link, *std::move(hash), origin_of(call))) {
        co_return tl::unexpected(invalid_link());
    }
    accounts.forget(link->whom.user);
    co_return core::Result<void>{};
}

awaitable<Outcome> use_link(Call& call, workers::LinkPurpose purpose) {
    auto input = read_command<UseLink>(call);
    if (!input) co_return refuse(call, input.error());
    auto const spent = co_await spend_link(call, purpose, *std::move(input));
    if (!spent) co_return refuse(call, spent.error());
    co_return Outcome{.status = 204};
}

awaitable<Outcome> accept_invite(Call& call) { return use_link(call, workers::LinkPurpose::invite); }
awaitable<Outcome> reset(Call& call) { return use_link(call, workers::LinkPurpose::reset); }

/// The input that has these texts, by the rules of its type. Errors: VALIDATION_ERROR.
template <class Input>
core::Result<Input> read_texts(std::vector<std::pair<char const*, std::string>> const& texts) {
    rapidjson::Document body;
    body.SetObject();
    for (auto const& [member, text] : texts) {
        core::JsonValue value(text.data(), static_cast<rapidjson::SizeType>(text.size()), body.GetAllocator());
        body.AddMember(rapidjson::StringRef(member), value, body.GetAllocator());
    }
    Input input;
    core::JsonReader reader;
    core::JsonType<Input>::read(body, input, reader);
    if (!reader.errors().empty()) return tl::unexpected(core::validation_problem(reader.errors()));
    return input;
}

template <class Input>
Operation row_of(std::string_view name, std::string_view summary, Handler handler, std::uint16_t success) {
    Operation row;
    row.name = name;
    row.summary = summary;
    row.body = &request_of<Input>;
    row.body_required = true;
    row.body_example = &example<Input, Side::request>;
    row.success = success;
    row.handler = handler;
    return std::move(row).by_anyone().appends_nothing();
}

template <class Input, class Answer>
Operation row_of(std::string_view name, std::string_view summary, Handler handler) {
    auto row = row_of<Input>(name, summary, handler, 200);
    row.answer = &answer_of<Answer>;
    row.answer_example = &example<Answer, Side::answer>;
    return row;
}

}  // namespace

awaitable<core::Result<void>> set_password_by_link(Call& call, workers::LinkPurpose purpose, std::string token,
                                                   std::string password) {
    auto input = read_texts<UseLink>({{"token", std::move(token)}, {"password", std::move(password)}});
    if (!input) co_return tl::unexpected(input.error());
    co_return co_await spend_link(call, purpose, *std::move(input));
}

awaitable<core::Result<OpenedSession>> open_by_password(Call& call, std::string name, std::string password,
                                                        std::string otp) {
    std::vector<std::pair<char const*, std::string>> texts{{"username", std::move(name)},
                                                           {"password", std::move(password)}};
    if (!otp.empty()) texts.emplace_back("otp", std::move(otp));
    auto input = read_texts<SignIn>(texts);
    if (!input) co_return tl::unexpected(input.error());
    auto code = input->otp ? std::optional(input->otp->value) : std::nullopt;
    auto known = co_await known_by(call, input->username->value, std::move(input->password.value), std::move(code));
    if (!known) co_return tl::unexpected(known.error());
    co_return co_await session_of(call, *std::move(known));
}

workers::Origin origin_of(Call const& call) { return {call.meta.address, call.meta.agent, call.meta.request_id}; }

awaitable<workers::Attempt> begin_attempt(std::function<awaitable<workers::Attempt>()> begin) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    auto attempt = co_await begin();
    for (auto pause = kFirstLook; attempt.crowded && pause <= kLastLook; pause *= 2) {
        timer.expires_after(pause);
        co_await timer.async_wait(boost::asio::use_awaitable);
        attempt = co_await begin();
    }
    co_return attempt;
}

awaitable<core::Result<std::shared_ptr<Caller const>>> judge(Call& call, workers::Attempt attempt, std::string password,
                                                             core::HashFor whom) {
    auto& accounts = *call.services.accounts;
    if (attempt.crowded) {
        co_return core::refuse(Code::rate_limited,
                               "As many attempts to sign in as may be are under way for the account.");
    }
    if (attempt.locked) co_return core::refuse(Code::account_locked, "Too many attempts to sign in have failed.");
    auto const right = co_await undone_by_trouble(accounts.passwords, attempt,
                                                  accounts.hasher.verify(attempt.hash, std::move(password), whom));
    if (!right) {
        co_await accounts.passwords.undo(attempt);
        co_return tl::unexpected(right.error());
    }
    if (*right) {
        auto caller =
            co_await undone_by_trouble(accounts.passwords, attempt, find(accounts, attempt.whom, attempt.recent));
        if (caller) co_return caller;
    }
    co_await accounts.passwords.fail(attempt, origin_of(call));
    co_return invalid_credentials();
}

std::vector<Operation> sign_in_operations() {
    using enum net::Method;
    return {
        row_of<SignIn, SignedIn>("auth.login", "Sign in, for a session in a cookie", log_in)
            .says("Opens a session and sets its cookie, svc_session; it ends after 12 hours without use, and after 7 "
                  "days. Five wrong passwords lock an account for 15 minutes.")
            .tries_password()
            .at(post, "/api/auth/login"),
        row_of<SignIn, TokenAnswer>("auth.token", "Sign in, for a token", give_token)
            .says("Signs in as login does, for programs without cookies: returns a token of one hour.")
            .tries_password()
            .at(post, "/api/auth/token"),
        row_of<Forgot>("auth.forgot", "Ask for a mail to set a new password by", forgot, 202)
            .says("Sends a mail with a link to set a new password by, where the address has an account. The answer is "
                  "the same either way.")
            .at(post, "/api/auth/forgot"),
        row_of<UseLink>("auth.reset", "Set a new password by the link of a mail", reset, 204)
            .says("Sets a new password by the link of a mail, which is good once, and ends all sessions.")
            .at(post, "/api/auth/reset"),
        row_of<UseLink>("auth.accept_invite", "Set the first password by the link of an invitation", accept_invite, 204)
            .says("Sets the first password by the link of an invitation, which is good once; the user is active then.")
            .at(post, "/api/auth/accept-invite"),
    };
}

}  // namespace workforce::operations
