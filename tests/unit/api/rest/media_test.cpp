// Content-Type and Accept.
#include "api/rest/media.hpp"

#include <gtest/gtest.h>

#include <array>

#include "api/body.hpp"

namespace workforce::api {
namespace {

TEST(MediaTypes, AreComparedWithoutCaseAndParameters) {
    using enum operations::MediaType;
    EXPECT_TRUE(is_type("application/json", json));
    EXPECT_TRUE(is_type(" Application/JSON ; charset=utf-8", json));
    EXPECT_TRUE(is_type("application/merge-patch+json", json));
    EXPECT_FALSE(is_type("text/json", json));
    EXPECT_FALSE(is_type("", json));
    EXPECT_TRUE(is_type("text/csv; header=present", csv));
    EXPECT_FALSE(is_type("application/json", csv));
    EXPECT_FALSE(is_type("application/x+json", form));
}

TEST(MediaTypes, TheClientChoosesAmongWhatTheRowGives) {
    using enum operations::MediaType;
    constexpr std::array kGives{json, event_stream, ndjson};
    auto const best = [&](std::string_view accept) { return best_type(kGives, accept); };
    EXPECT_EQ(best("text/event-stream"), event_stream);
    EXPECT_EQ(best("*/*"), json);
    EXPECT_EQ(best("application/json, text/event-stream"), json) << "alike: the row's order";
    EXPECT_EQ(best("application/json;q=0.5, text/event-stream;q=0.8"), event_stream);
    EXPECT_EQ(best("text/*, application/*;q=0.9"), event_stream);
    EXPECT_EQ(best("application/*, application/json;q=0.1"), ndjson) << "the most exact range counts";
    EXPECT_EQ(best("application/json;q=0, application/x-ndjson;q=0.001"), ndjson);
    EXPECT_EQ(best("APPLICATION/JSON ; version=1 ; Q=1.000"), json);
    EXPECT_EQ(best("image/png"), std::nullopt);
    EXPECT_EQ(best("application/json;q=0"), std::nullopt);
    EXPECT_EQ(best(""), std::nullopt);
    EXPECT_EQ(best("application/json;q=2, ;;,, /"), std::nullopt) << "what can't be read counts for nothing";
}

net::Request with_body(std::string type, std::string body) {
    net::Request request;
    request.method = net::Method::post;
    request.headers = {{"Content-Type", std::move(type)}};
    request.body = std::move(body);
    return request;
}

TEST(Bodies, AFormIsAnObjectOfTexts) {
    using enum operations::MediaType;
    auto const request = with_body("application/x-www-form-urlencoded", "grant_type=refresh_token&scope=a+b%20c");
    auto const body = parse_body(request, form);
    ASSERT_TRUE(body);
    EXPECT_STREQ((*body)["grant_type"].GetString(), "refresh_token");
    EXPECT_STREQ((*body)["scope"].GetString(), "a b c");
    EXPECT_EQ(parse_body(with_body("application/x-www-form-urlencoded", "a=%zz"), form).error().code,
              core::Code::validation_error);
}

TEST(Bodies, OtherTextIsTheBodyItself) {
    using enum operations::MediaType;
    auto const request = with_body("text/csv", "name\r\nAda\r\n");
    auto const body = parse_body(request, csv);
    ASSERT_TRUE(body && body->IsString());
    EXPECT_EQ(body->GetString(), request.body.data()) << "no copy";
    EXPECT_EQ(body->GetStringLength(), request.body.size());
    EXPECT_EQ(parse_body(with_body("text/csv", ""), csv)->GetStringLength(), 0U);
}

TEST(Bodies, ARefusalNamesWhatTheRowTakes) {
    using enum operations::MediaType;
    auto const body = parse_body(with_body("application/json", "{}"), csv);
    ASSERT_FALSE(body);
    EXPECT_EQ(body.error().code, core::Code::unsupported_media_type);
    EXPECT_EQ(body.error().details, R"({"mediaTypes":["text/csv"]})");
    EXPECT_EQ(parse_body(with_body("text/plain", "{}"), json).error().details,
              R"({"mediaTypes":["application/json"]})");
}

}  // namespace
}  // namespace workforce::api
