// Paths to routes.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>

#include "api/rest/route.hpp"

namespace workforce::api {
namespace {

using enum net::Method;

Match find_route(net::Method method, std::string_view path) { return rest_router().find(method, path); }

std::string filled(std::string_view path) {
    std::string text;
    for (auto const& segment : segments_of(path)) {
        text += '/';
        text += segment.type == Segment::Type::literal ? segment.text : "7";
    }
    return text;
}

TEST(Router, FindsEachRouteByItsOwnPath) {
    for (auto const& route : rest_router().routes()) {
        auto const match = find_route(route.method, filled(route.path));
        ASSERT_NE(match.route, nullptr) << route.name;
        EXPECT_EQ(match.route->name, route.name);
        bool const by_id = route.path.find("{id:int}") != std::string_view::npos;
        EXPECT_EQ(match.path.size(), static_cast<std::size_t>(std::ranges::count(route.path, '{'))) << route.name;
        if (by_id) EXPECT_EQ(match.path.id(), 7) << route.name;
        EXPECT_EQ(match.malformed, "");
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
    for (auto const* path : {"", "/", "/api", "/api/", "/api/shifts/", "/api/staff/", "/api/shifts/1/",
                             "/api/shifts//start", "/api/shifts/1/start/2", "//api/shifts", "/API/shifts"}) {
        auto const match = find_route(get, path);
        EXPECT_EQ(match.route, nullptr) << path;
        EXPECT_EQ(match.allow, "") << path;
    }
}

TEST(Router, AnIdIsAPositiveInteger) {
    for (auto const* id : {"0", "-1", "x", "1x", "1.0", "%31", "9007199254740992", "99999999999999999999"}) {
        auto const match = find_route(get, std::string("/api/shifts/") + id);
        ASSERT_NE(match.route, nullptr) << id;
        EXPECT_EQ(match.malformed, "id") << id;
    }
    EXPECT_EQ(find_route(get, "/api/shifts/9007199254740991").path.id(), 9007199254740991);
}

class OwnTable : public testing::Test {
   protected:
    std::vector<operations::Operation> const rows_ = [] {
        std::vector<operations::Operation> all;
        auto const add = [&](net::Method method, std::string_view path) {
            all.push_back(operations::Operation{.name = path}.at(method, path));
        };
        add(get, "/x/{id:int}");
        add(get, "/x/latest");
        add(get, "/x/{id:int}/y/{other:int}");
        add(get, "/invite/{token:text}");
        add(post, "/import");
        all.back().http.max_body = 2 << 20;
        add(get, "/import");
        all.back().http.cors = true;
        return all;
    }();
    Router const router_{routes_of(rows_)};
};

TEST_F(OwnTable, ParametersHaveNames) {
    auto const match = router_.find(get, "/x/3/y/4");
    ASSERT_NE(match.route, nullptr);
    EXPECT_EQ(match.path.id(), 3);
    EXPECT_EQ(match.path.id("other"), 4);
    EXPECT_THROW((void)match.path.id("third"), std::logic_error);
    EXPECT_EQ(router_.find(get, "/x/3/y/four").malformed, "other");
}

TEST_F(OwnTable, ALiteralGoesBeforeAParameter) {
    auto const match = router_.find(get, "/x/latest");
    ASSERT_NE(match.route, nullptr);
    EXPECT_EQ(match.route->path, "/x/latest");
    EXPECT_EQ(match.path.size(), 0U);
}

TEST_F(OwnTable, ATextIsDecodedAndNotEmpty) {
    EXPECT_EQ(router_.find(get, "/invite/a%2Fb+c").path.text("token"), "a/b+c");
    EXPECT_EQ(router_.find(get, "/invite/").route, nullptr);
    EXPECT_EQ(router_.find(get, "/invite/a%2").malformed, "token");
    EXPECT_EQ(router_.find(get, "/invite/%FF").malformed, "token");
    EXPECT_EQ(router_.find(get, "/invite/a/b").route, nullptr);
}

TEST_F(OwnTable, ABodyIsAsLongAsItsRowTakes) {
    EXPECT_EQ(router_.max_body(post, "/import"), 2U << 20);
    EXPECT_EQ(router_.max_body(get, "/import"), operations::kMaxBody);
    EXPECT_EQ(router_.max_body(post, "/elsewhere"), operations::kMaxBody);
}

TEST_F(OwnTable, OtherOriginsMayAskWhatTheRowsSay) {
    EXPECT_EQ(router_.shared_methods("/import"), "GET");
    EXPECT_EQ(router_.shared_methods("/x/latest"), "");
    EXPECT_EQ(router_.shared_methods("/elsewhere"), "");
}

/// The fuzz target says so too, but it is built and run last.
TEST(Router, EachCommandHasARowInTheFuzzTargetOfBodies) {
    std::ifstream source(WORKFORCE_SOURCE_DIR "/tests/fuzz/body.cpp");
    std::string const rows(std::istreambuf_iterator<char>(source), {});
    for (auto const& route : rest_router().routes()) {
        if (route.method == get || !route.operation->appends) continue;
        EXPECT_NE(rows.find("Row{\"" + std::string(route.name) + '"'), std::string::npos) << route.name;
    }
}

TEST(Router, RefusesWhatIsNoTemplate) {
    for (auto const* path : {"/x/{id}", "/x/{:int}", "/x/{id:number}", "/x/{id:int", "/x/a{id:int}",
                             "/{a:int}/{b:int}/{c:int}/{d:int}/{e:int}"}) {
        EXPECT_THROW((void)segments_of(path), std::logic_error) << path;
    }
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
    for (auto const& route : rest_router().routes()) {
        if (!route.http().described) continue;
        if (route.name != route.http().put_name) names.emplace(route.name);  // PATCH is described, and does the same
    }
    EXPECT_EQ(described, names);
}

TEST(OpenApi, FollowsFromTheTraitsOfTheRow) {
    auto const any = [](core::JsonWriter& w, operations::Components&) { w.member("type", "object"); };
    using enum operations::MediaType;
    operations::Operation token{.name = "token", .body = any, .answer = any};
    token.http = {.method = post,
                  .path = "/oauth/{client:text}/token/{n:int}",
                  .takes = form,
                  .errors = operations::ErrorForm::oauth};
    operations::Operation events{.name = "events", .answer = any};
    events.http = {.method = get, .path = "/events", .gives = {json, event_stream}};
    std::vector const rows{token, events};
    auto const document = nlohmann::json::parse(openapi_of(routes_of(rows)));

    auto const& posted = document["paths"]["/oauth/{client}/token/{n}"]["post"];
    EXPECT_TRUE(posted["requestBody"]["content"].contains("application/x-www-form-urlencoded")) << posted;
    EXPECT_EQ(posted["parameters"][0]["name"], "client");
    EXPECT_EQ(posted["parameters"][0]["schema"]["type"], "string");
    EXPECT_EQ(posted["parameters"][1]["name"], "n");
    EXPECT_EQ(posted["parameters"][1]["schema"]["type"], "integer");
    auto const& refusal = posted["responses"]["400"]["content"]["application/json"]["schema"];
    EXPECT_TRUE(refusal["properties"].contains("error_description")) << refusal;
    EXPECT_FALSE(posted["responses"].contains("406"));

    auto const& read = document["paths"]["/events"]["get"]["responses"];
    EXPECT_TRUE(read["200"]["content"].contains("application/json"));
    EXPECT_EQ(read["200"]["content"]["text/event-stream"]["schema"]["type"], "string");
    EXPECT_TRUE(read.contains("406"));
}

}  // namespace
}  // namespace workforce::api
