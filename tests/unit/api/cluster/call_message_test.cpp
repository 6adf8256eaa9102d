// Calls and their outcomes between processes, also of two releases.
#include "api/cluster/call_message.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/unit/api/dispatch_fixture.hpp"

namespace workforce::api {
namespace {

/// A call as a dispatcher has it before its handler.
class CallMessageTest : public DispatchTest {
   protected:
    CallMessageTest() {
        auto caller = std::make_shared<Caller>();
        caller->credential_id = 4;
        caller->organization = 1;
        caller_ = caller;
        input_.path.add({"id", 12});
        input_.path.add({"token", 0, "a b"});
        input_.parameters = {{"orgUnitId", "1"}};
        input_.body.emplace(core::parse_json(R"({"a":[1]})"));
    }
    static Operation operation() {
        return row("things.create", create_thing, Effect::write).at(post, "/api/things/{id:int}");
    }
    CallMessage message() {
        auto const made = operation();
        Call const call{services_, made, caller_, meta_, {.path = input_.path, .parameters = input_.parameters}};
        return message_of(call, "192.0.2.7");
    }
    /// The text with one member more or changed.
    static std::string changed(std::string const& text, nlohmann::json const& members) {
        auto const end = text.find('\n');
        auto line = nlohmann::json::parse(text.substr(0, end));
        line.update(members);
        return line.dump() + text.substr(end);
    }

    std::shared_ptr<Caller const> caller_;
    operations::RawInput input_;
    operations::CallMeta meta_{.request_id = "req_1",
                               .session = 88,
                               .organization = 1,
                               .cause = {.channel = "mcp", .client_id = "c", .run_id = "r", .depth = 2},
                               .idempotency = commands::Idempotency{"key", "print"},
                               .expected_versions = std::vector<std::int64_t>{3, 4}};
};

TEST_F(CallMessageTest, ArrivesAsItWasSent) {
    std::string const body = "{\"a\":\n[1]}";
    auto const text = write_call(message(), body);
    auto const read = read_call(text);
    ASSERT_TRUE(read) << read.error().message;
    auto const& [arrived, rest] = *read;
    EXPECT_EQ(rest, body);
    EXPECT_EQ(core::to_json(arrived), core::to_json(message()));
    EXPECT_EQ(arrived.session, 88);
    auto const cause = cause_of(arrived);
    ASSERT_TRUE(cause);
    EXPECT_EQ(cause->channel, "mcp");
    EXPECT_EQ(cause->run_id, "r");
    EXPECT_EQ(cause->depth, 2);
    auto const input = input_of(arrived, operation(), rest);
    ASSERT_TRUE(input);
    EXPECT_EQ(input->path.id(), 12);
    EXPECT_EQ(input->path.text("token"), "a b");
    EXPECT_EQ(input->parameters, input_.parameters);
    ASSERT_TRUE(input->body && *input->body);
    EXPECT_EQ((**input->body)["a"][0].GetInt(), 1);
}

TEST_F(CallMessageTest, NobodyWaitsLongerThanTheSenderSays) {
    using Clock = std::chrono::steady_clock;
    auto sent = message();
    EXPECT_EQ(deadline_of(sent), Clock::time_point::max()) << "senders of before do not say";
    auto const waits = [&](std::int64_t ms) {
        sent.waitsMs = ms;
        return deadline_of(sent) - Clock::now();
    };
    EXPECT_LE(waits(15'000), std::chrono::seconds(15));
    EXPECT_GT(waits(15'000), std::chrono::seconds(10));
    EXPECT_LE(waits(-1), Clock::duration(0));
    EXPECT_LE(waits(std::numeric_limits<std::int64_t>::max()), std::chrono::hours(1));
}

TEST_F(CallMessageTest, ABodyThatCannotBeReadTravelsAsItsRefusal) {
    auto const made = operation();
    Call call{services_, made, caller_, meta_, {}};
    call.input.body.emplace(core::refuse(core::Code::unsupported_media_type, "no", R"({"a":1})"));
    auto const text = write_call(message_of(call, {}), "ignored");
    auto const read = read_call(text);
    ASSERT_TRUE(read);
    auto const input = input_of(read->first, made, "ignored");
    ASSERT_TRUE(input && input->body);
    ASSERT_FALSE(*input->body);
    EXPECT_EQ(input->body->error().code, core::Code::unsupported_media_type);
    EXPECT_EQ(input->body->error().details, R"({"a":1})");
}

TEST_F(CallMessageTest, WhatAnotherReleaseAddsIsRefusedForNow) {
    auto const text = write_call(message(), "{}");
    auto const refuses = [&](nlohmann::json const& members) {
        auto const sent = changed(text, members);
        auto const read = read_call(sent);
        if (!read) return read.error().code == core::Code::service_unavailable;
        auto const cause = cause_of(read->first);
        if (!cause) return cause.error().code == core::Code::service_unavailable;
        auto const input = input_of(read->first, operation(), read->second);
        return !input && input.error().code == core::Code::service_unavailable;
    };
    EXPECT_FALSE(refuses({{"channel", "rest"}}));
    EXPECT_TRUE(refuses({{"added", 1}}));
    EXPECT_TRUE(refuses({{"channel", "telex"}}));
    EXPECT_TRUE(refuses({{"answer", "text/telex"}}));
    EXPECT_TRUE(refuses({{"credential", "telex"}}));
    EXPECT_TRUE(refuses({{"bodyProblem", {{"code", "X"}, {"message", ""}, {"details", ""}, {"suggestion", ""}}}}));
    EXPECT_TRUE(refuses({{"path", nlohmann::json::array({1})}}));
    EXPECT_FALSE(read_call("").has_value());
    EXPECT_FALSE(read_call("\n{}").has_value());
}

net::Reply reply_of(unsigned status, std::string body) {
    net::Reply reply;
    reply.status = status;
    reply.body = std::move(body);
    return reply;
}

TEST(CallAnswerTest, ArrivesAsItWasSent) {
    CallAnswer answer{{.status = 409,
                       .body = "two\nlines",
                       .refused = core::Code::shift_full,
                       .version = 8,
                       .location = "/api/shifts/5",
                       .replayed = true,
                       .facility = 3,
                       .marker = "shift_filled"},
                      {"ignored fields: x"}};
    auto const read = read_reply(reply_of(200, write_answer(answer)));
    ASSERT_TRUE(read);
    auto const& outcome = read->outcome;
    EXPECT_EQ(outcome.status, 409);
    EXPECT_EQ(outcome.body, "two\nlines");
    EXPECT_EQ(outcome.refused, core::Code::shift_full);
    EXPECT_EQ(outcome.version, 8);
    EXPECT_EQ(outcome.location, "/api/shifts/5");
    EXPECT_TRUE(outcome.replayed);
    EXPECT_EQ(outcome.facility, 3);
    EXPECT_EQ(outcome.marker, "shift_filled");
    EXPECT_EQ(read->warnings, answer.warnings);
    auto text = write_answer(answer);
    text.insert(1, R"("added":1,)");
    EXPECT_TRUE(read_reply(reply_of(200, text))) << "what a later release adds hides no outcome";
}

TEST(CallAnswerTest, ARefusalOfTheCallIsNoOutcome) {
    EXPECT_EQ(read_reply(reply_of(503, "{}")).error().code, core::Code::service_unavailable);
    EXPECT_EQ(read_reply(reply_of(401, "{}")).error().code, core::Code::service_unavailable);
    EXPECT_EQ(read_reply(reply_of(500, "{}")).error().code, core::Code::internal_error);
    EXPECT_EQ(read_reply(reply_of(200, "what?")).error().code, core::Code::internal_error);
}

}  // namespace
}  // namespace workforce::api
