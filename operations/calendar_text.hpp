// A calendar as programs subscribe to it (RFC 5545).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/time.hpp"

namespace workforce::operations {

/// One entry of a calendar. Texts may have lines.
struct CalendarEntry {
    std::string uid;  ///< names it for good, everywhere
    core::Timestamp changed;
    core::Timestamp starts;
    core::Timestamp ends;
    std::string title;
    std::string place{};        ///< empty: none is told
    std::string description{};  ///< likewise
};

/// The calendar's text: lines of at most 75 bytes that end in CRLF, times in UTC. Pure.
std::string calendar_text(std::string_view name, std::span<CalendarEntry const> entries);

}  // namespace workforce::operations
