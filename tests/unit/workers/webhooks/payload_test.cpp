// What subscribers are told, byte by byte.
#include "workers/webhooks/payload.hpp"

#include <gtest/gtest.h>

#include "core/json.hpp"
#include "events/agent_run.hpp"
#include "events/credential.hpp"
#include "events/payroll_run.hpp"
#include "events/shift.hpp"
#include "events/staff.hpp"
#include "events/timesheet.hpp"
#include "events/webhook.hpp"
#include "events/webhook_types.hpp"

namespace workforce::workers {
namespace {

constexpr char const* kId = "018f3c5e-7a10-7cc1-b1ba-2ad1d9f0a001";

template <class E>
events::Event event_of(events::Kind kind, E data, Id facility = 0) {
    events::Event event;
    event.meta.id = kId;
    event.meta.type = E::kType;
    event.meta.time = {1'784'887'200'123};
    event.meta.subject = {kind, 42};
    event.meta.organization = 7;
    event.meta.facility = facility;
    event.data = std::move(data);
    return event;
}

std::string message_with(std::string const& type, std::string const& data) {
    return R"({"id":")" + std::string(kId) + R"(","type":")" + type + R"(","data":{)" + data +
           R"(},"occurredAt":"2026-07-24T10:00:00.123Z"})";
}

events::LeadCreated lead_created() {
    events::LeadCreated created;
    created.name = core::ShortText("Grace Hopper");
    created.company = "Harbour Care";
    created.email = core::OptionalEmail("grace@example.test");
    created.ownerUserId = 3;
    created.facilityId = 12;
    return created;
}
events::LeadStatusChanged moved(events::LeadStatus from, events::LeadStatus to) {
    events::LeadStatusChanged changed;
    changed.from = from;
    changed.status = to;
    return changed;
}

TEST(WebhookMessage, OfAShiftThatWasPosted) {
    events::ShiftPosted shift;
    shift.facilityId = 12;
    shift.title = "Night \"A\"";
    shift.date = core::parse_date("2026-08-01").value();
    shift.startTime = core::parse_time_of_day("20:00").value();
    shift.endTime = core::parse_time_of_day("06:30").value();
    shift.department = "Emergency";
    shift.specialty = "ICU";
    shift.requiredWorkers = 2;
    shift.urgency = events::Urgency::high;
    shift.rate.hundredths = 4550;
    shift.notes = "not told";
    auto const message = message_of(event_of(events::Kind::shift, shift, 12), {});
    ASSERT_TRUE(message);
    EXPECT_EQ(message->type, "shift_posted");
    EXPECT_EQ(message->facilities, std::vector<Id>{12});
    EXPECT_EQ(message->person, "");
    EXPECT_EQ(
        message->body,
        message_with("shift_posted",
                     R"("shiftId":42,"facilityId":12,"title":"Night \"A\"","date":"2026-08-01","startTime":"20:00",)"
                     R"("endTime":"06:30","department":"Emergency","specialty":"ICU","requiredWorkers":2,)"
                     R"("urgency":"high","rate":45.5,"status":"open")"));
}

TEST(WebhookMessage, OfAShiftThatWasFilled) {
    auto const message = message_of(event_of(events::Kind::shift, events::ShiftFilled{{5, 6}}, 12), {});
    ASSERT_TRUE(message);
    EXPECT_EQ(message->type, "shift_filled");
    EXPECT_EQ(message->facilities, std::vector<Id>{12});
    EXPECT_EQ(message->person, "");
    EXPECT_EQ(message->body, message_with("shift_filled", R"("shiftId":42,"facilityId":12,"assignedStaffIds":[5,6])"));
}

TEST(WebhookMessage, OfSomebodyWhoWasOnboarded) {
    events::StaffOnboarded person;
    person.firstName = core::Name("Ada");
    person.lastName = core::Name("Byron");
    person.email = core::Email("ada@example.test");
    person.specialty = "ICU";
    person.employmentType = events::EmploymentType::per_diem;
    person.facilityIds = {12, 13};
    auto event = event_of(events::Kind::staff, person);
    auto message = message_of(event, {});
    ASSERT_TRUE(message);
    EXPECT_EQ(message->type, "staff_onboarded");
    EXPECT_EQ(message->person, "staff/42");
    EXPECT_EQ(message->facilities, (std::vector<Id>{12, 13}));
    EXPECT_EQ(
        message->body,
        message_with("staff_onboarded",
                     R"("staffId":42,"facilityIds":[12,13],"firstName":"Ada","lastName":"Byron","specialty":"ICU",)"
                     R"("employmentType":"per_diem","onboardedAt":"2026-07-24T10:00:00.123Z")"))
        << "no contact data";
    event.meta.facilities = {13};
    EXPECT_EQ(message_of(event, {})->facilities, std::vector<Id>{13}) << "as the event's envelope says";
}

TEST(WebhookMessage, OfALeadThatWasQualified) {
    using enum events::LeadStatus;
    std::optional<LeadBrief> lead;
    fold(lead, lead_created());
    fold(lead, moved(contacted, qualified));
    auto const event = event_of(events::Kind::lead, events::LeadQualified{}, 12);
    auto const message = message_of(event, lead);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->type, "lead_qualified");
    EXPECT_EQ(message->person, "lead/42");
    EXPECT_EQ(message->facilities, std::vector<Id>{12});
    EXPECT_EQ(
        message->body,
        message_with("lead_qualified", R"("leadId":42,"facilityId":12,"name":"Grace Hopper","company":"Harbour Care",)"
                                       R"("previousStatus":"contacted","status":"qualified","ownerUserId":3,)"
                                       R"("qualifiedAt":"2026-07-24T10:00:00.123Z")"));
    EXPECT_FALSE(message_of(event, {})) << "who was erased is nobody's to hear of";
}

TEST(WebhookMessage, OfACredentialThatExpired) {
    events::CredentialExpired expired;
    expired.staffId = 5;
    expired.type = events::StaffCredentialType::license;
    expired.name = "Registered Nurse";
    expired.expiresOn = core::parse_date("2026-07-23").value();
    expired.reason = events::ExpiredReason::date_passed;
    expired.note = "not told";
    auto event = event_of(events::Kind::credential, expired);
    event.meta.facilities = {12, 13};
    auto const message = message_of(event, {});
    ASSERT_TRUE(message);
    EXPECT_EQ(message->type, "credential_expired");
    EXPECT_EQ(message->facilities, (std::vector<Id>{12, 13}));
    EXPECT_EQ(message->person, "");
    EXPECT_EQ(message->body, message_with("credential_expired",
                                          R"("credentialId":42,"staffId":5,"facilityIds":[12,13],"type":"license",)"
                                          R"("name":"Registered Nurse","expiresOn":"2026-07-23",)"
                                          R"("expiredAt":"2026-07-24T10:00:00.123Z","reason":"date_passed")"));
}

TEST(WebhookMessage, OfACredentialWithoutADateOfSomebodyWhoWorksEverywhere) {
    events::CredentialExpired expired;
    expired.staffId = 5;
    expired.type = events::StaffCredentialType::background_check;
    expired.name = "Police record";
    auto const message = message_of(event_of(events::Kind::credential, expired), {});
    ASSERT_TRUE(message);
    EXPECT_TRUE(message->facilities.empty());
    EXPECT_EQ(message->body, message_with("credential_expired",
                                          R"("credentialId":42,"staffId":5,"facilityIds":[],"type":"background_check",)"
                                          R"("name":"Police record","expiresOn":null,)"
                                          R"("expiredAt":"2026-07-24T10:00:00.123Z","reason":"api")"));
}

TEST(WebhookMessage, OfALeadThatBeganQualified) {
    auto created = lead_created();
    created.status = events::LeadStatus::qualified;
    created.name = {};
    created.facilityId = {};
    created.ownerUserId = {};
    std::optional<LeadBrief> lead;
    fold(lead, created);
    auto const message = message_of(event_of(events::Kind::lead, events::LeadQualified{}), lead);
    ASSERT_TRUE(message);
    EXPECT_TRUE(message->facilities.empty());
    EXPECT_EQ(message->body,
              message_with("lead_qualified",
                           R"("leadId":42,"facilityId":null,"name":"","company":"Harbour Care","previousStatus":null,)"
                           R"("status":"qualified","ownerUserId":null,"qualifiedAt":"2026-07-24T10:00:00.123Z")"));
}

events::RunBrief brief() {
    events::RunBrief run;
    run.agentId = 9;
    run.triggerId = Id{10};
    run.toolCalls = 3;
    return run;
}

TEST(WebhookMessage, OfARunThatFailed) {
    events::AgentRunFailed failed{"APPROVAL_EXPIRED", core::LongText("Nobody decided in time."), Id{7}, brief()};
    auto const message = message_of(event_of(events::Kind::agent_run, failed, 12), {});
    ASSERT_TRUE(message);
    EXPECT_EQ(message->facilities, std::vector<Id>{12});
    EXPECT_EQ(
        message->body,
        message_with("agent_run.failed",
                     R"("runId":42,"agentId":9,"triggerId":10,"status":"failed","error":{"code":"APPROVAL_EXPIRED",)"
                     R"("message":"Nobody decided in time."},"approvalId":7,"rejectionReason":null,)"
                     R"("completedAt":"2026-07-24T10:00:00.123Z")"));
}

TEST(WebhookMessage, OfARunWhoseCallWasRejected) {
    events::AgentRunRejected rejected;
    rejected.cause.value = events::RunRejection::rejected;
    rejected.approvalId = 7;
    rejected.reason = core::LongText("Not this week.");
    rejected.run = brief();
    auto const message = message_of(event_of(events::Kind::agent_run, rejected, 12), {});
    ASSERT_TRUE(message);
    EXPECT_EQ(message->body,
              message_with("agent_run.failed",
                           R"("runId":42,"agentId":9,"triggerId":10,"status":"rejected","error":{"code":)"
                           R"("APPROVAL_REJECTED","message":"A person rejected the call."},"approvalId":7,)"
                           R"("rejectionReason":"Not this week.","completedAt":"2026-07-24T10:00:00.123Z")"));
}

TEST(WebhookMessage, OfNothingElse) {
    EXPECT_FALSE(message_of(event_of(events::Kind::shift, events::ShiftStarted{}, 12), {}));
    EXPECT_FALSE(message_of(event_of(events::Kind::lead, events::LeadDeleted{}), LeadBrief{}));
    EXPECT_FALSE(message_of(event_of(events::Kind::webhook, events::WebhookTested{5}), {}));
    EXPECT_FALSE(message_of(event_of(events::Kind::credential, events::CredentialExpiring{}), {}));
}

TEST(WebhookMessage, OfATest) {
    auto const body = test_body(kId, 9, {1'784'887'200'123});
    EXPECT_EQ(body, message_with("test", R"("webhookId":9,"message":"This is a test of your webhook subscription.")"));
}

TEST(LeadBriefFold, FollowsTheLead) {
    using enum events::LeadStatus;
    std::optional<LeadBrief> lead;
    fold(lead, events::LeadQualified{});
    EXPECT_FALSE(lead) << "nobody said that there is one";
    fold(lead, lead_created());
    ASSERT_TRUE(lead);
    EXPECT_EQ(lead->status, new_);
    EXPECT_FALSE(lead->previousStatus.value);
    events::LeadUpdated updated;
    updated.company = "Other";
    fold(lead, updated);
    EXPECT_EQ(lead->name, "Grace Hopper");
    EXPECT_EQ(lead->company, "Other");
    updated = {};
    updated.name = core::Personal<core::ShortText>("Admiral Hopper");
    updated.ownerUserId = core::Nullable<Id>();
    updated.facilityId = core::Nullable<Id>(13);
    fold(lead, updated);
    EXPECT_EQ(lead->name, "Admiral Hopper");
    EXPECT_FALSE(lead->ownerUserId.value);
    EXPECT_EQ(lead->facilityId.value, 13);
    fold(lead, moved(new_, contacted));
    fold(lead, moved(contacted, qualified));
    EXPECT_EQ(lead->status, qualified);
    EXPECT_EQ(lead->previousStatus.value, contacted);
    fold(lead, moved(qualified, lost));
    EXPECT_EQ(lead->previousStatus.value, qualified);
    EXPECT_EQ(core::from_stored_json<LeadBrief>(core::to_json(*lead)).name, "Admiral Hopper");
    fold(lead, events::LeadErased{});
    EXPECT_FALSE(lead);
    fold(lead, moved(lost, contacted));
    EXPECT_FALSE(lead) << "nothing comes back";
    fold(lead, lead_created());
    fold(lead, events::LeadDeleted{});
    EXPECT_FALSE(lead);
}

}  // namespace
}  // namespace workforce::workers
