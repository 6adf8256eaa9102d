// A file to be imported, taken apart: its header and its rows, before any of them is read as a command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "operations/import_columns.hpp"

namespace workforce::operations {

inline constexpr std::uint32_t kMaxImport = 2 << 20;  ///< bytes of a file
inline constexpr std::size_t kMostImportRows = 5'000;

/// The columns that the header of a file may have, and has to have.
struct ImportHeader {
    std::vector<ImportColumn> columns;
    std::vector<std::string_view> required;
};

/// A row that has any text.
struct ImportRow {
    std::int64_t line = 0;  ///< where it begins, from 1
    std::vector<std::string> cells{};
    std::optional<core::Problem> fault{};  ///< why it can't be read as one of the header's columns
};

/// The rows of a file, and the column of each cell. Refers to the header.
struct ImportFile {
    std::vector<ImportColumn const*> columns;
    std::vector<ImportRow> rows;
};

/// Takes a file apart; `header` outlives what comes of it. Lines without any text are passed over. Errors:
/// VALIDATION_ERROR for what is no CSV in UTF-8, and for a header that lacks a column, has an unknown one, or one
/// twice, all of which it names; PAYLOAD_TOO_LARGE for more than kMostImportRows.
core::Result<ImportFile> read_import_file(std::string_view text, ImportHeader const& header);

}  // namespace workforce::operations
