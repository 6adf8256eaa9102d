// Commands on credentials of staff.
#pragma once

#include <span>
#include <string>

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/credential.hpp"
#include "events/facility.hpp"

namespace workforce::commands {

/// So many credentials may a person have, revoked ones too.
inline constexpr std::size_t kMostCredentials = 200;

/// POST /api/credentials, and POST /api/staff/{id}/credentials with the person in the path. It begins as pending; where
/// its date has passed, as expired. VALIDATION_ERROR past kMostCredentials.
struct AddCredential : events::CredentialKind, events::CredentialDetails {
    using Answer = events::CredentialView;
    static constexpr std::array<std::string_view, 3> kRequired{"staffId", "type", "name"};
    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(AddCredential, (events::CredentialKind, events::CredentialDetails), ())
Result<Decision> decide(View const& view, AddCredential const& command, Context const& context);
events::CredentialView answer(View const& view, AddCredential const& command, Decision const& decision);

/// PUT or PATCH /api/credentials/{id}. What a check vouched for is checked anew once it changes: name, number,
/// authority and jurisdiction lead back to pending, and so does a date ahead of what has expired. `staffId` and `type`
/// can't change (VALIDATION_ERROR). INVALID_STATE_TRANSITION for what was revoked.
struct UpdateCredential : events::CredentialChanges {
    using Answer = events::CredentialView;
    Id id = 0;
    std::optional<Id> staffId;
    std::optional<events::StaffCredentialType> type;
    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(UpdateCredential, (events::CredentialChanges), (staffId, type))
Result<Decision> decide(View const& view, UpdateCredential const& command, Context const& context);
events::CredentialView answer(View const& view, UpdateCredential const& command, Decision const& decision);

/// POST /api/credentials/{id}/verify: somebody looked at it. CREDENTIAL_EXPIRED where its date has passed.
struct VerifyCredential {
    using Answer = events::CredentialView;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(VerifyCredential, (), ())
Result<Decision> decide(View const& view, VerifyCredential const& command, Context const& context);
events::CredentialView answer(View const& view, VerifyCredential const& command, Decision const& decision);

/// POST /api/credentials/{id}/reject: of what is pending.
struct RejectCredential {
    using Answer = events::CredentialView;
    Id id = 0;
    core::Name reason;
};
BOOST_DESCRIBE_STRUCT(RejectCredential, (), (reason))
Result<Decision> decide(View const& view, RejectCredential const& command, Context const& context);
events::CredentialView answer(View const& view, RejectCredential const& command, Decision const& decision);

/// POST /api/credentials/{id}/expire: of what is pending or verified.
struct ExpireCredential {
    using Answer = events::CredentialView;
    Id id = 0;
    std::optional<core::ShortText> reason;
};
BOOST_DESCRIBE_STRUCT(ExpireCredential, (), (reason))
Result<Decision> decide(View const& view, ExpireCredential const& command, Context const& context);
events::CredentialView answer(View const& view, ExpireCredential const& command, Decision const& decision);

/// POST /api/credentials/{id}/revoke: for good.
struct RevokeCredential {
    using Answer = events::CredentialView;
    Id id = 0;
    std::optional<core::ShortText> reason;
};
BOOST_DESCRIBE_STRUCT(RevokeCredential, (), (reason))
Result<Decision> decide(View const& view, RevokeCredential const& command, Context const& context);
events::CredentialView answer(View const& view, RevokeCredential const& command, Decision const& decision);

/// DELETE /api/credentials/{id}: revoked, for the reason `deleted`.
struct DeleteCredential {
    using Answer = events::CredentialView;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(DeleteCredential, (), ())
Result<Decision> decide(View const& view, DeleteCredential const& command, Context const& context);
events::CredentialView answer(View const& view, DeleteCredential const& command, Decision const& decision);

enum class RegistryOutcome : std::uint8_t { match, no_match, expired };
BOOST_DESCRIBE_ENUM(RegistryOutcome, match, no_match, expired)

/// What a registry says of a credential.
struct RegistryFinding {
    std::string provider;
    core::Nullable<std::string> reference;  ///< under which the provider knows the check
    RegistryOutcome outcome = RegistryOutcome::match;
    std::string details;  ///< in a sentence
};

/// A question to a registry: a credential as it stands, with its holder.
struct RegistryQuestion {
    Id credential = 0;
    events::StaffCredentialType type = events::StaffCredentialType::license;
    std::string name;
    std::string number;
    std::string issuing_authority;
    std::string jurisdiction;
    core::Nullable<core::Date> issued_on;
    core::Nullable<core::Date> expires_on;
    std::string first_name;  ///< of its holder, as the next one
    std::string last_name;
};
/// The question about a credential that a check may be asked for. Errors: NOT_FOUND; INVALID_STATE_TRANSITION for what
/// was revoked, or whose holder was erased.
Result<RegistryQuestion> registry_question(View const& view, Id id, Context const& context);

/// The answer of POST /api/credentials/{id}/verify-external.
struct ExternalVerification {
    events::CredentialView credential;
    bool verified = false;
    std::string provider;
    core::Nullable<std::string> reference;
    Timestamp checkedAt;
    RegistryOutcome outcome = RegistryOutcome::match;
    std::string details;
};
BOOST_DESCRIBE_STRUCT(ExternalVerification, (),
                      (credential, verified, provider, reference, checkedAt, outcome, details))

/// Records what a registry said when it was asked that: verified, rejected or expired by it. What matches and is past
/// its date has expired all the same. Errors: CONCURRENT_MODIFICATION where what a check vouches for is another by now,
/// or no registry was asked; INVALID_STATE_TRANSITION for what was revoked.
struct RecordVerification {
    using Answer = ExternalVerification;
    Id id = 0;
    RegistryQuestion asked;
    std::optional<RegistryFinding> finding;  ///< nothing: no registry was asked
};
BOOST_DESCRIBE_STRUCT(RecordVerification, (), ())
Result<Decision> decide(View const& view, RecordVerification const& command, Context const& context);
ExternalVerification answer(View const& view, RecordVerification const& command, Decision const& decision);

/// Of the due job: marks as expired whose date has passed, and has holders told of what will expire.
struct MoveDueCredentials {
    using Answer = Nothing;
    std::vector<Id> ids;
};
Result<Decision> decide(View const& view, MoveDueCredentials const& command, Context const& context);

/// An event of a credential, for commands on a staff member that end what is theirs, too.
NewEvent credential_event(Id id, events::CredentialEvent event);

/// Whether one of the credentials that a person holds meets what a facility requires, on that day: it is verified, of
/// the same type, and of the same name, in any case, where one is named (domain 14).
bool is_met(events::RequiredCredential const& required, std::span<events::Credential const* const> held,
            core::Date day);

}  // namespace workforce::commands
