// `workforce poison`: events that a read model or a reactor could not fold, and what the operator decides of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/audit.hpp"
#include "cli/command_line.hpp"
#include "cli/print_table.hpp"
#include "core/pretty_json.hpp"
#include "events/aggregate.hpp"
#include "events/attributes.hpp"
#include "projections/engine/checkpoints.hpp"
#include "projections/engine/poison.hpp"
#include "projections/registry.hpp"
#include "workers/cluster/leases.hpp"
#include "workers/engine/reactor.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {
namespace {

struct PoisonArguments {
    projections::PoisonPlace place;
    std::string reason;
    bool json = false;
    bool history = false;
};

/// An event as operators are shown it.
struct EventStatus {
    std::string projection;
    int partition = 0;
    std::int64_t position = 0;
    std::string eventId{};  ///< this and the next two: empty while the log can't be reached
    std::string eventType{};
    std::string aggregate{};
    std::string state{};  ///< `stopped`, `skipped`
    std::string error{};
    std::int64_t attempts = 0;
    core::Timestamp since{};
    std::string decidedBy{};  ///< who skipped it, as the next two; empty or null where nobody did
    core::Nullable<core::Timestamp> decidedAt{};
    std::string reason{};
};
BOOST_DESCRIBE_STRUCT(EventStatus, (),
                      (projection, partition, position, eventId, eventType, aggregate, state, error, attempts, since,
                       decidedBy, decidedAt, reason))

struct DecisionStatus {
    std::string projection;
    int partition = 0;
    std::int64_t position = 0;
    std::string decision;
    std::string decidedBy;
    core::Timestamp decidedAt;
    std::string reason;
    std::string error;
};
BOOST_DESCRIBE_STRUCT(DecisionStatus, (),
                      (projection, partition, position, decision, decidedBy, decidedAt, reason, error))

struct EventList {
    std::vector<EventStatus> events;
};
BOOST_DESCRIBE_STRUCT(EventList, (), (events))
struct DecisionList {
    std::vector<DecisionStatus> decisions;
};
BOOST_DESCRIBE_STRUCT(DecisionList, (), (decisions))

/// For a running service to try an event again.
constexpr auto kPoisonPatience = std::chrono::seconds(10);
constexpr auto kPoisonPause = std::chrono::milliseconds(50);

/// What a read model can't do without: skipped, it would go on showing a person who was forgotten, or honouring a key
/// that was revoked.
bool is_never_skipped(std::string_view projection, std::string_view type) {
    auto const kind = core::parse_enum<events::Kind>(projection);
    if (kind && is_person(*kind)) return type == fmt::format("{}.erased", projection);
    return kind == events::Kind::api_key && type == events::ApiKeyRevoked::kType;
}

using projections::Tables;

/// Everything that folds, with the tables that tell of it.
struct Folds {
    Tables tables;
    std::vector<std::string> names;
};

std::array<Folds, 2> all_folds() {
    Folds reactors{Tables::reactors, {}};
    for (auto const& type : workers::reactors()) reactors.names.emplace_back(type.name);
    return {Folds{Tables::live, projections::names_of(projections::registry())}, std::move(reactors)};
}

std::vector<std::string> all_names() {
    std::vector<std::string> names;
    for (auto const& folds : all_folds()) names.insert(names.end(), folds.names.begin(), folds.names.end());
    return names;
}

/// One of all_names(), which are made when somebody asks: to declare the read models is most of what a start costs a
/// command that has no use for them.
struct FoldName : CLI::Validator {
    FoldName() {
        desc_function_ = [] { return CLI::IsMember(all_names()).get_description(); };
        func_ = [](std::string& name) { return CLI::IsMember(all_names())(name); };
    }
};

Tables tables_of(std::string const& name) {
    auto const all = all_folds();
    auto const found = std::find_if(all.begin(), all.end(), [&](Folds const& folds) {
        return std::find(folds.names.begin(), folds.names.end(), name) != folds.names.end();
    });
    return found == all.end() ? Tables::live : found->tables;
}

core::Connection open(core::Config const& config, Tables tables) {
    return core::Connection(
        projections::aimed_at(workers::session(config, "workforce_projector", "workforce poison"), tables));
}

/// Reads attributes of events from the log, which may be away.
class LogReader {
   public:
    explicit LogReader(core::Config const& config) : log_(open_for_audit(config)) {}
    LogReader(LogReader const&) = delete;
    LogReader& operator=(LogReader const&) = delete;
    ~LogReader() { log_->stop(); }

    /// The stored event; empty where there is none. Errors: events::LogUnavailable.
    std::string body(int partition, std::int64_t position) {
        if (partition >= log_->partitions()) return "";
        auto records = log_->read(partition, position, 1, events::kMaxRecordBytes);
        return records.empty() || records.front().position != position ? "" : std::move(records.front().body);
    }

   private:
    std::unique_ptr<events::EventLog> log_;
};

std::string attribute_of(std::string const& body, std::string_view name) {
    return events::attribute(body, name).value_or("");
}

/// Adds what the log says of the events, as far as it answers.
void add_events(core::Config const& config, std::vector<EventStatus>& rows) {
    if (rows.empty()) return;
    try {
        LogReader log(config);
        for (auto& row : rows) {
            auto const body = log.body(row.partition, row.position);
            row.eventId = attribute_of(body, "id");
            row.eventType = attribute_of(body, "type");
            row.aggregate = attribute_of(body, "subject");
        }
    } catch (events::LogUnavailable const& error) {
        fmt::print(stderr, "workforce: the log can't be reached, so the events are not told: {}\n", error.what());
    }
}

std::vector<EventStatus> read_events(core::Config const& config) {
    std::vector<projections::PoisonEvent> events;
    for (auto const tables : {Tables::live, Tables::reactors}) {
        auto connection = open(config, tables);
        for (auto& event : projections::list_poison(connection)) events.push_back(std::move(event));
    }
    std::vector<EventStatus> rows;
    for (auto const& event : events) {
        EventStatus row{event.projection, event.partition, event.position};
        row.state = event.resolution.empty() ? "stopped" : event.resolution;
        row.error = event.error;
        row.attempts = event.attempts;
        row.since = event.first_at;
        if (!event.resolution.empty()) {
            row.decidedBy = event.resolved_by;
            if (event.resolved_at) row.decidedAt = *event.resolved_at;
            row.reason = event.reason;
        }
        rows.push_back(std::move(row));
    }
    add_events(config, rows);
    return rows;
}

std::vector<DecisionStatus> read_decisions(core::Config const& config) {
    std::vector<DecisionStatus> rows;
    for (auto const tables : {Tables::live, Tables::reactors}) {
        auto connection = open(config, tables);
        for (auto& one : projections::list_poison_decisions(connection)) {
            rows.push_back({one.projection, one.partition, one.position, one.decision, one.decided_by, one.decided_at,
                            one.reason, one.error});
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](auto const& a, auto const& b) { return a.decidedAt < b.decidedAt; });
    return rows;
}

template <class List>
void print_json(List const& list) {
    auto const document = core::parse_json(core::to_json(list));
    fmt::print("{}", core::pretty_json(*document));
}

void print_events(std::vector<EventStatus> const& events) {
    if (events.empty()) {
        fmt::print("every event was folded\n");
        return;
    }
    std::vector<std::vector<std::string>> rows{
        {"PROJECTION", "PARTITION", "POSITION", "STATE", "EVENT", "TYPE", "AGGREGATE", "SINCE", "WHY"}};
    for (auto const& each : events) {
        auto why = each.error;
        if (each.decidedAt.value) {
            why = fmt::format("skipped by {} at {}: {} ({})", each.decidedBy, core::to_string(*each.decidedAt.value),
                              each.reason, each.error);
        }
        rows.push_back({each.projection, std::to_string(each.partition), std::to_string(each.position), each.state,
                        each.eventId, each.eventType, each.aggregate, core::to_string(each.since), std::move(why)});
    }
    print_table(rows);
}

void print_decisions(std::vector<DecisionStatus> const& decisions) {
    std::vector<std::vector<std::string>> rows{
        {"PROJECTION", "PARTITION", "POSITION", "DECISION", "BY", "AT", "REASON", "ERROR"}};
    for (auto const& each : decisions) {
        rows.push_back({each.projection, std::to_string(each.partition), std::to_string(each.position), each.decision,
                        each.decidedBy, core::to_string(each.decidedAt), each.reason, each.error});
    }
    print_table(rows);
}

int list(core::Config const& config, PoisonArguments const& arguments) {
    if (arguments.history) {
        auto decisions = read_decisions(workers::checked(config));
        arguments.json ? print_json(DecisionList{std::move(decisions)}) : print_decisions(decisions);
    } else {
        auto events = read_events(workers::checked(config));
        arguments.json ? print_json(EventList{std::move(events)}) : print_events(events);
    }
    return 0;
}

std::runtime_error not_stopped(projections::PoisonPlace const& place) {
    return std::runtime_error(fmt::format("{} does not stand at partition {} position {}: see `workforce poison list`",
                                          place.projection, place.partition, place.position));
}

/// What folds, as load_standings() wants it.
projections::ProjectionType type_of(std::string const& name) {
    for (auto const& type : projections::registry()) {
        if (type.name == name) return type;
    }
    for (auto const& type : workers::reactors()) {
        if (type.name == name) return {.name = type.name, .revision = type.revision, .table = {}, .reacts = true};
    }
    throw std::invalid_argument("nothing that folds is named " + name);
}

/// Whether some live process folds the partition.
bool is_folded(core::Connection& connection, int partition) {
    auto const leases = workers::read_cluster(connection).leases;
    return std::any_of(leases.begin(), leases.end(), [&](workers::Lease const& lease) {
        return lease.kind == workers::LeaseKind::projector && lease.partition == partition && lease.left.count() > 0;
    });
}

/// Waits for a running service to try the event, and tells what came of it.
int await_try(core::Config const& config, projections::PoisonPlace const& place) {
    core::Connection leases(workers::session(config, "workforce_writer", "workforce poison"));
    auto connection = open(config, tables_of(place.projection));
    auto const type = type_of(place.projection);
    std::array const partitions{place.partition};
    auto const deadline = std::chrono::steady_clock::now() + kPoisonPatience;
    while (is_folded(leases, place.partition) && std::chrono::steady_clock::now() < deadline) {
        auto const standings = projections::load_standings(connection, std::span(&type, 1), partitions);
        auto const standing = standings.at(place.partition).front().value_or(projections::Progress::Standing{});
        if (standing.position >= place.position) {
            fmt::print("{} goes on past partition {} position {}\n", place.projection, place.partition, place.position);
            return 0;
        }
        if (standing.stopped) {
            throw std::runtime_error(fmt::format("{} still can't fold partition {} position {}: {}", place.projection,
                                                 place.partition, place.position, standing.reason));
        }
        std::this_thread::sleep_for(kPoisonPause);
    }
    fmt::print("{} tries partition {} position {} again once a process folds it\n", place.projection, place.partition,
               place.position);
    return 0;
}

int retry(core::Config const& config, PoisonArguments const& arguments) {
    auto connection = open(workers::checked(config), tables_of(arguments.place.projection));
    if (!projections::retry_poison(connection, arguments.place, user_name())) throw not_stopped(arguments.place);
    return await_try(config, arguments.place);
}

int skip(core::Config const& config, PoisonArguments const& arguments) {
    auto const& place = arguments.place;
    if (arguments.reason.empty() || arguments.reason.size() > 500) {
        throw UsageError("--reason has 1 to 500 characters");
    }
    auto const tables = tables_of(place.projection);
    auto connection = open(workers::checked(config), tables);
    auto const type = attribute_of(LogReader(config).body(place.partition, place.position), "type");
    if (is_never_skipped(place.projection, type)) {
        throw std::runtime_error(
            fmt::format("{} can't skip {}: it would go on showing what that takes away", place.projection, type));
    }
    if (!projections::skip_poison(connection, place, user_name(), arguments.reason)) throw not_stopped(place);
    fmt::print("{} goes on past partition {} position {}; ", place.projection, place.partition, place.position);
    if (tables == Tables::reactors) {
        fmt::print("it does without that event for good\n");
    } else {
        fmt::print("its rows lack that event until `workforce rebuild {}`\n", place.projection);
    }
    return 0;
}

/// Adds a subcommand about one event, which its three arguments name.
CLI::App* add_decision(CLI::App& poison, CommandLine& line, std::shared_ptr<PoisonArguments> const& arguments,
                       std::string const& name, std::string const& help,
                       int (*run)(core::Config const&, PoisonArguments const&)) {
    auto* command = poison.add_subcommand(name, help);
    auto& place = arguments->place;
    command->add_option("PROJECTION", place.projection, "The read model, or the reactor")
        ->required()
        ->check(FoldName());
    command->add_option("PARTITION", place.partition, "Partition of the event")->required()->check(partition_number());
    command->add_option("POSITION", place.position, "Position of the event")
        ->required()
        ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max(), "NUMBER"));
    command->callback([&line, arguments, run] {
        line.run = [arguments, run](core::LoadedConfig const& loaded) { return run(loaded.config, *arguments); };
    });
    return command;
}

}  // namespace

void add_poison(CommandLine& line) {
    auto const arguments = std::make_shared<PoisonArguments>();
    auto* poison =
        line.app.add_subcommand("poison", "Events that a read model or a reactor could not fold: show, retry, skip");
    poison->require_subcommand(1);
    auto* listing =
        poison->add_subcommand("list",
                               "Show the events that stop a read model or a reactor, and those that were skipped and "
                               "that it lacks until it is rebuilt");
    listing->add_flag("--json", arguments->json, "As JSON");
    listing->add_flag("--history", arguments->history, "Show instead all that was ever decided: who, when and why");
    listing->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return list(loaded.config, *arguments); };
    });
    add_decision(*poison, line, arguments, "retry",
                 "Have an event folded again, by the running service or the next one to start", retry);
    add_decision(*poison, line, arguments, "skip",
                 "Let a read model go on without an event, which it lacks until it is rebuilt; or a reactor, for good",
                 skip)
        ->add_option("--reason", arguments->reason, "Why, for the record; nothing personal")
        ->required();
}

}  // namespace workforce::cli
