// Shift swap requests: two people agree to change places on two shifts, and a planner approves (domain 8.2), with their
// events and how they fold. What is said of one is Personal, and sealed under the requester's key.
#pragma once

#include <string>
#include <variant>

#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

enum class ShiftSwapStatus : std::uint8_t {
    pending_peer,
    pending_approval,
    approved,
    declined,
    rejected,
    cancelled,
    expired
};
BOOST_DESCRIBE_ENUM(ShiftSwapStatus, pending_peer, pending_approval, approved, declined, rejected, cancelled, expired)

/// Who changes places with whom: the requester, who is on the one shift, and the peer, who is on the other.
struct ShiftSwapSides {
    Id shiftId = 0;
    Id staffId = 0;
    Id otherShiftId = 0;
    Id otherStaffId = 0;
};
BOOST_DESCRIBE_STRUCT(ShiftSwapSides, (), (shiftId, staffId, otherShiftId, otherStaffId))

/// The facility of the requester's shift.
struct ShiftSwapPlace {
    Id facilityId = 0;
};
BOOST_DESCRIBE_STRUCT(ShiftSwapPlace, (), (facilityId))

struct ShiftSwapStanding {
    ShiftSwapStatus status = ShiftSwapStatus::pending_peer;
    core::Nullable<Id> decidedBy;  ///< user id of who approved, rejected or declined it; null where none stands behind
    core::Nullable<Timestamp> decidedAt;
    core::Personal<core::LongText> rejectReason;
};
BOOST_DESCRIBE_STRUCT(ShiftSwapStanding, (), (status, decidedBy, decidedAt, rejectReason))

struct ShiftSwap : Identified, ShiftSwapPlace, ShiftSwapSides, ShiftSwapStanding, Stamped {};
BOOST_DESCRIBE_STRUCT(ShiftSwap, (Identified, ShiftSwapPlace, ShiftSwapSides, ShiftSwapStanding, Stamped), ())

struct ShiftSwapRequested : ShiftSwapPlace, ShiftSwapSides {
    static constexpr std::string_view kType = "shift_swap.requested";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftSwapRequested, (ShiftSwapPlace, ShiftSwapSides), ())

/// The peer agrees: a planner may approve it.
struct ShiftSwapAccepted : ShiftSwapSides {
    static constexpr std::string_view kType = "shift_swap.accepted";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftSwapAccepted, (ShiftSwapSides), ())

/// The peer does not agree, or no more.
struct ShiftSwapDeclined : ShiftSwapSides {
    static constexpr std::string_view kType = "shift_swap.declined";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftSwapDeclined, (ShiftSwapSides), ())

/// The command's events of both shifts say who is where.
struct ShiftSwapApproved : ShiftSwapSides {
    static constexpr std::string_view kType = "shift_swap.approved";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftSwapApproved, (ShiftSwapSides), ())

struct ShiftSwapRejected : ShiftSwapSides {
    static constexpr std::string_view kType = "shift_swap.rejected";
    static constexpr std::int32_t kVersion = 1;
    core::Personal<core::LongText> reason;
    core::Internal<std::string> sealedFor;  ///< whose key: "staff/42"
};
BOOST_DESCRIBE_STRUCT(ShiftSwapRejected, (ShiftSwapSides), (reason, sealedFor))

/// It was given up.
struct ShiftSwapCancelled : ShiftSwapSides {
    static constexpr std::string_view kType = "shift_swap.cancelled";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftSwapCancelled, (ShiftSwapSides), ())

/// The swap can't happen any more: a shift has begun or closed, or somebody is no longer on theirs.
struct ShiftSwapExpired : ShiftSwapSides {
    static constexpr std::string_view kType = "shift_swap.expired";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftSwapExpired, (ShiftSwapSides), ())

/// The requester was erased: what was said is gone, who was to change places stays.
struct ShiftSwapHolderErased {
    static constexpr std::string_view kType = "shift_swap.holder_erased";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftSwapHolderErased, (), ())

/// A reset of its sandbox removed it.
struct ShiftSwapDeleted {
    static constexpr std::string_view kType = "shift_swap.deleted";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftSwapDeleted, (), ())

using ShiftSwapEvent =
    std::variant<ShiftSwapRequested, ShiftSwapAccepted, ShiftSwapDeclined, ShiftSwapApproved, ShiftSwapRejected,
                 ShiftSwapCancelled, ShiftSwapExpired, ShiftSwapHolderErased, ShiftSwapDeleted>;

/// The part of the state that callers don't see.
struct ShiftSwapInternals {
    bool holderErased = false;
};
BOOST_DESCRIBE_STRUCT(ShiftSwapInternals, (), (holderErased))

struct ShiftSwapRecord : ShiftSwap {
    static constexpr Kind kKind = Kind::shift_swap;
    ShiftSwapInternals internals;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(ShiftSwapRecord, (ShiftSwap), (internals, deleted))
inline ShiftSwap const& resource_of(ShiftSwapRecord const& record) { return record; }

using PendingShiftSwap =
    boost::mp11::mp_list<OneOf<&ShiftSwap::status, ShiftSwapStatus::pending_peer, ShiftSwapStatus::pending_approval>>;
/// Pending requests by a person and the shift that they would leave: on the requester's side, and on the peer's. Over
/// both sides no pair stands in two.
struct PendingSwapsOfRequester : Index<Kind::shift_swap, Value<&ShiftSwap::shiftId>, Value<&ShiftSwap::staffId>> {
    using Where = PendingShiftSwap;
    static constexpr bool kDeleted = false;
};
struct PendingSwapsOfPeer : Index<Kind::shift_swap, Value<&ShiftSwap::otherShiftId>, Value<&ShiftSwap::otherStaffId>> {
    using Where = PendingShiftSwap;
    static constexpr bool kDeleted = false;
};
/// All that a person requested.
struct ShiftSwapsOfPerson : Index<Kind::shift_swap, Value<&ShiftSwap::staffId>> {};
/// Those of a facility in its sandbox.
struct ShiftSwapsOfFacility : OfFacility<Kind::shift_swap, Value<&ShiftSwap::facilityId>> {};

/// Folds one event into the request.
void evolve(ShiftSwapRecord& record, ShiftSwapEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::shift_swap> : Declared<ShiftSwapRecord, ShiftSwapEvent> {
    using Indexes =
        boost::mp11::mp_list<PendingSwapsOfRequester, PendingSwapsOfPeer, ShiftSwapsOfPerson, ShiftSwapsOfFacility>;
    using Deleted = ShiftSwapDeleted;
    using Holder = HeldBy<Kind::staff, &ShiftSwap::staffId, ShiftSwapHolderErased>;
};

}  // namespace workforce::events
