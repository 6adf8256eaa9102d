// `workforce reactors`: how far they have come and what waits; holding them still, and having them go on.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/audit.hpp"
#include "cli/command_line.hpp"
#include "cli/print_table.hpp"
#include "core/pretty_json.hpp"
#include "core/session_pool.hpp"
#include "events/log/installation.hpp"
#include "events/log/open_log.hpp"
#include "workers/engine/standing.hpp"
#include "workers/jobs/due_job.hpp"
#include "workers/mail/delivery.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {
namespace {

struct ReactorsArguments {
    std::vector<std::string> names;
    std::string reason;
    bool json = false;
};

/// A reactor at a partition, as operators are shown it.
struct ReactorRow {
    std::string name;
    int partition = 0;
    std::int64_t position = -1;
    core::Nullable<std::int64_t> lag{};  ///< events; null while the log can't be reached
    bool paused = false;
    std::string trouble{};  ///< why it stands still; empty while it goes on
    std::int64_t pending = 0;
    core::Nullable<core::Timestamp> oldest{};  ///< when the oldest pending work was made; null where there is none
};
BOOST_DESCRIBE_STRUCT(ReactorRow, (), (name, partition, position, lag, paused, trouble, pending, oldest))

/// A due job, or what sends, as operators are shown it.
struct JobRow {
    std::string name;
    bool paused = false;
};
BOOST_DESCRIBE_STRUCT(JobRow, (), (name, paused))

struct ReactorList {
    std::vector<ReactorRow> reactors;
    std::vector<JobRow> dueJobs;
    std::vector<JobRow> deliveries;
};
BOOST_DESCRIBE_STRUCT(ReactorList, (), (reactors, dueJobs, deliveries))

std::vector<std::string> names_of_all() {
    std::vector<std::string> names;
    for (auto const& type : workers::reactors()) names.emplace_back(type.name);
    for (auto const& job : workers::due_jobs()) names.emplace_back(job.name);
    names.emplace_back(workers::kMailDelivery);
    return names;
}

core::SessionPool open(core::Config const& config) {
    return {workers::reactor_session(workers::session(config, "", "workforce reactors")), 1};
}

/// The log's heads; none while it can't be reached.
std::vector<std::int64_t> read_heads(core::Config const& config) {
    std::vector<std::int64_t> heads;
    try {
        auto const log = events::open_log(config);
        for (int i = 0; i < log->partitions(); ++i) heads.push_back(log->head(i).position);
        log->stop();
    } catch (events::LogUnavailable const& error) {
        fmt::print(stderr, "workforce: the log can't be reached, so lags are not told: {}\n", error.what());
        return {};
    }
    return heads;
}

ReactorList read_list(core::Config const& config) {
    auto sessions = open(config);
    auto const partitions = events::read_installation(config.database_url).partitions;
    auto const standings =
        sessions.run([&](core::Connection& connection) { return workers::read_reactors(connection, partitions); });
    auto const heads = read_heads(config);
    auto const paused = sessions.run(&workers::paused);
    ReactorList list;
    for (auto const& job : workers::due_jobs()) {
        std::string name(job.name);
        bool const held = paused.contains(name);
        list.dueJobs.push_back({std::move(name), held});
    }
    std::string const mail(workers::kMailDelivery);
    list.deliveries.push_back({mail, paused.contains(mail)});
    for (auto const& each : standings) {
        ReactorRow row{.name = each.name, .partition = each.partition, .position = each.position};
        row.paused = each.paused;
        row.trouble = each.trouble;
        row.pending = each.work.rows;
        if (each.work.oldest) row.oldest = *each.work.oldest;
        auto const place = static_cast<std::size_t>(each.partition);
        if (place < heads.size()) {
            row.lag = std::max<std::int64_t>(0, heads[place] - each.position);
            if (each.position > heads[place])
                row.trouble = "the log ends before it: it is another log, or lost its end";
        }
        list.reactors.push_back(std::move(row));
    }
    return list;
}

int show(core::Config const& config, ReactorsArguments const& arguments) {
    auto const list = read_list(workers::checked(config));
    if (arguments.json) {
        fmt::print("{}", core::pretty_json(*core::parse_json(core::to_json(list))));
        return 0;
    }
    std::vector<std::vector<std::string>> rows{
        {"REACTOR", "PARTITION", "POSITION", "LAG", "PAUSED", "PENDING", "OLDEST", "WHY"}};
    for (auto const& each : list.reactors) {
        rows.push_back({each.name, std::to_string(each.partition), std::to_string(each.position),
                        each.lag.value ? std::to_string(*each.lag.value) : "-", each.paused ? "yes" : "no",
                        std::to_string(each.pending), each.oldest.value ? core::to_string(*each.oldest.value) : "-",
                        each.trouble});
    }
    print_table(rows);
    std::vector<std::vector<std::string>> jobs{{"DUE JOB OR DELIVERY", "PAUSED"}};
    for (auto const& each : list.dueJobs) jobs.push_back({each.name, each.paused ? "yes" : "no"});
    for (auto const& each : list.deliveries) jobs.push_back({each.name, each.paused ? "yes" : "no"});
    fmt::print("\n");
    print_table(jobs);
    return 0;
}

int pause(core::Config const& config, ReactorsArguments const& arguments) {
    if (arguments.reason.empty() || arguments.reason.size() > 500) {
        throw UsageError("--reason has 1 to 500 characters");
    }
    auto sessions = open(workers::checked(config));
    for (auto const& name : arguments.names) {
        bool const went_on = sessions.run([&](core::Connection& connection) {
            return workers::pause(connection, name, user_name(), arguments.reason);
        });
        fmt::print("{} {}\n", name, went_on ? "stands still" : "was paused before");
    }
    return 0;
}

int resume(core::Config const& config, ReactorsArguments const& arguments) {
    auto sessions = open(workers::checked(config));
    for (auto const& name : arguments.names.empty() ? names_of_all() : arguments.names) {
        bool const held = sessions.run([&](core::Connection& connection) { return workers::resume(connection, name); });
        fmt::print("{} {}\n", name, held ? "goes on" : "was not paused");
    }
    return 0;
}

}  // namespace

void add_reactors(CommandLine& line) {
    auto const arguments = std::make_shared<ReactorsArguments>();
    auto* reactors = line.app.add_subcommand(
        "reactors", "What acts on events, and due jobs: how far they have come and what waits; pause, resume");
    reactors->require_subcommand(0, 1);
    reactors->add_flag("--json", arguments->json, "As JSON");
    reactors->callback([&line, arguments, reactors] {
        if (!reactors->get_subcommands().empty()) return;
        line.run = [arguments](core::LoadedConfig const& loaded) { return show(loaded.config, *arguments); };
    });
    auto const add = [&](std::string const& name, std::string const& help,
                         int (*run)(core::Config const&, ReactorsArguments const&)) {
        auto* command = reactors->add_subcommand(name, help);
        command->callback([&line, arguments, run] {
            line.run = [arguments, run](core::LoadedConfig const& loaded) { return run(loaded.config, *arguments); };
        });
        auto* names = command->add_option("NAME", arguments->names, "Which")->check(CLI::IsMember(names_of_all()));
        return std::pair(command, names);
    };
    auto const [pausing, paused] = add(
        "pause", "Hold reactors still, which then fold nothing and whose work nobody takes up, or due jobs, or mails",
        pause);
    paused->required();
    pausing->add_option("--reason", arguments->reason, "Why, for the record; nothing personal")->required();
    add("resume", "Have reactors, due jobs and mails go on; all of them where none is named, as after a restore",
        resume);
}

}  // namespace workforce::cli
