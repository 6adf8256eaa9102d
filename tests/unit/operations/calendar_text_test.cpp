// Calendars as text: what RFC 5545 has of lines and of texts.
#include "operations/calendar_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/utf8.hpp"

namespace workforce {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

operations::CalendarEntry entry(std::string title) {
    return {.uid = "shift-12@api.example.test",
            .changed = {1'785'000'000'000},
            .starts = {1'785'100'000'000},
            .ends = {1'785'128'800'000},
            .title = std::move(title)};
}

std::string text_of(operations::CalendarEntry const& one) {
    return operations::calendar_text("Shifts", std::span(&one, 1));
}

TEST(CalendarText, HasTheMembersThatProgramsNeed) {
    auto const text = text_of(entry("Night"));
    EXPECT_THAT(text, StartsWith("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n"));
    EXPECT_THAT(text, EndsWith("END:VEVENT\r\nEND:VCALENDAR\r\n"));
    for (auto const* const line :
         {"UID:shift-12@api.example.test\r\n", "DTSTAMP:20260725T172000Z\r\n", "DTSTART:20260726T210640Z\r\n",
          "DTEND:20260727T050640Z\r\n", "SUMMARY:Night\r\n", "X-WR-CALNAME:Shifts\r\n"}) {
        EXPECT_THAT(text, HasSubstr(line));
    }
    EXPECT_THAT(text, Not(HasSubstr("LOCATION")));
    EXPECT_THAT(text, Not(HasSubstr("VTIMEZONE")));
    auto const empty = operations::calendar_text("Nobody", {});
    EXPECT_THAT(empty, Not(HasSubstr("VEVENT")));
    EXPECT_THAT(empty, HasSubstr("BEGIN:VTIMEZONE\r\n")) << "RFC 5545 3.6: a component at least";
}

TEST(CalendarText, TextsAreEscaped) {
    auto one = entry("A;B,C\\D\nEND:VEVENT\r\x01");
    EXPECT_THAT(text_of(one), HasSubstr("\r\nSUMMARY:A\\;B\\,C\\\\D\\nEND:VEVENT\r\nEND:VEVENT\r\n"));
}

TEST(CalendarText, LongLinesAreFoldedBetweenCharacters) {
    for (std::size_t before = 0; before < 80; ++before) {
        std::string title(before, 'x');
        for (int i = 0; i < 60; ++i) title += i % 2 == 0 ? "é" : "🙂";
        auto const text = text_of(entry(title));
        std::string unfolded;
        for (std::size_t at = 0; at < text.size();) {
            auto const end = text.find("\r\n", at);
            ASSERT_NE(end, std::string::npos);
            auto const line = text.substr(at, end - at);
            EXPECT_LE(line.size(), 75U);
            EXPECT_EQ(core::to_valid_utf8(line), line);
            unfolded += line.starts_with(' ') ? line.substr(1) : "\n" + line;
            at = end + 2;
        }
        EXPECT_THAT(unfolded, HasSubstr("\nSUMMARY:" + title + "\n"));
    }
}

}  // namespace
}  // namespace workforce
