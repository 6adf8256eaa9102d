// GET /developers: API keys, and who is told of what happens.
#include "core/scopes.hpp"
#include "operations/dashboard/developer_pages.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/oauth/form_seal.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kCursor = "cursor";
constexpr std::string_view kAllow = "allow:";
constexpr std::string_view kTell = "tell:";

/// The scopes that the caller can hand on.
std::vector<std::string> scopes_to_give(Caller const& caller) {
    std::vector<std::string> scopes;
    for (auto const& scope : core::scope_catalogue()) {
        std::array const alone{std::string(scope.name)};
        if ((core::permissions_of(alone) & ~caller.own_permissions).none()) scopes.emplace_back(scope.name);
    }
    return scopes;
}

boost::asio::awaitable<void> fill_developers(Call& call, PageContent& content) {
    add_developer_tabs(call, content, "/developers");
    QueryMap query{{"limit", "50"}, {"sort", "-createdAt"}};
    if (auto cursor = parameter_of(call, kCursor); !cursor.empty()) query.emplace(kCursor, std::move(cursor));
    co_await content.add("keys", {.operation = "api_keys.list", .parameters = std::move(query)});
    content.add_rights({"api_keys.create"});
    if (call.caller->across_organizations) {
        co_await content.add("organizations", {.operation = "organizations.list", .parameters = {{"limit", "200"}}});
    }
    co_await content.add("facilities", {.operation = "facilities.list", .parameters = {{"limit", "200"}}});
    co_await content.add("webhooks", {.operation = "webhooks.list", .parameters = {{"limit", "50"}}});
    co_await content.add("grants", {.operation = "oauth.grants"});
    co_await content.add("event_types", {.operation = "webhooks.event_types"});
    content.add_json("groups", core::to_json(scope_groups(scopes_to_give(*call.caller))));
}

/// Writes the list of the boxes that were ticked, of those whose names begin so.
void write_ticked(core::JsonWriter& w, FormFields const& fields, std::string_view prefix) {
    w.begin_array();
    for (auto const& [name, value] : fields) {
        if (name.starts_with(prefix)) w.string(std::string_view(name).substr(prefix.size()));
    }
    w.end_array();
}

core::Result<Question> make_webhook(Call const& /*call*/, FormFields const& fields) {
    core::JsonWriter w;
    w.begin_object();
    w.member("name", field(fields, "name"));
    w.member("url", field(fields, "url"));
    w.key("events");
    write_ticked(w, fields, kTell);
    w.end_object();
    return Question{.operation = "webhooks.create", .body = w.take()};
}

core::Result<Question> make_key(Call const& /*call*/, FormFields const& fields) {
    core::JsonWriter w;
    w.begin_object();
    w.member("name", field(fields, "name"));
    w.member("type", field(fields, "type"));
    w.key("scopes");
    write_ticked(w, fields, kAllow);
    for (auto const& [of, member] : {std::pair("facility", "facilityId"), std::pair("organization", "orgUnitId")}) {
        if (field(fields, of).empty()) continue;
        auto const id = id_field(fields, of);
        if (!id) return tl::unexpected(id.error());
        w.member(member, *id);
    }
    if (auto const last = field(fields, "expires"); !last.empty()) {
        if (!core::parse_date(last)) {
            return tl::unexpected(core::validation_problem({{"expires", "format", "must be a date, YYYY-MM-DD"}}));
        }
        w.member("expiresAt", std::string(last) + "T23:59:59.999Z");
    }
    w.end_object();
    return Question{.operation = "api_keys.create", .body = w.take()};
}

}  // namespace

DashboardSection developers_section() {
    constexpr std::string_view kPage = "pages.developers";
    return {{.name = kPage,
             .path = "/developers",
             .title = "Developers",
             .summary = "API keys and webhooks",
             .needs = "events.list",
             .text = templates::dashboard_developers,
             .parameters = {kCursor},
             .fill = fill_developers},
            {{.name = "pages.make_key",
              .path = "/developers/keys",
              .summary = "Make an API key by the form",
              .page = kPage,
              .done = "The key is made.",
              .shows_answer = true,
              .question = make_key},
             {.name = "pages.rotate_key",
              .path = "/developers/keys/{id:int}/rotate",
              .summary = "Give an API key a new secret by the form",
              .page = kPage,
              .done = "The key has a new secret. The old one works for 24 more hours.",
              .shows_answer = true,
              .operation = "api_keys.rotate"},
             {.name = "pages.revoke_key",
              .path = "/developers/keys/{id:int}/revoke",
              .summary = "Revoke an API key by the form",
              .page = kPage,
              .done = "The key is revoked.",
              .operation = "api_keys.revoke"},
             {.name = "pages.make_webhook",
              .path = "/developers/webhooks",
              .summary = "Subscribe to events by the form",
              .page = kPage,
              .done = "The subscription is made.",
              .shows_answer = true,
              .question = make_webhook},
             {.name = "pages.revoke_client",
              .path = "/developers/grants/{id:int}/revoke",
              .summary = "Revoke a program's access on the page for developers by the form",
              .page = kPage,
              .done = "The program no longer acts for you.",
              .operation = "oauth.revoke_grant"}}};
}

}  // namespace workforce::operations
