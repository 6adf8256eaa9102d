// Paths to routes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "api/rest/route.hpp"

namespace workforce::api {
namespace {

using enum net::Method;

std::string filled(std::string_view path) {
    std::string text(path);
    for (auto at = text.find("{id}"); at != std::string::npos; at = text.find("{id}")) text.replace(at, 4, "7");
    return text;
}

TEST(Router, FindsEachRouteByItsOwnPath) {
    for (auto const& route : routes()) {
        auto const match = find_route(route.method, filled(route.path));
        ASSERT_NE(match.route, nullptr) << route.name;
        EXPECT_EQ(match.route->name, route.name);
        auto const ids = route.path.find("{id}") == std::string_view::npos ? std::vector<Id>{} : std::vector<Id>{7};
        EXPECT_EQ(match.path_ids, ids) << route.name;
        EXPECT_FALSE(match.bad_id);
    }
}

TEST(Router, HeadIsAnsweredByGet) {
    auto const match = find_route(head, "/api/shifts/12");
    ASSERT_NE(match.route, nullptr);
    EXPECT_EQ(match.route->name, "shifts.get");
    EXPECT_EQ(find_route(head, "/api/shifts/12/start").route, nullptr);
}

TEST(Router, AnotherMethodIsToldWhatThereIs) {
    auto const match = find_route(post, "/api/shifts/12");
    EXPECT_EQ(match.route, nullptr);
    for (auto const* method : {"GET", "PATCH", "PUT", "DELETE"}) {
        EXPECT_NE(match.allow.find(method), std::string::npos) << match.allow;
    }
    EXPECT_EQ(match.allow.find("POST"), std::string::npos) << match.allow;
}

TEST(Router, NothingIsAtOtherPaths) {
    for (auto const* path :
         {"", "/", "/api", "/api/", "/api/shifts/", "/api/shifts/1/start/2", "//api/shifts", "/API/shifts"}) {
        auto const match = find_route(get, path);
        EXPECT_TRUE(match.route == nullptr || match.bad_id) << path;
        if (match.route == nullptr) EXPECT_EQ(match.allow, "") << path;
    }
}

TEST(Router, AnIdIsAPositiveInteger) {
    for (auto const* id : {"0", "-1", "x", "1x", "1.0", "%31", "9007199254740992", "99999999999999999999", ""}) {
        auto const match = find_route(get, std::string("/api/shifts/") + id);
        ASSERT_NE(match.route, nullptr) << id;
        EXPECT_TRUE(match.bad_id) << id;
    }
    EXPECT_EQ(find_route(get, "/api/shifts/9007199254740991").path_ids, std::vector<Id>{9007199254740991});
}

TEST(OpenApi, DescribesEveryRouteOnce) {
    auto const document = nlohmann::json::parse(openapi_document());
    std::set<std::string> described;
    for (auto const& path : document["paths"]) {
        for (auto const& method : path) {
            EXPECT_TRUE(described.insert(method["operationId"].get<std::string>()).second);
        }
    }
    std::set<std::string> names;
    for (auto const& route : routes()) names.emplace(route.name);
    EXPECT_EQ(described, names);
}

}  // namespace
}  // namespace workforce::api
