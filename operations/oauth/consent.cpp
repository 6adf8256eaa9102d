// GET and POST /oauth/authorize: people are asked, and what they let is recorded.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/crypto.hpp"
#include "operations/oauth/authorization.hpp"
#include "operations/oauth/client_metadata.hpp"
#include "operations/oauth/form_seal.hpp"
#include "operations/oauth/redirect_uri.hpp"
#include "operations/oauth/scope_words.hpp"
#include "operations/pages/page.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {

struct ConsentPage {
    std::string client;
    std::string name;
    std::string organization;
    bool facilities = false;  ///< the person is bound to some
    std::string address;      ///< of the client's own document, whole; empty: it registered
    std::string host;         ///< to which the person is sent on
    bool on_machine = false;  ///< that is the person's own machine
    std::string approvals;    ///< approval_note()
    std::vector<HiddenField> fields;
    std::vector<ScopeGroup> groups;
};
BOOST_DESCRIBE_STRUCT(ConsentPage, (),
                      (client, name, organization, facilities, address, host, on_machine, approvals, fields, groups))

namespace {

using boost::asio::awaitable;

constexpr std::array<std::string_view, 8> kParameters{
    "response_type", "client_id",      "redirect_uri", "scope",
    "state",         "code_challenge", "resource",     "code_challenge_method"};
constexpr std::size_t kCodeLength = 43;

/// What else people are shown, which the client may change meanwhile: its name, and where they are sent on to.
constexpr std::string_view kShownName = "shown_name";
constexpr std::string_view kShownTarget = "shown_target";

/// What people agree to: the request as it was made, and what they were shown of the client.
std::string matter_of(FormFields const& fields) {
    std::string matter = "consent";
    auto const add = [&](std::string_view name) {
        matter += fmt::format("\n{}={}", name, form_encoded(field(fields, name)));
    };
    std::ranges::for_each(kParameters, add);
    add(kShownName);
    add(kShownTarget);
    return matter;
}

/// Whether the client is still what was shown.
bool is_as_shown(AuthorizationRequest const& request, FormFields const& fields) {
    return field(fields, kShownName) == request.client.clientName.value &&
           field(fields, kShownTarget) == request.redirect_uri;
}

Outcome consent_page(Call const& call, AuthorizationRequest const& request, FormFields fields) {
    fields.emplace(kShownName, request.client.clientName.value);
    fields.emplace(kShownTarget, request.redirect_uri);
    HiddenFields hidden;
    for (auto const& [name, value] : fields) {
        if (!value.empty()) hidden.push_back({name, value});
    }
    add_seal(call, matter_of(fields), hidden);
    auto const& caller = *call.caller;
    ConsentPage page{.client = request.client.clientName.value,
                     .name = person_name(caller.user),
                     .organization = caller.organization_record.name.value,
                     .facilities = !caller.facilities.empty(),
                     .address = {},
                     .host = shown_host(request.redirect_uri),
                     .on_machine = is_on_this_machine(request.redirect_uri),
                     .approvals = approval_note(caller, request.client.clientName.value, request.scopes),
                     .fields = std::move(hidden),
                     .groups = scope_groups(request.scopes)};
    if (is_client_document(request.client.clientId)) page.address = request.client.clientId;
    auto outcome = page_outcome(render_page("Let a program act for you", templates::pages_consent, page));
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
    if (judged.problem) co_return refuse(call, *judged.problem);
    // Strangers are sent to no address that a client chose, whatever is wrong with its request (RFC 9700 4.11.2).
    if (!call.caller) co_return redirection("/login?return_to=" + form_encoded("/oauth/authorize?" + query));
    if (!judged.request) co_return not_asked(call, judged);
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
    if (!is_as_shown(request, fields)) co_return refuse(call, unsealed_form());
    auto const scopes = allowed_scopes(request.scopes, fields);
    if (scopes.empty()) {
        if (auto refused = co_await deny(call, request.client, request.scopes)) co_return *std::move(refused);
        co_return redirection(refusal_address(services, request.redirect_uri, request.state, "access_denied",
                                              "The user did not allow it."));
    }
    auto grant = co_await approve(call, request.client, scopes);
    if (!grant) co_return std::move(grant.error());
    auto const code = core::random_base62(kCodeLength);
    bool const added =
        co_await services.store.add_code({{call.meta.organization, call.caller->user.id, *grant,
                                           request.client.clientId, text_of_scopes(scopes), request.resource},
                                          code,
                                          request.said_uri,
                                          request.challenge,
                                          call.meta.session});
    if (!added) co_return refuse_ended(call);
    co_return redirection(code_address(services, request, code));
}

}  // namespace

std::vector<Operation> authorization_rows() {
    auto asked = page_row("oauth.authorize", "Ask a person whether a client may act for them", ask_for_consent);
    for (auto const name : kParameters) asked.parameters.push_back({.name = name});
    auto taken = consent_row("oauth.consent", "A person says whether a client may act for them", take_consent);
    taken.success = 303;
    return {
        std::move(asked).at(net::Method::get, "/oauth/authorize"),
        std::move(taken).at(net::Method::post, "/oauth/authorize"),
    };
}

}  // namespace workforce::operations
