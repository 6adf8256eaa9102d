// GET /developers: API keys, and who is told of what happens.
#include "core/scopes.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/oauth/form_seal.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kCursor = "cursor";
constexpr std::string_view kAllow = "allow:";

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
    QueryMap query{{"limit", "50"}, {"sort", "-createdAt"}};
    auto const cursor = call.input.parameters.find(kCursor);
    if (cursor != call.input.parameters.end()) query.emplace(kCursor, cursor->second);
    co_await content.add("keys", {.operation = "api_keys.list", .parameters = std::move(query)});
    content.add_rights({"api_keys.create"});
    if (call.caller->across_organizations) {
        co_await content.add("organizations", {.operation = "organizations.list", .parameters = {{"limit", "200"}}});
    }
    co_await content.add("facilities", {.operation = "facilities.list", .parameters = {{"limit", "200"}}});
    co_await content.add("webhooks", {.operation = "webhooks.list", .parameters = {{"limit", "50"}}});
    content.add_json("groups", core::to_json(scope_groups(scopes_to_give(*call.caller))));
}

core::Result<Question> make_key(Call const& /*call*/, FormFields const& fields) {
    core::JsonWriter w;
    w.begin_object();
    w.member("name", field(fields, "name"));
    w.member("type", field(fields, "type"));
    w.key("scopes");
    w.begin_array();
    for (auto const& [name, value] : fields) {
        if (name.starts_with(kAllow)) w.string(std::string_view(name).substr(kAllow.size()));
    }
    w.end_array();
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

core::Result<Question> rotate_key_of(Call const& call, FormFields const& /*fields*/) {
    return Question{.operation = "api_keys.rotate", .id = call.input.path.id()};
}

core::Result<Question> revoke_key_of(Call const& call, FormFields const& /*fields*/) {
    return Question{.operation = "api_keys.revoke", .id = call.input.path.id()};
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
              .done = "The key has a new secret; the one before opens the same for 24 hours more.",
              .shows_answer = true,
              .question = rotate_key_of},
             {.name = "pages.revoke_key",
              .path = "/developers/keys/{id:int}/revoke",
              .summary = "Revoke an API key by the form",
              .page = kPage,
              .done = "The key is revoked.",
              .question = revoke_key_of}}};
}

}  // namespace workforce::operations
