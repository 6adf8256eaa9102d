// Shifts and their assignments: the resource (spec 2.2), its events, and how they fold.
#pragma once

#include <variant>

#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

enum class ShiftStatus : std::uint8_t { open, assigned, in_progress, completed, cancelled };
BOOST_DESCRIBE_ENUM(ShiftStatus, open, assigned, in_progress, completed, cancelled)

enum class Urgency : std::uint8_t { low, medium, high, critical };
BOOST_DESCRIBE_ENUM(Urgency, low, medium, high, critical)

enum class AssignmentSource : std::uint8_t { direct, claim, swap, offer, agent };
BOOST_DESCRIBE_ENUM(AssignmentSource, direct, claim, swap, offer, agent)

struct ShiftBreak {
    core::Int<1, 720> minutes = 1;
    bool paid = false;
};
BOOST_DESCRIBE_STRUCT(ShiftBreak, (), (minutes, paid))

/// The rule of a member that is the day of a shift.
inline void check_shift_day(std::string_view member, Date day, core::FieldCheck& fields) {
    constexpr Date kFirst{10957}, kLast{47846};  // 2000-01-01 and 2100-12-31
    if (fields.sound(member) && (day < kFirst || day > kLast)) {
        fields.fail(member, "range", "must be from 2000 to 2100");
    }
}

/// The rules of a shift's times as a caller gives them, as far as the zone need not be known.
inline void check_shift_times(std::optional<Date> date, std::optional<TimeOfDay> start, std::optional<TimeOfDay> end,
                              core::FieldCheck& fields) {
    if (date) check_shift_day("date", *date, fields);
    if (start && end && fields.sound("startTime") && fields.sound("endTime") && *start == *end) {
        fields.fail("endTime", "order", "must differ from startTime");
    }
}

/// What a caller may say of a new shift. Times are wall clock in the facility's zone; an end before the start is next
/// day.
struct ShiftDetails {
    Id facilityId = 0;
    core::Name title;
    Date date;
    TimeOfDay startTime;
    TimeOfDay endTime;
    core::ShortText department;
    core::ShortText specialty;
    core::Int<1, 500> requiredWorkers = 1;
    Urgency urgency = Urgency::medium;
    core::Rate rate;
    core::LongText notes;
    std::vector<ShiftBreak> breaks;
    core::ShortText externalId;

    static constexpr std::array<std::string_view, 5> kRequired{"facilityId", "title", "date", "startTime", "endTime"};
    void check(core::FieldCheck& fields) const { check_shift_times(date, startTime, endTime, fields); }
};
BOOST_DESCRIBE_STRUCT(ShiftDetails, (),
                      (facilityId, title, date, startTime, endTime, department, specialty, requiredWorkers, urgency,
                       rate, notes, breaks, externalId))

/// When a shift is on the world's clock: computed once, so that folding never asks the time zone database.
struct ShiftSpan {
    std::string timezone;
    Timestamp startsAt;
    Timestamp endsAt;
};
BOOST_DESCRIBE_STRUCT(ShiftSpan, (), (timezone, startsAt, endsAt))

/// The fields of an update: absent means unchanged.
struct ShiftChanges {
    std::optional<core::Name> title;
    std::optional<Date> date;
    std::optional<TimeOfDay> startTime;
    std::optional<TimeOfDay> endTime;
    std::optional<core::ShortText> department;
    std::optional<core::ShortText> specialty;
    std::optional<core::Int<1, 500>> requiredWorkers;
    std::optional<Urgency> urgency;
    std::optional<core::Rate> rate;
    std::optional<core::LongText> notes;
    std::optional<std::vector<ShiftBreak>> breaks;
    std::optional<core::ShortText> externalId;

    void check(core::FieldCheck& fields) const { check_shift_times(date, startTime, endTime, fields); }
};
BOOST_DESCRIBE_STRUCT(ShiftChanges, (),
                      (title, date, startTime, endTime, department, specialty, requiredWorkers, urgency, rate, notes,
                       breaks, externalId))

struct ShiftStaffing {
    ShiftStatus status = ShiftStatus::open;
    std::vector<Id> assignedStaffIds;
    std::int64_t openSpots = 0;
    core::Nullable<Timestamp> filledAt;
    core::Nullable<Id> templateId;
    std::string cancelReason;
};
BOOST_DESCRIBE_STRUCT(ShiftStaffing, (), (status, assignedStaffIds, openSpots, filledAt, templateId, cancelReason))

struct Shift : Identified, ShiftDetails, ShiftSpan, ShiftStaffing, Stamped {};
BOOST_DESCRIBE_STRUCT(Shift, (Identified, ShiftDetails, ShiftSpan, ShiftStaffing, Stamped), ())

/// A rule that a person with the right to do so overrode.
struct RuleOverride {
    std::string rule;
    core::ShortText comment;
};
BOOST_DESCRIBE_STRUCT(RuleOverride, (), (rule, comment))

struct Assignment {
    Id staffId = 0;
    Timestamp assignedAt;
    Id assignedBy = 0;  ///< user id; 0 where none stands behind the credential
    AssignmentSource source = AssignmentSource::direct;
    core::Nullable<Timestamp> acknowledgedAt;
    std::vector<RuleOverride> overrides;
};
BOOST_DESCRIBE_STRUCT(Assignment, (), (staffId, assignedAt, assignedBy, source, acknowledgedAt, overrides))

/// A shift with what its own document does not show.
struct ShiftRecord {
    static constexpr Kind kKind = Kind::shift;
    Shift shift;
    std::vector<Assignment> assignments;
    bool deleted = false;
    std::vector<Id> formerStaffIds;     ///< of a cancelled one: its assignees when that happened, who may still read it
    core::Nullable<Date> templateDate;  ///< the day that its template made it for, wherever it was moved since
};
BOOST_DESCRIBE_STRUCT(ShiftRecord, (), (shift, assignments, deleted, formerStaffIds, templateDate))

struct ShiftPosted : ShiftDetails, ShiftSpan {
    static constexpr std::string_view kType = "shift.posted";
    static constexpr std::int32_t kVersion = 2;
    core::Nullable<Id> templateId;  ///< the template that made it for its date

    /// By version 1 the template would make it again.
    [[nodiscard]] bool needs_newest() const { return templateId.value.has_value(); }
};
BOOST_DESCRIBE_STRUCT(ShiftPosted, (ShiftDetails, ShiftSpan), (templateId))

struct ShiftUpdated : ShiftChanges {
    std::optional<ShiftSpan> span;  ///< present when the times changed
    static constexpr std::string_view kType = "shift.updated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftUpdated, (ShiftChanges), (span))

struct ShiftStaffAssigned {
    Id staffId = 0;
    AssignmentSource source = AssignmentSource::direct;
    std::vector<RuleOverride> overrides;
    static constexpr std::string_view kType = "shift.staff_assigned";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftStaffAssigned, (), (staffId, source, overrides))

/// The head count reached what is required.
struct ShiftFilled {
    std::vector<Id> assignedStaffIds;
    static constexpr std::string_view kType = "shift.filled";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftFilled, (), (assignedStaffIds))

struct ShiftUnassigned {
    Id staffId = 0;
    static constexpr std::string_view kType = "shift.unassigned";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftUnassigned, (), (staffId))

/// The head count fell below what is required.
struct ShiftVacancyOpened {
    std::int64_t openSpots = 0;
    static constexpr std::string_view kType = "shift.vacancy_opened";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftVacancyOpened, (), (openSpots))

struct ShiftStarted {
    static constexpr std::string_view kType = "shift.started";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftStarted, (), ())

struct ShiftCompleted {
    static constexpr std::string_view kType = "shift.completed";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftCompleted, (), ())

struct ShiftCancelled {
    std::string reason;
    static constexpr std::string_view kType = "shift.cancelled";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftCancelled, (), (reason))

struct ShiftReopened {
    static constexpr std::string_view kType = "shift.reopened";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftReopened, (), ())

struct ShiftDeleted {
    static constexpr std::string_view kType = "shift.deleted";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftDeleted, (), ())

/// Two people change places: one of this shift's, and one of another's. The events behind it say who is where.
struct ShiftSwapped {
    Id staffId = 0;
    Id otherShiftId = 0;
    Id otherStaffId = 0;
    static constexpr std::string_view kType = "shift.swapped";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftSwapped, (), (staffId, otherShiftId, otherStaffId))

/// A person on the shift says that they know of it.
struct ShiftAcknowledged {
    Id staffId = 0;
    static constexpr std::string_view kType = "shift.acknowledged";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftAcknowledged, (), (staffId))

using ShiftEvent = std::variant<ShiftPosted, ShiftUpdated, ShiftStaffAssigned, ShiftFilled, ShiftUnassigned,
                                ShiftVacancyOpened, ShiftStarted, ShiftCompleted, ShiftCancelled, ShiftReopened,
                                ShiftDeleted, ShiftSwapped, ShiftAcknowledged>;

/// Of how many milliseconds no shift has more.
inline constexpr std::int64_t kLongestShiftMs = 24 * 3'600'000LL;
using ShiftTime = Span<&Shift::startsAt, &Shift::endsAt, kLongestShiftMs>;

/// The time that a person is assigned to: the strong check of double booking.
struct BookingsOfPerson : Index<Kind::shift, Each<&Shift::assignedStaffIds>> {
    using Time = ShiftTime;
    static constexpr Finds kFinds = Finds::entries;
    static constexpr std::string_view kColumn = "staff_ids";
};
/// A facility's that are neither cancelled nor completed.
struct ShiftsAhead : Index<Kind::shift, Value<&Shift::facilityId>> {
    using Time = ShiftTime;
    using Where =
        boost::mp11::mp_list<OneOf<&Shift::status, ShiftStatus::open, ShiftStatus::assigned, ShiftStatus::in_progress>>;
    static constexpr Finds kFinds = Finds::any;
};
/// Those that have an id of another system, which need not be unique.
struct ShiftsByExternalId : Index<Kind::shift, Value<&Shift::externalId>> {
    static constexpr bool kDeleted = false;
};
/// What a template made for a day. What was deleted is in it, and what was moved to another day.
struct ShiftsOfTemplate : Index<Kind::shift, Value<&Shift::templateId>, Value<&ShiftRecord::templateDate>> {
    using Time = ShiftTime;
    static constexpr Finds kFinds = Finds::entries;
};
/// Those of a facility in its sandbox.
struct ShiftsOfFacility : OfFacility<Kind::shift, Value<&Shift::facilityId>> {};

/// The only person whose entries such an event changes: a shift of a hundred is not indexed a hundred times while it is
/// staffed.
inline Id only_element(ShiftStaffAssigned const& event) { return event.staffId; }
inline Id only_element(ShiftUnassigned const& event) { return event.staffId; }

/// Folds one event into the shift. A cancelled one has nobody on it, and so a reopened one has not either.
void evolve(ShiftRecord& record, ShiftEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::shift> : Declared<ShiftRecord, ShiftEvent> {
    using Indexes =
        boost::mp11::mp_list<BookingsOfPerson, ShiftsAhead, ShiftsByExternalId, ShiftsOfTemplate, ShiftsOfFacility>;
};
/// What callers see of a shift.
inline Shift const& resource_of(ShiftRecord const& record) { return record.shift; }

}  // namespace workforce::events
