// Forms that only this service makes, and what those about scopes have.
#include "operations/oauth/form_seal.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "commands/oauth_grant.hpp"
#include "core/crypto.hpp"
#include "operations/accounts.hpp"
#include "operations/approvals/participant.hpp"
#include "operations/commands.hpp"
#include "operations/oauth/scope_words.hpp"

namespace workforce::operations {
namespace {

constexpr std::int64_t kFormLifeMs = 3'600'000;  // that a form may be open before it is sent

std::string seal_of(Call const& call, std::string_view matter, std::string_view made_at) {
    auto const& caller = *call.caller;
    auto const text = fmt::format("form\n{}\n{}\n{}\n{}\n{}", caller.organization, caller.user.id, call.meta.session,
                                  made_at, matter);
    return core::base64url_encode(core::bytes(core::hmac_sha256(call.services.cursor_secret, text)));
}

/// Submits what the caller decided, if their session holds.
template <class Command>
boost::asio::awaitable<Outcome> record_decision(Call& call, events::OAuthClient const& client,
                                                std::vector<std::string> const& scopes) {
    workers::AccountRef const account{call.caller->organization, call.caller->user.id};
    auto& sessions = call.services.accounts->sessions;
    bool const open = co_await sessions.opened_within(account, call.meta.session, workers::kSessionLife);
    if (!open) co_return refuse_ended(call);
    Command command{client.clientId, client.clientName, {}};
    for (auto const& scope : scopes) command.scopes.emplace_back(scope);
    auto submission = submission_of<Command>(call, std::move(command));
    submission.context.new_ids = co_await call.services.processor.ids().take(events::Kind::oauth_grant, 1);
    co_return co_await submit(call, std::move(submission), 0);
}

}  // namespace

void add_seal(Call const& call, std::string_view matter, HiddenFields& hidden) {
    auto const made_at = std::to_string(core::now().ms);
    hidden.push_back({"made_at", made_at});
    hidden.push_back({"seal", seal_of(call, matter, made_at)});
}

bool is_sealed(Call const& call, std::string_view matter, FormFields const& fields) {
    auto const made_at = field(fields, "made_at");
    auto const at = core::parse_integer(made_at);
    auto const age = core::now().ms - at.value_or(0);
    bool const fresh = at && age >= -kFormLifeMs && age <= kFormLifeMs;  // processes' clocks differ
    return fresh && core::constant_time_equal(field(fields, "seal"), seal_of(call, matter, made_at));
}

core::Problem unsealed_form() {
    return {core::Code::csrf_rejected,
            "The form is not of this service, or was open for too long.",
            {},
            "Go back to the program that sent you here, and try again."};
}

std::vector<ScopeGroup> scope_groups(std::vector<std::string> const& scopes) {
    static constexpr std::array<std::pair<ScopeWeight, std::string_view>, 3> kGroups{
        {{ScopeWeight::reads, "It may read"},
         {ScopeWeight::changes, "It may change"},
         {ScopeWeight::sensitive, "It may, and you should be sure of it"}}};
    std::vector<ScopeGroup> groups;
    for (auto const& [weight, legend] : kGroups) {
        ScopeGroup group{std::string(legend), {}};
        for (auto const& scope : scopes) {
            auto words = words_of_scope(scope);
            if (words.weight == weight) group.scopes.push_back({scope, std::move(words.text)});
        }
        if (!group.scopes.empty()) groups.push_back(std::move(group));
    }
    return groups;
}

std::string approval_note(Caller const& person, std::string_view client, std::vector<std::string> const& scopes) {
    if (!commands::is_decider(participant_of(person))) return {};
    auto const note = fmt::format(
        "You decide about calls that wait for a person's approval. {} can decide about them as you can, whatever you "
        "allow below",
        client);
    if (!person.organization_record.settings.forbidSameCredentialApproval) {
        return note + ", also calls that it made itself.";
    }
    return note + (std::ranges::count(scopes, "ai:approve_actions") > 0
                       ? "; of calls that it made itself it approves only where you let it approve below."
                       : "; of calls that it made itself it can approve none.");
}

std::string person_name(events::User const& user) {
    auto name = user.firstName.value.value + ' ' + user.lastName.value.value;
    return name == " " ? user.email.value.value : name;
}

std::vector<std::string> allowed_scopes(std::vector<std::string> const& asked, FormFields const& fields) {
    std::vector<std::string> allowed;
    if (field(fields, "decision") != "allow") return allowed;
    for (auto const& scope : asked) {
        if (fields.contains("allow:" + scope)) allowed.push_back(scope);
    }
    return allowed;
}

boost::asio::awaitable<tl::expected<Id, Outcome>> approve(Call& call, events::OAuthClient const& client,
                                                          std::vector<std::string> const& scopes) {
    auto outcome = co_await record_decision<commands::ApproveOAuthGrant>(call, client, scopes);
    if (outcome.status >= 400) co_return tl::unexpected(std::move(outcome));
    co_return core::from_stored_json<events::OAuthGrant>(outcome.body).id;
}

boost::asio::awaitable<std::optional<Outcome>> deny(Call& call, events::OAuthClient const& client,
                                                    std::vector<std::string> const& scopes) {
    auto outcome = co_await record_decision<commands::DenyOAuthGrant>(call, client, scopes);
    co_return outcome.status >= 400 ? std::optional(std::move(outcome)) : std::nullopt;
}

Outcome refuse_ended(Call const& call) {
    return refuse(call, {core::Code::unauthenticated,
                         "You are not signed in any more.",
                         {},
                         "Sign in, go back to the program that sent you here, and try again."});
}

}  // namespace workforce::operations
