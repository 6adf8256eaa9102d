// POST /oauth/device/code, and /device, where its user types the code (RFC 8628).
#include <fmt/format.h>

#include <algorithm>

#include "core/crypto.hpp"
#include "core/scopes.hpp"
#include "operations/declare.hpp"
#include "operations/oauth/form_seal.hpp"
#include "operations/oauth/redirect_uri.hpp"
#include "operations/oauth/scope_words.hpp"
#include "operations/templates.hpp"
#include "workers/store/device_store.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;

constexpr std::string_view kDeviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
constexpr std::size_t kDeviceCodeLength = 43;
constexpr int kMostTries = 5;  // for a user code that no other device has

/// The scopes that a device asks for; nothing where one is none that the client may have.
std::optional<std::vector<std::string>> device_scopes(events::OAuthClient const& client, std::string_view text) {
    auto const most = scopes_of(client);
    auto asked = scopes_of_text(text);
    if (asked.empty()) return default_scopes(most);
    auto const may = [&](std::string const& scope) {
        return core::is_grantable_scope(scope) && (most.empty() || std::ranges::count(most, scope) > 0);
    };
    return std::ranges::all_of(asked, may) ? std::optional(std::move(asked)) : std::nullopt;
}

std::string shown(OAuthServices const& services, workers::NewDevice const& device) {
    auto const user_code = workers::shown_user_code(device.user_code);
    core::JsonWriter w;
    w.begin_object();
    w.member("device_code", device.device_code);
    w.member("user_code", user_code);
    w.member("verification_uri", services.issuer + "/device");
    w.member("verification_uri_complete", services.issuer + "/device?user_code=" + user_code);
    w.member("expires_in", std::int64_t{workers::kDeviceLife.count()});
    w.member("interval", workers::kPollPause);
    w.end_object();
    return w.take();
}

awaitable<Outcome> begin_device(Call& call) {
    auto const& body = *call.input.body;
    if (!body) co_return refuse(call, body.error());
    auto const fields = fields_of(*body);
    auto const client = co_await authenticate_client(call, fields, ClientCall::token);
    if (!client) co_return oauth_refusal(client.error());
    auto const& record = *client->record;
    if (std::ranges::count(record.grantTypes, core::ShortText(std::string(kDeviceGrant))) == 0) {
        co_return oauth_refusal({400, "unauthorized_client", "The client did not register for device codes."});
    }
    auto& services = *call.services.oauth;
    auto const resource = field(fields, "resource");
    auto const accepted = accepted_resources(services.issuer, services.mcp_url);
    if (!resource.empty() && std::ranges::count(accepted, resource) == 0) {
        co_return oauth_refusal({400, "invalid_target", "The resource is not of this service."});
    }
    auto const scopes = device_scopes(record, field(fields, "scope"));
    if (!scopes || scopes->empty()) {
        co_return oauth_refusal({400, "invalid_scope", "A scope is unknown, or not the client's."});
    }
    workers::NewDevice device{core::random_base62(kDeviceCodeLength),
                              workers::make_user_code(),
                              record.clientId,
                              text_of_scopes(*scopes),
                              std::string(resource),
                              call.meta.address};
    for (int tries = 1; !co_await services.devices.add(device); ++tries) {
        if (tries == kMostTries) co_return oauth_refusal({503, "temporarily_unavailable", "Ask again."});
        device.user_code = workers::make_user_code();
    }
    co_return Outcome{.body = shown(services, device)};
}

std::string device_matter(std::string_view user_code) { return fmt::format("device\n{}", user_code); }

Outcome code_form(std::string_view problem, std::uint16_t status) {
    PageData data;
    if (!problem.empty()) data.set("problem", std::string(problem));
    return page_outcome(render_page("Connect a device", templates::pages_device, data), status);
}

/// A device that waits, and the client that it is of.
struct FoundDevice {
    workers::WaitingDevice device;
    events::OAuthClient client;
};

awaitable<std::optional<FoundDevice>> find_device(Call& call, std::string user_code) {
    auto& services = *call.services.oauth;
    if (user_code.empty()) co_return std::nullopt;
    auto device = co_await services.devices.find(std::move(user_code), call.caller->user.id);
    if (!device) co_return std::nullopt;
    auto client = co_await find_client(services, device->client_id);
    if (!client) co_return std::nullopt;
    co_return FoundDevice{*std::move(device), *std::move(client->record)};
}

Outcome device_consent(Call const& call, FoundDevice const& found, std::string const& user_code) {
    PageData hidden_fields{PageData::type::list};
    hidden_fields.push_back(hidden_field("user_code", user_code));
    add_seal(call, device_matter(user_code), hidden_fields);
    PageData data;
    data.set("client", found.client.clientName.value);
    data.set("name", person_name(call.caller->user));
    data.set("organization", call.caller->organization_record.name.value);
    data.set("code", workers::shown_user_code(user_code));
    data.set("address", found.device.address);
    data.set("time", core::to_string(found.device.asked_at));
    data.set("fields", hidden_fields);
    data.set("groups", scope_groups(scopes_of_text(found.device.scope)));
    return page_outcome(render_page("Connect a device", templates::pages_device_consent, data));
}

constexpr std::string_view kNoDevice =
    "No device waits for this code. Look at it again; after five wrong codes wait ten minutes.";

awaitable<Outcome> ask_for_device(Call& call) {
    auto const given = call.input.parameters.find("user_code");
    bool const said = given != call.input.parameters.end() && !given->second.empty();
    if (!call.caller) {
        auto const back = said ? "/device?user_code=" + form_encoded(given->second) : std::string("/device");
        co_return Outcome{.status = 303, .location = "/login?return_to=" + form_encoded(back)};
    }
    if (!said) co_return code_form("", 200);
    auto const user_code = workers::plain_user_code(given->second);
    auto const found = co_await find_device(call, user_code);
    co_return found ? device_consent(call, *found, user_code) : code_form(kNoDevice, 404);
}

Outcome done_page(std::string_view title, std::string_view message) {
    PageData data;
    data.set("title", std::string(title));
    data.set("message", std::string(message));
    return page_outcome(render_page(title, templates::pages_done, data));
}

awaitable<Outcome> settle_device(Call& call) {
    auto const& body = *call.input.body;
    if (!body) co_return refuse(call, body.error());
    auto const fields = fields_of(*body);
    auto const user_code = workers::plain_user_code(field(fields, "user_code"));
    if (!is_sealed(call, device_matter(user_code), fields)) co_return refuse(call, unsealed_form());
    auto const found = co_await find_device(call, user_code);
    if (!found) co_return code_form(kNoDevice, 404);
    auto const scopes = allowed_scopes(scopes_of_text(found->device.scope), fields);
    workers::Consent consent;
    consent.organization = call.meta.organization;
    consent.user = call.caller->user.id;
    consent.scope = text_of_scopes(scopes);
    if (!scopes.empty()) {
        auto grant = co_await approve(call, found->client, scopes);
        if (!grant) co_return std::move(grant.error());
        consent.grant = *grant;
    }
    if (!co_await call.services.oauth->devices.settle(user_code, consent)) co_return code_form(kNoDevice, 404);
    co_return scopes.empty() ? done_page("Not connected", "The device is told that you did not allow it.")
                             : done_page("Connected", "Go on at the device. You can close this page.");
}

void any_text(core::JsonWriter& w, Components&) { w.member("type", "string"); }

}  // namespace

std::vector<Operation> device_rows() {
    Operation begun;
    begun.name = "oauth.device_code";
    begun.summary = "Begin to connect a device";
    begun.body = [](core::JsonWriter& w, Components&) { w.member("type", "object"); };
    begun.answer = begun.body;
    begun.handler = begin_device;
    begun.http.takes_json_too = true;
    Operation asked;
    asked.name = "oauth.device";
    asked.summary = "Ask a person which device waits for them";
    asked.answer = any_text;
    asked.handler = ask_for_device;
    asked.parameters.push_back({.name = "user_code"});
    Operation settled;
    settled.name = "oauth.settle_device";
    settled.summary = "A person says whether a device may act for them";
    settled.effect = Effect::write;
    settled.body = any_text;
    settled.answer = any_text;
    settled.handler = settle_device;
    return {
        std::move(begun)
            .by_anyone()
            .appends_nothing()
            .counts_clients_itself()
            .takes(MediaType::form)
            .refuses_as(ErrorForm::oauth)
            .undescribed()
            .at(net::Method::post, "/oauth/device/code"),
        std::move(asked)
            .by_anyone_known()
            .gives({MediaType::html})
            .refuses_as(ErrorForm::page)
            .undescribed()
            .at(net::Method::get, "/device"),
        std::move(settled)
            .by_people()
            .of_live_data()
            .audit()
            .takes(MediaType::form)
            .gives({MediaType::html})
            .refuses_as(ErrorForm::page)
            .undescribed()
            .at(net::Method::post, "/device"),
    };
}

}  // namespace workforce::operations
