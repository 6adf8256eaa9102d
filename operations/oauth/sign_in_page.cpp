// GET and POST /login: people sign in where a program sent them.
#include <algorithm>

#include "operations/accounts.hpp"
#include "operations/declare.hpp"
#include "operations/oauth/oauth.hpp"
#include "operations/oauth/redirect_uri.hpp"
#include "operations/pages/page.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {

struct LoginPage {
    std::string return_to;
    std::string name{};
    std::string problem{};
    bool asks_code = false;  ///< the account needs a one-time code besides
};
BOOST_DESCRIBE_STRUCT(LoginPage, (), (return_to, name, problem, asks_code))

struct PasswordPage {
    std::string title;
    std::string action;
    std::string problem;
};
BOOST_DESCRIBE_STRUCT(PasswordPage, (), (title, action, problem))

namespace {

using boost::asio::awaitable;

constexpr std::size_t kMostReturn = 8192;

constexpr std::string_view kOverview = "/dashboard";

/// Whether the address is one of the pages for people who signed in.
bool is_page(std::string_view asked) {
    auto const path = asked.substr(0, asked.find('?'));
    return std::ranges::any_of(operations(), [&](Operation const& row) {
        auto const& http = row.http;
        if (!row.people_only || http.errors != ErrorForm::page || http.method != net::Method::get) return false;
        auto const fixed = http.path.substr(0, http.path.find('{'));
        return fixed.size() == http.path.size() ? path == fixed : path.starts_with(fixed);
    });
}

/// Where somebody goes on once they signed in: a page of this service alone, so that nobody is led elsewhere.
std::string return_of(std::string_view asked) {
    bool const ours = asked.starts_with("/oauth/authorize?") || asked.starts_with("/device") || is_page(asked);
    bool const plain = asked.size() <= kMostReturn && asked.find_first_of("\\\r\n") == std::string_view::npos;
    return ours && plain ? std::string(asked) : "";
}

Outcome login_form(LoginPage const& page, std::uint16_t status = 200) {
    return page_outcome(render_page("Sign in", templates::pages_login, page), status);
}

Outcome leading_to(std::string address) { return {.status = 303, .location = std::move(address)}; }

/// To the page that sent somebody here, else to the overview.
Outcome onwards(std::string const& return_to) {
    return leading_to(return_to.empty() ? std::string(kOverview) : return_to);
}

awaitable<Outcome> show_login(Call& call) {
    auto const asked = call.input.parameters.find("return_to");
    auto const return_to = asked == call.input.parameters.end() ? std::string() : return_of(asked->second);
    if (!call.caller) co_return login_form({.return_to = return_to});
    co_return onwards(return_to);
}

/// What a person is told of a sign-in that was refused.
std::string_view words_of(core::Code code) {
    using enum core::Code;
    if (code == mfa_required) return "Type your password once more, and the code that your program shows.";
    if (code == account_locked) return "Too many attempts have failed. Wait 15 minutes, or set a new password.";
    if (code == invalid_credentials || code == unauthenticated) {
        return "There is no such account with that password.";
    }
    if (code == validation_error) return "Type your email or user name, and your password.";
    return "That can't be done now. Try again in a moment.";
}

awaitable<Outcome> take_login(Call& call) {
    auto const& body = *call.input.body;
    if (!body) co_return refuse(call, body.error());
    auto const fields = fields_of(*body);
    auto const return_to = return_of(field(fields, "return_to"));
    std::string const name(field(fields, "name"));
    auto opened = co_await open_by_password(call, name, std::string(field(fields, "password")),
                                            std::string(field(fields, "otp")));
    if (!opened) {
        auto const code = opened.error().code;
        auto const status = code == core::Code::validation_error ? core::info(core::Code::invalid_credentials).status
                                                                 : core::info(code).status;
        bool const asks_code = code == core::Code::mfa_required || !field(fields, "otp").empty();
        co_return login_form({return_to, name, std::string(words_of(code)), asks_code}, status);
    }
    auto outcome = onwards(return_to);
    outcome.session_cookie = std::move(opened->secret);
    co_return outcome;
}

/// The two forms to which mails lead.
struct PasswordForm {
    workers::LinkPurpose purpose;
    std::string_view path;
    std::string_view title;
};
constexpr PasswordForm kInvite{workers::LinkPurpose::invite, "/invite/", "Choose your password"};
constexpr PasswordForm kReset{workers::LinkPurpose::reset, "/reset/", "Choose a new password"};

Outcome password_form(PasswordForm const& form, std::string_view token, std::string_view problem,
                      std::uint16_t status) {
    PasswordPage const page{std::string(form.title), std::string(form.path) + form_encoded(token),
                            std::string(problem)};
    return page_outcome(render_page(form.title, templates::pages_password, page), status);
}

awaitable<Outcome> show_password(Call& call, PasswordForm const& form) {
    co_return password_form(form, call.input.path.text("token"), "", 200);
}

awaitable<Outcome> take_password(Call& call, PasswordForm const& form) {
    auto const& body = *call.input.body;
    if (!body) co_return refuse(call, body.error());
    auto const fields = fields_of(*body);
    std::string const token(call.input.path.text("token"));
    auto const set = co_await set_password_by_link(call, form.purpose, token, std::string(field(fields, "password")));
    if (set) co_return leading_to("/login");
    auto const& problem = set.error();
    bool const of_input = problem.code == core::Code::validation_error;
    co_return password_form(form, token, of_input ? problem.message : words_of(problem.code),
                            core::info(problem.code).status);
}

awaitable<Outcome> show_invite(Call& call) { return show_password(call, kInvite); }
awaitable<Outcome> show_reset(Call& call) { return show_password(call, kReset); }
awaitable<Outcome> take_invite(Call& call) { return take_password(call, kInvite); }
awaitable<Outcome> take_reset(Call& call) { return take_password(call, kReset); }

}  // namespace

std::vector<Operation> page_rows() {
    auto shown = page_row("pages.login", "The form to sign in by", show_login);
    shown.parameters.push_back({.name = "return_to"});
    return {
        page_row("pages.invite", "The form for a first password", show_invite)
            .at(net::Method::get, "/invite/{token:text}"),
        form_row("pages.accept_invite", "Set the first password by the form", take_invite)
            .tries_password()
            .at(net::Method::post, "/invite/{token:text}"),
        page_row("pages.reset", "The form for a new password", show_reset).at(net::Method::get, "/reset/{token:text}"),
        form_row("pages.set_password", "Set a new password by the form", take_reset)
            .tries_password()
            .at(net::Method::post, "/reset/{token:text}"),
        std::move(shown).at(net::Method::get, "/login"),
        form_row("pages.sign_in", "Sign in by the form", take_login).tries_password().at(net::Method::post, "/login"),
    };
}

}  // namespace workforce::operations
