// One Authorization header, and no other place.
#include "api/credentials/presented.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace workforce::api {
namespace {

std::string const kToken = "svc_live_" + std::string(49, 'x');

net::Request asking(std::string target, std::vector<net::Header> headers = {}) {
    net::Request request;
    request.target = std::move(target);
    request.headers = std::move(headers);
    return request;
}

TEST(PresentedCredential, IsTheHeaderAlone) {
    EXPECT_EQ(presented_credential(asking("/api/staff"))->authorization.value_or("none"), "none");
    auto const request = asking("/api/staff?q=key&limit=1&&=&x", {{"Host", "a"}, {"authorization", "Bearer a"}});
    EXPECT_EQ(presented_credential(request)->authorization, "Bearer a");
}

TEST(PresentedCredential, IsTheSessionsCookieWhereThereIsNoHeader) {
    auto const request = asking("/", {{"cookie", "a=1; svc_session=secret ;b=2"}, {"Cookie", "svc_session2=x; =; ;"}});
    auto const presented = presented_credential(request);
    ASSERT_TRUE(presented);
    EXPECT_EQ(presented->cookie, "secret");
    EXPECT_TRUE(presented->by_cookie());
    auto const both = asking("/", {{"Cookie", "svc_session=secret"}, {"Authorization", "Bearer a"}});
    EXPECT_FALSE(presented_credential(both)->by_cookie());
    EXPECT_FALSE(presented_credential(asking("/", {{"Cookie", "svc_session"}}))->by_cookie());
}

TEST(PresentedCredential, IsNeverOneOfTwoCookies) {
    for (auto const& headers : {std::vector<net::Header>{{"Cookie", "svc_session=a; svc_session=b"}},
                                {{"Cookie", "svc_session=a"}, {"Cookie", "svc_session=a"}}}) {
        EXPECT_EQ(presented_credential(asking("/", headers)).error().code, core::Code::unauthenticated);
    }
}

TEST(PresentedCredential, IsNeverOneOfTwo) {
    for (auto const* second : {"Bearer a", "Bearer b", ""}) {
        auto const refused =
            presented_credential(asking("/", {{"Authorization", "Bearer a"}, {"AUTHORIZATION", second}}));
        ASSERT_FALSE(refused) << second;
        EXPECT_EQ(refused.error().code, core::Code::validation_error);
        EXPECT_NE(refused.error().details.find("Authorization"), std::string::npos);
    }
}

TEST(PresentedCredential, IsNotInTheQuery) {
    auto const encoded = "svc%5Flive_" + std::string(49, 'x');
    std::vector<std::string> const queries{"api_key=a",
                                           "limit=1&API_KEY=",
                                           "access_token=a",
                                           "apiKey",
                                           "key=" + kToken,
                                           "q=" + encoded,
                                           kToken,
                                           encoded + "=1",
                                           std::string("q=svc_test_"),
                                           std::string("x=%&q=svc_pat_a")};
    for (auto const& query : queries) {
        auto const alone = presented_credential(asking("/api/staff?" + query));
        ASSERT_FALSE(alone) << query;
        EXPECT_EQ(alone.error().code, core::Code::unauthenticated) << query;
        auto const beside = presented_credential(asking("/api/staff?" + query, {{"Authorization", "Bearer a"}}));
        ASSERT_FALSE(beside) << query;
        EXPECT_EQ(beside.error().code, core::Code::validation_error) << query;
        for (auto const& problem : {alone.error(), beside.error()}) {
            EXPECT_NE(problem.suggestion.find("Authorization: Bearer"), std::string::npos);
            for (auto const& text : {problem.message, problem.details, problem.suggestion}) {
                EXPECT_EQ(text.find("xxx"), std::string::npos) << text;
            }
        }
    }
}

}  // namespace
}  // namespace workforce::api
