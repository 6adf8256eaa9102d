// Claims of open shifts: somebody asks to work one, and others decide (domain 3.4), with their events and how they
// fold. Why one was declined is Personal, and sealed under the staff member's key.
#pragma once

#include <string>
#include <variant>

#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

enum class ShiftClaimStatus : std::uint8_t { pending, approved, declined, withdrawn, expired };
BOOST_DESCRIBE_ENUM(ShiftClaimStatus, pending, approved, declined, withdrawn, expired)

/// The person who asks, and for what. The facility is the shift's.
struct ShiftClaimSubject {
    Id facilityId = 0;
    Id shiftId = 0;
    Id staffId = 0;
};
BOOST_DESCRIBE_STRUCT(ShiftClaimSubject, (), (facilityId, shiftId, staffId))

struct ShiftClaimStanding {
    ShiftClaimStatus status = ShiftClaimStatus::pending;
    core::Nullable<Id> decidedBy;  ///< who approved or declined it; null where nobody did, or no user
    core::Nullable<Timestamp> decidedAt;
    core::Personal<core::LongText> declineReason;
};
BOOST_DESCRIBE_STRUCT(ShiftClaimStanding, (), (status, decidedBy, decidedAt, declineReason))

struct ShiftClaim : Identified, ShiftClaimSubject, ShiftClaimStanding, Stamped {};
BOOST_DESCRIBE_STRUCT(ShiftClaim, (Identified, ShiftClaimSubject, ShiftClaimStanding, Stamped), ())

struct ShiftClaimRequested : ShiftClaimSubject {
    static constexpr std::string_view kType = "shift_claim.requested";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftClaimRequested, (ShiftClaimSubject), ())

/// The same command puts the person on the shift.
struct ShiftClaimApproved : ShiftClaimSubject {
    static constexpr std::string_view kType = "shift_claim.approved";
    static constexpr std::int32_t kVersion = 1;
    bool automatic = false;  ///< nobody decided: the facility's claims need no approval
};
BOOST_DESCRIBE_STRUCT(ShiftClaimApproved, (ShiftClaimSubject), (automatic))

struct ShiftClaimDeclined : ShiftClaimSubject {
    static constexpr std::string_view kType = "shift_claim.declined";
    static constexpr std::int32_t kVersion = 1;
    core::Personal<core::LongText> reason;
    core::Internal<std::string> sealedFor;  ///< whose key: "staff/42"
};
BOOST_DESCRIBE_STRUCT(ShiftClaimDeclined, (ShiftClaimSubject), (reason, sealedFor))

/// The person takes it back.
struct ShiftClaimWithdrawn : ShiftClaimSubject {
    static constexpr std::string_view kType = "shift_claim.withdrawn";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftClaimWithdrawn, (ShiftClaimSubject), ())

/// Nobody decided while the shift was open and ahead.
struct ShiftClaimExpired : ShiftClaimSubject {
    static constexpr std::string_view kType = "shift_claim.expired";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftClaimExpired, (ShiftClaimSubject), ())

/// The staff member was erased: what was said is gone.
struct ShiftClaimHolderErased {
    static constexpr std::string_view kType = "shift_claim.holder_erased";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftClaimHolderErased, (), ())

/// A reset of its sandbox removed it.
struct ShiftClaimDeleted {
    static constexpr std::string_view kType = "shift_claim.deleted";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftClaimDeleted, (), ())

using ShiftClaimEvent = std::variant<ShiftClaimRequested, ShiftClaimApproved, ShiftClaimDeclined, ShiftClaimWithdrawn,
                                     ShiftClaimExpired, ShiftClaimHolderErased, ShiftClaimDeleted>;

/// The part of the state that callers don't see.
struct ShiftClaimInternals {
    bool holderErased = false;
};
BOOST_DESCRIBE_STRUCT(ShiftClaimInternals, (), (holderErased))

struct ShiftClaimRecord : ShiftClaim {
    static constexpr Kind kKind = Kind::shift_claim;
    ShiftClaimInternals internals;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(ShiftClaimRecord, (ShiftClaim), (internals, deleted))
inline ShiftClaim const& resource_of(ShiftClaimRecord const& record) { return record; }

/// A person's claim of a shift that waits: there is one at most.
struct PendingClaimOfShift : Index<Kind::shift_claim, Value<&ShiftClaim::shiftId>, Value<&ShiftClaim::staffId>> {
    using Where = boost::mp11::mp_list<OneOf<&ShiftClaim::status, ShiftClaimStatus::pending>>;
    static constexpr bool kDeleted = false;
};
/// All claims of a person.
struct ShiftClaimsOfPerson : Index<Kind::shift_claim, Value<&ShiftClaim::staffId>> {};
/// Those of a facility in its sandbox.
struct ShiftClaimsOfFacility : OfFacility<Kind::shift_claim, Value<&ShiftClaim::facilityId>> {};

/// Folds one event into the claim.
void evolve(ShiftClaimRecord& claim, ShiftClaimEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::shift_claim> : Declared<ShiftClaimRecord, ShiftClaimEvent> {
    using Indexes = boost::mp11::mp_list<PendingClaimOfShift, ShiftClaimsOfPerson, ShiftClaimsOfFacility>;
    using Deleted = ShiftClaimDeleted;
    using Holder = HeldBy<Kind::staff, &ShiftClaim::staffId, ShiftClaimHolderErased>;
};

}  // namespace workforce::events
