// Offers of open shifts: a planner asks chosen people to work one, and the first who accepts comes on it (domain 3.4),
// with their events and how they fold.
#pragma once

#include <variant>

#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

enum class ShiftOfferStatus : std::uint8_t { offered, accepted, declined, withdrawn, expired };
BOOST_DESCRIBE_ENUM(ShiftOfferStatus, offered, accepted, declined, withdrawn, expired)

/// What is offered, and the person whom it is offered to. The facility is the shift's.
struct ShiftOfferSubject {
    Id facilityId = 0;
    Id shiftId = 0;
    Id staffId = 0;
};
BOOST_DESCRIBE_STRUCT(ShiftOfferSubject, (), (facilityId, shiftId, staffId))

/// Until when it stands.
struct ShiftOfferTerm {
    core::Nullable<Timestamp> expiresAt;  ///< null: when the shift begins
};
BOOST_DESCRIBE_STRUCT(ShiftOfferTerm, (), (expiresAt))

struct ShiftOfferStanding {
    ShiftOfferStatus status = ShiftOfferStatus::offered;
    core::Nullable<Id> offeredBy;  ///< user id; null where no user stands behind the credential
    core::Nullable<Timestamp> decidedAt;
};
BOOST_DESCRIBE_STRUCT(ShiftOfferStanding, (), (status, offeredBy, decidedAt))

struct ShiftOffer : Identified, ShiftOfferSubject, ShiftOfferTerm, ShiftOfferStanding, Stamped {};
BOOST_DESCRIBE_STRUCT(ShiftOffer, (Identified, ShiftOfferSubject, ShiftOfferTerm, ShiftOfferStanding, Stamped), ())

struct ShiftOfferMade : ShiftOfferSubject, ShiftOfferTerm {
    static constexpr std::string_view kType = "shift_offer.made";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftOfferMade, (ShiftOfferSubject, ShiftOfferTerm), ())

/// The same command puts the person on the shift.
struct ShiftOfferAccepted : ShiftOfferSubject {
    static constexpr std::string_view kType = "shift_offer.accepted";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftOfferAccepted, (ShiftOfferSubject), ())

struct ShiftOfferDeclined : ShiftOfferSubject {
    static constexpr std::string_view kType = "shift_offer.declined";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftOfferDeclined, (ShiftOfferSubject), ())

/// Whoever plans takes it back.
struct ShiftOfferWithdrawn : ShiftOfferSubject {
    static constexpr std::string_view kType = "shift_offer.withdrawn";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftOfferWithdrawn, (ShiftOfferSubject), ())

/// The person did not answer while it stood.
struct ShiftOfferExpired : ShiftOfferSubject {
    static constexpr std::string_view kType = "shift_offer.expired";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftOfferExpired, (ShiftOfferSubject), ())

/// A reset of its sandbox removed it.
struct ShiftOfferDeleted {
    static constexpr std::string_view kType = "shift_offer.deleted";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftOfferDeleted, (), ())

using ShiftOfferEvent = std::variant<ShiftOfferMade, ShiftOfferAccepted, ShiftOfferDeclined, ShiftOfferWithdrawn,
                                     ShiftOfferExpired, ShiftOfferDeleted>;

struct ShiftOfferRecord : ShiftOffer {
    static constexpr Kind kKind = Kind::shift_offer;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(ShiftOfferRecord, (ShiftOffer), (deleted))
inline ShiftOffer const& resource_of(ShiftOfferRecord const& record) { return record; }

/// A shift's that stand.
struct StandingOffersOfShift : Index<Kind::shift_offer, Value<&ShiftOffer::shiftId>> {
    using Where = boost::mp11::mp_list<OneOf<&ShiftOffer::status, ShiftOfferStatus::offered>>;
    static constexpr bool kDeleted = false;
};
/// All offers to a person.
struct ShiftOffersToPerson : Index<Kind::shift_offer, Value<&ShiftOffer::staffId>> {};
/// Those of a facility in its sandbox.
struct ShiftOffersOfFacility : OfFacility<Kind::shift_offer, Value<&ShiftOffer::facilityId>> {};

/// Folds one event into the offer.
void evolve(ShiftOfferRecord& offer, ShiftOfferEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::shift_offer> : Declared<ShiftOfferRecord, ShiftOfferEvent> {
    using Indexes = boost::mp11::mp_list<StandingOffersOfShift, ShiftOffersToPerson, ShiftOffersOfFacility>;
    using Deleted = ShiftOfferDeleted;
    using Holder = HeldBy<Kind::staff, &ShiftOffer::staffId>;
};

}  // namespace workforce::events
