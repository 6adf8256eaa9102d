// The fold of rights, and its table.
#include "workers/webhooks/readers.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/json_io.hpp"
#include "core/row_columns.hpp"
#include "core/scopes.hpp"
#include "events/fold.hpp"
#include "events/roles.hpp"
#include "events/webhook_types.hpp"

namespace workforce::workers {
namespace {

using events::Kind;
using events::Overloaded;

constexpr core::Statement kLoadReaders{
    "webhook_readers",
    "SELECT reader, doc, organization_id FROM reactor.webhook_reader WHERE reader = ANY ($1::text[])"};
constexpr core::Statement kShownFacilities{"webhook_shown_facilities", R"(
SELECT id, doc::json -> 'facilityIds' FROM read.user_account
WHERE id = ANY ($1::bigint[]) AND NOT is_sandbox AND NOT erased)"};
constexpr core::Statement kShownKeys{"webhook_shown_keys", R"(
SELECT id, facility_id FROM read.api_key
WHERE id = ANY ($1::bigint[]) AND NOT is_sandbox AND facility_id IS NOT NULL)"};
constexpr core::Statement kKeepReaders{"webhook_keep_readers", R"(
INSERT INTO reactor.webhook_reader (reader, organization_id, doc)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])
ON CONFLICT (reader) DO UPDATE SET doc = excluded.doc)"};
constexpr core::Statement kKnownWebhooks{
    "webhook_known", "SELECT webhook_id, doc FROM reactor.webhook_subscription WHERE webhook_id = ANY ($1::bigint[])"};

std::vector<std::string> texts_of(std::vector<core::ShortText> const& scopes) {
    std::vector<std::string> texts;
    for (auto const& scope : scopes) texts.push_back(scope.value);
    return texts;
}

std::string user_name(core::Id user) { return to_string(events::AggregateRef{Kind::user, user}); }

/// The credential whose rights count. Of subscriptions of before that was said it is the creator.
events::WebhookCreator const& reader_of(events::WebhookRecord const& record) {
    auto const& reader = record.internals.reader;
    return reader.id == 0 ? record.createdBy : reader;
}

std::string name_of(events::WebhookCreator const& reader) {
    return std::string(core::enum_name(reader.type)) + '/' + std::to_string(reader.id);
}

}  // namespace

void fold(WebhookReader& reader, events::UserEvent const& event) {
    std::visit(Overloaded{[&](events::UserCreated const& e) {
                              reader.role = e.role;
                              reader.facilities = e.facilityIds;
                              reader.usable = events::is_usable(e);
                          },
                          [&](events::UserUpdated const& e) {
                              if (e.role) reader.role = e.role;
                              if (e.facilityIds) reader.facilities = e.facilityIds;
                          },
                          [&](events::UserDeactivated const&) { reader.usable = false; },
                          [&](events::UserErased const&) { reader.usable = false; },
                          [&](events::UserReactivated const&) { reader.usable = true; },
                          [&](events::UserActivated const&) { reader.usable = true; }, [](auto const&) {}},
               event);
}

void fold(WebhookReader& reader, events::ApiKeyEvent const& event) {
    std::visit(Overloaded{[&](events::ApiKeyCreated const& e) {
                              reader.scopes = texts_of(e.scopes);
                              reader.ends = e.expiresAt.value;
                              reader.facilities.emplace();
                              if (e.facilityId.value) reader.facilities->push_back(*e.facilityId.value);
                              reader.across = e.acrossOrganizations;
                          },
                          [&](events::ApiKeyUpdated const& e) {
                              if (e.scopes) reader.scopes = texts_of(*e.scopes);
                              if (e.expiresAt) reader.ends = e.expiresAt->value;
                          },
                          [&](events::ApiKeyRevoked const&) { reader.usable = false; }, [](auto const&) {}},
               event);
}

void fold(WebhookReader& reader, events::OAuthGrantEvent const& event) {
    if (std::holds_alternative<events::OAuthGrantRevoked>(event)) reader.usable = false;
}

void fold(WebhookReader& reader, events::OAuthClientEvent const& event) {
    if (std::holds_alternative<events::OAuthClientRemoved>(event)) reader.usable = false;
}

bool is_reader(Kind kind) {
    constexpr std::array kReaders{Kind::user, Kind::api_key, Kind::oauth_grant, Kind::oauth_client};
    return std::ranges::count(kReaders, kind) > 0;
}

bool Readable::reaches(std::vector<core::Id> const& places) const {
    return facilities.empty() || std::ranges::find_first_of(places, facilities) != places.end();
}

void WebhookReaders::load(core::Connection& connection, std::set<std::string> const& names) {
    if (names.empty()) return;
    for (auto const& row : connection.execute(kLoadReaders, core::array_literal(names))) {
        auto& reader = known_[core::read<std::string>(row[0])];
        reader = core::from_stored_json<WebhookReader>(core::read_view(row[1]));
        reader.organization = core::read<core::Id>(row[2]);
    }
}

void WebhookReaders::add_shown(core::Connection& connection, std::set<std::string> const& names) {
    std::vector<core::Id> users, keys;
    for (auto const& name : names) {
        auto const* reader = find(name);
        if (reader && reader->facilities) continue;
        for (auto const& [kind, ids] :
             {std::pair(std::string_view("user/"), &users), std::pair(std::string_view("api_key/"), &keys)}) {
            if (!name.starts_with(kind)) continue;
            ids->push_back(core::parse_integer(std::string_view(name).substr(kind.size())).value());
        }
    }
    if (!keys.empty()) {
        for (auto const& row : connection.execute(kShownKeys, keys)) {
            shown_facilities_[to_string(events::AggregateRef{Kind::api_key, core::read<core::Id>(row[0])})] = {
                core::read<core::Id>(row[1])};
        }
    }
    if (users.empty()) return;
    for (auto const& row : connection.execute(kShownFacilities, users)) {
        shown_facilities_[user_name(core::read<core::Id>(row[0]))] =
            core::from_stored_json<std::vector<core::Id>>(core::read_view(row[1]));
    }
}

bool WebhookReaders::fold(events::Event const& event) {
    auto const name = to_string(event.meta.subject);
    auto const known = known_.find(name);
    WebhookReader reader = known == known_.end() ? WebhookReader{} : known->second;
    auto const before = reader;
    if (auto const* user = events::get_if<events::UserEvent>(event.data)) workers::fold(reader, *user);
    if (auto const* key = events::get_if<events::ApiKeyEvent>(event.data)) workers::fold(reader, *key);
    if (auto const* grant = events::get_if<events::OAuthGrantEvent>(event.data)) workers::fold(reader, *grant);
    if (auto const* client = events::get_if<events::OAuthClientEvent>(event.data)) workers::fold(reader, *client);
    if (reader == before) return false;
    reader.organization = event.meta.organization;
    known_[name] = std::move(reader);
    changed_[name] = event.meta.organization;
    return true;
}

void WebhookReaders::keep(core::Connection& connection) const {
    core::execute_rows(connection, kKeepReaders, changed_, [&](auto const& each) {
        auto const& [name, organization] = each;
        return std::tuple(std::string_view(name), organization, core::to_json(known_.at(name)));
    });
}

WebhookReader const* WebhookReaders::find(std::string const& name) const {
    auto const found = known_.find(name);
    return found == known_.end() ? nullptr : &found->second;
}

bool WebhookReaders::stands(events::WebhookGrant const& grant) const {
    return std::ranges::none_of(reader_names(grant), [&](std::string const& name) {
        auto const* known = find(name);
        return known && !known->usable;
    });
}

std::vector<core::Id> WebhookReaders::facilities_of(std::string const& name) const {
    if (auto const* reader = find(name); reader && reader->facilities) return *reader->facilities;
    auto const shown = shown_facilities_.find(name);
    return shown == shown_facilities_.end() ? std::vector<core::Id>() : shown->second;
}

// As Caller::is_operator has it; what is not known of them was so when they subscribed.
bool WebhookReaders::operates(events::WebhookCreator const& credential, WebhookReader const& reader) const {
    if (!reader.across.value_or(true) || !facilities_of(name_of(credential)).empty()) return false;
    if (credential.userId == 0) return true;
    auto const name = user_name(credential.userId);
    auto const* user = find(name);
    return facilities_of(name).empty() && (!user || !user->role || events::is_operator_role(*user->role));
}

Readable WebhookReaders::readable(events::WebhookRecord const& record) const {
    auto const& credential = reader_of(record);
    auto const* user = credential.userId == 0 ? nullptr : find(user_name(credential.userId));
    auto const& grant = record.internals.grant;
    if ((user && !user->usable) || (grant && !stands(*grant))) return {};
    auto const name = name_of(credential);
    Readable readable{record.internals.readable, facilities_of(name), {}};
    auto const* reader = find(name);
    if (!reader) return readable;
    bool const at_home = reader->organization == 0 || reader->organization == record.organizationId;
    if (!reader->usable || !(at_home || operates(credential, *reader))) return {};
    readable.until = reader->ends;
    if (reader->scopes) {
        readable.types = events::readable_types(core::permissions_of(*reader->scopes));
    } else if (reader->role) {
        // None of what types ask for depends on whether the organization is the internal one.
        auto permissions = events::permissions_of_role(*reader->role, false);
        if (grant) permissions &= core::permissions_of(grant->scopes);
        readable.types = events::readable_types(permissions);
    }
    return readable;
}

std::set<std::string> reader_names(events::WebhookRecord const& record) {
    auto names = reader_names(reader_of(record));
    if (record.internals.grant) names.merge(reader_names(*record.internals.grant));
    return names;
}

std::set<std::string> reader_names(events::WebhookGrant const& grant) {
    std::set<std::string> names{to_string(events::AggregateRef{Kind::oauth_grant, grant.grantId})};
    if (grant.clientId != 0) names.insert(to_string(events::AggregateRef{Kind::oauth_client, grant.clientId}));
    return names;
}

std::set<std::string> reader_names(events::WebhookCreator const& credential) {
    std::set<std::string> names{name_of(credential)};
    if (credential.userId != 0) names.insert(user_name(credential.userId));
    return names;
}

std::map<core::Id, NarrowedWebhook> narrowed_webhooks(core::Connection& connection,
                                                      std::vector<core::Id> const& webhooks, core::Timestamp now) {
    std::map<core::Id, events::WebhookRecord> records;
    std::set<std::string> names;
    for (auto const& row : connection.execute(kKnownWebhooks, webhooks)) {
        auto& record = records[core::read<core::Id>(row[0])];
        record = core::from_stored_json<events::WebhookRecord>(core::read_view(row[1]));
        names.merge(reader_names(record));
    }
    WebhookReaders readers;
    readers.load(connection, names);
    std::map<core::Id, NarrowedWebhook> narrowed;
    for (auto const& [id, record] : records) {
        auto readable = readers.readable(record);
        if (!readable.holds(now)) readable.types.clear();
        narrowed[id] = {record.updatedAt, std::move(readable)};
    }
    return narrowed;
}

}  // namespace workforce::workers
