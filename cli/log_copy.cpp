// `workforce log copy`: moves the installation's log to the other engine. `workforce log adopt`: makes a topic this
// database's.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "cli/audit.hpp"
#include "cli/command_line.hpp"
#include "cli/progress.hpp"
#include "events/log/copy.hpp"
#include "events/log/each_partition.hpp"
#include "events/log/installation.hpp"
#include "events/log/open_log.hpp"
#include "events/log/verify.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {
namespace {

struct LogCopyArguments {
    std::string from;
    std::string to;
    bool verify = true;
};

void verify_copy(events::EventLog& log, std::vector<int> const& partitions) {
    ProgressLine progress("verify", "events", count_events(log, partitions));
    for (auto const& audit : events::verify(log, partitions, {}, [&](std::int64_t events) { progress.add(events); })) {
        if (auto const fault = events::describe_fault(audit)) {
            throw std::runtime_error(fmt::format("the copy is broken: {}", *fault));
        }
    }
}

int copy(core::Config const& config, LogCopyArguments const& arguments) {
    if (arguments.from == arguments.to) throw UsageError("--from and --to name the same engine");
    if (auto const now = events::read_installation(config.database_url); now.log == arguments.to && !now.restoring) {
        fmt::print("the log is in {0} already, nothing needs doing: configure log = \"{0}\"\n", arguments.to);
        return 0;
    }
    auto source_config = config;
    source_config.log = arguments.from;
    events::require_log(config.database_url, arguments.from, config.kafka_topic);
    events::SoleUse sole(config.database_url);
    require_nothing_runs(config, "copy the log");
    auto const source = events::open_log(source_config);
    auto target_config = config;
    target_config.log = arguments.to;
    target_config.partitions = source->partitions();
    events::create_log(target_config);
    auto const target = events::open_log(target_config);

    // A process that stands still has no lease any more, but it may wake up.
    events::fence_writers(*source, "workforce log copy");
    auto const began = std::chrono::steady_clock::now();
    auto const partitions = events::choose_partitions(source->partitions(), -1);
    auto const missing = count_events(*source, partitions) - count_events(*target, partitions);
    events::CopyCounts counts;
    {
        ProgressLine progress("copy", "events", missing);
        counts = events::copy_log(*source, *target, [&](std::int64_t events) { progress.add(events); });
    }
    auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (arguments.verify) verify_copy(*target, partitions);
    require_nothing_runs(config, "copy the log");
    for (int const partition : partitions) {
        if (source->head(partition) != target->head(partition)) {
            throw std::runtime_error(
                fmt::format("partition {}: {} has more events by now; copy again", partition, arguments.from));
        }
    }
    sole.move_to(arguments.to);
    fmt::print(
        "copied {} events and {} claims in {:.2f} s, {:.0f} events/s; {} entries that don't count stay behind; "
        "the log is in {} now: configure log = \"{}\"\n",
        counts.events, counts.claims, seconds, static_cast<double>(counts.events) / std::max(seconds, 0.001),
        counts.voided, arguments.to, arguments.to);
    return 0;
}

int adopt(core::Config const& config, std::string const& from) {
    auto const now = events::read_installation(config.database_url);
    if (now.log != "kafka") throw std::runtime_error("only a log in Kafka can belong to another database");
    events::SoleUse const sole(config.database_url);
    require_nothing_runs(config, "adopt the log");
    events::adopt_log(config, head_signer(config), from, "workforce log adopt");
    workers::record_reactor_starts(config);  // it may have more partitions
    fmt::print("topic {} is this database's now; the one of incarnation {} writes no more\n", config.kafka_topic, from);
    return 0;
}

}  // namespace

void add_log(CommandLine& line) {
    auto const arguments = std::make_shared<LogCopyArguments>();
    auto* log = line.app.add_subcommand("log", "Work on the event log itself");
    log->require_subcommand(1);
    auto* command = log->add_subcommand("copy", "Move the log to the other engine, while nothing serves; it resumes");
    auto const engine = CLI::IsMember({"postgres", "kafka"});
    command->add_option("--from", arguments->from, "Engine that keeps the log: postgres or kafka")
        ->required()
        ->check(engine);
    command->add_option("--to", arguments->to, "Engine that shall keep it")->required()->check(engine);
    command->add_flag("--verify,!--no-verify", arguments->verify, "Check the copy's chain at the end (default: yes)");
    auto const former = std::make_shared<std::string>();
    auto* adoption = log->add_subcommand(
        "adopt", "Make the Kafka topic this database's in the place of another one, which it is a copy of, for good");
    adoption->add_option("--from", *former,
                         "The incarnation that the topic belongs to; without it, says which that is");
    adoption->callback([&line, former] {
        line.run = [former](core::LoadedConfig const& loaded) { return adopt(loaded.config, *former); };
    });
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return copy(loaded.config, *arguments); };
    });
    add_log_mend(*log, line);
}

}  // namespace workforce::cli
