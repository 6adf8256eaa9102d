// `workforce replay --aggregate`: an aggregate as it was, and the events that made it.
#include <fmt/format.h>

#include "cli/audit.hpp"
#include "cli/progress.hpp"
#include "cli/replay.hpp"
#include "cli/usage.hpp"
#include "core/json_io.hpp"
#include "events/as_of.hpp"
#include "events/codec.hpp"
#include "events/log/each_partition.hpp"

namespace workforce::cli {
namespace {

events::AggregateRef parse_aggregate_option(std::string const& text) {
    auto const aggregate = events::parse_aggregate(text);
    if (!aggregate || aggregate->kind == events::Kind::command) {
        throw UsageError(fmt::format("--aggregate: '{}' is no aggregate, as shift/42", text));
    }
    return *aggregate;
}

/// What was found, as one JSON object.
std::string describe(ReplayArguments const& arguments, core::Timestamp time, events::PastState const& past,
                     std::vector<std::string> const& bodies) {
    core::JsonWriter w;
    w.begin_object();
    w.member("aggregate", arguments.aggregate);
    w.member("asOf", core::to_string(time));
    w.member("organizationId", past.organization);
    w.member("partition", past.partition);
    w.member("version", past.version);
    w.key("state");
    w.raw(past.state);
    w.key("events");
    w.begin_array();
    for (auto const& body : bodies) w.raw(body);
    w.end_array();
    w.member("recordsRead", past.read);
    w.end_object();
    return w.take();
}

}  // namespace

int replay_as_of(core::LoadedConfig const& loaded, ReplayArguments const& arguments) {
    auto const aggregate = parse_aggregate_option(arguments.aggregate);
    auto const time = arguments.as_of.empty() ? core::now() : parse_time_option("--as-of", arguments.as_of);
    std::unique_ptr<events::Keyring> keyring;
    if (arguments.personal) {
        keyring = open_keyring_for_reader(loaded, "replay --aggregate " + arguments.aggregate);
    } else if (events::is_person(aggregate.kind)) {
        keyring = open_keyring(loaded.config);  // whether someone is active depends on whether they were erased
    } else {
        keyring = std::make_unique<events::ClosedKeyring>();
    }
    auto const log = open_for_audit(loaded.config);
    events::PastState past;
    {
        ProgressLine progress("replay", "events", count_events(*log, events::choose_partitions(log->partitions(), -1)),
                              kShortCommand);
        past = events::state_as_of(*log, aggregate, arguments.sandbox, time,
                                   arguments.personal ? events::PersonalFields::open : events::PersonalFields::hidden,
                                   *keyring, [&](std::int64_t records) { progress.add(records); });
    }
    if (!past.ever) {
        fmt::print(stderr, "workforce: there never was a {}{}; {} records were read\n",
                   arguments.sandbox ? "sandbox " : "", arguments.aggregate, past.read);
        return 1;
    }
    std::vector<std::string> bodies;
    if (arguments.personal) {
        bodies = events::open_all(past.events, *keyring);
    } else {
        for (auto& record : past.events) bodies.push_back(std::move(record.body));
    }
    fmt::print("{}\n", describe(arguments, time, past, bodies));
    return 0;
}

}  // namespace workforce::cli
