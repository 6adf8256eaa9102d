// Comma-separated values as RFC 4180 has them, record by record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace workforce::core {

/// One record: a line, or several where a quoted cell has line breaks.
struct CsvRecord {
    std::int64_t line = 0;           ///< where it begins, counted from 1 as an editor does
    std::vector<std::string> cells;  ///< unquoted; the first ones, as many as were asked for at most
    std::size_t count = 0;           ///< cells that there are
};

/// Why a text is no CSV.
struct CsvFault {
    std::int64_t line = 0;  ///< where the cell begins that is at fault
    std::string message;
};

/// Takes a text apart. Cells are separated by commas; lines end in CRLF, LF or CR, the last one in nothing perhaps. A
/// cell in double quotes may have commas, line breaks (which come as LF) and quotes that are doubled. A quote within a
/// cell that does not begin with one stands for itself. A byte order mark at the beginning is passed over, and so are
/// lines of nothing. Not thread-safe; the text outlives it.
class CsvReader {
   public:
    explicit CsvReader(std::string_view text);

    /// The next record, of whose cells `most` are kept; nothing at the end. Errors: a quote that is not closed, and
    /// text behind one that closes. Nothing can be told of what follows such a fault.
    tl::expected<std::optional<CsvRecord>, CsvFault> next(std::size_t most);

   private:
    [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
    [[nodiscard]] bool at_line_end() const { return at_end() || text_[at_] == '\n' || text_[at_] == '\r'; }
    /// Passes over the end of a line.
    void end_line();
    tl::expected<std::string, CsvFault> cell();
    tl::expected<std::string, CsvFault> quoted_cell();

    std::string_view text_;
    std::size_t at_ = 0;
    std::int64_t line_ = 1;
};

}  // namespace workforce::core
