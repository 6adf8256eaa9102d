// Pages of help on the request path, and what they say of limits.
#include "api/pages/help_content.hpp"
#include "api/pages/limit_rows.hpp"
#include "tests/unit/api/dispatch_fixture.hpp"

namespace workforce::api {
namespace {

class HelpTest : public DispatchTest {
   protected:
    std::string body_at(std::string const& path) { return std::string(ask(request(get, path)).text()); }
    /// The path of the first file of that name that the page loads.
    std::string file_of(std::string const& page, std::string const& name) {
        auto const html = body_at(page);
        auto const end = html.find(name + '"');
        if (end == std::string::npos) return {};
        auto const begin = html.rfind('"', end) + 1;
        return html.substr(begin, end + name.size() - begin);
    }
};

TEST_F(HelpTest, AnswersWithoutACredentialInAnyVersion) {
    for (auto const& page : help_pages()) {
        auto const reply = ask(request(get, std::string(page.path), {{"Service-Version", "2026-05-10"}}));
        EXPECT_EQ(reply.status, 200U) << page.path;
        EXPECT_EQ(reply.content_type, "text/html; charset=utf-8");
        EXPECT_NE(text(reply, "Content-Security-Policy").find("script-src 'self';"), std::string::npos);
        EXPECT_EQ(text(reply, "Cache-Control"), "no-cache");
        EXPECT_NE(reply.text().find("<h1>" + std::string(page.title) + "</h1>"), std::string::npos) << page.path;
    }
    EXPECT_TRUE(facts_.empty()) << "no operation, no facts";
}

TEST_F(HelpTest, SendsAgainOnlyWhatIsAnother) {
    auto const first = ask(request(get, "/docs/errors"));
    auto const same = ask(request(get, "/docs/errors", {{"If-None-Match", "\"a\", W/" + text(first, "ETag")}}));
    EXPECT_EQ(same.status, 304U);
    EXPECT_EQ(same.text(), "");
    EXPECT_EQ(text(same, "ETag"), text(first, "ETag"));
    EXPECT_EQ(ask(request(get, "/docs/errors", {{"If-None-Match", "\"a\""}})).status, 200U);
    auto const styles = file_of("/docs/errors", "pages.css");
    EXPECT_TRUE(styles.starts_with("/docs/files/")) << styles;
    EXPECT_TRUE(text(ask(request(get, styles)), "Cache-Control").ends_with("immutable"));
}

TEST_F(HelpTest, SendsLargeFilesWhateverAnswersWait) {
    auto const reply = ask(request(get, file_of("/docs", "swagger-ui-bundle.js")));
    EXPECT_EQ(reply.status, 200U);
    EXPECT_FALSE(reply.held) << "they take no memory of their own";
    EXPECT_GT(reply.text().size(), kReplyBytes);
}

TEST_F(HelpTest, SendsItsDescriptionToAllWhoDoNotReadIt) {
    std::vector<net::Reply> unread;
    for (int i = 0; i < 20; ++i) {
        unread.push_back(ask(request(get, i % 2 == 0 ? "/openapi.json" : "/api/openapi.json")));
        ASSERT_EQ(unread.back().status, 200U);
        ASSERT_GT(unread.back().text().size(), kReplyBytes);
    }
    EXPECT_EQ(replies_.used(), 0U);
    EXPECT_EQ(text(unread.front(), "Access-Control-Allow-Origin"), "*");
}

TEST_F(HelpTest, RefusesWhatItDoesNotHave) {
    EXPECT_EQ(code_of(ask(request(get, "/docs/files/0/pages.css"))), "NOT_FOUND");
    auto const refused = ask(request(post, "/docs"));
    EXPECT_EQ(code_of(refused), "METHOD_NOT_ALLOWED");
    EXPECT_EQ(text(refused, "Allow"), "GET");
}

TEST_F(HelpTest, TellsOfLimitsAsTheyAreConfigured) {
    EXPECT_NE(body_at("/docs/limits").find("600 requests a minute"), std::string::npos);
    config_.user_rate_limit = 0;
    restart();
    EXPECT_EQ(body_at("/docs/limits").find("600 requests a minute"), std::string::npos);
    EXPECT_NE(body_at("/docs/limits").find("no limit"), std::string::npos);
}

TEST(LimitRowsTest, SaysTimesInTheLargestUnit) {
    using std::chrono::seconds;
    EXPECT_EQ(duration_text(seconds(1)), "1 second");
    EXPECT_EQ(duration_text(seconds(90)), "90 seconds");
    EXPECT_EQ(duration_text(seconds(900)), "15 minutes");
    EXPECT_EQ(duration_text(seconds(21'600)), "6 hours");
    EXPECT_EQ(rate_text(60, seconds(60)), "60 requests a minute");
    EXPECT_EQ(rate_text(60, seconds(30)), "60 requests in 30 seconds");
}

}  // namespace
}  // namespace workforce::api
