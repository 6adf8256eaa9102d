// Time off: when somebody does not work, as they ask for it and others decide (domain 3.4), with its events and how
// they fold. What is said of it is Personal, and sealed under the staff member's key.
#pragma once

#include <string>
#include <variant>

#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

enum class TimeOffType : std::uint8_t { vacation, sick, personal, unpaid, other };
BOOST_DESCRIBE_ENUM(TimeOffType, vacation, sick, personal, unpaid, other)

enum class TimeOffStatus : std::uint8_t { pending, approved, declined, cancelled };
BOOST_DESCRIBE_ENUM(TimeOffStatus, pending, approved, declined, cancelled)

/// Days that somebody asks for, both included. `startTime` is when it begins on the first day, `endTime` when it ends
/// on the last one; null: with the day.
struct TimeOffDays {
    TimeOffType type = TimeOffType::vacation;
    Date startDate;
    Date endDate;
    core::Nullable<TimeOfDay> startTime;
    core::Nullable<TimeOfDay> endTime;

    static constexpr std::array<std::string_view, 3> kRequired{"type", "startDate", "endDate"};
    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(TimeOffDays, (), (type, startDate, endDate, startTime, endTime))

/// When that is on the world's clock: computed once, so that folding never asks the time zone database.
struct TimeOffSpan {
    std::string timezone;
    Timestamp startsAt;
    Timestamp endsAt;
};
BOOST_DESCRIBE_STRUCT(TimeOffSpan, (), (timezone, startsAt, endsAt))

struct TimeOffStanding {
    TimeOffStatus status = TimeOffStatus::pending;
    core::Personal<core::LongText> note;
    core::Nullable<Id> requestedBy;  ///< user id; null where no user stands behind the credential
    core::Nullable<Id> decidedBy;    ///< who approved or declined it, likewise
    core::Nullable<Timestamp> decidedAt;
    core::Personal<core::LongText> declineReason;
};
BOOST_DESCRIBE_STRUCT(TimeOffStanding, (), (status, note, requestedBy, decidedBy, decidedAt, declineReason))

/// The person who does not work.
struct TimeOffHolder {
    Id staffId = 0;
};
BOOST_DESCRIBE_STRUCT(TimeOffHolder, (), (staffId))

struct TimeOff : Identified, TimeOffHolder, TimeOffDays, TimeOffSpan, TimeOffStanding, Stamped {};
BOOST_DESCRIBE_STRUCT(TimeOff, (Identified, TimeOffHolder, TimeOffDays, TimeOffSpan, TimeOffStanding, Stamped), ())

struct TimeOffRequested : TimeOffHolder, TimeOffDays, TimeOffSpan {
    static constexpr std::string_view kType = "time_off.requested";
    static constexpr std::int32_t kVersion = 1;
    core::Personal<core::LongText> note;
    core::Internal<std::string> sealedFor;  ///< whose key: "staff/42"
};
BOOST_DESCRIBE_STRUCT(TimeOffRequested, (TimeOffHolder, TimeOffDays, TimeOffSpan), (note, sealedFor))

/// The person is not assigned to shifts of that time from here on.
struct TimeOffApproved : TimeOffHolder {
    static constexpr std::string_view kType = "time_off.approved";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(TimeOffApproved, (TimeOffHolder), ())

struct TimeOffDeclined : TimeOffHolder {
    static constexpr std::string_view kType = "time_off.declined";
    static constexpr std::int32_t kVersion = 1;
    core::Personal<core::LongText> reason;
    core::Internal<std::string> sealedFor;
};
BOOST_DESCRIBE_STRUCT(TimeOffDeclined, (TimeOffHolder), (reason, sealedFor))

/// It was given up, or taken back.
struct TimeOffCancelled : TimeOffHolder {
    static constexpr std::string_view kType = "time_off.cancelled";
    static constexpr std::int32_t kVersion = 1;
    TimeOffStatus from = TimeOffStatus::pending;  ///< where it stood: approved time is free again
};
BOOST_DESCRIBE_STRUCT(TimeOffCancelled, (TimeOffHolder), (from))

/// The staff member was erased: what was said is gone, the days stay.
struct TimeOffHolderErased {
    static constexpr std::string_view kType = "time_off.holder_erased";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(TimeOffHolderErased, (), ())

/// A reset of its sandbox removed it.
struct TimeOffDeleted {
    static constexpr std::string_view kType = "time_off.deleted";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(TimeOffDeleted, (), ())

using TimeOffEvent = std::variant<TimeOffRequested, TimeOffApproved, TimeOffDeclined, TimeOffCancelled,
                                  TimeOffHolderErased, TimeOffDeleted>;

/// The part of the state that callers don't see.
struct TimeOffInternals {
    bool holderErased = false;
};
BOOST_DESCRIBE_STRUCT(TimeOffInternals, (), (holderErased))

struct TimeOffRecord : TimeOff {
    static constexpr Kind kKind = Kind::time_off;
    TimeOffInternals internals;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(TimeOffRecord, (TimeOff), (internals, deleted))
inline TimeOff const& resource_of(TimeOffRecord const& record) { return record; }

/// From its first to its last day no request has more.
inline constexpr std::int32_t kMostTimeOffDays = 366;
/// So many days, and a change of the clocks.
inline constexpr std::int64_t kLongestTimeOffMs = (kMostTimeOffDays + 1LL) * 24 * 3'600'000;
using TimeOffTime = Span<&TimeOff::startsAt, &TimeOff::endsAt, kLongestTimeOffMs>;

/// Requests of a person that are pending or approved: two of them never overlap.
struct StandingTimeOffOfPerson : Index<Kind::time_off, Value<&TimeOff::staffId>> {
    using Time = TimeOffTime;
    using Where = boost::mp11::mp_list<OneOf<&TimeOff::status, TimeOffStatus::pending, TimeOffStatus::approved>>;
    static constexpr bool kDeleted = false;
    static constexpr Finds kFinds = Finds::entries;
};
/// The time that somebody has off: the strong check of assignments.
struct ApprovedTimeOffOfPerson : Index<Kind::time_off, Value<&TimeOff::staffId>> {
    using Time = TimeOffTime;
    using Where = boost::mp11::mp_list<OneOf<&TimeOff::status, TimeOffStatus::approved>>;
    static constexpr bool kDeleted = false;
    static constexpr Finds kFinds = Finds::entries;
};
/// All of a person's.
struct TimeOffOfPerson : Index<Kind::time_off, Value<&TimeOff::staffId>> {};

/// Folds one event into the time off.
void evolve(TimeOffRecord& record, TimeOffEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::time_off> : Declared<TimeOffRecord, TimeOffEvent> {
    using Indexes = boost::mp11::mp_list<StandingTimeOffOfPerson, ApprovedTimeOffOfPerson, TimeOffOfPerson>;
    using Deleted = TimeOffDeleted;
    using Holder = HeldBy<Kind::staff, &TimeOff::staffId, TimeOffHolderErased>;
};

}  // namespace workforce::events
