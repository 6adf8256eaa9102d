// Credentials of staff, as licenses and certificates are: the resource (domain 1.4), its events, and how they fold.
// What says whose document it is is Personal, and sealed under the staff member's key.
#pragma once

#include <array>
#include <string>
#include <variant>

#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

enum class StaffCredentialType : std::uint8_t {
    license,
    certification,
    background_check,
    immunization,
    training,
    other
};
BOOST_DESCRIBE_ENUM(StaffCredentialType, license, certification, background_check, immunization, training, other)

enum class CredentialStatus : std::uint8_t { pending, verified, expired, rejected, revoked };
BOOST_DESCRIBE_ENUM(CredentialStatus, pending, verified, expired, rejected, revoked)

enum class VerificationMethod : std::uint8_t { manual, external };
BOOST_DESCRIBE_ENUM(VerificationMethod, manual, external)

/// What a check found. A registry that fails changes nothing, so that no event has `error`.
enum class VerificationResult : std::uint8_t { match, no_match, expired, error };
BOOST_DESCRIBE_ENUM(VerificationResult, match, no_match, expired, error)

enum class ExpiredReason : std::uint8_t { api, date_passed, external_verification };
BOOST_DESCRIBE_ENUM(ExpiredReason, api, date_passed, external_verification)

/// What a credential is from its beginning.
struct CredentialKind {
    Id staffId = 0;
    StaffCredentialType type = StaffCredentialType::license;
};
BOOST_DESCRIBE_STRUCT(CredentialKind, (), (staffId, type))

/// What a caller may say of a credential.
struct CredentialDetails {
    core::Name name;
    core::Personal<core::Text<0, 64>> number;
    core::ShortText issuingAuthority;
    core::ShortText jurisdiction;
    core::Nullable<Date> issuedOn;
    core::Nullable<Date> expiresOn;
    core::Personal<core::Nullable<core::HttpsUrl>> documentUrl;

    static constexpr std::array<std::string_view, 1> kRequired{"name"};
};
BOOST_DESCRIBE_STRUCT(CredentialDetails, (),
                      (name, number, issuingAuthority, jurisdiction, issuedOn, expiresOn, documentUrl))

/// The fields of an update: absent means unchanged.
struct CredentialChanges {
    std::optional<core::Name> name;
    std::optional<core::Personal<core::Text<0, 64>>> number;
    std::optional<core::ShortText> issuingAuthority;
    std::optional<core::ShortText> jurisdiction;
    std::optional<core::Nullable<Date>> issuedOn;
    std::optional<core::Nullable<Date>> expiresOn;
    std::optional<core::Personal<core::Nullable<core::HttpsUrl>>> documentUrl;
};
BOOST_DESCRIBE_STRUCT(CredentialChanges, (),
                      (name, number, issuingAuthority, jurisdiction, issuedOn, expiresOn, documentUrl))

/// The last check of a credential. Before the first one texts are empty and the others null.
struct Verification {
    core::Nullable<VerificationMethod> method;
    core::ShortText provider;   ///< of an external check
    core::ShortText reference;  ///< under which the provider knows the check
    core::Nullable<Timestamp> checkedAt;
    core::Nullable<Id> verifiedBy;  ///< the user who asked for it; null: a key without one did
    core::Nullable<VerificationResult> result;

    static constexpr std::array<std::string_view, 0> kRequired{};
};
BOOST_DESCRIBE_STRUCT(Verification, (), (method, provider, reference, checkedAt, verifiedBy, result))

struct CredentialStanding {
    CredentialStatus status = CredentialStatus::pending;
    Verification verification;
    core::Nullable<ExpiredReason> expiredReason;  ///< while it is expired
    core::ShortText statusReason;                 ///< what was said when it was rejected, revoked or marked as expired
};
BOOST_DESCRIBE_STRUCT(CredentialStanding, (), (status, verification, expiredReason, statusReason))

struct Credential : Identified, CredentialKind, CredentialDetails, CredentialStanding, Stamped {};
BOOST_DESCRIBE_STRUCT(Credential, (Identified, CredentialKind, CredentialDetails, CredentialStanding, Stamped), ())

/// A credential as callers see it, with the days until it expires by the calendar of its organization: 0 on its last
/// day, less once it is past, null where it has no end.
struct CredentialView : Credential {
    core::Nullable<std::int64_t> daysUntilExpiry;
};
BOOST_DESCRIBE_STRUCT(CredentialView, (Credential), (daysUntilExpiry))

/// Whose key seals an event: "staff/42".
struct SealedForHolder {
    core::Internal<std::string> sealedFor;
};
BOOST_DESCRIBE_STRUCT(SealedForHolder, (), (sealedFor))

/// It begins as pending, or as expired where its date has passed.
struct CredentialAdded : CredentialKind, CredentialDetails, SealedForHolder {
    static constexpr std::string_view kType = "credential.added";
    static constexpr std::int32_t kVersion = 1;
    CredentialStatus status = CredentialStatus::pending;
};
BOOST_DESCRIBE_STRUCT(CredentialAdded, (CredentialKind, CredentialDetails, SealedForHolder), (status))

/// What changed, and where it stands by that: what a check vouched for may be another thing now.
struct CredentialUpdated : CredentialChanges, SealedForHolder {
    static constexpr std::string_view kType = "credential.updated";
    static constexpr std::int32_t kVersion = 1;
    CredentialStatus status = CredentialStatus::pending;
};
BOOST_DESCRIBE_STRUCT(CredentialUpdated, (CredentialChanges, SealedForHolder), (status))

/// It was checked, and is good. One that was so before was checked once more.
struct CredentialVerified {
    static constexpr std::string_view kType = "credential.verified";
    static constexpr std::int32_t kVersion = 1;
    CredentialStatus from = CredentialStatus::pending;
    Verification verification;
};
BOOST_DESCRIBE_STRUCT(CredentialVerified, (), (from, verification))

/// It is not good: a check says so, or somebody does, who says why.
struct CredentialRejected {
    static constexpr std::string_view kType = "credential.rejected";
    static constexpr std::int32_t kVersion = 1;
    core::ShortText reason;
    std::optional<Verification> verification;
};
BOOST_DESCRIBE_STRUCT(CredentialRejected, (), (reason, verification))

/// It is good no more. Tells all that subscribers hear of it.
struct CredentialExpired : CredentialKind {
    static constexpr std::string_view kType = "credential.expired";
    static constexpr std::int32_t kVersion = 1;
    core::Name name;
    core::Nullable<Date> expiresOn;
    ExpiredReason reason = ExpiredReason::api;
    core::ShortText note;
    std::optional<Verification> verification;
};
BOOST_DESCRIBE_STRUCT(CredentialExpired, (CredentialKind), (name, expiresOn, reason, note, verification))

/// It will expire within so many days, of which its holder is told.
struct CredentialExpiring : CredentialKind {
    static constexpr std::string_view kType = "credential.expiring";
    static constexpr std::int32_t kVersion = 1;
    core::Name name;
    Date expiresOn;
    std::int64_t withinDays = 0;  ///< 30 or 7
};
BOOST_DESCRIBE_STRUCT(CredentialExpiring, (CredentialKind), (name, expiresOn, withinDays))

/// It was taken back for good.
struct CredentialRevoked {
    static constexpr std::string_view kType = "credential.revoked";
    static constexpr std::int32_t kVersion = 1;
    core::ShortText reason;
};
BOOST_DESCRIBE_STRUCT(CredentialRevoked, (), (reason))

/// The staff member was forgotten, and what is personal of the credential with them.
struct CredentialHolderErased {
    static constexpr std::string_view kType = "credential.holder_erased";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(CredentialHolderErased, (), ())

/// The row is gone, as a reset of the sandbox has it. Live credentials are revoked instead.
struct CredentialDeleted {
    static constexpr std::string_view kType = "credential.deleted";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(CredentialDeleted, (), ())

using CredentialEvent =
    std::variant<CredentialAdded, CredentialUpdated, CredentialVerified, CredentialRejected, CredentialExpired,
                 CredentialExpiring, CredentialRevoked, CredentialHolderErased, CredentialDeleted>;

/// What callers don't see of a credential.
struct CredentialInternals {
    std::int64_t toldWithinDays = 0;  ///< what the holder was told last of its end: 30, 7, or 0 for nothing
    bool holderErased = false;
};
BOOST_DESCRIBE_STRUCT(CredentialInternals, (), (toldWithinDays, holderErased))

struct CredentialRecord : Credential {
    static constexpr Kind kKind = Kind::credential;
    CredentialInternals internals;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(CredentialRecord, (Credential), (internals, deleted))
inline Credential const& resource_of(CredentialRecord const& record) { return record; }

/// A person's, revoked and deleted ones too.
struct CredentialsOfPerson : Index<Kind::credential, Value<&Credential::staffId>> {};

/// How many days before its end a holder is told, the earlier one first.
inline constexpr std::array<std::int64_t, 2> kExpiryNoticeDays{30, 7};

/// The first day on which something is to happen to it by itself: its holder is told of its end, or it has expired.
/// Nothing where nothing will.
core::Nullable<Date> due_on(CredentialRecord const& credential);

/// Folds one event into the credential.
void evolve(CredentialRecord& credential, CredentialEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::credential> : Declared<CredentialRecord, CredentialEvent> {
    using Indexes = boost::mp11::mp_list<CredentialsOfPerson>;
    using Deleted = CredentialDeleted;
    using Holder = HeldBy<Kind::staff, &Credential::staffId, CredentialHolderErased>;
};

}  // namespace workforce::events
