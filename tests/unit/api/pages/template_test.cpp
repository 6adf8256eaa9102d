// Templates: what is escaped, what counts as absent.
#include "api/pages/template.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace workforce::api {

struct HeadLink {
    std::string path;
    std::string title;
    bool current = false;
};
BOOST_DESCRIBE_STRUCT(HeadLink, (), (path, title, current))

/// What part_head.mustache asks for.
struct Head {
    std::string title;
    std::string lead;
    std::vector<std::string> scripts;
    std::vector<HeadLink> pages;
};
BOOST_DESCRIBE_STRUCT(Head, (), (title, lead, scripts, pages))

namespace {

TEST(TemplateTest, EscapesWhatItPutsIn) {
    auto const html = fill_template("part_head", Head{"<script>alert(1)</script>", "\"&'", {"/a\" onload=\"b"}, {}});
    EXPECT_EQ(html.find("<script>"), std::string::npos);
    EXPECT_EQ(html.find("\" onload"), std::string::npos);
    EXPECT_NE(html.find("&lt;script&gt;alert(1)&lt;/script&gt;"), std::string::npos);
    EXPECT_NE(html.find("&quot;&amp;&apos;"), std::string::npos);
}

TEST(TemplateTest, LooksForNothingInWhatIsAround) {
    auto const html = fill_template("part_head", Head{"Around", "", {}, {{"/docs", "", false}, {"/b", "B", true}}});
    EXPECT_NE(html.find(R"(<a href="/docs"></a>)"), std::string::npos) << html;
    EXPECT_NE(html.find(R"(<a href="/b" aria-current="page">B</a>)"), std::string::npos) << html;
}

TEST(TemplateTest, ThrowsForATemplateThatThereIsNot) {
    EXPECT_THROW(fill_template("nothing", Head{}), std::logic_error);
}

}  // namespace
}  // namespace workforce::api
