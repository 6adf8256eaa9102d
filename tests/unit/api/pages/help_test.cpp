// Pages of help on the request path, and what they say of limits.
#include "api/pages/help_content.hpp"
#include "api/pages/limit_rows.hpp"
#include "tests/unit/api/dispatch_fixture.hpp"

namespace workforce::api {
namespace {

/// What a streamed answer consists of.
class Collected final : public net::Stream {
   public:
    boost::asio::awaitable<bool> write(std::string_view bytes) override {
        body += bytes;
        co_return true;
    }
    boost::asio::awaitable<State> wait(Clock::time_point) override { co_return State::open; }
    [[nodiscard]] State state() const override { return State::open; }
    std::function<void()> waker() override {
        return [] {};
    }

    std::string body;
};

class HelpTest : public DispatchTest {
   protected:
    /// The bytes of an answer.
    static std::string body_of(net::Reply const& reply) {
        Collected collected;
        if (reply.stream) tests::await(reply.stream.produce(collected));
        return collected.body;
    }
    std::string body_at(std::string const& path) { return body_of(ask(request(get, path))); }
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
        EXPECT_NE(body_of(reply).find("<h1>" + std::string(page.title) + "</h1>"), std::string::npos) << page.path;
    }
    EXPECT_TRUE(facts_.empty()) << "no operation, no facts";
}

TEST_F(HelpTest, SendsAgainOnlyWhatIsAnother) {
    auto const first = ask(request(get, "/docs/errors"));
    auto const same = ask(request(get, "/docs/errors", {{"If-None-Match", "\"a\", W/" + text(first, "ETag")}}));
    EXPECT_EQ(same.status, 304U);
    EXPECT_FALSE(same.stream);
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
    EXPECT_GT(body_of(reply).size(), kReplyBytes);
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
