// `workforce log mend`: what stands in a partition's way, and the signed record that passes over it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/audit.hpp"
#include "cli/command_line.hpp"
#include "core/crypto.hpp"
#include "core/sql_values.hpp"
#include "events/log/chain.hpp"
#include "events/log/each_partition.hpp"
#include "events/log/installation.hpp"
#include "events/log/mend.hpp"
#include "events/log/open_log.hpp"
#include "events/log/run_blocking.hpp"
#include "events/log/verify.hpp"
#include "events/mended.hpp"
#include "projections/engine/checkpoints.hpp"
#include "projections/engine/poison.hpp"
#include "projections/registry.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {
namespace {

constexpr auto kOwner = "workforce log mend";
constexpr std::size_t kLongestWhy = 500;

struct LogMendArguments {
    int partition = -1;
    bool from_start = false;
    std::string skip;
    std::string why;
};

/// What --skip names.
struct SkippedRecord {
    int partition = 0;
    std::int64_t position = 0;
    std::string hash;
};

SkippedRecord parse_skip(std::string const& text) {
    auto const first = text.find(':');
    auto const second = text.find(':', first == std::string::npos ? first : first + 1);
    if (second != std::string::npos) {
        auto const partition = core::parse_integer(std::string_view(text).substr(0, first));
        auto const position = core::parse_integer(std::string_view(text).substr(first + 1, second - first - 1));
        if (partition && position && *position >= 0 && *partition >= 0 && *partition < 1000) {
            return {static_cast<int>(*partition), *position, text.substr(second + 1)};
        }
    }
    throw UsageError(fmt::format("--skip: '{}' is no PARTITION:POSITION:HASH", text));
}

/// The text that is signed: one line of UTF-8. Errors: UsageError.
std::string checked_why(std::string why) {
    if (core::clean_text(why, false) || why.empty() || why.size() > kLongestWhy) {
        throw UsageError(fmt::format("--why has 1 to {} characters of UTF-8 in one line", kLongestWhy));
    }
    return why;
}

std::string describe_span(events::Obstacle const& obstacle) {
    return events::describe_span(obstacle.first, obstacle.last.position);
}

core::Connection open_read_models(core::Config const& config) {
    return core::Connection(
        projections::aimed_at(workers::session(config, "workforce_projector", kOwner), projections::Tables::live));
}

/// The position behind which some read model goes on, or lacks an event that was skipped: writers begin there.
std::int64_t least_folded(core::Connection& connection, int partition) {
    auto const types = projections::registry();
    std::array const partitions{partition};
    auto const standings = projections::load_standings(connection, types, partitions).at(partition);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (auto const& standing : standings) least = std::min(least, standing ? standing->position : -1);
    for (auto const& event : projections::list_poison(connection)) {
        if (event.partition == partition) least = std::min(least, event.position - 1);
    }
    return least;
}

/// Prints what stands in each partition's way. Returns whether anything does.
bool show_obstacles(core::Config const& config, LogMendArguments const& arguments) {
    auto const log = open_for_audit(config);
    auto const keyring = open_keyring(config);
    auto connection = open_read_models(config);
    bool any = false;
    for (int const partition : events::choose_partitions(log->partitions(), arguments.partition)) {
        auto const from = arguments.from_start ? 0 : least_folded(connection, partition) + 1;
        auto const obstacle = events::find_obstacle(*log, partition, from, *keyring);
        if (!obstacle) continue;
        any = true;
        fmt::print(
            "partition {}, {} can't be read: {}, type '{}', hash {}\n"
            "  If a newer program wrote it, upgrade. If none of this installation's did, pass over it:\n"
            "  workforce log mend --skip {}:{}:{} --why '…'\n",
            partition, describe_span(*obstacle), obstacle->why, obstacle->type, obstacle->last.hash, partition,
            obstacle->first, obstacle->last.hash);
    }
    log->stop();
    if (!any) {
        fmt::print("nothing stands in the way{}\n", arguments.from_start ? "" : " from where read models stand");
    }
    return any;
}

/// Has the read models that stand at what was passed over go on.
void release_read_models(core::Config const& config, int partition, events::Mend const& mend) {
    auto connection = open_read_models(config);
    for (auto const& event : projections::list_poison(connection)) {
        bool const stands_there = event.resolution.empty() && event.partition == partition &&
                                  mend.first <= event.position && event.position <= mend.last;
        if (stands_there) projections::retry_poison(connection, event, user_name());
    }
}

/// Returns the mend's position.
std::int64_t append(core::Config const& config, events::EventLog& log, events::HeadSigner const& signer, int partition,
                    events::Mend const& mend) {
    auto const claim = events::run_blocking(log.claim(partition, kOwner));
    core::Connection connection(workers::session(config, "workforce_writer", kOwner));
    events::require_writable(connection, config.log, config.kafka_topic);
    auto body = events::make_record(signer, claim, mend, core::now());
    events::Head const after{claim.head.position + 1, events::record_hash(body)};
    auto const appended = events::run_blocking(log.append(claim, claim.head, after, {std::move(body)}));
    if (appended) return after.position;
    throw std::runtime_error(appended.error() == events::AppendFault::fenced
                                 ? "another process claimed the partition meanwhile: call it again"
                                 : "whether it was written is not known: look with `workforce log mend`");
}

int skip(core::Config const& config, LogMendArguments const& arguments) {
    auto const place = parse_skip(arguments.skip);
    auto const why = checked_why(arguments.why);
    workers::checked(config);
    auto const signer = head_signer(config);
    events::record_public_key(config.database_url, signer.public_key());
    if (events::read_installation(config.database_url).public_key != signer.public_key()) {
        throw std::runtime_error("the master key is not the one that this installation signs with");
    }
    auto const log = events::open_log(config, events::Opener::command, {signer.public_key()});
    events::choose_partitions(log->partitions(), place.partition);
    auto const keyring = open_keyring(config);
    auto const obstacle = events::find_obstacle(*log, place.partition, place.position, *keyring);
    if (!obstacle || obstacle->first != place.position) {
        throw std::runtime_error(fmt::format("partition {}, position {} is not in the way: see `workforce log mend`",
                                             place.partition, place.position));
    }
    if (obstacle->last.hash != place.hash) {
        throw std::runtime_error(fmt::format("partition {}, {} ends with the hash {}: see `workforce log mend`",
                                             place.partition, describe_span(*obstacle), obstacle->last.hash));
    }
    auto const mend = events::sign_mend(signer, place.partition, obstacle->first, obstacle->last, why);
    auto const position = append(config, *log, signer, place.partition, mend);
    log->stop();
    release_read_models(config, place.partition, mend);
    fmt::print("partition {}, {} is passed over from now on, as position {} says\n", place.partition,
               describe_span(*obstacle), position);
    return 0;
}

}  // namespace

void add_log_mend(CLI::App& log, CommandLine& line) {
    auto const arguments = std::make_shared<LogMendArguments>();
    auto* command = log.add_subcommand(
        "mend",
        "Show records that no program can read and that stop their partition (exit 1 if there are any); with --skip, "
        "pass over one by a signed record, also while services run");
    auto* partition =
        command->add_option("--partition", arguments->partition, "Only this one")->check(partition_number());
    auto* from_start = command->add_flag("--from-start", arguments->from_start,
                                         "Read partitions from their beginning, not from where read models stand");
    auto* skip_option =
        command->add_option("--skip", arguments->skip, "PARTITION:POSITION:HASH of what stands in the way, as shown");
    command->add_option("--why", arguments->why, "Why, for the record; nothing personal")->needs(skip_option);
    skip_option->excludes(partition)->excludes(from_start);
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) {
            if (!arguments->skip.empty()) return skip(loaded.config, *arguments);
            return show_obstacles(loaded.config, *arguments) ? 1 : 0;
        };
    });
}

}  // namespace workforce::cli
