// Shift templates: weekly patterns by which shifts are made, their events, and how they fold. Nothing in them is
// personal, as long as nobody writes it there.
#pragma once

#include <variant>

#include "events/index.hpp"
#include "events/resource.hpp"
#include "events/shift.hpp"
#include "events/weekly_window.hpp"

namespace workforce::events {

/// What a caller may say of a new template: of shifts on these days of the week what ShiftDetails says of one.
struct ShiftTemplateDetails {
    Id facilityId = 0;
    core::Name title;
    Weekdays weekdays;  ///< in their order
    TimeOfDay startTime;
    TimeOfDay endTime;
    core::ShortText department;
    core::ShortText specialty;
    core::Int<1, 500> requiredWorkers = 1;
    Urgency urgency = Urgency::medium;
    core::Rate rate;
    core::LongText notes;
    std::vector<ShiftBreak> breaks;
    bool isActive = true;  ///< whether shifts are made by it

    static constexpr std::array<std::string_view, 5> kRequired{"facilityId", "title", "weekdays", "startTime",
                                                               "endTime"};
    void check(core::FieldCheck& fields) const {
        check_weekdays("weekdays", weekdays, fields);
        check_shift_times({}, startTime, endTime, fields);
    }
};
BOOST_DESCRIBE_STRUCT(ShiftTemplateDetails, (),
                      (facilityId, title, weekdays, startTime, endTime, department, specialty, requiredWorkers, urgency,
                       rate, notes, breaks, isActive))

/// The fields of an update: absent means unchanged.
struct ShiftTemplateChanges {
    std::optional<core::Name> title;
    std::optional<Weekdays> weekdays;
    std::optional<TimeOfDay> startTime;
    std::optional<TimeOfDay> endTime;
    std::optional<core::ShortText> department;
    std::optional<core::ShortText> specialty;
    std::optional<core::Int<1, 500>> requiredWorkers;
    std::optional<Urgency> urgency;
    std::optional<core::Rate> rate;
    std::optional<core::LongText> notes;
    std::optional<std::vector<ShiftBreak>> breaks;
    std::optional<bool> isActive;

    void check(core::FieldCheck& fields) const {
        if (weekdays) check_weekdays("weekdays", *weekdays, fields);
        check_shift_times({}, startTime, endTime, fields);
    }
};
BOOST_DESCRIBE_STRUCT(ShiftTemplateChanges, (),
                      (title, weekdays, startTime, endTime, department, specialty, requiredWorkers, urgency, rate,
                       notes, breaks, isActive))

struct ShiftTemplate : Identified, ShiftTemplateDetails, Stamped {};
BOOST_DESCRIBE_STRUCT(ShiftTemplate, (Identified, ShiftTemplateDetails, Stamped), ())

struct ShiftTemplateCreated : ShiftTemplateDetails {
    static constexpr std::string_view kType = "shift_template.created";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftTemplateCreated, (ShiftTemplateDetails), ())

struct ShiftTemplateUpdated : ShiftTemplateChanges {
    static constexpr std::string_view kType = "shift_template.updated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ShiftTemplateUpdated, (ShiftTemplateChanges), ())

/// The shifts that it made stay.
struct ShiftTemplateDeleted {
    static constexpr std::string_view kType = "shift_template.deleted";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kEnds = true;
};
BOOST_DESCRIBE_STRUCT(ShiftTemplateDeleted, (), ())

using ShiftTemplateEvent = std::variant<ShiftTemplateCreated, ShiftTemplateUpdated, ShiftTemplateDeleted>;

/// A template with what callers don't see of it.
struct ShiftTemplateRecord : ShiftTemplate {
    static constexpr Kind kKind = Kind::shift_template;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(ShiftTemplateRecord, (ShiftTemplate), (deleted))
inline ShiftTemplate const& resource_of(ShiftTemplateRecord const& record) { return record; }

/// Those of a facility in its sandbox.
struct ShiftTemplatesOfFacility : OfFacility<Kind::shift_template, Value<&ShiftTemplate::facilityId>> {};

/// Folds one event into the template.
void evolve(ShiftTemplateRecord& record, ShiftTemplateEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::shift_template> : Declared<ShiftTemplateRecord, ShiftTemplateEvent> {
    using Indexes = boost::mp11::mp_list<ShiftTemplatesOfFacility>;
    using Deleted = ShiftTemplateDeleted;
};

}  // namespace workforce::events
