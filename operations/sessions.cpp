// What people do with their own sessions, and with their password.
#include "operations/accounts.hpp"
#include "operations/declare.hpp"

namespace workforce::operations {

struct ChangePassword {
    core::Typed<1> currentPassword;
    NewPassword newPassword;
};
BOOST_DESCRIBE_STRUCT(ChangePassword, (), (currentPassword, newPassword))

namespace {

using boost::asio::awaitable;

workers::AccountRef account_of(Call const& call) { return {call.caller->organization, call.caller->user.id}; }

awaitable<Outcome> log_out(Call& call) {
    auto& accounts = *call.services.accounts;
    co_await accounts.sessions.end(account_of(call), call.caller->session, origin_of(call));
    accounts.forget(call.caller->user.id);
    co_return Outcome{.status = 204, .session_cookie = ""};
}

constexpr int kMostListed = workers::kMostSessions * 2;  // of both kinds

awaitable<Outcome> list_sessions(Call& call) {
    auto sessions = co_await call.services.accounts->sessions.list(account_of(call));
    note_late_uses(call);
    core::JsonWriter w;
    w.begin_object();
    w.key("data");
    for (auto& session : sessions) session.current = session.id == call.caller->session;
    core::write_json(w, sessions);
    w.key("pagination");
    core::write_json(w, Pagination{.limit = kMostListed});
    w.key("scope");
    core::write_json(w, ListScope{.orgUnitId = call.caller->organization});
    w.end_object();
    co_return Outcome{.body = w.take()};
}

awaitable<Outcome> end_session(Call& call) {
    auto& accounts = *call.services.accounts;
    auto const id = call.input.path.id();
    if (!co_await accounts.sessions.end(account_of(call), id, origin_of(call))) {
        co_return refuse(call, commands::not_found("session", id).value());
    }
    accounts.forget(call.caller->user.id);
    co_return Outcome{.status = 204};
}

awaitable<Outcome> change_password(Call& call) {
    auto input = read_command<ChangePassword>(call);
    if (!input) co_return refuse(call, input.error());
    auto const& user = call.caller->user;
    auto const fit = check_password("newPassword", input->newPassword, names_of(user));
    if (!fit) co_return refuse(call, fit.error());
    auto& accounts = *call.services.accounts;
    auto const whom = account_of(call);
    // Before the attempt counts: one that is right may fail for nothing else.
    auto hash = co_await accounts.hasher.hash(std::move(input->newPassword.value), core::HashFor::caller);
    if (!hash) co_return refuse(call, hash.error());
    auto& passwords = accounts.passwords;
    auto const attempt = co_await begin_attempt([&] { return passwords.begin_attempt(whom); });
    auto const known = co_await judge(call, attempt, std::move(input->currentPassword.value), core::HashFor::caller);
    if (!known) co_return refuse(call, known.error());
    co_await undone_by_trouble(passwords, attempt,
                               passwords.change(whom, *std::move(hash), call.caller->session, origin_of(call)));
    accounts.forget(user.id);
    co_return Outcome{.status = 204};
}

Operation own_row(std::string_view name, std::string_view summary, Handler handler) {
    Operation row;
    row.name = name;
    row.summary = summary;
    row.success = 204;
    row.handler = handler;
    return std::move(row).by_people().appends_nothing();
}

}  // namespace

std::vector<Operation> session_operations() {
    using enum net::Method;
    auto listed = query<workers::Session>("auth.sessions", "List your sessions", list_sessions);
    listed.description = "Returns your open sessions, cookies and tokens alike.";
    listed.answer = &page_of<workers::Session>;
    listed.answer_example = &page_example<workers::Session>;
    auto changed =
        own_row("auth.change_password", "Set another password, which ends all other sessions", change_password);
    changed.description =
        "Sets another password and ends all your other sessions. A wrong current one counts as a failed attempt to "
        "sign in.";
    changed.body = &request_of<ChangePassword>;
    changed.body_required = true;
    changed.body_example = &example<ChangePassword, Side::request>;
    return {
        own_row("auth.logout", "End the session", log_out)
            .says("Ends the session that the request comes by, and its cookie.")
            .at(post, "/api/auth/logout"),
        std::move(listed).by_people().with_uses().at(get, "/api/auth/sessions"),
        own_row("auth.end_session", "End one of your sessions", end_session)
            .says("Ends one of your sessions within a second, wherever it is open.")
            .destroys()
            .at(del, "/api/auth/sessions/{id:int}"),
        std::move(changed).tries_password().at(post, "/api/auth/password"),
    };
}

}  // namespace workforce::operations
