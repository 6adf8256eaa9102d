// The request path without a process.
#include <deque>
#include <map>

#include "dispatch_fixture.hpp"

namespace workforce::api {
namespace {

TEST_F(DispatchTest, AnswersARead) {
    auto const reply = ask(request(get, "/api/things/12?known=1&unknown=2", {reader()}));
    EXPECT_EQ(reply.status, 200U);
    EXPECT_EQ(reply.body, R"({"id":12})");
    EXPECT_EQ(reply.content_type, "application/json");
    EXPECT_EQ(text(reply, "ETag"), "\"7\"");
    EXPECT_EQ(text(reply, "Cache-Control"), "no-store");
    EXPECT_EQ(text(reply, "Service-Version"), "2026-07-24");
    EXPECT_TRUE(text(reply, "X-Request-Id").starts_with("req_"));
    EXPECT_EQ(text(reply, "Service-Warnings"), "ignored parameters: unknown");
    EXPECT_EQ(field(reply, "Access-Control-Allow-Origin"), nullptr);
}

TEST_F(DispatchTest, ChecksVersionBehindTheCredentialAndBeforeThePermission) {
    net::Header const old{"Service-Version", "2026-05-10"};
    EXPECT_EQ(text(ask(request(get, "/api/things/1", {reader(), old})), "Service-Version"), "2026-05-10");
    net::Header const none{"Service-Version", "2020-01-01"};
    EXPECT_EQ(code_of(ask(request(get, "/api/things/1", {none}))), "UNAUTHENTICATED");
    auto const refused = ask(request(get, "/api/things/1", {{"Authorization", "Bearer 4"}, none}));
    EXPECT_EQ(code_of(refused), "UNSUPPORTED_VERSION");
    EXPECT_EQ(error_of(refused)["details"]["supported"].size(), 4U);
    EXPECT_EQ(code_of(ask(request(get, "/api/things/1", {reader(), {"Service-Version", "new"}}))), "VALIDATION_ERROR");
}

TEST_F(DispatchTest, RefusesWhatNoRowHas) {
    auto const lost = ask(request(get, "/api/nothing", {reader()}));
    EXPECT_EQ(lost.status, 404U);
    EXPECT_EQ(code_of(lost), "NOT_FOUND");
    auto const misdone = ask(request(del, "/api/things/1", {reader()}));
    EXPECT_EQ(misdone.status, 405U);
    EXPECT_EQ(text(misdone, "Allow"), "GET");
    auto const mcp = ask(request(post, "/mcp", {reader()}));
    EXPECT_EQ(code_of(mcp), "MCP_HOST_NOT_ALLOWED");
    EXPECT_EQ(error_of(mcp)["details"]["mcpUrl"], "https://mcp.test");
    EXPECT_FALSE(lost.on_sent || misdone.on_sent || mcp.on_sent) << "no operation, no facts";
}

TEST_F(DispatchTest, SaysOfNothingThatItIsAbsentWhileReadsAreBehind) {
    auto const behind = ask(request(get, "/api/missing/1", {reader()}));
    EXPECT_EQ(behind.status, 503U);
    EXPECT_EQ(code_of(behind), "READ_MODEL_BEHIND");
    EXPECT_EQ(text(behind, "Retry-After"), "1");
    EXPECT_EQ(text(behind, "Service-Stale"), "true");
    EXPECT_EQ(code_of(ask(request(get, "/api/missing/2", {reader()}))), "NOT_FOUND");
}

TEST_F(DispatchTest, RefusesWhoMayNot) {
    auto const unknown = ask(request(get, "/api/things/1"));
    EXPECT_EQ(unknown.status, 401U);
    EXPECT_TRUE(text(unknown, "WWW-Authenticate").starts_with("Bearer resource_metadata="));
    auto const lacking = ask(request(post, "/api/things", {reader()}));
    EXPECT_EQ(lacking.status, 403U);
    EXPECT_EQ(error_of(lacking)["details"]["permission"], "shifts.create");
    EXPECT_EQ(ask(request(get, "/api/things/x", {{"Authorization", "Bearer 4"}})).status, 403U)
        << "who may not learns nothing of ids";
}

TEST_F(DispatchTest, TakesNoneOfTwoCredentials) {
    auto const two = ask(request(get, "/api/things/1", {reader(), writer()}));
    EXPECT_EQ(two.status, 400U);
    EXPECT_EQ(error_of(two)["details"]["fields"][0]["field"], "Authorization");
    EXPECT_EQ(ask(request(get, "/api/nothing", {reader(), reader()})).status, 400U)
        << "what is there is not told either";
    EXPECT_FALSE(tests::await(dispatcher_->admit(request(post, "/api/things", {writer(), writer()}))).holder);
}

TEST_F(DispatchTest, TakesNoCredentialOfTheQuery) {
    auto const alone = ask(request(get, "/api/things/1?api_key=svc_live_secret"));
    EXPECT_EQ(alone.status, 401U);
    EXPECT_EQ(code_of(alone), "UNAUTHENTICATED");
    EXPECT_TRUE(text(alone, "WWW-Authenticate").starts_with("Bearer "));
    auto const beside = ask(request(get, "/api/things/1?q=svc_live_secret", {reader()}));
    EXPECT_EQ(beside.status, 400U);
    auto const open = ask(request(get, "/invite/x?svc_live_secret=1&other=1"));
    EXPECT_EQ(text(open, "Service-Warnings"), "ignored parameters: other");
    for (auto const* reply : {&alone, &beside, &open}) EXPECT_EQ(reply->body.find("secret"), std::string::npos);
}

TEST_F(DispatchTest, RefusesAMalformedIdAsItsRowSays) {
    auto const usual = ask(request(get, "/api/things/0", {reader()}));
    EXPECT_EQ(usual.status, 400U);
    EXPECT_EQ(error_of(usual)["details"]["fields"][0]["field"], "id");
    auto const own = ask(request(get, "/api/things/0/resolve", {reader()}));
    EXPECT_EQ(own.status, 409U);
    EXPECT_EQ(error_of(own)["details"]["reason"], "invalid_id");
    EXPECT_EQ(ask(request(get, "/invite/%FF")).status, 400U);
}

TEST_F(DispatchTest, TakesTheMediaTypeOfTheRow) {
    net::Header const json{"Content-Type", "application/json"};
    net::Header const csv{"Content-Type", "text/csv"};
    auto const text_body = ask(request(post, "/api/things", {writer(), csv}, "a,b"));
    EXPECT_EQ(text_body.status, 415U);
    EXPECT_EQ(error_of(text_body)["details"]["mediaTypes"][0], "application/json");
    auto const json_body = ask(request(post, "/api/things/import", {writer(), json}, "{}"));
    EXPECT_EQ(json_body.status, 415U);
    EXPECT_EQ(error_of(json_body)["details"]["mediaTypes"][0], "text/csv");
    EXPECT_EQ(ask(request(post, "/api/things/import", {writer(), csv}, "a,b")).body, "3");
    EXPECT_EQ(ask(request(post, "/api/things", {writer()}, "{}")).status, 415U) << "without a type";
    EXPECT_EQ(ask(request(post, "/api/things", {writer()})).status, 201U) << "no body, no type";
    EXPECT_EQ(code_of(post_thing({}, "{")), "VALIDATION_ERROR");
}

TEST_F(DispatchTest, NamesTheLimitOfTheRowsBody) {
    auto large = request(post, "/api/things/import", {writer()});
    large.fault = net::RequestFault::body_too_large;
    auto const reply = ask(large);
    EXPECT_EQ(reply.status, 413U);
    EXPECT_EQ(error_of(reply)["details"]["maxBytes"], 2 << 20);
    large.target = "/api/things";
    EXPECT_EQ(error_of(ask(large))["details"]["maxBytes"], 256 << 10);
    large.target = "/oauth/token";
    EXPECT_EQ(nlohmann::json::parse(ask(large).body)["error"], "invalid_request");
}

TEST_F(DispatchTest, RefusesInTheFormOfTheRow) {
    auto const token = ask(request(post, "/oauth/token", {{"Content-Type", "application/json"}}, "{}"));
    EXPECT_EQ(token.status, 415U);
    auto const body = nlohmann::json::parse(token.body);
    EXPECT_EQ(body["error"], "invalid_request");
    EXPECT_EQ(body["error_description"], "The body must be application/x-www-form-urlencoded.");
    EXPECT_EQ(text(token, "Cache-Control"), "no-store");
    auto const page = ask(request(get, "/invite/a%3Cb%3E"));
    EXPECT_EQ(page.status, 404U);
    EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
    EXPECT_NE(page.body.find("No &lt;a&lt;b&gt;&gt;."), std::string::npos) << page.body;
}

TEST_F(DispatchTest, ReadsAForm) {
    auto const reply = ask(request(post, "/oauth/token", {{"Content-Type", "application/x-www-form-urlencoded"}},
                                   "grant_type=refresh_token"));
    EXPECT_EQ(reply.body, R"({"grant":"refresh_token"})");
}

TEST_F(DispatchTest, AnswersAPreflightOfRowsForAnyOrigin) {
    std::vector<net::Header> const asks{{"Origin", "https://app.test"}, {"Access-Control-Request-Method", "POST"}};
    auto const allowed = ask(request(options, "/oauth/token", asks));
    EXPECT_EQ(allowed.status, 204U);
    EXPECT_EQ(allowed.body, "");
    EXPECT_EQ(text(allowed, "Access-Control-Allow-Origin"), "*");
    EXPECT_EQ(text(allowed, "Access-Control-Allow-Methods"), "POST");
    EXPECT_NE(text(allowed, "Access-Control-Allow-Headers").find("Authorization"), std::string::npos);
    EXPECT_EQ(field(allowed, "Access-Control-Allow-Credentials"), nullptr);
    EXPECT_EQ(ask(request(options, "/api/things", asks)).status, 401U) << "not for other origins";
    EXPECT_EQ(ask(request(options, "/oauth/token")).status, 405U) << "no preflight";
    auto const refused = ask(request(post, "/oauth/token", {{"Origin", "https://app.test"}}, "x"));
    EXPECT_EQ(refused.status, 415U);
    EXPECT_EQ(text(refused, "Access-Control-Allow-Origin"), "*") << "a script reads refusals too";
}

TEST_F(DispatchTest, GivesWhatTheClientAccepts) {
    auto const events = [&](std::string accept) {
        return ask(request(get, "/api/events", {reader(), {"Accept", std::move(accept)}}));
    };
    EXPECT_EQ(events("*/*").body, R"({"data":[]})");
    EXPECT_EQ(ask(request(get, "/api/events", {reader()})).content_type, "application/json");
    auto const refused = events("image/png");
    EXPECT_EQ(refused.status, 406U);
    EXPECT_NE(std::string(error_of(refused)["message"]).find("text/event-stream"), std::string::npos);
    auto const streamed = events("text/event-stream");
    EXPECT_TRUE(streamed.stream);
    EXPECT_EQ(streamed.content_type, "text/event-stream");
    EXPECT_EQ(streamed.stream.heartbeat, ":\n\n");
    EXPECT_EQ(text(streamed, "X-Accel-Buffering"), "no");
    EXPECT_EQ(ask(request(get, "/api/things/1", {reader(), {"Accept", "image/png"}})).status, 200U)
        << "a row that gives one type gives it to all";
}

TEST_F(DispatchTest, HoldsPlacesOfTheCredentialForStreamsAndNoneOfTheOrganization) {
    auto const open_stream = [&](int credential) {
        return ask(
            request(get, "/api/events",
                    {{"Authorization", "Bearer " + std::to_string(credential)}, {"Accept", "text/event-stream"}}));
    };
    std::deque<net::Reply> open;
    for (int i = 0; i < 2; ++i) open.push_back(open_stream(4));
    EXPECT_EQ(open.back().status, 200U) << "the organization has one place, which the first gave back";
    auto const third = open_stream(4);
    EXPECT_EQ(third.status, 429U);
    EXPECT_EQ(code_of(third), "RATE_LIMITED");
    EXPECT_EQ(text(third, "Retry-After"), "1");
    open.push_back(open_stream(6));
    EXPECT_EQ(open.back().status, 200U) << "another credential has its own";
    EXPECT_EQ(open_stream(7).status, 503U) << "the process has three";
    EXPECT_EQ(dispatcher_->open_streams(), 3U);
    EXPECT_EQ(dispatcher_->refused_streams(), 2U);
    EXPECT_EQ(ask(request(get, "/api/events", {reader()})).status, 200U) << "what is no stream needs no place";
    open.pop_front();
    open.push_back(open_stream(4));
    EXPECT_EQ(open.back().status, 200U) << "the end of a stream gives its place back";
}

/// A table that lends all that is left of one window, of each key.
struct OneWindow {
    std::map<Id, std::int64_t> granted;
    boost::asio::awaitable<std::vector<RateLease>> operator()(std::vector<RateContact> told) {
        std::vector<RateLease> leases;
        for (auto const& each : told) {
            auto& all = granted[each.key];
            auto const lent = std::max<std::int64_t>(0, each.most - all);
            all += lent;
            auto const closes = std::chrono::steady_clock::now() + std::chrono::seconds(42);
            leases.push_back({each.key, 1'800'000'000'000'000, closes, lent, all, 0});
        }
        co_return leases;
    }
};

class DispatchLimitsTest : public DispatchTest {
   protected:
    DispatchLimitsTest() {
        config_.least_rate_limit = 61;
        limits_.emplace(OneWindow(), [] { return true; });
        restart(&*limits_);
    }
    std::optional<KeyLimits> limits_;
};

TEST_F(DispatchLimitsTest, AnswersTellAKeyOfItsLimit) {
    auto const first = ask(request(get, "/api/things/1", {reader()}));
    EXPECT_EQ(text(first, "X-RateLimit-Limit"), "61");
    EXPECT_EQ(text(first, "X-RateLimit-Remaining"), "60");
    EXPECT_EQ(text(first, "X-RateLimit-Reset"), "1800000000");
    EXPECT_EQ(text(first, "X-RateLimit-Window"), "60s");
    EXPECT_EQ(text(first, "X-RateLimit-Policy"), "61;w=60");
    EXPECT_EQ(field(first, "Retry-After"), nullptr);
    int left = 60;
    for (auto const& asked : {request(get, "/api/things/x", {reader()}), request(get, "/api/nothing", {reader()}),
                              request(del, "/api/things/1", {reader()}), request(get, "/api/things/1", {writer()}),
                              request(get, "/api/things/1", {reader(), {"Service-Version", "2020-01-01"}}),
                              request(get, "/api/broken", {reader()})}) {
        EXPECT_EQ(text(ask(asked), "X-RateLimit-Remaining"), std::to_string(--left)) << asked.target;
    }
    auto const elsewhere = request(get, "/nothing", {reader()});
    EXPECT_EQ(field(ask(elsewhere), "X-RateLimit-Remaining"), nullptr) << "nobody looked at the credential";
}

TEST_F(DispatchLimitsTest, AKeyPastItsLimitIsRefusedUntilTheWindowIsOver) {
    for (int i = 0; i < 61; ++i) EXPECT_EQ(ask(request(get, "/api/things/1", {reader()})).status, 200U);
    auto const over = ask(request(get, "/api/things/1", {reader()}));
    EXPECT_EQ(over.status, 429U);
    EXPECT_EQ(code_of(over), "API_KEY_RATE_LIMITED");
    EXPECT_EQ(error_of(over)["retryable"], true);
    EXPECT_EQ(text(over, "Retry-After"), "42");
    EXPECT_EQ(text(over, "X-RateLimit-Remaining"), "0");
    EXPECT_EQ(text(over, "X-RateLimit-Window"), "60s");
    EXPECT_EQ(field(over, "X-RateLimit-Policy"), nullptr);
    EXPECT_EQ(ask(request(get, "/api/nothing", {reader()})).status, 429U) << "the limit comes before the path";
    EXPECT_EQ(ask(request(get, "/api/things/1", {{"Authorization", "Bearer 5 shifts:read"}})).status, 200U);
}

TEST_F(DispatchLimitsTest, TheBodyOfAKeyPastItsLimitIsNotRead) {
    auto posted = request(post, "/api/things", {writer()});
    auto const admitted = [&] { return tests::await(dispatcher_->admit(posted)); };
    EXPECT_TRUE(admitted().holder) << "nothing is known of the key's window";
    for (int i = 0; i < 61; ++i) EXPECT_EQ(ask(request(get, "/api/things/1", {reader()})).status, 200U);
    for (int i = 0; i < 3; ++i) {
        auto const admission = admitted();
        EXPECT_FALSE(admission.holder);
        EXPECT_EQ(admission.refusal.value().code, core::Code::api_key_rate_limited);
    }
    EXPECT_EQ(limits_->stats().refused, 0U) << "a look counts for nothing";
    posted.refusal = admitted().refusal;
    auto const over = ask(posted);
    EXPECT_EQ(over.status, 429U);
    EXPECT_EQ(code_of(over), "API_KEY_RATE_LIMITED");
    EXPECT_EQ(text(over, "Retry-After"), "42");
    EXPECT_EQ(text(over, "X-RateLimit-Remaining"), "0");
    EXPECT_EQ(limits_->stats().refused, 1U) << "once";
    posted.headers = {{"Authorization", "Bearer 5 shifts:write"}};
    auto const late = ask(posted);
    EXPECT_EQ(late.status, 429U) << "its body is not there, whatever was let in meanwhile";
    EXPECT_EQ(text(late, "Retry-After"), "1");
    EXPECT_TRUE(tests::await(dispatcher_->admit(request(post, "/api/things", posted.headers))).holder);
}

TEST_F(DispatchLimitsTest, ForwardedRequestsCountWhereTheyCameIn) {
    auto const asked = request(get, "/api/things/1", {reader()});
    auto const forwarded = tests::await(dispatcher_->answer_forwarded(asked, {"req_1", "10.0.0.1"}));
    EXPECT_EQ(forwarded.status, 200U);
    EXPECT_EQ(field(forwarded, "X-RateLimit-Limit"), nullptr);
    EXPECT_EQ(text(ask(asked), "X-RateLimit-Remaining"), "60");
}

TEST_F(DispatchLimitsTest, AddressesWithoutCredentialHaveALimitOfTheirOwn) {
    config_.address_rate_limit = 3;
    restart(&*limits_);
    auto const from = [&](std::string address, net::Request asked) {
        asked.remote_address = std::move(address);
        return ask(asked);
    };
    EXPECT_EQ(from("10.0.0.1", request(get, "/api/things/1")).status, 401U);
    EXPECT_EQ(from("10.0.0.1", request(get, "/api/nothing")).status, 401U) << "what is there is told to callers alone";
    EXPECT_EQ(from("10.0.0.1", request(get, "/nothing")).status, 404U);
    auto const over = from("10.0.0.1", request(get, "/api/things/1"));
    EXPECT_EQ(over.status, 429U);
    EXPECT_EQ(code_of(over), "RATE_LIMITED");
    EXPECT_FALSE(text(over, "Retry-After").empty());
    EXPECT_EQ(field(over, "X-RateLimit-Limit"), nullptr);
    EXPECT_EQ(from("10.0.0.1", request(get, "/invite/x")).status, 429U);
    EXPECT_EQ(from("10.0.0.2", request(get, "/api/things/1")).status, 401U);
    EXPECT_EQ(from("10.0.0.1", request(get, "/api/things/1", {reader()})).status, 200U)
        << "a valid credential is no matter of the address";
    EXPECT_EQ(dispatcher_->limits().refused_addresses(), 2U);
}

TEST_F(DispatchTest, AKeyIsOfOneTo255Characters) {
    auto const keyed = [&](std::string key) { return post_thing({{"Idempotency-Key", std::move(key)}}); };
    EXPECT_EQ(nlohmann::json::parse(post_thing({}).body)["keyed"], false);
    EXPECT_EQ(nlohmann::json::parse(keyed("a").body)["keyed"], true);
    EXPECT_EQ(nlohmann::json::parse(keyed("\"a\"").body)["keyed"], true);
    EXPECT_EQ(nlohmann::json::parse(keyed(std::string(255, 'k')).body)["keyed"], true);
    for (auto const& key : {std::string(), std::string("\"\""), std::string(256, 'k')}) {
        auto const refused = keyed(key);
        EXPECT_EQ(refused.status, 400U) << key;
        EXPECT_EQ(error_of(refused)["details"]["fields"][0]["field"], "Idempotency-Key");
        auto const anybodys = request(post, "/oauth/token",
                                      {{"Content-Type", "application/x-www-form-urlencoded"}, {"Idempotency-Key", key}},
                                      "grant_type=code");
        EXPECT_EQ(ask(anybodys).status, 400U) << "also where no answer is kept";
    }
    EXPECT_EQ(ask(request(get, "/api/things/1", {reader(), {"Idempotency-Key", ""}})).status, 200U)
        << "a read has no use for it";
}

TEST_F(DispatchTest, AKeyOfARequestThatIsNotWholeReachesNobody) {
    auto late = request(post, "/api/things", {writer(), {"Idempotency-Key", "k"}});
    late.fault = net::RequestFault::timed_out;
    auto const refused = ask(late);
    EXPECT_EQ(refused.status, 408U);
    EXPECT_EQ(error_of(refused)["retryable"], true);
    refused.on_sent ? refused.on_sent() : void();
    EXPECT_TRUE(facts_.empty()) << "no operation began";
}

TEST_F(DispatchTest, ExpectedVersionsReachTheCall) {
    EXPECT_EQ(nlohmann::json::parse(post_thing({{"If-Match", "\"3\""}}).body)["version"], 3);
    EXPECT_EQ(nlohmann::json::parse(post_thing({{"If-Match", "*"}}).body)["version"], 0);
}

TEST_F(DispatchTest, FactsReachHooksOnceTheAnswerHasLeft) {
    auto const done = post_thing({});
    EXPECT_TRUE(facts_.empty()) << "it has not left";
    ASSERT_TRUE(done.on_sent);
    done.on_sent();
    ASSERT_EQ(facts_.size(), 1U);
    EXPECT_EQ(facts_[0].verb, "things.create");
    EXPECT_EQ(facts_[0].status, 201U);
    EXPECT_EQ(facts_[0].refused, std::nullopt);
    EXPECT_EQ(facts_[0].marker, "shift_filled");
    EXPECT_EQ(facts_[0].correlation.text(), text(done, "X-Request-Id"));

    ask(request(post, "/api/things/repeat", {writer()})).on_sent();
    EXPECT_TRUE(facts_.back().replayed);
    EXPECT_EQ(facts_.back().marker, "") << "what is told again was achieved before";
    ask(request(get, "/api/things/1", {reader()})).on_sent();
    EXPECT_EQ(facts_.back().facility, 31) << "what was touched";
    ask(request(get, "/api/things/1", {{"Authorization", "Bearer 5 shifts:read"}})).on_sent();
    EXPECT_EQ(facts_.back().facility, 9) << "what the caller is bound to goes before it";
    ask(request(get, "/api/things/1", {{"Authorization", "Bearer 5"}})).on_sent();
    EXPECT_EQ(facts_.back().refused, core::Code::insufficient_scope);
    EXPECT_EQ(facts_.back().facility, 9) << "refusals have facts, too";
    ask(request(get, "/api/broken", {reader()})).on_sent();
    EXPECT_EQ(facts_.back().refused, core::Code::internal_error);
    EXPECT_EQ(facts_.back().verb, "broken");
}

TEST_F(DispatchTest, WhatIsThrownIsToldWithoutItsText) {
    auto const broken = ask(request(get, "/api/broken", {reader()}));
    EXPECT_EQ(broken.status, 500U);
    EXPECT_EQ(broken.body.find("secret"), std::string::npos);
    EXPECT_FALSE(text(broken, "X-Request-Id").empty());
    auto const away = ask(request(get, "/api/away", {reader()}));
    EXPECT_EQ(away.status, 503U);
    EXPECT_EQ(text(away, "Retry-After"), "1");
}

TEST_F(DispatchTest, BodiesAreReadForThoseWhoseRowTakesThem) {
    auto const admit = [&](net::Request const& asked) { return tests::await(dispatcher_->admit(asked)); };
    EXPECT_TRUE(admit(request(post, "/api/things", {writer()})).holder);
    auto const unknown = admit(request(post, "/api/things"));
    EXPECT_FALSE(unknown.holder);
    EXPECT_EQ(unknown.refusal->code, core::Code::unauthenticated);
    EXPECT_FALSE(admit(request(post, "/api/nothing", {writer()})).holder);
    EXPECT_TRUE(admit(request(post, "/oauth/token")).holder) << "open, and it takes a body";
    EXPECT_FALSE(admit(request(get, "/invite/x")).holder);
}

TEST_F(DispatchTest, RepliesThatNobodyReadsCountForTheirOrganization) {
    std::vector<net::Reply> unread;
    auto const again = [&](net::Header const& who) -> net::Reply& {
        return unread.emplace_back(ask(request(get, "/api/much", {who})));
    };
    while (again(reader()).status == 200) ASSERT_LE(unread.size() * kMuch, kReplyBytes);
    EXPECT_EQ(unread.back().status, 503U);
    EXPECT_EQ(code_of(unread.back()), "SERVICE_UNAVAILABLE");
    EXPECT_EQ(text(unread.back(), "Retry-After"), "1");
    EXPECT_GT(replies_.used(), kReplyBytes / 5);
    EXPECT_LE(replies_.used(), kReplyBytes / 4) << "it leaves room for other credentials";
    while (again({"Authorization", "Bearer 3 shifts:read"}).status == 200)
        ASSERT_LE(unread.size() * kMuch, kReplyBytes);
    EXPECT_GT(replies_.used(), kReplyBytes / 3);
    EXPECT_LE(replies_.used(), kReplyBytes / 2) << "they leave other organizations as much";
    // Nothing is done for whoever is not to hear of it.
    EXPECT_EQ(post_thing({}).status, 503U);
    EXPECT_EQ(ask(request(get, "/api/things/1", {reader()})).status, 200U) << "what is small has room";
    EXPECT_EQ(ask(request(get, "/much")).status, 200U) << "what has no credential is apart";
    EXPECT_EQ(replies_.refused(), 3U);
    unread.clear();
    EXPECT_EQ(replies_.used(), 0U);
    EXPECT_EQ(again(reader()).status, 200U);
}

TEST_F(DispatchTest, WhatIsDoneIsAnswered) {
    std::vector<net::Reply> unread;
    auto const headers = std::vector<net::Header>{writer(), {"Content-Type", "application/json"}};
    auto again = ask(request(post, "/api/much", headers, "{}"));
    while (again.status == 200) {
        unread.push_back(std::move(again));
        ASSERT_LE(unread.size() * kMuch, kReplyBytes);
        again = ask(request(post, "/api/much", headers, "{}"));
    }
    EXPECT_EQ(again.status, 503U) << "before it is done";
    EXPECT_FALSE(error_of(again).contains("details"));
    EXPECT_EQ(replies_.used(), unread.size() * kMuch) << "as many as were done, and no more";
    EXPECT_LE(replies_.used(), kReplyBytes / 4);
    unread.clear();
    EXPECT_EQ(replies_.used(), 0U);
}

TEST_F(DispatchTest, WarningsAreShort) {
    std::string many = "/api/things/12?" + std::string(300, 'x') + "=1";
    for (int i = 0; i < 400; ++i) many += "&p" + std::to_string(i) + "=";
    auto const warning = text(ask(request(get, many, {reader()})), "Service-Warnings");
    EXPECT_TRUE(warning.starts_with("ignored parameters: p0, p1, p10,")) << warning;
    EXPECT_LT(warning.size(), 600U);
    EXPECT_TRUE(warning.ends_with(" more")) << warning;
    std::string const long_one = "/api/things/12?" + std::string(4000, 'x') + "=1";
    EXPECT_EQ(text(ask(request(get, long_one, {reader()})), "Service-Warnings"),
              "ignored parameters: " + std::string(64, 'x') + "...");
}

TEST_F(DispatchTest, SmallRepliesCountForNobody) {
    auto const reply = ask(request(get, "/api/things/1", {reader()}));
    EXPECT_EQ(reply.status, 200U);
    EXPECT_EQ(replies_.used(), 0U);
}

TEST_F(DispatchTest, RepliesWithoutACredentialCountForTheAddress) {
    std::vector<net::Reply> unread;
    auto asked = request(get, "/much");
    asked.remote_address = "192.0.2.1";
    unread.push_back(ask(asked));
    EXPECT_EQ(ask(asked).status, 503U);
    asked.remote_address = "192.0.2.2";
    EXPECT_EQ(ask(asked).status, 200U);
    EXPECT_EQ(ask(request(get, "/api/much", {reader()})).status, 200U);
}

}  // namespace
}  // namespace workforce::api
