// POST /oauth/device/code, and /device, where its user types the code (RFC 8628).
#include <fmt/format.h>

#include <algorithm>

#include "core/crypto.hpp"
#include "net/byte_budget.hpp"
#include "operations/oauth/client_metadata.hpp"
#include "operations/oauth/form_seal.hpp"
#include "operations/oauth/redirect_uri.hpp"
#include "operations/oauth/scope_words.hpp"
#include "operations/pages/page.hpp"
#include "operations/templates.hpp"
#include "workers/store/device_store.hpp"

namespace workforce::operations {

struct DevicePage {
    std::string code;
    std::string problem;
};
BOOST_DESCRIBE_STRUCT(DevicePage, (), (code, problem))

struct DeviceConsentPage {
    std::string client;
    std::string client_address;  ///< of its own document; empty: it registered
    std::string name;
    std::string organization;
    std::string code;
    std::string address;
    std::string time;
    std::string approvals;  ///< approval_note()
    std::vector<HiddenField> fields;
    std::vector<ScopeGroup> groups;
};
BOOST_DESCRIBE_STRUCT(DeviceConsentPage, (),
                      (client, client_address, name, organization, code, address, time, approvals, fields, groups))

struct DonePage {
    std::string title;
    std::string message;
};
BOOST_DESCRIBE_STRUCT(DonePage, (), (title, message))

namespace {

using boost::asio::awaitable;

constexpr std::string_view kDeviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
constexpr std::size_t kDeviceCodeLength = 43;
constexpr std::string_view kShownClient = "shown_client";  // field of the form
constexpr int kMostTries = 5;                              // for a user code that no other device has

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

/// A moment as people read it: "2026-11-28 16:18 UTC".
std::string minute_of(core::Timestamp at) {
    auto const text = core::to_string(at);
    return fmt::format("{} {} UTC", text.substr(0, 10), text.substr(11, 5));
}

awaitable<Outcome> begin_device(Call& call) {
    auto const& body = *call.input.body;
    if (!body) co_return refuse(call, body.error());
    auto const fields = fields_of(*body);
    auto const client = co_await authenticate_client(call, fields, ClientCall::token);
    if (!client) co_return oauth_refusal(client.error());
    // Nothing of the client's own is shown here.
    if (auto const over = count_shown(call, *client, ClientCall::token, false)) co_return oauth_refusal(*over);
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
    auto const scopes = asked_scopes(record, field(fields, "scope"));
    if (!scopes || scopes->empty()) {
        co_return oauth_refusal({400, "invalid_scope", "A scope is unknown, or not the client's."});
    }
    workers::NewDevice device{core::random_base62(kDeviceCodeLength),
                              workers::make_user_code(),
                              record.clientId,
                              text_of_scopes(*scopes),
                              std::string(resource),
                              call.meta.address,
                              net::holder_of(call.meta.address).id};
    auto kept = co_await services.devices.add(device);
    for (int tries = 1; kept == workers::Kept::code_taken; ++tries) {
        if (tries == kMostTries) co_return oauth_refusal({503, "temporarily_unavailable", "Ask again."});
        device.user_code = workers::make_user_code();
        kept = co_await services.devices.add(device);
    }
    if (kept == workers::Kept::too_many) {
        co_return oauth_refusal({429, "temporarily_unavailable", "Too many devices at the address wait for a person."});
    }
    co_return Outcome{.body = shown(services, device)};
}

/// What people agree to: the device, and the name of its client that they were shown.
std::string device_matter(std::string_view user_code, std::string_view client_name) {
    return fmt::format("device\n{}\n{}", user_code, client_name);
}

Outcome code_form(DevicePage const& page, std::uint16_t status = 200) {
    return page_outcome(render_page("Connect a device", templates::pages_device, page), status);
}

constexpr std::string_view kNoDevice =
    "No device waits for this code. Look at it again; after five wrong codes wait ten minutes.";

Outcome no_device() { return code_form({{}, std::string(kNoDevice)}, 404); }

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
    auto const& client = found.client;
    HiddenFields hidden{{"user_code", user_code}, {std::string(kShownClient), client.clientName.value}};
    add_seal(call, device_matter(user_code, client.clientName.value), hidden);
    auto const scopes = scopes_of_text(found.device.scope);
    DeviceConsentPage const page{.client = client.clientName.value,
                                 .client_address = is_client_document(client.clientId) ? client.clientId : "",
                                 .name = person_name(call.caller->user),
                                 .organization = call.caller->organization_record.name.value,
                                 .code = workers::shown_user_code(user_code),
                                 .address = found.device.address,
                                 .time = minute_of(found.device.asked_at),
                                 .approvals = approval_note(*call.caller, client.clientName.value, scopes),
                                 .fields = std::move(hidden),
                                 .groups = scope_groups(scopes)};
    return page_outcome(render_page("Connect a device", templates::pages_device_consent, page));
}

awaitable<Outcome> ask_for_device(Call& call) {
    auto const given = call.input.parameters.find("user_code");
    bool const said = given != call.input.parameters.end() && !given->second.empty();
    if (!call.caller) {
        auto const back = said ? "/device?user_code=" + form_encoded(given->second) : std::string("/device");
        co_return Outcome{.status = 303, .location = "/login?return_to=" + form_encoded(back)};
    }
    if (!said) co_return code_form({});
    // Another site may lead people here, and must not use up their guesses: who means it presses the button.
    if (call.input.from_elsewhere) co_return code_form({.code = given->second, .problem = {}});
    auto const user_code = workers::plain_user_code(given->second);
    auto const found = co_await find_device(call, user_code);
    co_return found ? device_consent(call, *found, user_code) : no_device();
}

Outcome done_page(std::string_view title, std::string_view message) {
    return page_outcome(render_page(title, templates::pages_done, DonePage{std::string(title), std::string(message)}));
}

awaitable<Outcome> settle_device(Call& call) {
    auto const& body = *call.input.body;
    if (!body) co_return refuse(call, body.error());
    auto const fields = fields_of(*body);
    auto const user_code = workers::plain_user_code(field(fields, "user_code"));
    if (!is_sealed(call, device_matter(user_code, field(fields, kShownClient)), fields)) {
        co_return refuse(call, unsealed_form());
    }
    auto const found = co_await find_device(call, user_code);
    if (!found) co_return no_device();
    if (field(fields, kShownClient) != found->client.clientName.value) co_return refuse(call, unsealed_form());
    auto const asked = scopes_of_text(found->device.scope);
    auto const scopes = allowed_scopes(asked, fields);
    workers::Consent consent;
    consent.organization = call.meta.organization;
    consent.user = call.caller->user.id;
    consent.scope = text_of_scopes(scopes);
    if (scopes.empty()) {
        if (auto refused = co_await deny(call, found->client, asked)) co_return *std::move(refused);
    } else {
        auto grant = co_await approve(call, found->client, scopes);
        if (!grant) co_return std::move(grant.error());
        consent.grant = *grant;
    }
    using enum workers::Settled;
    auto const came = co_await call.services.oauth->devices.settle(user_code, consent, call.meta.session);
    if (came == session_ended) co_return refuse_ended(call);
    if (came == waits_no_more) co_return no_device();
    co_return scopes.empty() ? done_page("Not connected", "The device is told that you did not allow it.")
                             : done_page("Connected", "Go on at the device. You can close this page.");
}

}  // namespace

std::vector<Operation> device_rows() {
    auto begun = endpoint_row("oauth.device_code", "Begin to connect a device", begin_device).counts_clients_itself();
    begun.http.takes_json_too = true;
    auto asked = page_row("oauth.device", "Ask a person which device waits for them", ask_for_device);
    asked.parameters.push_back({.name = "user_code"});
    return {
        std::move(begun).takes(MediaType::form).at(net::Method::post, "/oauth/device/code"),
        std::move(asked).at(net::Method::get, "/device"),
        consent_row("oauth.settle_device", "A person says whether a device may act for them", settle_device)
            .at(net::Method::post, "/device"),
    };
}

}  // namespace workforce::operations
