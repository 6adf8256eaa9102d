// How each event folds into its resource.
#include <gtest/gtest.h>

#include "events/catalogue.hpp"
#include "tests/support/given.hpp"
#include "tests/unit/events/samples.hpp"

namespace workforce::tests {
namespace {

using namespace events;  // the events are what these tests are about

Envelope envelope(AggregateRef subject, std::int64_t seq) {
    Envelope meta;
    meta.subject = subject;
    meta.organization = 7;
    meta.seq = seq;
    meta.time = Timestamp{at("2026-07-24T10:00:00Z").ms + seq * 1000};
    meta.actor = {ActorType::user, 31, 31};
    return meta;
}

/// Folds events of one aggregate in their order.
template <class Resource, class Group>
Resource folded(Kind kind, std::vector<Group> const& events) {
    Resource resource;
    std::int64_t seq = 0;
    for (auto const& event : events) evolve(resource, event, envelope({kind, 42}, ++seq));
    return resource;
}
ShiftRecord shift(std::vector<ShiftEvent> events) {
    ShiftPosted posted;
    posted.facilityId = 12;
    posted.title = "Night";
    posted.requiredWorkers = 2;
    posted.timezone = "UTC";
    events.insert(events.begin(), posted);
    return folded<ShiftRecord, ShiftEvent>(Kind::shift, events);
}
ShiftStaffAssigned assigned(Id staff) { return {staff, AssignmentSource::claim, {{"doubleBooking", "ok"}}}; }

/// The sample's data as the concrete struct.
template <class E>
E data_of() {
    return visit_data(sample_of(E::kType).data, [](auto const& data) -> E {
        if constexpr (std::same_as<std::remove_cvref_t<decltype(data)>, E>) {
            return data;
        } else {
            throw std::logic_error("the sample is of another type");
        }
    });
}

TEST(Evolve, TheFirstEventGivesIdsAndTheTimesFollow) {
    auto const facility = folded<Facility, FacilityEvent>(
        Kind::facility, {data_of<FacilityCreated>(), FacilityDeactivated{}, FacilityReactivated{}});
    EXPECT_EQ(facility.id, 42);
    EXPECT_EQ(facility.organizationId, 7);
    EXPECT_EQ(facility.createdAt, at("2026-07-24T10:00:01Z"));
    EXPECT_EQ(facility.updatedAt, at("2026-07-24T10:00:03Z"));
}

TEST(Evolve, Organization) {
    auto const organization =
        folded<Organization, OrganizationEvent>(Kind::organization, {data_of<OrganizationCreated>()});
    EXPECT_EQ(organization.id, 42);
    EXPECT_EQ(organization.name.value, "Harbour Care Group");
    EXPECT_EQ(organization.settings.overtimeMultiplier.hundredths, 175);
    EXPECT_TRUE(organization.isActive);
}

TEST(Evolve, Facility) {
    std::vector<FacilityEvent> events{data_of<FacilityCreated>(), data_of<FacilityUpdated>()};
    auto facility = folded<Facility>(Kind::facility, events);
    EXPECT_EQ(facility.name.value, "Harbour Care Nord");
    EXPECT_EQ(facility.address.line1.value, "Deichstraße 4");  // objects merge member by member
    EXPECT_EQ(facility.address.line2.value, "Eingang Süd");
    EXPECT_EQ(facility.departments.size(), 1U);  // lists are replaced
    EXPECT_EQ(facility.schedulingRules.minRest, RuleLevel::allow);
    EXPECT_EQ(facility.schedulingRules.overtime, RuleLevel::block);
    EXPECT_FALSE(facility.autoStart);
    EXPECT_TRUE(facility.autoComplete && facility.isActive);
    events.emplace_back(FacilityDeactivated{});
    EXPECT_FALSE(folded<Facility>(Kind::facility, events).isActive);
    events.emplace_back(FacilityReactivated{});
    EXPECT_TRUE(folded<Facility>(Kind::facility, events).isActive);
}

TEST(Evolve, User) {
    auto created = data_of<UserCreated>();
    auto user = folded<User, UserEvent>(Kind::user, {created});
    EXPECT_EQ(user.username.value.value, "mara");
    EXPECT_EQ(user.status, UserStatus::invited);
    UserUpdated updated;
    updated.firstName = core::Name("Mary");
    updated.facilityIds = std::vector<Id>{};
    user = folded<User, UserEvent>(Kind::user, {created, updated});
    EXPECT_EQ(user.firstName.value.value + " " + user.lastName.value.value, "Mary Lind");
    EXPECT_TRUE(user.facilityIds.empty());
    created.username = core::ShortText("");
    EXPECT_EQ((folded<User, UserEvent>(Kind::user, {created}).username.value.value), "mara.lind@harbour.example");
    created.email = {};
    created.email.erased = true;
    user = folded<User, UserEvent>(Kind::user, {created});
    EXPECT_EQ(user.status, UserStatus::deactivated);
    EXPECT_EQ(user.username.value.value, "");
}

TEST(Evolve, ApiKey) {
    auto key = folded<ApiKey, ApiKeyEvent>(Kind::api_key, {data_of<ApiKeyCreated>()});
    EXPECT_EQ(key.last4, "x9Zq");
    EXPECT_EQ(key.createdBy, 31);
    EXPECT_EQ(key.status, ApiKeyStatus::active);
    EXPECT_FALSE(key.revokedAt.value);
    key = folded<ApiKey, ApiKeyEvent>(Kind::api_key, {data_of<ApiKeyCreated>(), ApiKeyRevoked{}});
    EXPECT_EQ(key.status, ApiKeyStatus::revoked);
    EXPECT_EQ(key.revokedAt.value, at("2026-07-24T10:00:02Z"));
}

TEST(Evolve, Notification) {
    auto notification = folded<Notification, NotificationEvent>(Kind::notification, {data_of<NotificationCreated>()});
    EXPECT_EQ(notification.userId, 31);
    EXPECT_EQ(notification.resource, "shift:90210");
    EXPECT_FALSE(notification.isRead);
    EXPECT_FALSE(notification.readAt.value);
    notification = folded<Notification, NotificationEvent>(Kind::notification,
                                                           {data_of<NotificationCreated>(), NotificationRead{}});
    EXPECT_TRUE(notification.isRead);
    EXPECT_EQ(notification.readAt.value, at("2026-07-24T10:00:02Z"));
}

TEST(Evolve, Staff) {
    std::vector<StaffEvent> events{data_of<StaffOnboarded>(), data_of<StaffUpdated>()};
    auto const staff = folded<StaffRecord>(Kind::staff, events);
    EXPECT_EQ(staff.firstName.value.value, "Zoë");
    EXPECT_EQ(staff.phone.value.value, "+49 151 5550-999");
    EXPECT_EQ(staff.hourlyRate.hundredths, 4020);
    EXPECT_FALSE(staff.profilePhoto.value.value);  // null is a value, absent is none
    EXPECT_EQ(staff.education.value.at(0).degree.value, "M.Sc.");
    EXPECT_EQ(staff.workHistory.value.size(), 1U);
    EXPECT_TRUE(staff.isActive);
    events.emplace_back(StaffDeactivated{});
    EXPECT_FALSE(folded<StaffRecord>(Kind::staff, events).isActive);
    events.emplace_back(StaffReactivated{});
    EXPECT_TRUE(folded<StaffRecord>(Kind::staff, events).isActive);
}

/// The event as it decodes once its key is destroyed.
template <class E>
E without_key(E event) {
    erase_personal(event);
    return event;
}

// What was folded before the erasure and what is rebuilt after it must not differ.
TEST(Evolve, ErasedIsTheSameWithTheKeyAndWithoutIt) {
    StaffUpdated updated;
    updated.hourlyRate = core::Rate{4020};
    auto gone = updated;
    updated.phone = core::Personal<core::Phone>(core::Phone("+49 151 5550-999"));
    gone.phone = core::Personal<core::Phone>();
    gone.phone->erased = true;
    StaffErased const erased{{"asked for", "ops"}};
    std::vector<StaffEvent> const before{data_of<StaffOnboarded>(), updated, erased};
    std::vector<StaffEvent> const after{without_key(data_of<StaffOnboarded>()), gone, erased};
    auto const staff = core::to_json(folded<StaffRecord>(Kind::staff, before));
    EXPECT_EQ(staff, core::to_json(folded<StaffRecord>(Kind::staff, after)));
    EXPECT_EQ(staff.find("Zo"), std::string::npos) << staff;
    EXPECT_NE(staff.find("40.2"), std::string::npos) << staff;
    EXPECT_FALSE(folded<StaffRecord>(Kind::staff, before).isActive);
    UserErased const user_erased{{"asked for", "ops"}};
    auto const user = core::to_json(folded<User, UserEvent>(Kind::user, {data_of<UserCreated>(), user_erased}));
    EXPECT_EQ(user,
              core::to_json(folded<User, UserEvent>(Kind::user, {without_key(data_of<UserCreated>()), user_erased})));
    EXPECT_EQ(user.find("mara"), std::string::npos) << user;
}

TEST(Evolve, WhoWasErasedIsInactiveAtEveryPosition) {
    auto onboarded = data_of<StaffOnboarded>();
    onboarded.email = {};
    onboarded.email.erased = true;
    std::vector<StaffEvent> events{onboarded};
    EXPECT_FALSE(folded<StaffRecord>(Kind::staff, events).isActive);
    events.emplace_back(StaffDeactivated{});
    events.emplace_back(StaffReactivated{});
    EXPECT_FALSE(folded<StaffRecord>(Kind::staff, events).isActive);
}

TEST(Evolve, ShiftPostedAndUpdated) {
    auto const record = folded<ShiftRecord, ShiftEvent>(Kind::shift, {data_of<ShiftPosted>(), data_of<ShiftUpdated>()});
    auto const& s = record.shift;
    EXPECT_EQ(s.id, 42);
    EXPECT_EQ(s.facilityId, 12);
    EXPECT_EQ(s.title.value, "ICU night");
    EXPECT_EQ(core::to_string(s.startTime), "21:00");
    EXPECT_EQ(s.startsAt, at("2026-07-25T19:00:00Z"));
    EXPECT_EQ(s.endsAt, at("2026-07-26T04:00:00Z"));
    EXPECT_EQ(s.requiredWorkers.value, 3);
    EXPECT_EQ(s.openSpots, 3);
    EXPECT_EQ(s.status, ShiftStatus::open);
    EXPECT_EQ(s.breaks.size(), 2U);
    // Without new times the span stays.
    ShiftUpdated noted;
    noted.notes = core::LongText("x");
    EXPECT_EQ((folded<ShiftRecord, ShiftEvent>(Kind::shift, {data_of<ShiftPosted>(), noted}).shift.startsAt),
              at("2026-07-25T20:00:00Z"));
}

TEST(Evolve, ShiftStaffing) {
    auto one = shift({assigned(481)});
    EXPECT_EQ(one.shift.assignedStaffIds, std::vector<Id>{481});
    EXPECT_EQ(one.shift.openSpots, 1);
    EXPECT_EQ(one.shift.status, ShiftStatus::open);
    ASSERT_EQ(one.assignments.size(), 1U);
    EXPECT_EQ(one.assignments[0].assignedAt, at("2026-07-24T10:00:02Z"));
    EXPECT_EQ(one.assignments[0].assignedBy, 31);
    EXPECT_EQ(one.assignments[0].source, AssignmentSource::claim);
    EXPECT_EQ(one.assignments[0].overrides.at(0).comment.value, "ok");
    auto const full = shift({assigned(481), assigned(502), ShiftFilled{{481, 502}}});
    EXPECT_EQ(full.shift.status, ShiftStatus::assigned);
    EXPECT_EQ(full.shift.openSpots, 0);
    EXPECT_EQ(full.shift.filledAt.value, at("2026-07-24T10:00:04Z"));
    auto const short_again =
        shift({assigned(481), assigned(502), ShiftFilled{{481, 502}}, ShiftUnassigned{481}, ShiftVacancyOpened{1}});
    EXPECT_EQ(short_again.shift.status, ShiftStatus::open);
    EXPECT_EQ(short_again.shift.assignedStaffIds, std::vector<Id>{502});
    EXPECT_EQ(short_again.assignments.size(), 1U);
    EXPECT_EQ(short_again.shift.openSpots, 1);
    EXPECT_FALSE(short_again.shift.filledAt.value);
}

TEST(Evolve, ARunningShiftRunsOnWhoeverIsOnIt) {
    std::vector<ShiftEvent> events{assigned(481), assigned(502), ShiftFilled{{481, 502}}, ShiftStarted{}};
    EXPECT_EQ(shift(events).shift.status, ShiftStatus::in_progress);
    events.insert(events.end(), {ShiftUnassigned{481}, ShiftVacancyOpened{1}});
    EXPECT_EQ(shift(events).shift.status, ShiftStatus::in_progress);
    events.insert(events.end(), {assigned(503), ShiftFilled{{502, 503}}});
    EXPECT_EQ(shift(events).shift.status, ShiftStatus::in_progress);
    events.emplace_back(ShiftCompleted{});
    EXPECT_EQ(shift(events).shift.status, ShiftStatus::completed);
}

TEST(Evolve, ShiftCancelledReopenedDeleted) {
    std::vector<ShiftEvent> events{assigned(481), assigned(502), ShiftFilled{{481, 502}}, ShiftCancelled{"rain"}};
    auto record = shift(events);
    EXPECT_EQ(record.shift.status, ShiftStatus::cancelled);
    EXPECT_EQ(record.shift.cancelReason, "rain");
    EXPECT_TRUE(record.shift.assignedStaffIds.empty() && record.assignments.empty()) << "it holds nobody";
    EXPECT_EQ(record.formerStaffIds, (std::vector<Id>{481, 502}));
    EXPECT_EQ(record.shift.openSpots, 2);
    EXPECT_FALSE(record.shift.filledAt.value);
    events.emplace_back(ShiftReopened{});
    record = shift(events);
    EXPECT_EQ(record.shift.status, ShiftStatus::open);
    EXPECT_TRUE(record.shift.assignedStaffIds.empty() && record.assignments.empty());
    EXPECT_TRUE(record.formerStaffIds.empty());
    EXPECT_EQ(record.shift.cancelReason, "");
    EXPECT_EQ(record.shift.openSpots, 2);
    EXPECT_FALSE(record.shift.filledAt.value || record.deleted);
    events.insert(events.end(), {ShiftCancelled{"deleted"}, ShiftDeleted{}});
    EXPECT_TRUE(shift(events).deleted);
}

TEST(Evolve, ShiftAcknowledgedIsOfOnePerson) {
    auto const record = shift({assigned(481), assigned(502), ShiftAcknowledged{502}, ShiftAcknowledged{77}});
    ASSERT_EQ(record.assignments.size(), 2U);
    EXPECT_FALSE(record.assignments[0].acknowledgedAt.value);
    EXPECT_TRUE(record.assignments[1].acknowledgedAt.value);
    auto const anew = shift({assigned(502), ShiftAcknowledged{502}, ShiftUnassigned{502}, assigned(502)});
    EXPECT_FALSE(anew.assignments[0].acknowledgedAt.value) << "a new assignment is not acknowledged yet";
}

TEST(Merge, KeepsOnlyWhatChanges) {
    Facility facility;
    facility.name = "Elm";
    facility.departments = {"a"};
    FacilityChanges changes;
    changes.name = core::Name("Elm");
    changes.departments = std::vector<core::ShortText>{"a"};
    changes.address.emplace().city = core::ShortText("");
    EXPECT_FALSE(keep_changed(facility, changes));
    EXPECT_FALSE(changes.name || changes.departments || changes.address);
    changes.departments = std::vector<core::ShortText>{"a", "b"};
    EXPECT_TRUE(keep_changed(facility, changes));
    merge(facility, changes);
    EXPECT_EQ(facility.departments.size(), 2U);
    EXPECT_EQ(facility.name.value, "Elm");
}

}  // namespace
}  // namespace workforce::tests
