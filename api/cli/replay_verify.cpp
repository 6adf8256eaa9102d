// `workforce replay --verify`: whether the log is what was written.
#include "api/cli/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>

#include "api/cli/audit.hpp"
#include "api/cli/progress.hpp"
#include "events/each_partition.hpp"
#include "events/installation.hpp"
#include "events/verify.hpp"

namespace workforce::api {
namespace {

constexpr int kWhole = 0;
constexpr int kBroken = 1;
constexpr int kUnknown = 2;

struct Result {
    std::vector<events::PartitionAudit> partitions;
    std::int64_t events = 0;
    double seconds = 0;
    bool whole = true;
};
BOOST_DESCRIBE_STRUCT(Result, (), (whole, events, seconds, partitions))

/// The heads of the file, their signatures checked. Errors: std::runtime_error that names the line at fault.
events::ExpectedHeads expected_heads(core::Config const& config, ReplayArguments const& arguments, int partitions) {
    events::ExpectedHeads expected;
    if (arguments.against.empty()) return expected;
    std::ifstream file(arguments.against);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
        throw std::runtime_error(fmt::format("{}: can't be read, or is empty", arguments.against));
    }
    auto const key = arguments.public_key.empty() ? head_signer(config).public_key() : arguments.public_key;
    auto const name = events::read_installation(config.database_url).name;
    auto const heads = events::read_signed_heads(text.str(), name, key);
    if (!heads) throw std::runtime_error(fmt::format("{}: {}", arguments.against, heads.error()));
    for (auto const& head : *heads) {
        if (head.partition < 0 || head.partition >= partitions) {
            throw events::LogUnfit(fmt::format("{}: signs partition {}, but the log has partitions 0 to {}",
                                               arguments.against, head.partition, partitions - 1));
        }
        auto source = fmt::format("the head signed at {}", core::to_string(head.time));
        expected.emplace(head.partition, events::ExpectedHead{{head.position, head.hash}, std::move(source)});
    }
    return expected;
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
    fmt::print("{}: {} events in {:.2f} s, {:.0f} events/s\n", result.whole ? "whole" : "broken", result.events,
               result.seconds, static_cast<double>(result.events) / std::max(result.seconds, 0.001));
}

int verify(core::Config const& config, ReplayArguments const& arguments) {
    auto const log = open_for_audit(config);
    auto const partitions = events::choose_partitions(log->partitions(), arguments.partition);
    auto const expected = expected_heads(config, arguments, log->partitions());
    auto const began = std::chrono::steady_clock::now();
    Result result;
    {
        ProgressLine progress("verify", "events", count_events(*log, partitions));
        result.partitions =
            events::verify(*log, partitions, expected, [&](std::int64_t entries) { progress.add(entries); });
    }
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
    return result.whole ? kWhole : kBroken;
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

}  // namespace workforce::api
