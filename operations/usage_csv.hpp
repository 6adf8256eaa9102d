// Usage as CSV (RFC 4180, domain 8.5).
#pragma once

#include <string>
#include <string_view>

#include "projections/usage/usage.hpp"

namespace workforce::operations {

/// What an export says of itself.
struct UsageCsvHead {
    int days = 30;
    projections::UsageWindow window;
    std::string scope;  ///< as JSON
};

/// The cell of a text: quoted where it must be, and with a leading quote where a spreadsheet would take it for a
/// formula.
std::string csv_cell(std::string_view text);

/// Block `Summary` with a line for each figure, an empty line, and the records with their header; lines end in CRLF.
std::string usage_csv(projections::UsageExport const& all, UsageCsvHead const& head);

/// "usage-2026-06-24-2026-07-24.csv"
std::string usage_csv_name(projections::UsageWindow const& window);

}  // namespace workforce::operations
