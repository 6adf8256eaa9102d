// Which requests a browser sends from elsewhere.
#include "api/rest/same_origin.hpp"

#include <gtest/gtest.h>

namespace workforce::api {
namespace {

bool taken(std::vector<net::Header> headers, std::string_view base_url = "https://app.example.test/base") {
    net::Request request;
    request.headers = std::move(headers);
    auto const refused = check_same_origin(request, base_url);
    if (refused) EXPECT_EQ(refused->code, core::Code::csrf_rejected);
    return !refused;
}

TEST(SameOrigin, WhatIsNoBrowserIsTaken) { EXPECT_TRUE(taken({})); }

TEST(SameOrigin, TheSiteIsTheServicesOwn) {
    EXPECT_TRUE(taken({{"Sec-Fetch-Site", "same-origin"}}));
    for (auto const* site : {"cross-site", "same-site", "none", "", "Same-Origin", "same-origin, cross-site"}) {
        EXPECT_FALSE(taken({{"Sec-Fetch-Site", site}})) << site;
    }
    EXPECT_FALSE(taken({{"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "cross-site"}}));
}

TEST(SameOrigin, TheOriginIsTheBaseUrlsOrTheOneThatWasAsked) {
    EXPECT_TRUE(taken({{"Origin", "https://app.example.test"}}));
    EXPECT_TRUE(taken({{"Origin", "https://APP.example.test"}, {"Sec-Fetch-Site", "same-origin"}}));
    EXPECT_TRUE(taken({{"Origin", "http://localhost:8080"}, {"Host", "localhost:8080"}}, "http://127.0.0.1:8080"));
    for (auto const* origin : {"http://app.example.test", "https://app.example.test:8443", "https://example.test",
                               "null", "", "https://app.example.test.evil.test", "https://app.example.test/base"}) {
        EXPECT_FALSE(taken({{"Origin", origin}})) << origin;
    }
    EXPECT_FALSE(taken({{"Origin", "http://localhost:8080"}, {"Host", "localhost:8080"}}));
    EXPECT_FALSE(taken({{"Origin", "https://app.example.test"}, {"Sec-Fetch-Site", "cross-site"}}));
}

TEST(SameOrigin, AnotherSiteLedTheBrowserHere) {
    auto const led = [](std::vector<net::Header> headers) {
        net::Request request;
        request.headers = std::move(headers);
        return is_from_elsewhere(request);
    };
    EXPECT_FALSE(led({}));
    EXPECT_FALSE(led({{"Sec-Fetch-Site", "same-origin"}}));
    EXPECT_FALSE(led({{"Sec-Fetch-Site", "none"}})) << "its user typed the address";
    for (auto const* site : {"cross-site", "same-site", "", "none, none"}) {
        EXPECT_TRUE(led({{"Sec-Fetch-Site", site}})) << site;
    }
}

}  // namespace
}  // namespace workforce::api
