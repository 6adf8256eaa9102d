// Staff: the resource (spec 2.1), its events, and how they fold. What identifies a person is Personal.
#pragma once

#include <variant>

#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

enum class EmploymentType : std::uint8_t { full_time, part_time, contract, per_diem };
BOOST_DESCRIBE_ENUM(EmploymentType, full_time, part_time, contract, per_diem)

struct EmergencyContact {
    core::ShortText name;
    core::Phone phone;
    core::ShortText relationship;

    static constexpr std::array<std::string_view, 0> kRequired{};
};
BOOST_DESCRIBE_STRUCT(EmergencyContact, (), (name, phone, relationship))

struct WorkHistoryItem {
    core::ShortText facility;
    core::ShortText position;
    Date startDate;
    core::AbsentOrNull<Date> endDate;  ///< null for a current one
    core::LongText description;

    static constexpr std::array<std::string_view, 3> kRequired{"facility", "position", "startDate"};
    void check(core::FieldCheck& fields) const {
        if (!endDate || !fields.sound("startDate") || !fields.sound("endDate")) return;
        if (*endDate < startDate) fields.fail("endDate", "order", "must not be before startDate");
    }
};
BOOST_DESCRIBE_STRUCT(WorkHistoryItem, (), (facility, position, startDate, endDate, description))

struct EducationItem {
    core::ShortText institution;
    core::ShortText degree;
    core::AbsentOrNull<core::Int<1900, 2100>> graduationYear;  ///< null when unknown, as gpa
    core::AbsentOrNull<core::Decimal<0, 5>> gpa;

    static constexpr std::array<std::string_view, 2> kRequired{"institution", "degree"};
};
BOOST_DESCRIBE_STRUCT(EducationItem, (), (institution, degree, graduationYear, gpa))

/// What a caller may say of a new staff member. Absent facilities mean the caller's.
struct StaffDetails {
    core::Personal<core::Name> firstName;
    core::Personal<core::Name> lastName;
    core::Personal<core::Email> email;
    core::Personal<core::Phone> phone;
    core::ShortText specialty;
    EmploymentType employmentType = EmploymentType::full_time;
    core::Rate hourlyRate;
    core::Decimal<0, 80> yearsExperience;
    std::vector<core::ShortText> certifications;
    std::vector<core::ShortText> skills;
    core::Personal<core::Nullable<core::HttpsUrl>> profilePhoto;
    core::Personal<EmergencyContact> emergencyContact;
    core::Personal<std::vector<WorkHistoryItem>> workHistory;
    core::Personal<std::vector<EducationItem>> education;
    std::vector<Id> facilityIds;
    core::Personal<core::ShortText> externalId;
    core::Nullable<core::Decimal<0, 168>> maxWeeklyHours;

    static constexpr std::array<std::string_view, 3> kRequired{"firstName", "lastName", "email"};
};
BOOST_DESCRIBE_STRUCT(StaffDetails, (),
                      (firstName, lastName, email, phone, specialty, employmentType, hourlyRate, yearsExperience,
                       certifications, skills, profilePhoto, emergencyContact, workHistory, education, facilityIds,
                       externalId, maxWeeklyHours))

/// The fields of an update: absent means unchanged.
struct StaffChanges {
    std::optional<core::Personal<core::Name>> firstName;
    std::optional<core::Personal<core::Name>> lastName;
    std::optional<core::Personal<core::Email>> email;
    std::optional<core::Personal<core::Phone>> phone;
    std::optional<core::ShortText> specialty;
    std::optional<EmploymentType> employmentType;
    std::optional<core::Rate> hourlyRate;
    std::optional<core::Decimal<0, 80>> yearsExperience;
    std::optional<std::vector<core::ShortText>> certifications;
    std::optional<std::vector<core::ShortText>> skills;
    std::optional<core::Personal<core::Nullable<core::HttpsUrl>>> profilePhoto;
    std::optional<core::Personal<EmergencyContact>> emergencyContact;
    std::optional<core::Personal<std::vector<WorkHistoryItem>>> workHistory;
    std::optional<core::Personal<std::vector<EducationItem>>> education;
    std::optional<std::vector<Id>> facilityIds;
    std::optional<core::Personal<core::ShortText>> externalId;
    std::optional<core::Nullable<core::Decimal<0, 168>>> maxWeeklyHours;
};
BOOST_DESCRIBE_STRUCT(StaffChanges, (),
                      (firstName, lastName, email, phone, specialty, employmentType, hourlyRate, yearsExperience,
                       certifications, skills, profilePhoto, emergencyContact, workHistory, education, facilityIds,
                       externalId, maxWeeklyHours))

struct StaffFlags {
    bool isActive = true;
    core::Nullable<Id> userId;
};
BOOST_DESCRIBE_STRUCT(StaffFlags, (), (isActive, userId))

struct Staff : Identified, StaffDetails, StaffFlags, Stamped {};
BOOST_DESCRIBE_STRUCT(Staff, (Identified, StaffDetails, StaffFlags, Stamped), ())

struct StaffOnboarded : StaffDetails {
    static constexpr std::string_view kType = "staff.onboarded";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(StaffOnboarded, (StaffDetails), ())

struct StaffUpdated : StaffChanges {
    static constexpr std::string_view kType = "staff.updated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(StaffUpdated, (StaffChanges), ())

struct StaffDeactivated {
    static constexpr std::string_view kType = "staff.deactivated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(StaffDeactivated, (), ())

struct StaffReactivated {
    static constexpr std::string_view kType = "staff.reactivated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(StaffReactivated, (), ())

/// The person is forgotten: every personal field is empty from here on, and the key that sealed them is destroyed.
struct StaffErased : ErasureDetails {
    static constexpr std::string_view kType = "staff.erased";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kErases = true;
};
BOOST_DESCRIBE_STRUCT(StaffErased, (ErasureDetails), ())

/// The row is gone, as a reset of the sandbox has it. Live staff are deactivated instead.
struct StaffDeleted {
    static constexpr std::string_view kType = "staff.deleted";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kEnds = true;
};
BOOST_DESCRIBE_STRUCT(StaffDeleted, (), ())

/// Part of a week in which somebody can work, by the clocks of the place where that is. Where `to` is not later than
/// `from` it ends on the day after.
struct AvailabilityBlock {
    core::Int<1, 7> weekday = 1;  ///< 1 is Monday
    TimeOfDay from;
    TimeOfDay to;

    static constexpr std::array<std::string_view, 3> kRequired{"weekday", "from", "to"};
    bool operator==(AvailabilityBlock const&) const = default;
};
BOOST_DESCRIBE_STRUCT(AvailabilityBlock, (), (weekday, from, to))

/// The person, or somebody for them, says when they can work: the blocks are all there are. None: nothing is said.
struct StaffAvailabilitySet {
    static constexpr std::string_view kType = "staff.availability_set";
    static constexpr std::int32_t kVersion = 1;
    core::Personal<std::vector<AvailabilityBlock>> blocks;
};
BOOST_DESCRIBE_STRUCT(StaffAvailabilitySet, (), (blocks))

using StaffEvent = std::variant<StaffOnboarded, StaffUpdated, StaffDeactivated, StaffReactivated, StaffErased,
                                StaffDeleted, StaffAvailabilitySet>;

/// When somebody can work, each week.
struct StaffAvailability {
    std::vector<AvailabilityBlock> blocks;
    core::Nullable<Timestamp> updatedAt;  ///< null: nobody ever said
};
BOOST_DESCRIBE_STRUCT(StaffAvailability, (), (blocks, updatedAt))

/// The part of the state that the resource does not show.
struct StaffInternals {
    StaffAvailability availability;
};
BOOST_DESCRIBE_STRUCT(StaffInternals, (), (availability))

/// A staff member with what callers don't see of them.
struct StaffRecord : Staff {
    static constexpr Kind kKind = Kind::staff;
    StaffInternals internals;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(StaffRecord, (Staff), (internals, deleted))
inline Staff const& resource_of(StaffRecord const& record) { return record; }

/// By an address, which nobody else of the organization's has.
struct StaffByEmail : Index<Kind::staff, Value<&Staff::email>> {
    static constexpr bool kDeleted = false;
};
/// Those of a facility alone in its sandbox.
struct StaffOfFacility : OfFacility<Kind::staff, Only<&Staff::facilityIds>> {};

/// Folds one event into the staff member. A member whose personal fields can't be opened any more folds as erased:
/// empty and inactive, at every position alike.
void evolve(StaffRecord& staff, StaffEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::staff> : Declared<StaffRecord, StaffEvent> {
    static constexpr bool kGivesFacilities = true;
    using Indexes = boost::mp11::mp_list<StaffByEmail, StaffOfFacility>;
};

}  // namespace workforce::events
