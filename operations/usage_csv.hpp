// Usage as CSV (RFC 4180, domain 8.5).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/byte_budget.hpp"
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

/// An export's text: block `Summary` with a line for each figure, an empty line, and the records with their header;
/// lines end in CRLF. It grows with the records, and what memory it takes is held of the budget. Used by one thread at
/// a time.
class UsageCsv {
   public:
    /// The budget outlives it and what take() gives.
    UsageCsv(net::ByteBudget& replies, net::ByteHolder holder) : held_(replies, holder, 0) {}

    /// Adds records, of which there are about `all` in the end. False where there is no room for them.
    [[nodiscard]] bool add(std::vector<projections::UsageRecord> const& records, std::size_t all);
    /// Puts the summary before them. False where there is no room for it.
    [[nodiscard]] bool finish(projections::UsageExport const& exported, UsageCsvHead const& head);

    /// How many were added.
    [[nodiscard]] std::size_t records() const { return records_; }
    [[nodiscard]] std::string const& text() const { return text_; }
    [[nodiscard]] std::size_t held() const { return held_.bytes(); }
    /// The text, and what it holds.
    std::pair<std::string, net::HeldBytes> take() { return {std::move(text_), std::move(held_)}; }

   private:
    /// Has room for so many bytes more, `all` in the end.
    bool make_room(std::size_t bytes, std::size_t all);

    std::string text_;
    std::size_t records_ = 0;
    net::HeldBytes held_;
};

/// "usage-2026-06-24-2026-07-24.csv"
std::string usage_csv_name(projections::UsageWindow const& window);

}  // namespace workforce::operations
