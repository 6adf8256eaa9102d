// What machines sign in with.
#include <algorithm>
#include <iterator>

#include "commands/api_key.hpp"
#include "core/scopes.hpp"
#include "events/key_secret.hpp"
#include "operations/declare.hpp"
#include "operations/words/words.hpp"
#include "projections/api_keys/api_keys.hpp"
#include "workers/store/secret_store.hpp"

namespace workforce::operations {

template <>
struct FurtherFaults<commands::CreateApiKey> {
    static std::vector<core::FieldError> of(commands::CreateApiKey const& key) {
        return commands::faults_of_input(&key.scopes, key.expiresAt, core::now());
    }
};

template <>
struct FurtherFaults<commands::UpdateApiKey> {
    static std::vector<core::FieldError> of(commands::UpdateApiKey const& changes) {
        auto const* scopes = changes.scopes ? &*changes.scopes : nullptr;
        return commands::faults_of_input(scopes, changes.expiresAt.value_or(core::Nullable<core::Timestamp>()),
                                         core::now());
    }
};

namespace {

using boost::asio::awaitable;
using commands::ShownApiKey;
using core::Code;
using events::Kind;

/// Whether the scope reaches nothing that the caller may not do: what a person may do with rows of their own, a key of
/// theirs may.
bool is_within(Caller const& caller, std::string const& scope) {
    std::array const alone{scope};
    return (core::permissions_of(alone) & ~caller.own_permissions).none();
}

using Scopes = std::vector<core::ShortText>;

/// Nobody hands on more than they have (domain 15). Errors: FORBIDDEN with the scopes that are too much.
core::Result<void> check_scopes(Caller const& caller, Scopes const& scopes) {
    std::vector<std::string> beyond;
    for (auto const& scope : scopes) {
        if (!is_within(caller, scope.value)) beyond.push_back(scope.value);
    }
    if (beyond.empty()) return {};
    core::JsonWriter w;
    w.begin_object();
    w.key("scopes");
    core::write_json(w, beyond);
    w.end_object();
    return core::refuse(Code::forbidden,
                        "The scopes that details.scopes lists reach further than your own permissions.", w.take());
}

/// Of the scopes that a request names those that a key can be given, and does not have; the command refuses others.
Scopes added(Scopes const& named, Scopes const& had) {
    Scopes added;
    std::ranges::copy_if(named, std::back_inserter(added), [&](core::ShortText const& scope) {
        return core::is_grantable_scope(scope.value) &&
               std::ranges::count(had, scope.value, &core::ShortText::value) == 0;
    });
    return added;
}

/// The key as the read model has it, which its creator's next request finds. Errors: NOT_FOUND; as read_scope().
awaitable<core::Result<events::ApiKey>> stored_key(Call& call) {
    auto const id = call.input.path.id();
    auto scope = read_scope(call);
    if (!scope) co_return tl::unexpected(scope.error());
    co_await await_own_writes(call);
    auto const document = co_await projections::api_keys().find(call.services.database_of(*scope), *scope, id);
    if (!document) co_return commands::not_found("API key", id);
    co_return core::from_stored_json<events::ApiKey>(document->doc);
}

/// When the key that the call is about was used last. Looked up before anything is done, so that no trouble with it
/// hides what was done.
awaitable<events::ApiKeyUse> last_use(Call& call) {
    auto const scope = read_scope(call);
    if (!scope) co_return events::ApiKeyUse{};
    co_return co_await projections::find_api_key_use(call.services.database_of(*scope), *scope, call.input.path.id());
}

/// Adds the last use to an answer that is a key's record, which no stored answer tells.
template <class Answer>
Outcome with_use(Outcome outcome, events::ApiKeyUse const& use) {
    if (outcome.status >= 300) return outcome;
    auto record = core::from_stored_json<Answer>(outcome.body);
    static_cast<events::ApiKeyUse&>(record) = use;
    outcome.body = core::to_json(record);
    return outcome;
}

/// Puts the token where the answer names its secret: the new one's, or the one that the first answer showed, as long as
/// it is kept. A secret that came to nothing is forgotten.
awaitable<Outcome> show(Call& call, Outcome outcome, std::optional<events::KeySecret> secret) {
    auto& secrets = call.services.secrets;
    bool const used = !outcome.refused && !outcome.replayed;
    // Where the outcome is unknown the secret may be the key's by now; settling tells.
    if (secret && !used && outcome.refused != Code::log_unavailable) co_await secrets.forget(secret->id);
    if (outcome.status >= 300) co_return outcome;
    auto shown = core::from_stored_json<ShownApiKey>(outcome.body);
    if (used && secret) {
        shown.key = secret->token;
    } else {
        auto token = co_await secrets.shown(shown.key.value.value_or(""));
        shown.key = core::Nullable<std::string>();
        if (token) shown.key = *std::move(token);
    }
    outcome.body = core::to_json(shown);
    co_return outcome;
}

/// Submits what makes a secret of a key, with the secret stored before.
awaitable<Outcome> submit_secret(Call& call, commands::Submission submission, std::optional<events::KeySecret> secret,
                                 Id key) {
    if (secret) co_await call.services.secrets.put(*secret, submission.context.organization, key);
    auto outcome = co_await submit(call, std::move(submission), 0);
    co_return co_await show(call, std::move(outcome), std::move(secret));
}

awaitable<Outcome> create_key(Call& call) {
    auto command = read_command<commands::CreateApiKey>(call);
    if (command) {
        auto const& named = command->facilityId.value;
        if (named && command->facility_id && *named != *command->facility_id) {
            warn_ignored(call, "fields", {"facility_id"});
        }
        if (auto within = check_scopes(*call.caller, added(command->scopes, {})); !within)
            command = tl::unexpected(within.error());
    }
    // An operator's key that is bound to no organization and no facility reaches all of them (domain 1.13).
    bool const unbound = call.caller->across_organizations && !names_organization(call.input);
    if (command && unbound && command->type != events::ApiKeyType::test) {
        command->acrossOrganizations = !command->facilityId.value && !command->facility_id;
    }
    std::optional<events::KeySecret> secret;
    Id key = 0;
    if (command) {
        secret = events::make_key_secret(command->type);
        command->secret_id = secret->id;
        command->hint = secret->hint;
        command->pat_max_rate_limit = call.services.pat_max_rate_limit;
    }
    auto submission = submission_of(call, std::move(command));
    if (secret) {
        submission.context.new_ids = co_await call.services.processor.ids().take(Kind::api_key, 1);
        key = submission.context.new_ids.front();
    }
    co_return co_await submit_secret(call, std::move(submission), std::move(secret), key);
}

/// Whether the caller may make these changes. What the key has may stay, whoever changes the rest of it; but who makes
/// it last longer hands on all that it has. Errors: FORBIDDEN with the scopes that are too much.
core::Result<void> check_changes(Caller const& caller, commands::UpdateApiKey const& changes,
                                 events::ApiKey const& key) {
    if (changes.scopes) {
        if (auto within = check_scopes(caller, added(*changes.scopes, key.scopes)); !within) return within;
    }
    if (!changes.expiresAt || *changes.expiresAt == key.expiresAt) return {};
    auto const end = changes.expiresAt->value;
    bool const earlier = end && (!key.expiresAt.value || *end < *key.expiresAt.value);
    return earlier ? core::Result<void>() : check_scopes(caller, changes.scopes.value_or(key.scopes));
}

awaitable<Outcome> update_key(Call& call) {
    auto const use = co_await last_use(call);
    auto command = read_command<commands::UpdateApiKey>(call);
    if (command && (command->scopes || command->expiresAt)) {
        auto const within = (co_await stored_key(call)).and_then([&](events::ApiKey const& key) {
            command->judged = commands::JudgedKey{key.scopes, key.expiresAt};
            return check_changes(*call.caller, *command, key);
        });
        if (!within) command = tl::unexpected(within.error());
    }
    if (command) command->pat_max_rate_limit = call.services.pat_max_rate_limit;
    auto outcome = co_await submit(call, submission_of(call, std::move(command)), 0);
    co_return with_use<events::ApiKeyRecord>(std::move(outcome), use);
}

awaitable<Outcome> revoke_key(Call& call) {
    auto const use = co_await last_use(call);
    auto outcome = co_await run_command<commands::RevokeApiKey>(call);
    co_return with_use<events::ApiKeyRecord>(std::move(outcome), use);
}

/// What the token begins with follows from the key's type, which never changes: any state that is shown tells it. Who
/// gets the new secret gets all that the key may do.
awaitable<Outcome> rotate_key(Call& call) {
    auto const use = co_await last_use(call);
    auto const key = co_await stored_key(call);
    std::optional<events::KeySecret> secret;
    auto command = key.and_then([&](events::ApiKey const& of) {
        return check_scopes(*call.caller, of.scopes).map([&] {
            secret = events::make_key_secret(of.type);
            return commands::RotateApiKey{
                {secret->id, secret->hint}, of.id, commands::JudgedKey{of.scopes, of.expiresAt}};
        });
    });
    auto submission = submission_of(call, std::move(command));
    auto outcome = co_await submit_secret(call, std::move(submission), std::move(secret), call.input.path.id());
    co_return with_use<ShownApiKey>(std::move(outcome), use);
}

/// Of keys, whose rows are for people who manage them.
Operation managed(Operation row) { return std::move(row).needs("api_keys.manage").by_people().of_live_data(); }

Operation revocation(std::string_view name) {
    auto row = managed(command<commands::RevokeApiKey>(name, "Revoke an API key"));
    row.handler = revoke_key;
    return std::move(row).on(Kind::api_key).audit();
}

}  // namespace

std::vector<Operation> api_key_operations() {
    using enum net::Method;
    auto created = managed(command<commands::CreateApiKey>("api_keys.create", "Make an API key"));
    created.description =
        "Makes a key and returns it with its secret, which is shown this once. Refused for scopes beyond your own "
        "permissions, and for a user of a role above yours.";
    created.handler = create_key;
    auto updated = managed(command<commands::UpdateApiKey>("api_keys.update", "Change an API key"));
    updated.description =
        "Changes the fields that are given; others stay. What a key sees and stands for is fixed. Refused for scopes "
        "beyond your own permissions, and for a revoked key.";
    updated.handler = update_key;
    auto rotated = managed(command<commands::RotateApiKey>("api_keys.rotate", "Give an API key a new secret"));
    rotated.description =
        "Gives a key a new secret, shown this once. The secret before opens the same for 24 hours more, within the "
        "same rate limit.";
    rotated.handler = rotate_key;
    return {
        managed(list<projections::api_keys>("api_keys.list", "List API keys"))
            .says("Returns a page of keys without their secrets.")
            .with_uses()
            .at(get, "/api/api-keys"),
        managed(one<projections::api_keys>("api_keys.get", "Read an API key"))
            .says("Returns one key, with when it was last used, and without its secret.")
            .with_uses()
            .at(get, "/api/api-keys/{id:int}"),
        std::move(created).creates(Kind::api_key).else_at_home().audit().at(post, "/api/api-keys"),
        std::move(updated)
            .on_with_organization(Kind::api_key)
            .audit()
            .at(patch, "/api/api-keys/{id:int}")
            .also_put("api_keys.put"),
        revocation("api_keys.delete")
            .says("Revokes a key as {api_keys.revoke} does.")
            .destroys()
            .at(del, "/api/api-keys/{id:int}"),
        revocation("api_keys.revoke")
            .says("Revokes a key for good; within a second it opens nothing. It stays in lists.")
            .at(post, "/api/api-keys/{id:int}/revoke"),
        std::move(rotated).on(Kind::api_key).audit().at(post, "/api/api-keys/{id:int}/rotate"),
    };
}

std::vector<StructWords> api_key_words() {
    return {
        {{"api-keys/"}, {{"id", "The key's id, from {api_keys.list}; rotation keeps it"}}},
        {{"ApiKeyDetails", "ApiKeyChanges"},
         {{"name", "What the key is for"},
          {"scopes", "What it may do, from GET /api/scopes; within your own permissions"},
          {"rateLimitPerMin", "Requests a minute; null or absent: 60 by REST, 120 by MCP"},
          {"modelTier", "Grade of models that may call tools with it; standard by default"},
          {"expiresAt", "When it ends by itself; null: never"}}},
        {{"ApiKeyDetails", "UpdateApiKey"},
         {{"type", "live; test sees sandbox rows alone; pat acts as its maker. Fixed"},
          {"userId", "User who stands behind it; you where it is not given. Fixed"},
          {"facilityId", "Facility whose rows it sees, from {facilities.list}; null: all. Fixed"}}},
        {{"ApiKeyDetails"},
         {{"acrossOrganizations", "Whether it reaches all organizations; for the internal one alone"}}},
        {{"CreateApiKey", "UpdateApiKey"},
         {{"orgUnitId", "Organization whose rows it sees; your own by default. Fixed"}}},
        {{"CreateApiKey"}, {{"facility_id", "Another name of facilityId"}}},
        {{"ApiKeySecretHint"},
         {{"prefix", "What the secret begins with"}, {"last4", "What it ends with, to tell keys apart"}}},
        {{"ApiKeyFlags"},
         {{"orgUnitId", "Organization whose rows it sees; null: all of them"},
          {"rateLimitIsDefault", "Whether rateLimitPerMin was never set"},
          {"status", "Whether it opens anything; rotating: two secrets do"},
          {"previousKeyValidUntil", "End of the secret before; null: there is none"},
          {"revokedAt", "When it was revoked; null: it was not"},
          {"createdBy", "User who made it; 0: the command line"},
          {"secrets", "The secrets that open it"}}},
        {{"ApiKeyUse"},
         {{"lastUsedAt", "When it was last used, some seconds late; null: never"},
          {"lastUsedIp", "Address that it was last used from; null: never used"}}},
        {{"ShownApiKey"}, {{"key", "The secret, shown this once; null where a repeated answer comes too late for it"}}},
        {{"ApiKeySecret"},
         {{"id", "Names the secret, and opens nothing"},
          {"last4", "What it ends with"},
          {"createdAt", "When it was made (UTC)"},
          {"validUntil", "When a rotated one ends; null: it stays"}}},
        {{"ApiKeyFilter"},
         {{"type", "Only keys of these sorts"},
          {"status", "Only those that stand so"},
          {"userId", "Only keys of this user, from {users.list}"}}},
    };
}

}  // namespace workforce::operations
