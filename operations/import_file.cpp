// Headers and rows.
#include "operations/import_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/ascii.hpp"
#include "core/csv.hpp"
#include "core/faults.hpp"
#include "core/json_duplicates.hpp"
#include "core/utf8.hpp"
#include "operations/http_binding.hpp"

namespace workforce::operations {
namespace {

tl::unexpected<core::Problem> refuse_file(std::int64_t line, std::string_view rule, std::string_view message) {
    core::Faults faults;
    faults.add(fmt::format("line {}", line), rule, message);
    return tl::unexpected(core::validation_problem(faults));
}

/// The line of the first byte that is no UTF-8, or NUL; nothing where there is none.
std::optional<std::int64_t> line_of_other_encoding(std::string_view text) {
    auto const valid = core::to_valid_utf8(text);
    if (valid == text) return std::nullopt;
    auto const [at, other] = std::ranges::mismatch(text, valid);
    return 1 + std::count(text.begin(), at, '\n');
}

/// Looks at the header. Returns the column of each of its cells.
core::Result<std::vector<ImportColumn const*>> columns_of_header(core::CsvRecord const& record,
                                                                 ImportHeader const& header) {
    core::Faults faults;
    std::vector<ImportColumn const*> columns;
    std::set<std::string_view> names;
    for (auto const& cell : record.cells) {
        auto const name = core::without_blanks(cell);
        auto const found = std::ranges::find(header.columns, name, &ImportColumn::name);
        if (found == header.columns.end()) {
            bool const separated_otherwise = record.count == 1 && cell.find_first_of(";\t") != std::string::npos;
            faults.add(name.empty() ? "(no name)" : name, "column",
                       separated_otherwise ? "is no column: commas separate columns" : "is no column of this import");
        } else if (!names.insert(found->name).second) {
            faults.add(name, core::kDuplicateRule, core::kDuplicateMessage);
        } else {
            columns.push_back(&*found);
        }
    }
    if (record.count > record.cells.size()) {
        faults.add(fmt::format("line {}", record.line), "column", "has more columns than there are");
    }
    for (auto const required : header.required) {
        if (!names.contains(required)) faults.add(required, "required", "is a column that the file has to have");
    }
    if (!faults.empty()) return tl::unexpected(core::validation_problem(faults));
    return columns;
}

/// Why a row can't be read, or nothing.
std::optional<core::Problem> fault_of_row(core::CsvRecord const& record, std::size_t columns) {
    if (record.count != columns) {
        return core::Problem{core::Code::validation_error,
                             fmt::format("The row has {} cells, and the header {}.", record.count, columns)};
    }
    std::size_t bytes = 0;
    for (auto const& cell : record.cells) bytes += cell.size();
    if (bytes <= kMaxBody) return std::nullopt;
    return core::Problem{core::Code::payload_too_large,
                         fmt::format("The row has more than {} bytes, which no body may have.", kMaxBody)};
}

core::Problem too_many_rows() {
    return {core::Code::payload_too_large, fmt::format("The file has more than {} rows.", kMostImportRows),
            fmt::format(R"({{"maxRows":{}}})", kMostImportRows), "Send the rows in several files."};
}

}  // namespace

core::Result<ImportFile> read_import_file(std::string_view text, ImportHeader const& header) {
    if (auto const line = line_of_other_encoding(text)) return refuse_file(*line, "characters", "must be valid UTF-8");
    core::CsvReader reader(text);
    auto first = reader.next(2 * header.columns.size());
    if (!first) return refuse_file(first.error().line, "csv", first.error().message);
    if (!*first) return refuse_file(1, "required", "must name the columns: the file is empty");
    auto columns = columns_of_header(**first, header);
    if (!columns) return tl::unexpected(std::move(columns.error()));
    ImportFile file{*std::move(columns), {}};
    while (true) {
        auto record = reader.next(file.columns.size());
        if (!record) return refuse_file(record.error().line, "csv", record.error().message);
        if (!*record) return file;
        auto& [line, cells, count] = **record;
        bool const blank = count <= cells.size() && std::ranges::all_of(cells, [](auto const& cell) {
                               return core::without_blanks(cell).empty();
                           });
        if (blank) continue;
        if (file.rows.size() == kMostImportRows) return tl::unexpected(too_many_rows());
        auto fault = fault_of_row(**record, file.columns.size());
        if (fault) cells.clear();
        file.rows.push_back({line, std::move(cells), std::move(fault)});
    }
}

}  // namespace workforce::operations
