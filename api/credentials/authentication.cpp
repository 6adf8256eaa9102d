// API keys: looking them up, and telling who is behind them.
#include "api/credentials/authentication.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <map>
#include <string_view>

#include "api/sql.hpp"
#include "core/ascii.hpp"
#include "core/crypto.hpp"
#include "core/logging.hpp"
#include "events/key_secret.hpp"
#include "events/roles.hpp"

namespace workforce::api {
namespace {

using core::Code;
using core::refuse;

constexpr core::Timestamp kNoEnd{253'370'764'800'000};  // the year 9999

constexpr auto kRefreshPause = std::chrono::milliseconds(20);  // in which keys gather that are to be refreshed

constexpr auto kAnnouncePause = std::chrono::milliseconds(50);
constexpr auto kAnnounceLimit = std::chrono::milliseconds(5000);  // as reads wait for one's own writes

constexpr core::Statement kFindApiKeys{"find_api_keys_by_digest", sql::credentials_find_api_keys};
constexpr core::Statement kFindApiKey{"find_api_key_by_id", sql::credentials_find_api_key};
constexpr core::Statement kFindPerson{"find_person", sql::credentials_find_person};
constexpr core::Statement kFindChains{"find_oauth_chains", sql::credentials_find_chains};
constexpr core::Statement kFindSessions{"find_sessions_by_digest", sql::credentials_find_sessions};

tl::unexpected<core::Problem> invalid_key() { return refuse(Code::invalid_api_key, "The API key is not valid."); }
/// The refusal of a key that was made, but whose record read models do not show yet.
tl::unexpected<core::Problem> unread_key() {
    return refuse(Code::read_model_behind, "The API key's record can't be read yet.");
}
tl::unexpected<core::Problem> ended_session() {
    return refuse(Code::unauthenticated, "The session has ended, or never was.");
}
tl::unexpected<core::Problem> revoked_key() { return refuse(Code::unauthenticated, "The API key was revoked."); }
tl::unexpected<core::Problem> expired_key() { return refuse(Code::unauthenticated, "The API key has expired."); }
tl::unexpected<core::Problem> inactive_account() {
    return refuse(Code::unauthenticated, "The organization or the user behind the credential is not active.");
}

/// The scopes of a text with spaces between them.
std::vector<std::string> scopes_in(std::string_view text) {
    std::vector<std::string> scopes;
    while (!text.empty()) {
        auto const end = std::min(text.find(' '), text.size());
        if (end > 0) scopes.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return scopes;
}

/// The name of a client: as it was registered, or as its own document has it; "" where neither is there any more.
std::string client_name(pqxx::row const& row) {
    if (auto name = core::read<std::optional<std::string>>(row["client_name"])) return *std::move(name);
    auto const text = core::read<std::optional<std::string>>(row["client_document"]);
    if (!text) return {};
    auto const document = core::parse_json(*text);
    auto const* const name = document ? core::find_member(&*document, "client_name") : nullptr;
    return name != nullptr && name->IsString() ? std::string(name->GetString(), name->GetStringLength())
                                               : std::string();
}

/// Makes the person one for whom a client acts: what it may do, both may (domain 11.13).
void narrow_to_client(Caller& caller, Id chain, pqxx::row const& row) {
    caller.credential_type = events::ActorType::oauth;
    caller.credential_id = chain;
    caller.name = core::read<std::string>(row["client_id"]);
    caller.grant = core::read<Id>(row["grant_id"]);
    caller.client = core::read<Id>(row["client"]);
    caller.client_name = client_name(row);
    caller.scopes = scopes_in(core::read_view(row["scope"]));
    auto const granted = operations::permissions_of_key(caller.scopes, caller.is_internal());
    caller.role_lacks = granted & ~caller.permissions;
    caller.permissions &= granted;
    caller.own_permissions &= granted;
    auto const tier = core::read<std::optional<std::string>>(row["model_tier"]);
    caller.tier = core::parse_enum<events::ModelTier>(tier.value_or("")).value_or(events::ModelTier::standard);
}

bool is_over(Caller const& caller) { return caller.expires_at && *caller.expires_at <= core::now(); }

}  // namespace

std::optional<Authenticator::Outcome> Authenticator::caller_of(Stored const& stored) {
    auto const key = core::from_stored_json<events::ApiKey>(*stored.key);
    if (key.status == events::ApiKeyStatus::revoked) return revoked_key();
    // Rows of before keys told their secrets are of keys with one that had no name.
    bool const unnamed = key.secrets.empty() && stored.secret_id.empty();
    bool const known = std::ranges::count(key.secrets, stored.secret_id, &events::ApiKeySecret::id) > 0;
    if (!unnamed && !known) return std::nullopt;
    auto caller = std::make_shared<Caller>();
    caller->credential_id = key.id;
    caller->organization = key.organizationId;
    caller->name = key.name.value;
    caller->key_type = key.type;
    caller->sandbox = key.type == events::ApiKeyType::test;
    if (!key.rateLimitIsDefault && key.rateLimitPerMin.value) caller->rate_limit = key.rateLimitPerMin.value->value;
    caller->organization_record = core::from_stored_json<events::Organization>(*stored.organization);
    for (auto const& scope : key.scopes) caller->scopes.push_back(scope.value);
    caller->permissions = operations::permissions_of_key(caller->scopes, caller->is_internal());
    caller->own_permissions = caller->permissions;
    if (key.facilityId.value) caller->facilities.push_back(*key.facilityId.value);
    if (stored.user) {
        caller->user = core::from_stored_json<events::User>(*stored.user);
        stored.rights.apply_to(caller->user);
    }
    caller->across_organizations = key.acrossOrganizations && caller->is_operator();
    caller->tier = key.modelTier;
    caller->for_tools = operations::narrowed_to_user(*caller);
    caller->expires_at = key.expiresAt.value;
    if (is_over(*caller)) return expired_key();
    if (!caller->organization_record.isActive) return refuse(Code::unauthenticated, "The organization is not active.");
    if (key.userId.value && !events::is_usable(caller->user)) {
        return refuse(Code::unauthenticated, "The user behind the API key is not active.");
    }
    return caller;
}

std::optional<Authenticator::Outcome> Authenticator::outcome_of(Stored const& stored, Outcome const& known) {
    bool const over = stored.valid_until && *stored.valid_until <= core::now();
    if (stored.revoked || over) return Outcome(revoked_key());
    if (stored.inactive) return Outcome(inactive_account());
    if (stored.same) return is_over(**known) ? Outcome(expired_key()) : known;
    if (!stored.key || !stored.organization) return std::nullopt;
    return caller_of(stored);
}

Authenticator::Stored Authenticator::read_stored(pqxx::row const& row) {
    return {.revoked = core::read<bool>(row["revoked"]),
            .inactive = core::read<bool>(row["inactive"]),
            .valid_until = core::read<std::optional<Timestamp>>(row["valid_until"]),
            .secret_id = core::read<std::string>(row["secret_id"]),
            .key = core::read<std::optional<std::string>>(row["key"]),
            .user = core::read<std::optional<std::string>>(row["account"]),
            .organization = core::read<std::optional<std::string>>(row["organization"]),
            .rights = LaterRights::read(row)};
}

Authenticator::LaterRights Authenticator::LaterRights::read(pqxx::row const& row) {
    return {core::read<std::optional<std::string>>(row["role"]),
            core::read<std::optional<std::vector<Id>>>(row["facility_ids"]),
            core::read<std::optional<std::string>>(row["staff_id"])};
}

void Authenticator::LaterRights::apply_to(events::User& user) const {
    if (role) user.role = core::parse_enum<events::Role>(*role).value();
    if (facilities) user.facilityIds = *facilities;
    if (staff) user.staffId.value = core::parse_integer(*staff);
}

Authenticator::Authenticator(core::Database& keys, core::Database& sessions, std::size_t bytes, TokenIssuer issuer)
    : database_(keys),
      sessions_(sessions),
      tokens_(sessions, std::move(issuer)),
      finder_([this](std::vector<Asked> asked) { return find_all(std::move(asked)); }, kKeySessions),
      session_finder_([this](std::vector<std::string> digests) { return find_sessions(std::move(digests)); },
                      kKeySessions),
      chain_finder_([this](std::vector<Issued> issued) { return find_chains(std::move(issued)); }, kKeySessions),
      cache_(bytes) {}

void Authenticator::stop() {
    auto const stopping = std::make_exception_ptr(core::DatabaseUnavailable("this process is stopping"));
    tokens_.stop();
    finder_.stop(stopping);
    session_finder_.stop(stopping);
    chain_finder_.stop(stopping);
}

boost::asio::awaitable<std::vector<std::optional<Authenticator::Stored>>> Authenticator::find_all(
    std::vector<Asked> asked) {
    auto find = [asked = std::move(asked)](core::Connection& connection) {
        std::map<Asked, std::optional<Stored>> once;
        for (auto const& each : asked) once.try_emplace(each);
        std::vector<core::Bytes> digests;
        std::vector<std::string_view> versions;
        std::vector<std::optional<Stored>*> places;
        for (auto& [each, stored] : once) {
            digests.push_back({each.digest});
            versions.push_back(each.versions);
            places.push_back(&stored);
        }
        connection.use({.operator_access = true});
        for (auto const& row : connection.execute(kFindApiKeys, digests, versions)) {
            auto& stored = places.at(core::read<std::size_t>(row["place"]) - 1)->emplace(read_stored(row));
            stored.versions = core::read<std::optional<std::string>>(row["versions"]).value_or("");
            stored.same = core::read<bool>(row["same"]);
        }
        std::vector<std::optional<Stored>> found;
        for (auto const& each : asked) found.push_back(once.at(each));
        return found;
    };
    co_return co_await database_.run(std::move(find));
}

boost::asio::awaitable<Authenticator::Outcome> Authenticator::authenticate(Presented presented) {
    if (presented.authorization) return authenticate_bearer(*presented.authorization);
    return authenticate_cookie(presented.cookie);
}

boost::asio::awaitable<Authenticator::Outcome> Authenticator::authenticate_cookie(
    std::optional<std::string_view> cookie) {
    if (!cookie) co_return refuse(Code::unauthenticated, "The request has no credential.");
    if (!workers::is_session_secret(*cookie)) co_return ended_session();
    std::string digest(core::bytes(core::sha256(*cookie)));
    if (auto found = cache_.find(digest); found.outcome) co_return *std::move(found.outcome);
    co_return co_await look_up_session(std::move(digest));
}

boost::asio::awaitable<Authenticator::Outcome> Authenticator::authenticate_bearer(std::string_view header) {
    auto token = header;
    bool const bearer = token.size() > 7 && core::ascii_lower(token.substr(0, 7)) == "bearer ";  // RFC 9110 11.1
    if (!bearer) co_return refuse(Code::unauthenticated, "The credential is not a bearer token.");
    token.remove_prefix(7);
    while (token.starts_with(' ')) token.remove_prefix(1);
    bool const personal = is_person_token(token);
    if (!personal && !token.starts_with("svc_"))
        co_return refuse(Code::unauthenticated, "The bearer token is not of a known kind.");
    if (!personal && !events::is_well_formed_key(token)) co_return invalid_key();
    std::string digest(core::bytes(core::sha256(token)));
    auto found = cache_.find(digest);
    if (found.begin_refresh) {
        boost::asio::co_spawn(co_await boost::asio::this_coro::executor, refresh_soon(), boost::asio::detached);
    }
    if (found.outcome) co_return *std::move(found.outcome);
    if (personal) co_return co_await look_up_token(std::move(digest), std::string(token));
    co_return co_await look_up(std::move(digest), std::move(found.known));
}

boost::asio::awaitable<void> Authenticator::refresh_soon() {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, kRefreshPause);
    co_await timer.async_wait(boost::asio::use_awaitable);
    auto const stale = cache_.take_stale();
    std::vector<Asked> asked;
    for (auto const& [digest, known] : stale) asked.push_back({digest, known.versions});
    auto const started = Clock::now();
    try {
        auto const found = co_await find_all(std::move(asked));
        for (std::size_t i = 0; i < stale.size(); ++i) {
            auto const& [digest, known] = stale[i];
            if (auto now = known_of(found[i], known)) cache_.keep(digest, *std::move(now), started);
        }
    } catch (std::exception const& error) {  // requests look up for themselves what is trusted no longer
        core::log(core::Level::debug, "keys could not be refreshed", {{"error", error.what()}});
    }
}

std::optional<Authenticator::Known> Authenticator::known_of(std::optional<Stored> const& stored, Known const& known) {
    if (!stored) return Known{invalid_key()};
    auto outcome = outcome_of(*stored, known.outcome);
    if (!outcome) return std::nullopt;
    // A refusal is made anew each time, for what it is made of does not stand in these rows alone.
    auto versions = *outcome ? stored->versions : std::string();
    return Known{*std::move(outcome), std::move(versions)};
}

boost::asio::awaitable<std::optional<Authenticator::Known>> Authenticator::find(std::string const& digest,
                                                                                Known const& known) {
    co_return known_of(co_await finder_.submit({digest, known.versions}), known);
}

boost::asio::awaitable<Authenticator::Outcome> Authenticator::look_up(std::string digest, Known known) {
    // Age counts from before the look-up: what changes during it must still hold within the second.
    auto const started = Clock::now();
    auto found = co_await find(digest, known);
    // A key can be used as soon as it was handed out, which may be before the read model shows it.
    for (auto waited = kAnnouncePause; !found && waited < kAnnounceLimit; waited += kAnnouncePause) {
        boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, kAnnouncePause);
        co_await timer.async_wait(boost::asio::use_awaitable);
        found = co_await find(digest, known);
    }
    auto const now = found ? *std::move(found) : Known{unread_key()};
    cache_.keep(digest, now, started);
    co_return now.outcome;
}

core::Result<std::shared_ptr<Caller>> Authenticator::person_of(pqxx::row const& row) {
    if (core::read<bool>(row["inactive"])) return inactive_account();
    auto caller = std::make_shared<Caller>();
    caller->credential_type = events::ActorType::user;
    caller->user = core::from_stored_json<events::User>(core::read<std::string>(row["account"]));
    caller->credential_id = caller->user.id;
    LaterRights::read(row).apply_to(caller->user);
    caller->organization_record =
        core::from_stored_json<events::Organization>(core::read<std::string>(row["organization"]));
    caller->organization = caller->organization_record.id;
    caller->facilities = caller->user.facilityIds;
    using enum events::Reach;
    caller->permissions = events::permissions_of_role(caller->user.role, caller->is_internal(), all_rows);
    caller->own_permissions = events::permissions_of_role(caller->user.role, caller->is_internal(), own_rows);
    caller->across_organizations = caller->is_operator();
    if (!caller->organization_record.isActive) return refuse(Code::unauthenticated, "The organization is not active.");
    if (!events::is_usable(caller->user)) {
        return refuse(Code::unauthenticated, "The user behind the credential is not active.");
    }
    return caller;
}

boost::asio::awaitable<Authenticator::Outcome> Authenticator::find_user(workers::AccountRef account) {
    auto find = [account](core::Connection& connection) -> Outcome {
        connection.use({.operator_access = true});
        auto const rows = connection.execute(kFindPerson, account.user, account.organization);
        if (rows.empty()) return refuse(Code::unauthenticated, "There is no user behind the credential.");
        return person_of(rows[0]);
    };
    co_return co_await sessions_.run(std::move(find));
}

boost::asio::awaitable<std::vector<std::optional<Authenticator::Outcome>>> Authenticator::find_sessions(
    std::vector<std::string> digests) {
    auto find = [digests = std::move(digests)](core::Connection& connection) {
        std::map<std::string_view, std::optional<Outcome>> once;
        for (auto const& digest : digests) once.try_emplace(digest);
        std::vector<core::Bytes> wanted;
        std::vector<std::optional<Outcome>*> places;
        for (auto& [digest, outcome] : once) {
            wanted.push_back({digest});
            places.push_back(&outcome);
        }
        connection.use({.operator_access = true});
        for (auto const& row : connection.execute(kFindSessions, wanted)) {
            auto person = person_of(row);
            if (person) {
                auto& caller = **person;
                caller.session = core::read<Id>(row["session_id"]);
                caller.session_kind =
                    core::parse_enum<events::SessionKind>(core::read<std::string>(row["kind"])).value();
            }
            places.at(core::read<std::size_t>(row["place"]) - 1)->emplace(std::move(person));
        }
        std::vector<std::optional<Outcome>> found;
        for (auto const& digest : digests) found.push_back(once.at(digest));
        return found;
    };
    co_return co_await sessions_.run(std::move(find));
}

boost::asio::awaitable<Authenticator::Outcome> Authenticator::find_key(Id id, Id organization) {
    auto find = [id, organization](core::Connection& connection) {
        connection.use({.operator_access = true});
        std::vector<Stored> secrets;
        for (auto const& row : connection.execute(kFindApiKey, id, organization)) secrets.push_back(read_stored(row));
        return secrets;
    };
    std::optional<Outcome> refusal;
    for (auto const& stored : co_await database_.run(std::move(find))) {
        auto outcome = outcome_of(stored);
        if (outcome && *outcome) co_return *std::move(outcome);
        if (outcome) refusal = std::move(outcome);
    }
    co_return refusal ? *std::move(refusal) : Outcome(invalid_key());
}

boost::asio::awaitable<CallerResult> Authenticator::find_caller(events::ActorType credential, Id id, Id organization) {
    bool const person = credential == events::ActorType::user;
    bool const client = credential == events::ActorType::oauth;
    if (!person && !client && credential != events::ActorType::api_key) {
        co_return refuse(Code::unauthenticated, "The credential is not of a known kind.");
    }
    // Shorter than any digest, so that it is none.
    auto const name = fmt::format("{} {}", core::enum_name(credential), id);
    if (auto found = cache_.find(name); found.outcome) co_return *std::move(found.outcome);
    auto const started = Clock::now();
    Outcome outcome;
    if (person) {
        outcome = co_await find_user({organization, id});
    } else if (client) {
        co_return co_await look_up_access(name, {id, kNoEnd});
    } else {
        outcome = co_await find_key(id, organization);
    }
    cache_.keep(name, {outcome}, started);
    co_return outcome;
}

boost::asio::awaitable<Authenticator::Outcome> Authenticator::look_up_token(std::string digest, std::string token) {
    auto const holder = co_await tokens_.verify(digest, std::move(token));
    if (!holder) {
        cache_.drop(digest);  // as anyone can make such tokens
        co_return tl::unexpected(holder.error());
    }
    auto const* const person = &holder->person;
    auto const& access = holder->access;
    auto outcome = access ? co_await look_up_access(std::move(digest), {access->chain, access->ends_at})
                          : co_await look_up_session(std::move(digest));
    bool const same =
        !outcome || ((*outcome)->user.id == person->user && (*outcome)->organization == person->organization);
    co_return same ? outcome : Outcome(ended_session());
}

boost::asio::awaitable<std::optional<AccessClaims>> Authenticator::read_access(std::string token) {
    if (!is_person_token(token)) co_return std::nullopt;
    std::string digest(core::bytes(core::sha256(token)));
    auto const holder = co_await tokens_.verify(std::move(digest), std::move(token));
    bool const live = holder && holder->access && holder->access->ends_at > core::now();
    co_return live ? holder->access : std::nullopt;
}

boost::asio::awaitable<std::vector<std::optional<Authenticator::Outcome>>> Authenticator::find_chains(
    std::vector<Issued> issued) {
    auto find = [issued = std::move(issued)](core::Connection& connection) {
        std::vector<Id> chains;
        std::vector<Timestamp> ends;
        for (auto const& [chain, end] : issued) {
            chains.push_back(chain);
            ends.push_back(end);
        }
        std::vector<std::optional<Outcome>> found(issued.size());
        connection.use({.operator_access = true});
        for (auto const& row : connection.execute(kFindChains, chains, ends)) {
            auto const place = core::read<std::size_t>(row["place"]) - 1;
            auto person = person_of(row);
            if (person) narrow_to_client(**person, issued.at(place).first, row);
            found.at(place).emplace(std::move(person));
        }
        return found;
    };
    co_return co_await sessions_.run(std::move(find));
}

boost::asio::awaitable<Authenticator::Outcome> Authenticator::look_up_access(std::string digest, Issued issued) {
    auto const started = Clock::now();
    auto found = co_await chain_finder_.submit(std::move(issued));
    if (!found) {
        cache_.drop(digest);
        co_return refuse(Code::unauthenticated, "The access token has ended.");
    }
    cache_.keep(digest, {*found}, started);
    co_return *std::move(found);
}

boost::asio::awaitable<Authenticator::Outcome> Authenticator::look_up_session(std::string digest) {
    auto const started = Clock::now();
    auto found = co_await session_finder_.submit(std::string(digest));
    if (!found) {
        cache_.drop(digest);  // anyone can invent such, too
        co_return ended_session();
    }
    cache_.keep(digest, {*found}, started);
    co_return *std::move(found);
}

}  // namespace workforce::api
