// Records, cells and quotes.
#include "core/csv.hpp"

#include <algorithm>

namespace workforce::core {
namespace {

constexpr std::string_view kCsvByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

CsvReader::CsvReader(std::string_view text) : text_(text) {
    if (text_.starts_with(kCsvByteOrderMark)) text_.remove_prefix(kCsvByteOrderMark.size());
}

void CsvReader::end_line() {
    if (at_end()) return;
    bool const carriage = text_[at_++] == '\r';
    if (carriage && !at_end() && text_[at_] == '\n') ++at_;
    ++line_;
}

tl::expected<std::string, CsvFault> CsvReader::quoted_cell() {
    auto const begins = line_;
    std::string cell;
    ++at_;
    while (!at_end()) {
        if (text_[at_] == '"') {
            ++at_;
            if (at_end() || text_[at_] != '"') {
                if (at_line_end() || text_[at_] == ',') return cell;
                return tl::unexpected(CsvFault{begins, "has text behind the quote that closes a cell"});
            }
            cell += '"';
            ++at_;
        } else if (at_line_end()) {
            end_line();
            cell += '\n';
        } else {
            cell += text_[at_++];
        }
    }
    return tl::unexpected(CsvFault{begins, "begins a cell with a quote that nothing closes"});
}

tl::expected<std::string, CsvFault> CsvReader::cell() {
    if (!at_end() && text_[at_] == '"') return quoted_cell();
    auto const end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string cell(text_.substr(at_, end - at_));
    at_ = end;
    return cell;
}

tl::expected<std::optional<CsvRecord>, CsvFault> CsvReader::next(std::size_t most) {
    while (!at_end() && at_line_end()) end_line();
    if (at_end()) return std::nullopt;
    CsvRecord record{.line = line_, .cells = {}};
    while (true) {
        auto one = cell();
        if (!one) return tl::unexpected(std::move(one.error()));
        ++record.count;
        if (record.cells.size() < most) record.cells.push_back(*std::move(one));
        if (at_line_end()) break;
        ++at_;  // the comma
    }
    end_line();
    return record;
}

}  // namespace workforce::core
