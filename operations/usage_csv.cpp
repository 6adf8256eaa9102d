// Cells, lines, blocks.
#include "operations/usage_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace workforce::operations {
namespace {

constexpr std::string_view kFormulaStarts = "=+-@\t\r";
constexpr std::size_t kBytesOfSummary = 2'048;  // more or less

void append_line(std::string& text, std::initializer_list<std::string_view> cells) {
    bool first = true;
    for (auto const cell : cells) {
        if (!first) text += ',';
        text += csv_cell(cell);
        first = false;
    }
    text += "\r\n";
}

std::string id_or_empty(core::Id id) { return id == 0 ? std::string() : std::to_string(id); }

std::string day_of(core::Timestamp at) { return core::to_string(core::local_date(at, "UTC")); }

/// The lines before the records.
std::string summary_of(projections::UsageExport const& all, UsageCsvHead const& head) {
    auto const& figures = all.figures;
    auto const mean =
        fmt::format("{}.{:02}", figures.avgLatencyMs.hundredths / 100, figures.avgLatencyMs.hundredths % 100);
    std::string text;
    append_line(text, {"Summary"});
    append_line(text, {"metric", "value"});
    append_line(text, {"from", core::to_string(head.window.from)});
    append_line(text, {"to", core::to_string(head.window.to)});
    append_line(text, {"periodDays", std::to_string(head.days)});
    append_line(text, {"scope", head.scope});
    append_line(text, {"totalCalls", std::to_string(figures.totalCalls)});
    append_line(text, {"uniqueKeys", std::to_string(figures.uniqueKeys)});
    append_line(text, {"avgLatencyMs", mean});
    append_line(text, {"p95LatencyMs", std::to_string(figures.p95LatencyMs)});
    append_line(text, {"errorCount", std::to_string(figures.errorCount)});
    append_line(text, {"outcomeCount", std::to_string(figures.outcomeCount)});
    for (auto const& outcome : all.outcomes) {
        append_line(text, {"outcome:" + outcome.outcomeType, std::to_string(outcome.totalCount)});
    }
    append_line(text, {"truncated", all.truncated ? "true" : "false"});
    text += "\r\n";
    append_line(text, {"occurredAt", "requestId", "channel", "tool", "statusCode", "errorCode", "latencyMs", "keyId",
                       "keyName", "agent", "facilityId", "outcomeType"});
    return text;
}

}  // namespace

std::string csv_cell(std::string_view text) {
    std::string cell;
    if (!text.empty() && kFormulaStarts.find(text.front()) != std::string_view::npos) cell += '\'';
    cell += text;
    if (cell.find_first_of("\",\r\n") == std::string::npos) return cell;
    std::string quoted = "\"";
    for (char const c : cell) quoted.append(c == '"' ? 2 : 1, c);
    return quoted += '"';
}

bool UsageCsv::make_room(std::size_t bytes, std::size_t all) {
    if (text_.size() + bytes <= text_.capacity()) return true;
    // A string that grows doubles; this one takes what it is going to need, or a quarter more than it has.
    auto const wanted = std::max({text_.size() + bytes, text_.capacity() + text_.capacity() / 4, all});
    auto const before = held_.bytes();
    if (!held_.resize(before + wanted)) return false;
    std::string grown;
    grown.reserve(wanted);
    grown += text_;
    text_ = std::move(grown);
    held_.shrink(text_.capacity());
    return true;
}

bool UsageCsv::add(std::vector<projections::UsageRecord> const& records, std::size_t all) {
    std::string lines;
    for (auto const& record : records) {
        append_line(lines, {core::to_string(record.occurred_at), record.request_id, record.channel, record.tool,
                            std::to_string(record.status_code), record.error_code, std::to_string(record.latency_ms),
                            id_or_empty(record.key_id), record.key_name, record.agent, id_or_empty(record.facility_id),
                            record.outcome});
    }
    records_ += records.size();
    // As long as those that came, and a sixteenth more.
    auto const of_all = (text_.size() + lines.size()) / records_ * all;
    if (!make_room(lines.size(), of_all + of_all / 16 + kBytesOfSummary)) return false;
    text_ += lines;
    return true;
}

bool UsageCsv::finish(projections::UsageExport const& exported, UsageCsvHead const& head) {
    auto const summary = summary_of(exported, head);
    if (!make_room(summary.size(), 0)) return false;
    text_.insert(0, summary);
    return true;
}

std::string usage_csv_name(projections::UsageWindow const& window) {
    return fmt::format("usage-{}-{}.csv", day_of(window.from), day_of(window.to));
}

}  // namespace workforce::operations
