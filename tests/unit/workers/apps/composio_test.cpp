#include "workers/apps/composio.hpp"

#include <gtest/gtest.h>

namespace workforce::workers {
namespace {

using AppKind = AppAnswer::Kind;

net::Reply app_reply(unsigned status, std::string body) {
    net::Reply reply;
    reply.status = status;
    reply.body = std::move(body);
    return reply;
}

AppKind app_kind_of(unsigned status, std::string body) {
    return judge_execution(app_reply(status, std::move(body))).kind;
}

TEST(Composio, ASuccessHasData) {
    auto const done = judge_execution(app_reply(200, R"({"successful":true,"data":{"n":[1]},"error":null})"));
    EXPECT_EQ(done.kind, AppKind::succeeded);
    EXPECT_EQ(done.data, R"({"n":[1]})");
    EXPECT_EQ(judge_execution(app_reply(201, R"({"successful":true})")).data, "null");
}

TEST(Composio, AFailureSaysWhy) {
    auto const failed =
        judge_execution(app_reply(200, R"({"successful":false,"data":{},"error":"no\u0007such\nrepo"})"));
    EXPECT_EQ(failed.kind, AppKind::failed);
    EXPECT_EQ(failed.error, "no such repo");
    EXPECT_EQ(failed.data, "null");
    EXPECT_EQ(judge_execution(app_reply(400, R"({"error":{"message":"bad","slug":"x"}})")).error, "bad");
    EXPECT_NE(judge_execution(app_reply(422, "<html>")).error.find("422"), std::string::npos);
    EXPECT_LE(judge_execution(app_reply(200, R"({"successful":false,"error":")" + std::string(5000, 'x') + "\"}"))
                  .error.size(),
              1'100U);
}

TEST(Composio, WhatIsNoAnswerMayBeAskedForAgain) {
    for (auto const* garbage :
         {"", "<html>", "[]", "5", "{}", R"({"successful":"yes"})", R"({"data":{}})", "{\"successful\":true"}) {
        EXPECT_EQ(app_kind_of(200, garbage), AppKind::unavailable) << garbage;
    }
    for (unsigned const status : {100U, 302U, 408U, 425U, 429U, 500U, 502U, 503U, 504U}) {
        EXPECT_EQ(app_kind_of(status, R"({"successful":true})"), AppKind::unavailable) << status;
    }
}

TEST(Composio, EachStatusHasItsMeaning) {
    for (unsigned const status : {401U, 403U}) EXPECT_EQ(app_kind_of(status, "{}"), AppKind::unauthorized) << status;
    EXPECT_EQ(app_kind_of(404, "{}"), AppKind::no_such_action);
    for (unsigned const status : {400U, 409U, 413U, 422U})
        EXPECT_EQ(app_kind_of(status, "{}"), AppKind::failed) << status;
}

TEST(Composio, AResultThatIsTooLargeIsNotAskedForAgain) {
    auto const large = R"({"successful":true,"data":")" + std::string(events::kMostAppResult, 'x') + "\"}";
    EXPECT_EQ(app_kind_of(200, large), AppKind::failed);
    EXPECT_EQ(app_kind_of(200, R"({"successful":true,"data":)" + std::string(28, '[') + std::string(28, ']') + "}"),
              AppKind::failed);
    auto cut = app_reply(200, R"({"successful":true,"data":"xxx)");
    cut.truncated = true;
    EXPECT_EQ(judge_execution(cut).kind, AppKind::failed);
}

TEST(Composio, AnAccountHasAnIdAndAnAddress) {
    auto const made = judge_connection(
        app_reply(201, R"({"connected_account_id":"ca_1","redirect_url":"https://connect.composio.dev/link/lk_1"})"));
    ASSERT_TRUE(made) << made.error().reason;
    EXPECT_EQ(made->id, "ca_1");
    EXPECT_EQ(made->redirect_url, "https://connect.composio.dev/link/lk_1");
    for (auto const* garbage :
         {"", "{}", R"({"connected_account_id":"","redirect_url":"https://a.example/"})",
          R"({"connected_account_id":"c"})", R"({"connected_account_id":"c","redirect_url":"javascript:void"})",
          R"({"connected_account_id":5,"redirect_url":"https://a.example/"})"}) {
        EXPECT_FALSE(judge_connection(app_reply(200, garbage))) << garbage;
    }
    EXPECT_FALSE(
        judge_connection(app_reply(500, R"({"connected_account_id":"c","redirect_url":"https://a.example/"})")));
}

TEST(Composio, OfAListWhatIsNoActionIsLeftOut) {
    auto const listed = judge_actions(app_reply(200, R"({"items":[
        {"slug":"GITHUB_STAR","description":"Stars\u0007 it","input_parameters":{"type":"object"}},
        {"slug":""},{"slug":5},{},7,{"slug":"GITHUB_X","input_parameters":[1]}]})"));
    ASSERT_TRUE(listed);
    ASSERT_EQ(listed->size(), 2U);
    EXPECT_EQ(listed->front().description.value, "Stars  it");
    EXPECT_EQ(listed->front().parameters.text, R"({"type":"object"})");
    EXPECT_EQ(listed->back().parameters.text, "{}");
    EXPECT_FALSE(judge_actions(app_reply(200, R"({"items":{}})")));
    EXPECT_FALSE(judge_actions(app_reply(503, R"({"items":[]})")));
}

}  // namespace
}  // namespace workforce::workers
