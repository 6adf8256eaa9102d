// GET and POST /oauth/authorize: people are asked, and what they let is recorded.
#include <fmt/format.h>

#include <array>

#include "core/crypto.hpp"
#include "operations/declare.hpp"
#include "operations/oauth/authorization.hpp"
#include "operations/oauth/client_metadata.hpp"
#include "operations/oauth/form_seal.hpp"
#include "operations/oauth/redirect_uri.hpp"
#include "operations/oauth/scope_words.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;

constexpr std::array<std::string_view, 8> kParameters{
    "response_type", "client_id",      "redirect_uri", "scope",
    "state",         "code_challenge", "resource",     "code_challenge_method"};
constexpr std::size_t kCodeLength = 43;

/// What people agree to: the request as it was made.
std::string matter_of(FormFields const& fields) {
    std::string matter = "consent";
    for (auto const name : kParameters) matter += fmt::format("\n{}={}", name, form_encoded(field(fields, name)));
    return matter;
}

Outcome consent_page(Call const& call, AuthorizationRequest const& request, FormFields const& fields) {
    PageData hidden_fields{PageData::type::list};
    for (auto const name : kParameters) {
        if (!field(fields, name).empty()) hidden_fields.push_back(hidden_field(name, field(fields, name)));
    }
    add_seal(call, matter_of(fields), hidden_fields);
    PageData data;
    data.set("client", request.client.clientName.value);
    data.set("name", person_name(call.caller->user));
    data.set("organization", call.caller->organization_record.name.value);
    data.set("facilities", call.caller->facilities.empty() ? PageData::type::bool_false : PageData::type::bool_true);
    if (is_client_document(request.client.clientId)) data.set("address", shown_host(request.client.clientId));
    data.set("host", shown_host(request.redirect_uri));
    data.set("fields", hidden_fields);
    data.set("groups", scope_groups(request.scopes));
    auto outcome = page_outcome(render_page("Let a program act for you", templates::pages_consent, data));
    outcome.form_source = form_source(request.redirect_uri);
    return outcome;
}

Outcome redirection(std::string address) { return {.status = 303, .location = std::move(address)}; }

/// What is answered where there is no request to ask anybody about.
Outcome not_asked(Call const& call, JudgedRequest const& judged) {
    if (judged.problem) return refuse(call, *judged.problem);
    return redirection(judged.refused_to);
}

awaitable<Outcome> ask_for_consent(Call& call) {
    FormFields fields;
    std::string query;
    for (auto const name : kParameters) {
        auto const found = call.input.parameters.find(name);
        if (found == call.input.parameters.end()) continue;
        fields.emplace(name, found->second);
        query += fmt::format("{}{}={}", query.empty() ? "" : "&", name, form_encoded(found->second));
    }
    auto const judged = co_await judge_request(*call.services.oauth, fields);
    if (!judged.request) co_return not_asked(call, judged);
    if (!call.caller) co_return redirection("/login?return_to=" + form_encoded("/oauth/authorize?" + query));
    co_return consent_page(call, *judged.request, fields);
}

awaitable<Outcome> take_consent(Call& call) {
    auto const& body = *call.input.body;
    if (!body) co_return refuse(call, body.error());
    auto const fields = fields_of(*body);
    if (!is_sealed(call, matter_of(fields), fields)) co_return refuse(call, unsealed_form());
    auto& services = *call.services.oauth;
    auto const judged = co_await judge_request(services, fields);
    if (!judged.request) co_return not_asked(call, judged);
    auto const& request = *judged.request;
    auto const scopes = allowed_scopes(request.scopes, fields);
    if (scopes.empty()) {
        co_return redirection(refusal_address(services, request.redirect_uri, request.state, "access_denied",
                                              "The user did not allow it."));
    }
    auto grant = co_await approve(call, request.client, scopes);
    if (!grant) co_return std::move(grant.error());
    auto const code = core::random_base62(kCodeLength);
    co_await services.store.add_code({{call.meta.organization, call.caller->user.id, *grant, request.client.clientId,
                                       text_of_scopes(scopes), request.resource},
                                      code,
                                      request.said_uri,
                                      request.challenge});
    co_return redirection(code_address(services, request, code));
}

void html_schema(core::JsonWriter& w, Components&) { w.member("type", "string"); }

}  // namespace

std::vector<Operation> authorization_rows() {
    Operation asked;
    asked.name = "oauth.authorize";
    asked.summary = "Ask a person whether a client may act for them";
    asked.answer = html_schema;
    asked.handler = ask_for_consent;
    for (auto const name : kParameters) asked.parameters.push_back({.name = name});
    Operation taken;
    taken.name = "oauth.consent";
    taken.summary = "A person says whether a client may act for them";
    taken.effect = Effect::write;
    taken.body = html_schema;
    taken.answer = html_schema;
    taken.success = 303;
    taken.handler = take_consent;
    return {
        std::move(asked)
            .by_anyone_known()
            .gives({MediaType::html})
            .refuses_as(ErrorForm::page)
            .undescribed()
            .at(net::Method::get, "/oauth/authorize"),
        std::move(taken)
            .by_people()
            .of_live_data()
            .audit()
            .takes(MediaType::form)
            .gives({MediaType::html})
            .refuses_as(ErrorForm::page)
            .undescribed()
            .at(net::Method::post, "/oauth/authorize"),
    };
}

}  // namespace workforce::operations
