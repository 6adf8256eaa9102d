// The words of members: that they are found, and that names of operations in them are shown.
#include "operations/words/words.hpp"

#include <gtest/gtest.h>

#include "events/shift.hpp"
#include "operations/schema/api_schema.hpp"

namespace workforce::operations {
namespace {

struct OwnShift : events::Shift {
    std::int32_t extra = 0;
};
BOOST_DESCRIBE_STRUCT(OwnShift, (events::Shift), (extra))

TEST(Words, AreThoseOfTheStructThatDeclaresTheMember) {
    std::map<std::string_view, std::string_view> declaring;
    for (auto const& field : kApiFields<OwnShift>) declaring.emplace(field.name, field.declaring);
    EXPECT_EQ(declaring["id"], "Identified");
    EXPECT_EQ(declaring["title"], "ShiftDetails");
    EXPECT_EQ(declaring["extra"], "OwnShift");
    EXPECT_EQ(words_of("ShiftDetails", "title"), words_of("ShiftChanges", "title"));
    EXPECT_EQ(words_of("OwnShift", "extra"), "");
    EXPECT_NE(words_of_path("shifts", "id"), "");
    EXPECT_EQ(words_of_path("nothing", "id"), "");
}

TEST(Words, SayWhatTheTypeAddsToTheMeaning) {
    EXPECT_TRUE(description_of("ShiftDetails", "startTime", kNote<core::TimeOfDay>).ends_with(". HH:MM"));
    EXPECT_EQ(description_of("Nothing", "at", kNote<std::optional<core::TimeOfDay>>), "HH:MM");
    EXPECT_EQ(description_of("ShiftDetails", "title", {}), words_of("ShiftDetails", "title"));
}

TEST(Words, NameOperationsAsTheReaderKnowsThem) {
    auto const shown = [](std::string_view verb) { return "<" + std::string(verb) + ">"; };
    EXPECT_EQ(with_names("from {shifts.list}, then {staff.list_of}.", shown),
              "from <shifts.list>, then <staff.list_of>.");
    for (auto const* other : {"", "no names", "{id}", R"({"a":{"b.c":1}})", "{shifts: […]}", "{open", "{2,}", "{{}}"}) {
        EXPECT_EQ(with_names(other, shown), other);
    }
    EXPECT_EQ(with_names("{{now.date}}, {shifts.list}", shown), "{{now.date}}, <shifts.list>") << "a template is none";
}

}  // namespace
}  // namespace workforce::operations
