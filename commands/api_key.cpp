// Rules of API keys.
#include "commands/api_key.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/facility.hpp"
#include "commands/user.hpp"
#include "core/scopes.hpp"

namespace workforce::commands {
namespace {

using events::ApiKey;
using events::ApiKeyRecord;
using events::ApiKeyStatus;
using events::ApiKeyType;

constexpr std::int64_t kOverlapMs = 24 * 3'600'000LL;  // of a rotated secret (spec 3)
constexpr std::size_t kMostSecrets = 5;                // that a key has at a time, the newest included

/// The key, unless there is none or it reaches further than the caller, who is bound to facilities.
ApiKey const* visible(View const& view, Id id, Context const& context) {
    auto const* key = view.get<ApiKey>(id);
    if (!key || context.facilities.empty()) return key;
    auto const& facility = key->facilityId.value;
    return facility && context.reaches(*facility) ? key : nullptr;
}

NewEvent key_event(ApiKey const& key, events::ApiKeyEvent data) {
    return {{events::Kind::api_key, key.id}, key.facilityId.value.value_or(0), std::move(data)};
}

bool is_over(core::Nullable<Timestamp> const& end, Timestamp now) { return end.value && *end.value <= now; }

core::FieldError wrong_scope(std::vector<core::ShortText> const& scopes, std::size_t place, std::string_view why) {
    return {fmt::format("scopes[{}]", place), "scope", fmt::format("names '{}', {}", scopes[place].value, why)};
}

/// Adds that there are none, and those of them that no key is given; `all`: whether "*" is.
void check_catalogue(std::vector<core::ShortText> const& scopes, bool all, std::vector<core::FieldError>& faults) {
    if (scopes.empty()) faults.push_back({"scopes", "min_items", "must name at least one scope"});
    for (std::size_t i = 0; i < scopes.size(); ++i) {
        auto const& scope = scopes[i].value;
        if (core::is_grantable_scope(scope) || (all && scope == "*")) continue;
        faults.push_back(wrong_scope(scopes, i, "which is no scope that a key can be given"));
    }
}

void check_scopes(View const& view, std::vector<core::ShortText> const& scopes, Context const& context,
                  std::vector<core::FieldError>& faults) {
    bool const internal = view.organization().type == events::OrganizationType::internal;
    // The key of the system itself: of the command line, in the organization that runs the installation.
    check_catalogue(scopes, internal && context.actor.type == events::ActorType::system, faults);
    for (std::size_t i = 0; i < scopes.size() && !internal; ++i) {
        if (scopes[i].value == "organizations:manage")
            faults.push_back(wrong_scope(scopes, i, "which is for keys of the internal organization"));
    }
}

void check_end(core::Nullable<Timestamp> const& end, Timestamp now, std::vector<core::FieldError>& faults) {
    if (is_over(end, now)) faults.push_back({"expiresAt", "future", "must lie in the future"});
}

void check_token_limit(events::ApiKeyType type, core::Nullable<core::Int<1, 6000>> const& limit, TokenLimit const& most,
                       std::vector<core::FieldError>& faults) {
    if (type != ApiKeyType::pat || !limit.value || limit.value->value <= most.pat_max_rate_limit) return;
    faults.push_back({"rateLimitPerMin", "max",
                      "must be at most " + std::to_string(most.pat_max_rate_limit) + " for a personal token"});
}

/// Whether the user is above the caller: whoever has a key of theirs stands for them.
bool is_above(View const& view, core::Nullable<Id> const& user, Context const& context) {
    auto const* bound = user.value ? view.get<events::User>(*user.value) : nullptr;
    return bound && events::rank_of(bound->role) < highest_rank(view, context);
}

tl::unexpected<core::Problem> refuse_above() {
    return refuse(Code::forbidden, "The key stands for a user whose role is above yours.");
}

/// Whether the key is a personal token that does not stand for the caller.
bool is_anothers_token(ApiKey const& key, Context const& context) {
    if (key.type != ApiKeyType::pat || context.actor.type == events::ActorType::system) return false;
    return key.userId.value != context.actor.user;
}

/// The only facility of the organization, if there is only one.
std::optional<Id> only_facility(View const& view) {
    auto const& all = view.all<events::Facility>();
    if (all.size() != 1) return std::nullopt;
    return all.begin()->first;
}

/// What is to be, with what follows from nothing having been said.
events::ApiKeyDetails completed(View const& view, CreateApiKey const& command, Context const& context) {
    events::ApiKeyDetails key = command;
    if (!key.facilityId.value) key.facilityId.value = command.facility_id;
    if (!key.facilityId.value && context.facilities.size() == 1) key.facilityId = context.facilities.front();
    if (!key.facilityId.value && key.type == ApiKeyType::test) key.facilityId.value = only_facility(view);
    auto const caller = context.actor.user;
    if (!key.userId.value && caller != 0 && view.get<events::User>(caller)) key.userId = caller;
    return key;
}

std::vector<core::FieldError> faults_of(View const& view, events::ApiKeyDetails const& key, Context const& context) {
    std::vector<core::FieldError> faults;
    check_scopes(view, key.scopes, context, faults);
    check_end(key.expiresAt, context.now, faults);
    if (key.type == ApiKeyType::test && !key.facilityId.value) {
        faults.push_back({"facilityId", "required", "is required for a sandbox key"});
    } else if (!context.facilities.empty() && !key.facilityId.value) {
        faults.push_back({"facilityId", "required", "must name one of your facilities"});
    }
    bool const internal = view.organization().type == events::OrganizationType::internal;
    if (key.acrossOrganizations && (!internal || key.facilityId.value)) {
        faults.push_back(
            {"acrossOrganizations", "internal", "is for keys of the internal organization that no facility binds"});
    }
    bool const personal = key.type == ApiKeyType::pat && context.actor.type != events::ActorType::system;
    if (personal && !view.get<events::User>(context.actor.user)) {
        faults.push_back({"orgUnitId", "own", "must be the creator's organization for a personal token"});
    } else if (personal && key.userId.value != context.actor.user) {
        faults.push_back({"userId", "own", "must be the creator for a personal token"});
    }
    return faults;
}

/// The clock may not have recorded yet that the key has expired.
tl::unexpected<core::Problem> refuse_ended(ApiKey const& key, std::string_view command) {
    bool const revoked = key.status == ApiKeyStatus::revoked;
    return invalid_transition("API key", core::enum_name(revoked ? key.status : ApiKeyStatus::expired), command, {});
}

/// Whether the key is another by now than the one by which the caller's rights were judged: read models may be behind.
bool is_misjudged(ApiKey const& key, std::optional<JudgedKey> const& judged) {
    return judged && (judged->scopes != key.scopes || judged->end != key.expiresAt);
}

tl::unexpected<core::Problem> refuse_misjudged() {
    return refuse(Code::concurrent_modification, "The scopes or the end of the key were changed while this was asked.");
}

/// Secrets of the key that were rotated and have come to their end.
std::vector<std::string> ended_secrets(ApiKey const& key, Timestamp now) {
    std::vector<std::string> ids;
    for (auto const& secret : key.secrets) {
        if (is_over(secret.validUntil, now)) ids.push_back(secret.id);
    }
    return ids;
}

void add_change(std::vector<core::FieldError>& faults, std::string field, bool changed) {
    if (changed) faults.push_back({std::move(field), "fixed", "can't be changed; make another key"});
}

ApiKeyRecord record(View const& view, Id id) { return {*view.get<ApiKey>(id), {}}; }
ShownApiKey shown(View const& view, Id id, std::string const& secret) { return {record(view, id), {secret}}; }

}  // namespace

Result<Decision> decide(View const& view, CreateApiKey const& command, Context const& context) {
    auto key = completed(view, command, context);
    auto faults = faults_of(view, key, context);
    check_token_limit(key.type, key.rateLimitPerMin, command, faults);
    if (!faults.empty()) return tl::unexpected(core::validation_problem(faults));
    if (is_above(view, key.userId, context)) return refuse_above();
    if (key.userId.value && !view.get<events::User>(*key.userId.value)) return not_found("user", *key.userId.value);
    if (key.facilityId.value) {
        auto facility = facility_in_scope(view, *key.facilityId.value, context);
        if (!facility) return tl::unexpected(facility.error());
    }
    auto const facility = key.facilityId.value.value_or(0);
    return Decision{{{{events::Kind::api_key, context.new_ids.at(0)},
                      facility,
                      events::ApiKeyEvent(events::ApiKeyCreated{{std::move(key)}, {command.hint}, command.secret_id})}},
                    {}};
}
ShownApiKey answer(View const& view, CreateApiKey const& command, Decision const& decision) {
    return shown(view, decision.events.at(0).subject.id, command.secret_id);
}

Result<Decision> decide(View const& view, UpdateApiKey const& command, Context const& context) {
    auto const* key = visible(view, command.id, context);
    if (!key) return not_found("API key", command.id);
    std::vector<core::FieldError> faults;
    add_change(faults, "type", command.type && *command.type != key->type);
    add_change(faults, "userId", command.userId && !(*command.userId == key->userId));
    add_change(faults, "orgUnitId", command.orgUnitId && !(*command.orgUnitId == key->orgUnitId));
    add_change(faults, "facilityId", command.facilityId && !(*command.facilityId == key->facilityId));
    events::ApiKeyUpdated updated{command};
    bool const changed = events::keep_changed(*key, static_cast<events::ApiKeyChanges&>(updated));
    if (updated.scopes) check_scopes(view, *updated.scopes, context, faults);
    if (updated.expiresAt) check_end(*updated.expiresAt, context.now, faults);
    if (updated.rateLimitPerMin) check_token_limit(key->type, *updated.rateLimitPerMin, command, faults);
    if (!faults.empty()) return tl::unexpected(core::validation_problem(faults));
    if (!changed) return Decision{};
    if (is_misjudged(*key, command.judged)) return refuse_misjudged();
    if ((updated.scopes || updated.expiresAt) && is_anothers_token(*key, context)) {
        return refuse(Code::forbidden,
                      "Only the person for whom a personal token stands changes its scopes and its end.");
    }
    if (key->status == ApiKeyStatus::revoked) return refuse_ended(*key, "update");
    return Decision{{key_event(*key, std::move(updated))}, {}};
}
ApiKeyRecord answer(View const& view, UpdateApiKey const& command, Decision const&) { return record(view, command.id); }

Result<Decision> decide(View const& view, RotateApiKey const& command, Context const& context) {
    auto const* key = visible(view, command.id, context);
    if (!key) return not_found("API key", command.id);
    if (is_misjudged(*key, command.judged)) return refuse_misjudged();
    if (is_above(view, key->userId, context)) return refuse_above();
    if (is_anothers_token(*key, context)) {
        return refuse(Code::forbidden, "Only the person for whom a personal token stands rotates it.");
    }
    bool const expired = key->status == ApiKeyStatus::expired || is_over(key->expiresAt, context.now);
    if (expired || key->status == ApiKeyStatus::revoked || key->secrets.empty()) return refuse_ended(*key, "rotate");
    auto ended = ended_secrets(*key, context.now);
    if (key->secrets.size() - ended.size() >= kMostSecrets) {
        return invalid_transition("API key", core::enum_name(key->status), "rotate", {"revoke"},
                                  "it has five secrets that are valid; wait for the oldest to end");
    }
    auto const previous = key->secrets.front().id;
    Decision decision;
    if (!ended.empty()) decision.events.push_back(key_event(*key, events::ApiKeySecretRetired{std::move(ended)}));
    decision.events.push_back(key_event(*key, events::ApiKeyRotated{command.secret_id, command.hint.last4, previous,
                                                                    Timestamp{context.now.ms + kOverlapMs}}));
    return decision;
}
ShownApiKey answer(View const& view, RotateApiKey const& command, Decision const&) {
    return shown(view, command.id, command.secret_id);
}

Result<Decision> decide(View const& view, RevokeApiKey const& command, Context const& context) {
    auto const* key = visible(view, command.id, context);
    if (!key) return not_found("API key", command.id);
    if (key->status == ApiKeyStatus::revoked) return Decision{};
    return Decision{{key_event(*key, events::ApiKeyRevoked{command.reason})}, {}};
}
ApiKeyRecord answer(View const& view, RevokeApiKey const& command, Decision const&) { return record(view, command.id); }

std::vector<core::FieldError> faults_of_input(std::vector<core::ShortText> const* scopes,
                                              core::Nullable<Timestamp> const& end, Timestamp now) {
    std::vector<core::FieldError> faults;
    if (scopes != nullptr) check_catalogue(*scopes, false, faults);
    check_end(end, now, faults);
    return faults;
}

Result<Decision> decide(View const& view, EndDueApiKeys const& command, Context const& context) {
    Decision decision;
    for (Id const id : command.ids) {
        auto const* key = view.get<ApiKey>(id);
        if (!key || key->status == ApiKeyStatus::revoked) continue;
        auto ended = ended_secrets(*key, context.now);
        if (!ended.empty()) decision.events.push_back(key_event(*key, events::ApiKeySecretRetired{std::move(ended)}));
        bool const expires = key->status != ApiKeyStatus::expired && is_over(key->expiresAt, context.now);
        if (expires) decision.events.push_back(key_event(*key, events::ApiKeyExpired{}));
    }
    return decision;
}

}  // namespace workforce::commands
