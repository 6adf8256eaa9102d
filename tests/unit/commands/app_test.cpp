#include "commands/app.hpp"

#include <gtest/gtest.h>

#include "tests/support/given.hpp"

namespace workforce::tests {
namespace {

namespace cmd = commands;
using core::Code;

constexpr core::Id kConnection = 7;

cmd::ConnectApp connect_command(std::optional<core::Id> facility = {}) {
    cmd::ConnectApp command;
    command.app = "github";
    command.accountLabel = core::ShortText("Rota");
    if (facility) command.facilityId = *facility;
    command.account = {"GitHub", "ca_1", {"repo"}, "https://connect.example/x"};
    return command;
}

cmd::ExecuteApp execute_command(bool successful, bool unauthorized = false) {
    cmd::ExecuteApp command;
    command.id = kConnection;
    command.action = "GITHUB_STAR";
    command.arguments = {R"({"repo":"a","apiToken":"t"})"};
    command.outcome = {successful, {R"({"starred":true,"session_token":"s"})"}, "No.", unauthorized, 12};
    return command;
}

/// An organization with two facilities, and a connection to github of the organization as a whole.
Given connected() {
    Given given;
    given.organization().facility(1).facility(2);
    events::AppConnected made;
    made.app = "github";
    made.displayName = "GitHub";
    made.accountId = "ca_1";
    given.event({events::Kind::app, kConnection}, events::AppEvent(made));
    given.context.new_ids = {100};
    return given;
}

events::AppRecord const& record_of(Given const& given) { return *given.view().get<events::AppRecord>(kConnection); }

TEST(App, IsConnectedOnceForEachPlace) {
    auto given = connected();
    auto const again = given.when(connect_command());
    ASSERT_FALSE(again.result);
    EXPECT_EQ(again.result.error().code, Code::duplicate_resource);
    auto const at_facility = given.when(connect_command(1));
    ASSERT_TRUE(at_facility.result);
    auto const& event = events::get<events::AppConnected>(at_facility.result->events.at(0).data);
    EXPECT_EQ(event.facilityId.value, 1);
    EXPECT_EQ(event.accountId.value, "ca_1");
    EXPECT_EQ(at_facility.result->events.at(0).facility, 1);
    given.event({events::Kind::app, kConnection}, events::AppEvent(events::AppDisconnected{}));
    EXPECT_TRUE(given.when(connect_command()).result) << "the first one has ended";
}

TEST(App, OfWhoIsBoundToAFacilityIsThatOnes) {
    auto given = connected();
    given.context.facilities = {1};
    auto const made = given.when(connect_command());
    ASSERT_TRUE(made.result);
    EXPECT_EQ(events::get<events::AppConnected>(made.result->events.at(0).data).facilityId.value, 1);
    EXPECT_EQ(given.when(connect_command(2)).result.error().code, Code::facility_scope_violation);
    EXPECT_EQ(given.when(cmd::DisconnectApp{kConnection}).result.error().code, Code::facility_scope_violation)
        << "it is of the organization as a whole";
    EXPECT_EQ(find_connected(given.view(), kConnection, given.context).error().code, Code::facility_scope_violation);
    given.context.facilities = {1, 2};
    EXPECT_EQ(given.when(connect_command()).result.error().code, Code::validation_error);
}

TEST(App, AnExecutionIsKeptWithoutSecrets) {
    auto given = connected();
    auto const done = given.when(execute_command(true));
    ASSERT_TRUE(done.result);
    auto const& event = events::get<events::AppExecuted>(done.result->events.at(0).data);
    EXPECT_EQ(event.executionId, events::execution_id(kConnection, 1));
    EXPECT_EQ(event.arguments.value.text, R"({"repo":"a","apiToken":"[redacted]"})");
    EXPECT_EQ(event.result.value.text, R"({"starred":true,"session_token":"[redacted]"})");
    given.event({events::Kind::app, kConnection}, events::AppEvent(event));
    auto const shown = answer(given.view(), execute_command(true), *done.result);
    EXPECT_EQ(shown.data.text, R"({"starred":true,"session_token":"s"})") << "whoever asked gets all of it";
    EXPECT_EQ(shown.executionId, event.executionId);
}

TEST(App, WhatNamesPeopleIsNotKept) {
    auto given = connected();
    auto command = execute_command(true);
    command.arguments = {R"({"staffId":7,"name":"Mara"})"};
    auto const done = given.when(command);
    ASSERT_TRUE(done.result);
    auto const& event = events::get<events::AppExecuted>(done.result->events.at(0).data);
    EXPECT_EQ(event.arguments.value.text, "{}");
    EXPECT_EQ(event.result.value.text, "null");
    given.event({events::Kind::app, kConnection}, events::AppEvent(event));
    auto const shown = answer(given.view(), command, *done.result);
    EXPECT_EQ(shown.data.text, command.outcome->data.text);
    auto const kept = answer_for_retries(shown);
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->data.text, "null");
    EXPECT_EQ(kept->executionId, shown.executionId);
    EXPECT_FALSE(answer_for_retries(cmd::AppExecutionAnswer{}));
}

TEST(App, AConnectionThatLetsNobodyInComesBack) {
    auto given = connected();
    auto const apply = [&](cmd::ExecuteApp const& command) {
        auto const done = given.when(command);
        given.event({events::Kind::app, kConnection}, done.result->events.at(0).data.group<events::AppEvent>());
    };
    apply(execute_command(false));
    EXPECT_EQ(record_of(given).status, events::AppStatus::connected);
    apply(execute_command(false, true));
    EXPECT_EQ(record_of(given).status, events::AppStatus::error);
    EXPECT_TRUE(find_connected(given.view(), kConnection, given.context));
    apply(execute_command(true));
    EXPECT_EQ(record_of(given).status, events::AppStatus::connected);
    EXPECT_EQ(record_of(given).internals.executions, 3);
    EXPECT_TRUE(record_of(given).lastUsedAt.value);
}

TEST(App, OneThatEndedIsAskedForNothing) {
    auto given = connected();
    EXPECT_EQ(given.when(cmd::DisconnectApp{kConnection}).result->events.size(), 1U);
    given.event({events::Kind::app, kConnection}, events::AppEvent(events::AppDisconnected{}));
    EXPECT_TRUE(given.when(cmd::DisconnectApp{kConnection}).result->events.empty());
    EXPECT_EQ(find_connected(given.view(), kConnection, given.context).error().code, Code::app_not_connected);
    auto unasked = execute_command(true);
    unasked.outcome.reset();
    EXPECT_EQ(given.when(unasked).result.error().code, Code::app_not_connected);
    // What was under way is recorded, and connects nothing.
    auto const late = given.when(execute_command(true));
    ASSERT_TRUE(late.result);
    given.event({events::Kind::app, kConnection}, late.result->events.at(0).data.group<events::AppEvent>());
    EXPECT_EQ(record_of(given).status, events::AppStatus::disconnected);
}

TEST(App, ThatNobodyHasIsNotFound) {
    auto given = connected();
    given.context.facilities = {2};
    EXPECT_EQ(given.when(cmd::DisconnectApp{99}).result.error().code, Code::not_found);
    EXPECT_EQ(find_connected(given.view(), 99, given.context).error().code, Code::not_found);
    events::AppConnected elsewhere;
    elsewhere.app = "slack";
    elsewhere.facilityId = core::Id{1};
    given.event({events::Kind::app, 8}, events::AppEvent(elsewhere));
    EXPECT_EQ(find_connected(given.view(), 8, given.context).error().code, Code::not_found);
    EXPECT_EQ(given.when(cmd::DisconnectApp{8}).result.error().code, Code::not_found);
}

TEST(App, WhatWasNotAskedIsNotRecorded) {
    auto given = connected();
    auto command = execute_command(true);
    command.outcome.reset();
    EXPECT_EQ(given.when(command).result.error().code, Code::concurrent_modification);
    auto unasked = connect_command(1);
    unasked.account.reset();
    EXPECT_EQ(given.when(unasked).result.error().code, Code::concurrent_modification);
}

}  // namespace
}  // namespace workforce::tests
