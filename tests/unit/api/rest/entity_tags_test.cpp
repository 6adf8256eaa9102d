// Lists of entity tags in If-Match.
#include "api/rest/entity_tags.hpp"

#include <gtest/gtest.h>

namespace workforce::api {
namespace {

using VersionNumbers = std::vector<std::int64_t>;

TEST(EntityTags, AnyVersionWillDo) {
    for (auto const* field : {"*", " * ", "\t*"}) EXPECT_FALSE(expected_versions(field)) << field;
}

TEST(EntityTags, ListsNameEachVersion) {
    std::pair<std::string_view, VersionNumbers> const cases[] = {
        {R"("7")", {7}},
        {R"("7", "8")", {7, 8}},
        {R"("7","8" ,"9")", {7, 8, 9}},
        {R"(, "7",, "8" ,)", {7, 8}},
        {R"("x", "7", "a,b")", {7}},
        {R"("9223372036854775807")", {9223372036854775807}},
    };
    for (auto const& [field, versions] : cases) EXPECT_EQ(expected_versions(field), versions) << field;
    EXPECT_EQ(expected_versions(entity_tag(12)), VersionNumbers{12});
}

TEST(EntityTags, WeakForeignAndBrokenOnesMatchNothing) {
    for (auto const* field :
         {"", R"(W/"7")", R"(W/"7", "x")", R"("07")", R"("0")", R"("-7")", R"("+7")", R"("7 ")", R"("")", "7", R"("7)",
          R"("7" "8")", R"("7"x)", R"(*, "7")", R"("7", *)", R"(w/"7")", R"("9223372036854775808")"}) {
        EXPECT_EQ(expected_versions(field), VersionNumbers{}) << field;
    }
    EXPECT_EQ(expected_versions(R"(W/"7", "8")"), VersionNumbers{8});
}

}  // namespace
}  // namespace workforce::api
