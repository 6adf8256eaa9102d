// `workforce tap`: follows the stream of events, a stored CloudEvent a line.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/audit.hpp"
#include "cli/command_line.hpp"
#include "cli/tap_reader.hpp"
#include "core/logging.hpp"
#include "core/nearest.hpp"
#include "events/codec.hpp"
#include "events/log/each_partition.hpp"

namespace workforce::cli {
namespace {

struct TapArguments {
    std::vector<std::string> types;
    std::vector<std::string> aggregates;
    core::Id organization = 0;
    bool sandbox = false;
    bool live = false;
    std::vector<std::string> from;
    int partition = -1;
    bool until_idle = false;
    bool personal = false;
};

events::StreamFilter filter_of(TapArguments const& arguments) {
    events::StreamFilter filter{.types = arguments.types,
                                .aggregates = arguments.aggregates,
                                .organization = arguments.organization,
                                .sandbox = {}};
    if (arguments.sandbox || arguments.live) filter.sandbox = arguments.sandbox;
    return filter;
}

/// PARTITION:POSITION, or nothing for other texts.
std::optional<TapStart> parse_position(std::string const& text) {
    TapStart start;
    int end = 0;
    if (std::sscanf(text.c_str(), "%d:%ld%n", &start.partition, &start.position, &end) != 2) return std::nullopt;
    if (static_cast<std::size_t>(end) != text.size() || start.partition < 0 || start.position < 0) return std::nullopt;
    return start;
}

/// Where to begin in one partition.
TapStart start_of(events::EventLog& log, int partition, std::string const& from) {
    if (from == "start") return {partition, 0};
    if (from == "end") return {partition, log.head(partition).position + 1};
    return {partition, events::position_at(log, partition, parse_time_option("--from", from))};
}

/// The partitions to follow and where to begin.
std::vector<TapStart> starts_of(events::EventLog& log, TapArguments const& arguments) {
    auto const partitions = events::choose_partitions(log.partitions(), arguments.partition);
    std::vector<TapStart> starts;
    for (auto const& text : arguments.from) {
        auto const start = parse_position(text);
        if (!start && arguments.from.size() > 1) {
            throw UsageError("--from: several of them are PARTITION:POSITION each");
        }
        if (start)
            starts.push_back({events::choose_partitions(log.partitions(), start->partition)[0], start->position});
    }
    if (!starts.empty()) return starts;
    for (int const partition : partitions) {
        starts.push_back(start_of(log, partition, arguments.from.empty() ? "end" : arguments.from[0]));
    }
    return starts;
}

/// What is asked for, for the record of who opened personal data.
std::string describe(TapArguments const& arguments) {
    auto text = std::string("tap");
    for (auto const& type : arguments.types) text += " --type " + type;
    for (auto const& aggregate : arguments.aggregates) text += " --aggregate " + aggregate;
    for (auto const& from : arguments.from) text += " --from " + from;
    if (arguments.organization != 0) text += fmt::format(" --organization {}", arguments.organization);
    return text;
}

/// Refuses a pattern that no type has: it would wait for ever in silence.
void require_types(std::vector<std::string> const& patterns) {
    auto const types = events::event_types();
    std::vector<std::string_view> names;
    for (auto const& type : types) names.push_back(type.type);
    for (auto const& pattern : patterns) {
        bool const known = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
            return fnmatch(pattern.c_str(), std::string(name).c_str(), 0) == 0;
        });
        if (!known) {
            throw UsageError(
                fmt::format("--type: there is no event type '{}'{}", pattern, core::suggest(pattern, names)));
        }
    }
}

/// Says where nothing is to be had yet.
void note_future(events::EventLog& log, std::vector<TapStart> const& starts) {
    for (auto const& start : starts) {
        auto const head = log.head(start.partition).position;
        if (start.position <= head + 1) continue;
        core::log(core::Level::warn, "the log does not reach so far yet",
                  {{"partition", start.partition}, {"from", start.position}, {"head", head}});
    }
}

int tap(core::LoadedConfig const& loaded, TapArguments const& arguments) {
    require_types(arguments.types);
    std::unique_ptr<events::Keyring> keyring;
    if (arguments.personal) keyring = open_keyring_for_reader(loaded, describe(arguments));
    auto const log = open_for_audit(loaded.config);
    boost::asio::io_context context(1);
    boost::asio::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait([&](boost::system::error_code error, int) {
        if (!error) context.stop();
    });
    auto const starts = starts_of(*log, arguments);
    note_future(*log, starts);
    TapReader reader(*log, filter_of(arguments), keyring.get(), arguments.until_idle);
    reader.start(starts, [&] { context.stop(); });
    context.run();
    reader.stop();
    return 0;
}

}  // namespace

void add_tap(CommandLine& line) {
    auto const arguments = std::make_shared<TapArguments>();
    auto* command = line.app.add_subcommand("tap", "Follow the stream of events: the stored CloudEvents, a line each");
    command->add_option("--type", arguments->types, "Types wanted; * and ? stand for any text: `shift.*`")
        ->allow_extra_args(false);
    command->add_option("--aggregate", arguments->aggregates, "Aggregates wanted: `shift/42`, or a kind, `shift`")
        ->allow_extra_args(false);
    command->add_option("--organization", arguments->organization, "Events of this organization only");
    auto* sandbox = command->add_flag("--sandbox", arguments->sandbox, "Events of the sandbox only");
    command->add_flag("--live", arguments->live, "Live events only")->excludes(sandbox);
    command
        ->add_option("--from", arguments->from,
                     "start, end (the default), an RFC 3339 time, or PARTITION:POSITION, for those partitions alone")
        ->allow_extra_args(false);
    command->add_option("--partition", arguments->partition, "One partition only")->check(partition_number());
    command->add_flag("--until-idle", arguments->until_idle, "Stop at the log's end as it is now");
    command->add_flag("--personal", arguments->personal, "Open personal data, for those in personal_readers");
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return tap(loaded, *arguments); };
    });
}

}  // namespace workforce::cli
