// Columns padded to their widest cell.
#include "cli/print_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace workforce::cli {

void print_table(std::vector<std::vector<std::string>> const& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (auto const& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    for (auto const& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
        line.erase(line.find_last_not_of(' ') + 1);
        fmt::print("{}\n", line);
    }
}

}  // namespace workforce::cli
