// `workforce replay --export`: the stored events as a file.
#include <fmt/format.h>

#include <chrono>

#include "cli/audit.hpp"
#include "cli/line_file.hpp"
#include "cli/progress.hpp"
#include "cli/replay.hpp"
#include "events/log/each_page.hpp"
#include "events/log/each_partition.hpp"
#include "events/stream.hpp"

namespace workforce::cli {
namespace {

/// The positions of a partition between two times.
struct Span {
    int partition = 0;
    std::int64_t first = 0;
    std::int64_t end = 0;
};

std::vector<Span> spans_of(events::EventLog& log, ReplayArguments const& arguments) {
    std::vector<Span> spans;
    for (int const partition : events::choose_partitions(log.partitions(), arguments.partition)) {
        Span span{.partition = partition, .first = 0, .end = log.head(partition).position + 1};
        if (!arguments.to.empty()) {
            span.end = events::position_at(log, partition, parse_time_option("--to", arguments.to));
        }
        if (!arguments.from.empty()) {
            span.first = events::position_at(log, partition, parse_time_option("--from", arguments.from));
        }
        if (span.first < span.end) spans.push_back(span);
    }
    return spans;
}

/// Writes a span's events. Returns how many.
std::int64_t write(events::EventLog& log, Span const& span, LineFile& file, ProgressLine& progress) {
    std::int64_t written = 0;
    auto const scan = log.scan(span.partition, span.first);
    events::each_page(*scan, [&](std::vector<events::LogEntry> const& entries) {
        auto const before = written;
        bool more = true;
        for (auto const& entry : entries) {
            if (entry.kind != events::LogEntry::Kind::event) continue;
            more = entry.position < span.end;
            if (!more) break;
            file.add(entry.text);
            ++written;
        }
        progress.add(written - before);
        return more;
    });
    return written;
}

}  // namespace

int replay_export(core::Config const& config, ReplayArguments const& arguments) {
    auto const log = open_for_audit(config);
    auto const spans = spans_of(*log, arguments);
    std::int64_t total = 0;
    for (auto const& span : spans) total += span.end - span.first;
    auto const began = std::chrono::steady_clock::now();
    LineFile file(arguments.export_to);
    std::int64_t written = 0;
    {
        ProgressLine progress("export", "events", total);
        for (auto const& span : spans) written += write(*log, span, file, progress);
    }
    file.finish();
    auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    fmt::print(stderr, "exported {} events, {} bytes, in {:.2f} s\n", written, file.bytes(), seconds);
    return 0;
}

}  // namespace workforce::cli
