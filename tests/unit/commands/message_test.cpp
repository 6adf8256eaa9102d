// Conversations and messages: who takes part, what comes to whom, and what can be taken back.
#include "commands/message.hpp"

#include <gtest/gtest.h>

#include "commands/message_mail.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::commands {
namespace {

using events::ConversationType;
using events::DeliveryStatus;
using events::MessageChannel;
using events::ParticipantType;
using tests::Given;

constexpr Id kMe = 3;  // who Given's caller is
constexpr Id kReader = 4;
constexpr Id kPerson = 9;

void add_writer(Given& given, Id id, core::Nullable<Id> staff = {}) {
    events::UserCreated user;
    user.email = core::Email("user" + std::to_string(id) + "@example.test");
    user.staffId = staff;
    given.event({events::Kind::user, id}, events::UserEvent(user));
}

/// An organization with the caller, another user, and somebody of the staff.
Given given_writers() {
    Given given;
    given.organization().facility(1).facility(2).staff(kPerson, {1});
    add_writer(given, kMe);
    add_writer(given, kReader);
    return given;
}

StartConversation with(std::vector<Id> users, std::vector<Id> staff = {}) {
    StartConversation command;
    command.participantUserIds = std::move(users);
    command.participantStaffIds = std::move(staff);
    return command;
}

SendMessage say(Id conversation, std::string const& body, std::vector<MessageChannel> channels = {}) {
    SendMessage command;
    command.conversation = conversation;
    command.body = events::MessageBody(body);
    command.channels = std::move(channels);
    return command;
}

void act_as(Given& given, Id user, Id staff = 0) {
    given.context.actor = {events::ActorType::user, user, user};
    given.context.staff = staff;
}

/// A conversation of the caller with the two others, whose id is 101.
Given given_conversation() {
    auto given = given_writers();
    given.after(with({kReader}, {kPerson}));
    given.context.new_ids = {201};
    return given;
}

TEST(StartConversation, HasTheCallerAndSomebodyElse) {
    auto given = given_writers();
    EXPECT_EQ(given.when(with({})).summary(), "VALIDATION_ERROR");
    EXPECT_EQ(given.when(with({kMe})).summary(), "VALIDATION_ERROR");
    EXPECT_EQ(given.when(with({kReader, 77})).summary(), "VALIDATION_ERROR") << "there is no such user";
    EXPECT_EQ(given.when(with({}, {78})).summary(), "VALIDATION_ERROR");
    auto const two = given.after(with({kReader, kReader}));
    EXPECT_EQ(two.participantUserIds, (std::vector<Id>{kMe, kReader}));
    EXPECT_EQ(two.type, ConversationType::direct);
    EXPECT_EQ(two.createdBy.value, kMe);
    EXPECT_EQ(two.unreadCount, 0);
}

TEST(StartConversation, TakesSomebodyOnceWhoIsNamedTwice) {
    auto given = given_writers();
    add_writer(given, 5, Id{kPerson});
    auto const all = given.after(with({5}, {kPerson}));
    EXPECT_EQ(all.participantUserIds, (std::vector<Id>{kMe, 5}));
    EXPECT_TRUE(all.participantStaffIds.empty());
}

TEST(StartConversation, IsOfPeopleWhomTheCallersFacilitiesSee) {
    auto given = given_writers();
    given.context.facilities = {2};
    EXPECT_EQ(given.when(with({}, {kPerson})).summary(), "VALIDATION_ERROR");
    given.context.facilities = {1};
    EXPECT_EQ(given.after(with({}, {kPerson})).facilityId.value, 1);
    auto elsewhere = with({}, {kPerson});
    elsewhere.facilityId = Id{2};
    EXPECT_EQ(given.when(elsewhere).summary(), "FACILITY_SCOPE_VIOLATION");
}

TEST(SendMessage, ComesToAllOthersOnce) {
    auto given = given_conversation();
    auto const sent =
        given.after(say(101, "Hello", {MessageChannel::email, MessageChannel::in_app, MessageChannel::sms}));
    EXPECT_EQ(sent.channels,
              (std::vector<MessageChannel>{MessageChannel::in_app, MessageChannel::email, MessageChannel::sms}));
    ASSERT_EQ(sent.deliveries.size(), 6U);
    for (auto const& each : sent.deliveries) {
        EXPECT_NE(each.recipientId, kMe);
        auto const expected = each.channel == MessageChannel::in_app  ? DeliveryStatus::sent
                              : each.channel == MessageChannel::email ? DeliveryStatus::queued
                                                                      : DeliveryStatus::failed;
        EXPECT_EQ(each.status, expected);
        EXPECT_EQ(each.error, each.channel == MessageChannel::sms ? "not_configured" : "");
    }
    EXPECT_EQ(given.when(say(101, "Again")).summary(), "message.sent conversation.message_added");
}

TEST(SendMessage, LeavesNoSandbox) {
    Given given;
    given.organization().facility(1);
    add_writer(given, kMe);
    given.context.sandbox = true;
    given.staff(kPerson, {1});
    given.after(with({}, {kPerson}));
    given.context.new_ids = {201};
    auto const sent = given.after(say(101, "Hello", {MessageChannel::email}));
    EXPECT_EQ(sent.deliveries.at(0).status, DeliveryStatus::sent);
    EXPECT_EQ(sent.deliveries.at(1).status, DeliveryStatus::skipped_sandbox);
}

TEST(SendMessage, IsOfThoseWhoTakePart) {
    auto given = given_conversation();
    add_writer(given, 6);
    act_as(given, 6);
    EXPECT_EQ(given.when(say(101, "Me too")).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(ReadConversation{101}).summary(), "NOT_FOUND");
    act_as(given, 6, kPerson);
    EXPECT_EQ(given.when(say(101, "By my staff record")).summary(), "message.sent conversation.message_added");
}

TEST(ReadConversation, CountsWhatOthersSent) {
    auto given = given_conversation();
    given.after(say(101, "One"));
    given.context.new_ids = {202};
    given.after(say(101, "Two"));
    auto const& record = *given.view().get<events::ConversationRecord>(101);
    EXPECT_EQ(events::unread_of(record.internals, {Id{kMe}, {}}), 0) << "whoever sends has read";
    EXPECT_EQ(events::unread_of(record.internals, {Id{kReader}, {}}), 2);
    EXPECT_EQ(given.when(ReadConversation{101}).summary(), "nothing");
    act_as(given, kReader);
    EXPECT_EQ(given.after(ReadConversation{101}).unreadCount, 0);
    EXPECT_EQ(events::unread_of(record.internals, {Id{kReader}, {}}), 0);
    EXPECT_EQ(given.when(ReadConversation{101}).summary(), "nothing");
    given.context.actor = {events::ActorType::api_key, 55, 0};
    EXPECT_EQ(given.when(ReadConversation{101}).summary(), "NOT_FOUND") << "a user began it";
}

TEST(TakesPart, GoesByTheUserTheFacilitiesAndWhoBegan) {
    events::Conversation conversation;
    conversation.participantUserIds = {kMe};
    conversation.participantStaffIds = {kPerson};
    Participant const me{{Id{kMe}, {}}, {}};
    Participant const by_record{{Id{kReader}, Id{kPerson}}, {}};
    Participant const other{{Id{kReader}, {}}, {}};
    Participant const key{};
    auto const who = [&] {
        return std::vector{takes_part(conversation, me), takes_part(conversation, by_record),
                           takes_part(conversation, other), takes_part(conversation, key)};
    };
    EXPECT_EQ(who(), (std::vector{true, true, false, true}));
    conversation.createdBy = Id{kMe};
    EXPECT_EQ(who(), (std::vector{true, true, false, false}));
    Participant const bound{{Id{kMe}, {}}, {1, 2}};
    EXPECT_FALSE(takes_part(conversation, bound)) << "it is of no facility";
    conversation.facilityId = Id{2};
    EXPECT_TRUE(takes_part(conversation, bound));
    EXPECT_TRUE(takes_part(conversation, {{}, {2}, true})) << "in a sandbox";
    EXPECT_FALSE(takes_part(conversation, {{Id{kMe}, {}}, {1}, true}));
}

TEST(TakesPart, BindsKeysAndAgentsToTheirFacilitiesAndNotPeople) {
    Given given;
    given.context.facilities = {1};
    for (auto const type : {events::ActorType::user, events::ActorType::oauth}) {
        given.context.actor = {type, 5, kMe};
        EXPECT_TRUE(participant_of(given.context).facilities.empty());
    }
    for (auto const type : {events::ActorType::api_key, events::ActorType::agent}) {
        given.context.actor = {type, 5, kMe};
        EXPECT_EQ(participant_of(given.context).facilities, std::vector<Id>{1});
    }
    given.context.actor = {events::ActorType::user, kMe, kMe};
    given.context.sandbox = true;
    EXPECT_EQ(participant_of(given.context).facilities, std::vector<Id>{1}) << "a sandbox is a facility's";
}

TEST(StartConversation, OfAKeyIsAtOneOfItsFacilities) {
    auto given = given_writers();
    given.context.actor = {events::ActorType::api_key, 55, kMe};
    given.context.facilities = {2, 1};
    auto const begun = given.after(with({kReader}));
    EXPECT_EQ(begun.facilityId.value, 2);
    EXPECT_TRUE(takes_part(begun, participant_of(given.context))) << "it sees what it began";
}

TEST(StartConversation, TakesFiveHundredBesidesTheCaller) {
    auto given = given_writers();
    std::vector<Id> staff;
    for (Id id = 1000; id < 1501; ++id) {
        given.staff(id, {1});
        staff.push_back(id);
    }
    EXPECT_EQ(given.when(with({}, staff)).summary(), "VALIDATION_ERROR");
    staff.pop_back();
    EXPECT_EQ(given.when(with({kMe}, staff)).summary(), "conversation.started");
}

TEST(SendMessage, ComesToAnEndOfItsConversation) {
    events::ConversationDetails conversation;
    conversation.participantUserIds = {kMe, kReader};
    EXPECT_EQ(most_messages(conversation), kMostMessages);
    conversation.participantStaffIds.resize(498);
    EXPECT_EQ(most_messages(conversation), 200);
    auto given = given_conversation();
    for (std::int64_t n = 0; n < kMostMessages; ++n) {
        given.event({events::Kind::conversation, 101},
                    events::ConversationEvent(events::ConversationMessageAdded{n + 1, {}}));
    }
    EXPECT_EQ(given.when(say(101, "One too many")).summary(), "LIMIT_REACHED");
}

TEST(CreateMessage, BeginsAConversationWithAMessage) {
    auto given = given_writers();
    given.shift(50, 1, "2026-07-25", "08:00", "16:00", 2, {kPerson});
    given.context.new_ids = {101, 201};
    CreateMessage command;
    command.body = events::MessageBody("Who can come?");
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR") << "nobody is named";
    command.to.shiftId = 50;
    auto const begun = given.after(command);
    EXPECT_EQ(begun.conversation.type, ConversationType::broadcast);
    EXPECT_EQ(begun.conversation.facilityId.value, 1);
    EXPECT_EQ(begun.conversation.participantStaffIds, std::vector<Id>{kPerson});
    EXPECT_EQ(begun.message.conversationId, begun.conversation.id);
    EXPECT_EQ(begun.message.body.value.value, "Who can come?");
    given.event({events::Kind::staff, kPerson}, events::StaffEvent(events::StaffDeactivated{}));
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR") << "nobody is left on the shift";
    CreateMessage unknown = command;
    unknown.to = {.userIds = {}, .staffIds = NamedPeople{78}, .facilityId = {}, .shiftId = {}};
    EXPECT_NE(given.when(unknown).details().find("to.staffIds[0]"), std::string::npos);
}

TEST(RetractMessage, IsTheSendersForAQuarterOfAnHour) {
    auto given = given_conversation();
    given.after(say(101, "Too fast"));
    act_as(given, kReader);
    EXPECT_EQ(given.when(RetractMessage{201}).summary(), "FORBIDDEN");
    act_as(given, kMe);
    given.context.now.ms += events::kRetractableMs + 1;
    EXPECT_EQ(given.when(RetractMessage{201}).summary(), "INVALID_STATE_TRANSITION");
    given.context.now.ms -= 1;
    auto const gone = given.after(RetractMessage{201});
    EXPECT_EQ(gone.body.value.value, "");
    EXPECT_TRUE(gone.retractedAt.value);
    EXPECT_EQ(given.when(RetractMessage{201}).summary(), "nothing");
}

TEST(SettleDeliveries, SettlesThoseThatWait) {
    auto given = given_conversation();
    given.after(say(101, "Hello", {MessageChannel::email}));
    auto const mails = message_mails(given.view(), 201);
    EXPECT_EQ(mails.body, "Hello");
    ASSERT_EQ(mails.recipients.size(), 2U);
    EXPECT_EQ(mails.recipients.at(1).address, "staff9@example.test");
    SettleDeliveries command{201, {}};
    command.deliveries = {
        {ParticipantType::user, kReader, MessageChannel::email, DeliveryStatus::sent, ""},
        {ParticipantType::staff, kPerson, MessageChannel::email, DeliveryStatus::failed, "no_address"},
        {ParticipantType::staff, 78, MessageChannel::email, DeliveryStatus::sent, ""}};
    EXPECT_EQ(given.when(command).summary(), "message.delivered message.delivery_failed");
    given.after(command);
    auto const& message = *given.view().get<events::MessageRecord>(201);
    EXPECT_EQ(message.deliveries.at(1).status, DeliveryStatus::sent);
    EXPECT_EQ(message.deliveries.at(3).error, "no_address");
    EXPECT_EQ(given.when(command).summary(), "nothing");
    EXPECT_TRUE(message_mails(given.view(), 201).recipients.empty());
}

}  // namespace
}  // namespace workforce::commands
