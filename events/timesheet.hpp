// Timesheets: logs of work (domain 1.6), their events, and how they fold. What somebody says of a log is Personal, and
// sealed under the staff member's key.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

enum class TimesheetStatus : std::uint8_t { open, submitted, approved, rejected, paid, void_ };
BOOST_DESCRIBE_ENUM(TimesheetStatus, open, submitted, approved, rejected, paid, void_)

/// An amount of money without a sign.
using Amount = core::Decimal<0, 1'000'000'000>;

/// Whose work it is and where; from its beginning.
struct TimesheetPlace {
    Id staffId = 0;
    Id facilityId = 0;
    core::Nullable<Id> shiftId;
};
BOOST_DESCRIBE_STRUCT(TimesheetPlace, (), (staffId, facilityId, shiftId))

struct TimesheetBreak {
    Timestamp start;
    Timestamp end;
    bool paid = false;

    static constexpr std::array<std::string_view, 2> kRequired{"start", "end"};
};
BOOST_DESCRIBE_STRUCT(TimesheetBreak, (), (start, end, paid))

/// When somebody worked. `date` is the day of `clockIn` in the facility's zone; `workedMinutes` is the span without
/// unpaid breaks, 0 while there is no `clockOut`.
struct TimesheetTime {
    Date date;
    Timestamp clockIn;
    core::Nullable<Timestamp> clockOut;
    std::vector<TimesheetBreak> breaks;
    std::int64_t workedMinutes = 0;
};
BOOST_DESCRIBE_STRUCT(TimesheetTime, (), (date, clockIn, clockOut, breaks, workedMinutes))

/// What the time is worth. Frozen while the log is approved or paid; else as things stand.
struct TimesheetPay {
    std::int64_t overtimeMinutes = 0;
    core::Rate rate;
    Amount grossAmount;
};
BOOST_DESCRIBE_STRUCT(TimesheetPay, (), (overtimeMinutes, rate, grossAmount))

struct TimesheetStanding {
    TimesheetStatus status = TimesheetStatus::open;
    core::Personal<core::LongText> rejectionReason;
    core::Nullable<Id> approvedBy;  ///< user id; null where no user stands behind the credential
    core::Nullable<Timestamp> approvedAt;
    core::Nullable<Id> payrollRunId;
    core::Personal<core::LongText> notes;
};
BOOST_DESCRIBE_STRUCT(TimesheetStanding, (), (status, rejectionReason, approvedBy, approvedAt, payrollRunId, notes))

struct Timesheet : Identified, TimesheetPlace, TimesheetTime, TimesheetPay, TimesheetStanding, Stamped {};
BOOST_DESCRIBE_STRUCT(Timesheet, (Identified, TimesheetPlace, TimesheetTime, TimesheetPay, TimesheetStanding, Stamped),
                      ())

/// Whose key seals an event: "staff/42".
struct SealedForStaff {
    core::Internal<std::string> sealedFor;
};
BOOST_DESCRIBE_STRUCT(SealedForStaff, (), (sealedFor))

/// Somebody clocked in.
struct TimesheetOpened : TimesheetPlace, SealedForStaff {
    static constexpr std::string_view kType = "timesheet.opened";
    static constexpr std::int32_t kVersion = 1;
    Date date;
    Timestamp clockIn;
    core::Personal<core::LongText> notes;
};
BOOST_DESCRIBE_STRUCT(TimesheetOpened, (TimesheetPlace, SealedForStaff), (date, clockIn, notes))

/// Somebody clocked out, or recorded work that was done.
struct TimesheetSubmitted : TimesheetPlace, TimesheetTime, TimesheetPay, SealedForStaff {
    static constexpr std::string_view kType = "timesheet.submitted";
    static constexpr std::int32_t kVersion = 1;
    core::Personal<core::LongText> notes;
};
BOOST_DESCRIBE_STRUCT(TimesheetSubmitted, (TimesheetPlace, TimesheetTime, TimesheetPay, SealedForStaff), (notes))

/// Its times or notes changed. One that was rejected is submitted again by that.
struct TimesheetEdited : TimesheetTime, TimesheetPay, SealedForStaff {
    static constexpr std::string_view kType = "timesheet.edited";
    static constexpr std::int32_t kVersion = 1;
    core::Personal<core::LongText> notes;
    TimesheetStatus status = TimesheetStatus::submitted;
};
BOOST_DESCRIBE_STRUCT(TimesheetEdited, (TimesheetTime, TimesheetPay, SealedForStaff), (notes, status))

/// Another log of the week changed, and with it what of this one is overtime.
struct TimesheetRecalculated : TimesheetPay {
    static constexpr std::string_view kType = "timesheet.recalculated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(TimesheetRecalculated, (TimesheetPay), ())

/// Tells all that subscribers hear of it (domain 7.1).
struct TimesheetApproved : TimesheetPlace, TimesheetPay {
    static constexpr std::string_view kType = "timesheet.approved";
    static constexpr std::int32_t kVersion = 1;
    Date date;
    std::int64_t workedMinutes = 0;
};
BOOST_DESCRIBE_STRUCT(TimesheetApproved, (TimesheetPlace, TimesheetPay), (date, workedMinutes))

struct TimesheetRejected : SealedForStaff {
    static constexpr std::string_view kType = "timesheet.rejected";
    static constexpr std::int32_t kVersion = 1;
    core::Personal<core::LongText> reason;
};
BOOST_DESCRIBE_STRUCT(TimesheetRejected, (SealedForStaff), (reason))

/// The approval is taken back.
struct TimesheetUnapproved {
    static constexpr std::string_view kType = "timesheet.unapproved";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(TimesheetUnapproved, (), ())

/// It counts no more.
struct TimesheetVoided {
    static constexpr std::string_view kType = "timesheet.voided";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(TimesheetVoided, (), ())

/// A payroll run has paid it.
struct TimesheetPaid {
    static constexpr std::string_view kType = "timesheet.paid";
    static constexpr std::int32_t kVersion = 1;
    Id payrollRunId = 0;
};
BOOST_DESCRIBE_STRUCT(TimesheetPaid, (), (payrollRunId))

/// The staff member was erased: their notes are gone, the hours stay.
struct TimesheetHolderErased {
    static constexpr std::string_view kType = "timesheet.holder_erased";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(TimesheetHolderErased, (), ())

/// Of a reset of its sandbox.
struct TimesheetDeleted {
    static constexpr std::string_view kType = "timesheet.deleted";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(TimesheetDeleted, (), ())

using TimesheetEvent = std::variant<TimesheetOpened, TimesheetSubmitted, TimesheetEdited, TimesheetRecalculated,
                                    TimesheetApproved, TimesheetRejected, TimesheetUnapproved, TimesheetVoided,
                                    TimesheetHolderErased, TimesheetDeleted, TimesheetPaid>;

/// What callers don't see of a log.
struct TimesheetInternals {
    bool holderErased = false;
};
BOOST_DESCRIBE_STRUCT(TimesheetInternals, (), (holderErased))

struct TimesheetRecord : Timesheet {
    static constexpr Kind kKind = Kind::timesheet;
    TimesheetInternals internals;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(TimesheetRecord, (Timesheet), (internals, deleted))
inline Timesheet const& resource_of(TimesheetRecord const& record) { return record; }

/// A log lasts no longer.
inline constexpr std::int64_t kLongestTimesheetMs = 24 * 3'600'000LL;

/// The time that a person worked, of logs that count.
struct WorkOfPerson : Index<Kind::timesheet, Value<&Timesheet::staffId>> {
    using Time = Span<&Timesheet::clockIn, &Timesheet::clockOut, kLongestTimesheetMs>;
    using Where =
        boost::mp11::mp_list<OneOf<&Timesheet::status, TimesheetStatus::open, TimesheetStatus::submitted,
                                   TimesheetStatus::approved, TimesheetStatus::rejected, TimesheetStatus::paid>>;
    static constexpr bool kDeleted = false;
    static constexpr Finds kFinds = Finds::entries;
};
/// The log that a person clocked in with, and not out.
struct OpenWorkOfPerson : Index<Kind::timesheet, Value<&Timesheet::staffId>> {
    using Where = boost::mp11::mp_list<OneOf<&Timesheet::status, TimesheetStatus::open>>;
    static constexpr bool kDeleted = false;
};
/// All logs of a person.
struct TimesheetsOfPerson : Index<Kind::timesheet, Value<&Timesheet::staffId>> {};
/// A shift's logs that count, of one person.
struct WorkOnShift : Index<Kind::timesheet, Value<&Timesheet::shiftId>> {
    using Where = WorkOfPerson::Where;
    static constexpr bool kDeleted = false;
};
/// A facility's that are approved and not paid.
struct ApprovedWork : Index<Kind::timesheet, Value<&Timesheet::facilityId>> {
    using Time = WorkOfPerson::Time;
    using Where = boost::mp11::mp_list<OneOf<&Timesheet::status, TimesheetStatus::approved>>;
    static constexpr bool kDeleted = false;
};
/// Those of a facility in its sandbox.
struct TimesheetsOfFacility : OfFacility<Kind::timesheet, Value<&Timesheet::facilityId>> {};

/// Folds one event into the log.
void evolve(TimesheetRecord& timesheet, TimesheetEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::timesheet> : Declared<TimesheetRecord, TimesheetEvent> {
    using Indexes = boost::mp11::mp_list<WorkOfPerson, OpenWorkOfPerson, TimesheetsOfPerson, WorkOnShift, ApprovedWork,
                                         TimesheetsOfFacility>;
    using Deleted = TimesheetDeleted;
    using Holder = HeldBy<Kind::staff, &Timesheet::staffId, TimesheetHolderErased>;
};

}  // namespace workforce::events
