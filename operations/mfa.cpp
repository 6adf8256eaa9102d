// Second factors: what people do with their own.
#include <fmt/format.h>

#include "operations/accounts.hpp"
#include "operations/declare.hpp"

namespace workforce::operations {

/// What a program needs to show codes.
struct MfaSecret {
    std::string secret;
    std::string otpauthUrl;
};
BOOST_DESCRIBE_STRUCT(MfaSecret, (), (secret, otpauthUrl))

/// What shows that it is still the person who signed in.
struct EnrolMfa {
    std::optional<core::Typed<1>> password;
};
BOOST_DESCRIBE_STRUCT(EnrolMfa, (), (password))

struct ConfirmMfa {
    core::Text<1, 40> otp;
    std::optional<core::Typed<1>> password;
};
BOOST_DESCRIBE_STRUCT(ConfirmMfa, (), (otp, password))

struct RecoveryCodes {
    std::vector<std::string> recoveryCodes;
};
BOOST_DESCRIBE_STRUCT(RecoveryCodes, (), (recoveryCodes))

struct DisableMfa {
    core::Text<1, 40> otp;
    core::Typed<1> password;
};
BOOST_DESCRIBE_STRUCT(DisableMfa, (), (otp, password))

namespace {

using boost::asio::awaitable;
using core::Code;

/// For so long after a sign-in no password is asked for again.
constexpr std::chrono::minutes kFresh{10};

workers::AccountRef own_account(Call const& call) { return {call.caller->organization, call.caller->user.id}; }

/// A text as a part of a URL.
std::string url_encoded(std::string_view text) {
    std::string encoded;
    for (char const c : text) {
        bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                           c == '-' || c == '_';
        encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return encoded;
}

/// A second factor of somebody who has a stolen session alone would lock its user out: who signed in some time ago
/// shows the password again. Errors: VALIDATION_ERROR where it is not there; as judge().
awaitable<core::Result<void>> still_the_person(Call& call, std::optional<core::Typed<1>> password) {
    auto& accounts = *call.services.accounts;
    auto const whom = own_account(call);
    if (!password) {
        if (co_await accounts.sessions.opened_within(whom, call.meta.session, kFresh)) co_return core::Result<void>{};
        co_return tl::unexpected(core::validation_problem(
            {{"password", "required", "is required: you signed in more than ten minutes ago"}}));
    }
    auto const attempt = co_await begin_attempt([&] { return accounts.passwords.begin_attempt(whom); });
    auto const known = co_await judge(call, attempt, std::move(password->value), core::HashFor::caller);
    if (!known) co_return tl::unexpected(known.error());
    co_await accounts.passwords.undo(attempt);
    co_return core::Result<void>{};
}

awaitable<Outcome> enrol(Call& call) {
    auto input = read_command<EnrolMfa>(call);
    if (!input) co_return refuse(call, input.error());
    auto const same = co_await still_the_person(call, std::move(input->password));
    if (!same) co_return refuse(call, same.error());
    auto const secret = co_await call.services.accounts->second_factors.enrol(own_account(call));
    if (!secret) {
        co_return refuse(call, {Code::invalid_state_transition, "There is a second factor; disable it first.",
                                R"({"from":"enabled","command":"enrol","allowed":["disable"]})"});
    }
    auto const& name = call.caller->user.email.value.value;
    MfaSecret const answer{*secret,
                           fmt::format("otpauth://totp/Workforce:{}?secret={}&issuer=Workforce&digits=6&period=30",
                                       url_encoded(name), *secret)};
    co_return Outcome{.body = core::to_json(answer)};
}

core::Problem wrong_code() {
    return core::validation_problem({{"otp", "valid", "is not the code of now, or nothing waits to be confirmed"}});
}

awaitable<Outcome> confirm(Call& call) {
    auto input = read_command<ConfirmMfa>(call);
    if (!input) co_return refuse(call, input.error());
    auto const same = co_await still_the_person(call, std::move(input->password));
    if (!same) co_return refuse(call, same.error());
    auto codes =
        co_await call.services.accounts->second_factors.confirm(own_account(call), input->otp.value, origin_of(call));
    if (!codes) co_return refuse(call, wrong_code());
    co_return Outcome{.body = core::to_json(RecoveryCodes{*std::move(codes)})};
}

/// Both are judged as a sign-in is, so that nobody guesses who has a session alone.
awaitable<Outcome> disable(Call& call) {
    auto input = read_command<DisableMfa>(call);
    if (!input) co_return refuse(call, input.error());
    auto& accounts = *call.services.accounts;
    auto const whom = own_account(call);
    auto& passwords = accounts.passwords;
    auto const attempt = co_await begin_attempt([&] { return passwords.begin_attempt(whom); });
    auto const known = co_await judge(call, attempt, std::move(input->password.value), core::HashFor::caller);
    if (!known) co_return refuse(call, known.error());
    auto const factor =
        co_await undone_by_trouble(passwords, attempt, accounts.second_factors.check(whom, input->otp.value));
    if (factor == workers::SecondFactor::wrong) {
        co_await passwords.fail(attempt, origin_of(call));
        co_return refuse(call, {Code::invalid_credentials, "The code is not right, or was used."});
    }
    co_await passwords.undo(attempt);
    co_await accounts.second_factors.remove(whom, origin_of(call));
    co_return Outcome{.status = 204};
}

template <class Answer>
Operation row_of_own(std::string_view name, std::string_view summary, Handler handler) {
    Operation row;
    row.name = name;
    row.summary = summary;
    row.answer = &answer_of<Answer>;
    row.answer_example = &example<Answer, Side::answer>;
    row.handler = handler;
    return std::move(row).appends_nothing().by_people();
}

template <class Input>
Operation with_body(Operation row, bool required = true) {
    row.body = &request_of<Input>;
    row.body_required = required;
    row.body_example = &example<Input, Side::request>;
    return row;
}

}  // namespace

std::vector<Operation> mfa_operations() {
    using enum net::Method;
    Operation disabled;
    disabled.name = "auth.mfa_disable";
    disabled.summary = "Sign in without a one-time code again";
    disabled.success = 204;
    disabled.handler = disable;
    return {
        with_body<EnrolMfa>(row_of_own<MfaSecret>("auth.mfa_enrol", "Begin to sign in with a one-time code", enrol),
                            false)
            .says("Returns a new secret for a program that shows one-time codes (RFC 6238). It counts once "
                  "{auth.mfa_confirm} confirms it. Who signed in more than ten minutes ago says the password again.")
            .tries_password()
            .refuses({core::Code::invalid_state_transition})
            .at(post, "/api/auth/mfa/enrol"),
        with_body<ConfirmMfa>(row_of_own<RecoveryCodes>("auth.mfa_confirm", "Confirm the secret by a code", confirm))
            .says("From now on signing in takes a one-time code. Returns ten codes for recovery, shown this once; each "
                  "stands for a one-time code once. Who signed in more than ten minutes ago says the password again.")
            .tries_password()
            .at(post, "/api/auth/mfa/confirm"),
        with_body<DisableMfa>(std::move(disabled).appends_nothing().by_people())
            .says("Signing in takes the password alone again.")
            .tries_password()
            .at(post, "/api/auth/mfa/disable"),
    };
}

}  // namespace workforce::operations
