// Commands on API keys. Whoever is bound to facilities makes keys of these alone, and sees no others (NOT_FOUND). Whose
// permissions a key may have is looked at where the caller's are known (operations/api_keys.cpp), which also adds to
// answers when the key was used last: no event tells that.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/api_key.hpp"

namespace workforce::commands {

/// A key with a secret that is shown once.
struct ShownApiKey : events::ApiKeyRecord {
    core::Nullable<std::string> key;  ///< the token; as it is stored for retries, the id of the secret
};
BOOST_DESCRIBE_STRUCT(ShownApiKey, (events::ApiKeyRecord), (key))

/// The names of a secret that was stored beside the log before the command; no part of the input.
struct StoredSecret {
    std::string secret_id;
    events::ApiKeySecretHint hint;
};

/// By what of a key the caller's rights were judged before the command; no part of the input.
struct JudgedKey {
    std::vector<core::ShortText> scopes;
    core::Nullable<Timestamp> end;
};

/// Requests a minute that a personal token may be given at most, as it is configured; no part of the input.
struct TokenLimit {
    std::int64_t pat_max_rate_limit = 6000;
};

/// POST /api/api-keys. The scopes must be of the catalogue, and the end in the future (VALIDATION_ERROR). A sandbox key
/// is of a facility: of the only one where none is named. A personal token is its creator's, in the creator's
/// organization. Another key is bound to its creator where none else is named, in the creator's organization alone.
/// FORBIDDEN where it would be bound to a user whose role is above the caller's.
struct CreateApiKey : events::ApiKeyDetails, StoredSecret, TokenLimit {
    using Answer = ShownApiKey;
    std::optional<Id> facility_id;                ///< stands for facilityId (spec 2.9)
    std::optional<core::Nullable<Id>> orgUnitId;  ///< its organization, which the command is in
};
BOOST_DESCRIBE_STRUCT(CreateApiKey, (events::ApiKeyDetails), (facility_id, orgUnitId))
Result<Decision> decide(View const& view, CreateApiKey const& command, Context const& context);
ShownApiKey answer(View const& view, CreateApiKey const& command, Decision const& decision);

/// PATCH /api/api-keys/{id}. What is fixed may be repeated as it is (VALIDATION_ERROR). A revoked key does not change
/// (INVALID_STATE_TRANSITION); one that expired goes on when it is given a later end. FORBIDDEN where it changes what a
/// personal token of somebody else opens, or until when. CONCURRENT_MODIFICATION where the key is not what was judged.
struct UpdateApiKey : events::ApiKeyChanges, TokenLimit {
    using Answer = events::ApiKeyRecord;
    Id id = 0;
    std::optional<JudgedKey> judged;  ///< nothing: there was nothing to judge
    std::optional<events::ApiKeyType> type;
    std::optional<core::Nullable<Id>> userId;
    std::optional<core::Nullable<Id>> orgUnitId;
    std::optional<core::Nullable<Id>> facilityId;
};
BOOST_DESCRIBE_STRUCT(UpdateApiKey, (events::ApiKeyChanges), (type, userId, orgUnitId, facilityId))
Result<Decision> decide(View const& view, UpdateApiKey const& command, Context const& context);
events::ApiKeyRecord answer(View const& view, UpdateApiKey const& command, Decision const& decision);

/// POST /api/api-keys/{id}/rotate: a new secret; the one before it is valid for a day yet. INVALID_STATE_TRANSITION for
/// a key that ended, and where the key would have more than five secrets. FORBIDDEN for a personal token of somebody
/// else, and for a key that is bound to a user whose role is above the caller's. CONCURRENT_MODIFICATION as for an
/// update.
struct RotateApiKey : StoredSecret {
    using Answer = ShownApiKey;
    Id id = 0;
    std::optional<JudgedKey> judged{};
};
BOOST_DESCRIBE_STRUCT(RotateApiKey, (), ())
Result<Decision> decide(View const& view, RotateApiKey const& command, Context const& context);
ShownApiKey answer(View const& view, RotateApiKey const& command, Decision const& decision);

/// Ends a key for good; of one that has ended nothing is recorded.
struct RevokeApiKey {
    using Answer = events::ApiKeyRecord;
    Id id = 0;
    core::Nullable<core::ShortText> reason{};
};
BOOST_DESCRIBE_STRUCT(RevokeApiKey, (), ())
Result<Decision> decide(View const& view, RevokeApiKey const& command, Context const& context);
events::ApiKeyRecord answer(View const& view, RevokeApiKey const& command, Decision const& decision);

/// What is wrong with scopes (null: none are said) and end of a key, whosever it is: for input that is refused before a
/// command can decide. Pure.
std::vector<core::FieldError> faults_of_input(std::vector<core::ShortText> const* scopes,
                                              core::Nullable<Timestamp> const& end, Timestamp now);

/// Records of keys what time has brought: the end of rotated secrets, and that a key has expired. Keys that are not due
/// stay as they are. Of the clock.
struct EndDueApiKeys {
    using Answer = Nothing;
    std::vector<Id> ids;
};
Result<Decision> decide(View const& view, EndDueApiKeys const& command, Context const& context);

}  // namespace workforce::commands
