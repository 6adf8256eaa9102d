// Content lines, folded and escaped.
#include "operations/calendar_text.hpp"

#include <fmt/format.h>

namespace workforce::operations {
namespace {

constexpr std::size_t kLineBytes = 75;  // RFC 5545 3.1, without the line's end
/// A calendar has one component at least (RFC 5545 3.6): that of a zone says nothing.
constexpr std::string_view kNothing =
    "BEGIN:VTIMEZONE\r\nTZID:UTC\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0000\r\n"
    "TZOFFSETTO:+0000\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n";

/// Appends a line, folded where it is too long: never within a character, which a program may decode line by line.
void append_line(std::string& text, std::string_view name, std::string_view value) {
    std::size_t column = name.size() + 1;
    text.append(name).append(":");
    for (std::size_t at = 0; at < value.size();) {
        std::size_t size = 1;
        while (at + size < value.size() && (static_cast<unsigned char>(value[at + size]) & 0xC0U) == 0x80U) ++size;
        if (column + size > kLineBytes) {
            text += "\r\n ";
            column = 1;
        }
        text += value.substr(at, size);
        column += size;
        at += size;
    }
    text += "\r\n";
}

/// RFC 5545 3.3.11. Other control characters have no form.
std::string escaped(std::string_view text) {
    std::string value;
    for (char const c : text) {
        if (c == '\n') {
            value += "\\n";
        } else if (c == '\\' || c == ';' || c == ',') {
            value += '\\';
            value += c;
        } else if (static_cast<unsigned char>(c) >= 0x20) {
            value += c;
        }
    }
    return value;
}

/// RFC 5545 3.3.5, of "2026-07-24T10:00:00.000Z".
std::string moment(core::Timestamp at) {
    std::string value;
    for (char const c : core::to_string(at).substr(0, std::string_view("2026-07-24T10:00:00").size())) {
        if (c != '-' && c != ':') value += c;
    }
    return value + 'Z';
}

}  // namespace

std::string calendar_text(std::string_view name, std::span<CalendarEntry const> entries) {
    std::string text;
    append_line(text, "BEGIN", "VCALENDAR");
    append_line(text, "VERSION", "2.0");
    append_line(text, "PRODID", "-//workforce//shifts//EN");
    append_line(text, "CALSCALE", "GREGORIAN");
    append_line(text, "NAME", escaped(name));          // RFC 7986 5.1
    append_line(text, "X-WR-CALNAME", escaped(name));  // what most programs read
    append_line(text, "REFRESH-INTERVAL;VALUE=DURATION", "PT1H");
    if (entries.empty()) text += kNothing;
    for (auto const& entry : entries) {
        append_line(text, "BEGIN", "VEVENT");
        append_line(text, "UID", entry.uid);
        append_line(text, "DTSTAMP", moment(entry.changed));
        append_line(text, "LAST-MODIFIED", moment(entry.changed));
        append_line(text, "DTSTART", moment(entry.starts));
        append_line(text, "DTEND", moment(entry.ends));
        append_line(text, "SUMMARY", escaped(entry.title));
        if (!entry.place.empty()) append_line(text, "LOCATION", escaped(entry.place));
        if (!entry.description.empty()) append_line(text, "DESCRIPTION", escaped(entry.description));
        append_line(text, "END", "VEVENT");
    }
    append_line(text, "END", "VCALENDAR");
    return text;
}

}  // namespace workforce::operations
