// `workforce replay --verify`: whether the log is what was written.
#include "cli/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "cli/audit.hpp"
#include "cli/progress.hpp"
#include "events/log/each_partition.hpp"
#include "events/log/installation.hpp"
#include "events/log/verify.hpp"

namespace workforce::cli {
namespace {

constexpr int kWhole = 0;
constexpr int kBroken = 1;
constexpr int kUnknown = 2;

/// The last head that was signed of a partition: a change behind it can't be shown.
struct LastSigned {
    std::int32_t partition = 0;
    core::Nullable<std::int64_t> position;  ///< null: none was signed
    core::Nullable<core::Timestamp> time;
};
BOOST_DESCRIBE_STRUCT(LastSigned, (), (partition, position, time))

struct Result {
    std::vector<events::PartitionAudit> partitions;
    std::int64_t events = 0;
    double seconds = 0;
    bool whole = true;
    std::optional<std::vector<LastSigned>> lastSigned{};  ///< with --against
};
BOOST_DESCRIBE_STRUCT(Result, (), (whole, events, seconds, partitions, lastSigned))

/// The heads of the file, their signatures checked. Errors: std::runtime_error that names the line at fault.
std::vector<events::SignedHead> signed_heads(core::Config const& config, ReplayArguments const& arguments,
                                             int partitions) {
    if (arguments.against.empty()) return {};
    std::ifstream file(arguments.against);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
        throw std::runtime_error(fmt::format("{}: can't be read, or is empty", arguments.against));
    }
    auto const keys = arguments.public_keys.empty() ? master_keys(config).public_keys() : arguments.public_keys;
    auto const name = events::read_installation(config.database_url).name;
    auto heads = events::read_signed_heads(text.str(), name, keys);
    if (!heads) throw std::runtime_error(fmt::format("{}: {}", arguments.against, heads.error()));
    for (auto const& head : *heads) {
        if (head.partition < 0 || head.partition >= partitions) {
            throw events::LogUnfit(fmt::format("{}: signs partition {}, but the log has partitions 0 to {}",
                                               arguments.against, head.partition, partitions - 1));
        }
    }
    return *std::move(heads);
}

events::ExpectedHeads expected_of(std::vector<events::SignedHead> const& heads) {
    events::ExpectedHeads expected;
    for (auto const& head : heads) {
        auto source = fmt::format("the head signed at {}", core::to_string(head.time));
        expected.emplace(head.partition, events::ExpectedHead{{head.position, head.hash}, std::move(source)});
    }
    return expected;
}

std::vector<LastSigned> last_signed(std::vector<events::SignedHead> const& heads, std::vector<int> const& partitions) {
    std::vector<LastSigned> all;
    for (int const partition : partitions) {
        auto& last = all.emplace_back(LastSigned{partition, {}, {}});
        for (auto const& head : heads) {
            if (head.partition != partition) continue;
            auto const before =
                std::pair(last.position.value.value_or(-2), last.time.value.value_or(core::Timestamp{}).ms);
            if (std::pair(head.position, head.time.ms) < before) continue;
            last.position = head.position;
            last.time = head.time;
        }
    }
    return all;
}

/// A log that ends before what read models have folded is not whole: it lost its end, or is another one.
void require_reaches(std::vector<events::PartitionAudit>& audits, std::map<int, std::int64_t> const& folded) {
    for (auto& audit : audits) {
        auto const furthest = folded.find(audit.partition);
        if (audit.brokenAt.value || furthest == folded.end() || furthest->second <= audit.position) continue;
        audit.brokenAt = audit.position + 1;
        audit.fault = fmt::format("is missing: read models of this database have folded position {}", furthest->second);
    }
}

bool any_unsigned(Result const& result) {
    return result.lastSigned && std::any_of(result.lastSigned->begin(), result.lastSigned->end(),
                                            [](LastSigned const& last) { return !last.position.value; });
}

bool any_mend(Result const& result) {
    return std::any_of(result.partitions.begin(), result.partitions.end(),
                       [](events::PartitionAudit const& audit) { return !audit.mends.empty(); });
}

/// One line a partition.
void print(std::vector<LastSigned> const& all) {
    for (auto const& last : all) {
        if (last.position.value) {
            fmt::print("signed: partition {} up to position {}, at {}\n", last.partition, *last.position.value,
                       core::to_string(*last.time.value));
        } else {
            fmt::print("unsigned: partition {} has no signed head\n", last.partition);
        }
    }
}

/// One line for each mend that counts.
void print_mends(events::PartitionAudit const& audit) {
    for (auto const& mend : audit.mends) {
        if (!mend.counts) continue;
        fmt::print("mended: partition {}, {}, signed at position {}: {}\n", audit.partition,
                   events::describe_span(mend.first, mend.last), mend.position, mend.why);
    }
}

void print(Result const& result) {
    fmt::print("{:>9} {:>12} {:>8} {:>8} {:>12}  {}\n", "partition", "events", "claims", "void", "head", "hash");
    for (auto const& each : result.partitions) {
        fmt::print("{:>9} {:>12} {:>8} {:>8} {:>12}  {}\n", each.partition, each.events, each.claims, each.voided,
                   each.position, each.hash);
    }
    for (auto const& each : result.partitions) {
        if (auto const fault = events::describe_fault(each)) fmt::print("broken: {}\n", *fault);
    }
    for (auto const& each : result.partitions) print_mends(each);
    if (result.lastSigned) print(*result.lastSigned);
    fmt::print("{}: {} events in {:.2f} s, {:.0f} events/s\n", result.whole ? "whole" : "broken", result.events,
               result.seconds, static_cast<double>(result.events) / std::max(result.seconds, 0.001));
}

int verify(core::Config const& config, ReplayArguments const& arguments) {
    auto const log = open_for_audit(config);
    if (!arguments.public_keys.empty()) log->set_key({log->key().installation, arguments.public_keys});
    auto const folded = events::read_folded(config.database_url);  // before the heads, which move on
    auto const partitions = events::choose_partitions(log->partitions(), arguments.partition);
    auto const heads = signed_heads(config, arguments, log->partitions());
    auto const began = std::chrono::steady_clock::now();
    Result result;
    {
        ProgressLine progress("verify", "events", count_events(*log, partitions), kShortCommand);
        result.partitions =
            events::verify(*log, partitions, expected_of(heads), [&](std::int64_t events) { progress.add(events); });
    }
    require_reaches(result.partitions, folded);
    if (!arguments.against.empty()) result.lastSigned = last_signed(heads, partitions);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    for (auto const& each : result.partitions) {
        result.events += each.events;
        result.whole = result.whole && !each.brokenAt.value;
    }
    if (arguments.json) {
        fmt::print("{}\n", core::to_json(result));
    } else {
        print(result);
    }
    if (!result.whole) return kBroken;
    if (log->key().public_keys.empty() && any_mend(result)) {
        throw std::runtime_error(
            "the log holds mends, and no key is recorded that tells whether they are signed: give --public-key, or run "
            "`workforce migrate` where the master key can be read");
    }
    return any_unsigned(result) ? kUnknown : kWhole;
}

}  // namespace

int replay_verify(core::Config const& config, ReplayArguments const& arguments) {
    try {
        return verify(config, arguments);
    } catch (std::exception const& error) {
        fmt::print(stderr, "workforce: {}\n", error.what());
        return kUnknown;
    }
}

}  // namespace workforce::cli
