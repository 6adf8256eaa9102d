// `workforce rebuild`: read models anew from the log, with progress.

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "api/cli/command_line.hpp"
#include "api/runtime.hpp"
#include "projections/rebuild.hpp"
#include "schemas/migrations.hpp"
#include "workers/leases.hpp"

namespace workforce::api {
namespace {

/// Rebuilds the named read models (none: all). Refuses while a process serves this database.
void rebuild(core::Config const& config, std::vector<std::string> const& names) {
    Runtime runtime(config);
    {
        core::Connection connection(session(config, "workforce_writer", "workforce rebuild"));
        if (auto const lease = workers::live_lease(connection)) {
            throw std::runtime_error(fmt::format("{} serves this database; stop it to rebuild", lease->owner));
        }
    }
    projections::RebuildOptions options;
    options.connection = session(config, "", "workforce rebuild");
    bool const terminal = isatty(STDERR_FILENO) != 0;
    std::int64_t shown = -1;
    auto const show = [&](projections::RebuildProgress const& progress) {
        auto const percent = progress.total == 0 ? 100 : progress.events * 100 / progress.total;
        if (percent == shown) return;
        shown = percent;
        if (terminal) {
            fmt::print(stderr, "\rrebuild: {} of {} events, {} %", progress.events, progress.total, percent);
        } else if (percent % 10 == 0) {
            fmt::print(stderr, "rebuild: {} of {} events, {} %\n", progress.events, progress.total, percent);
        }
    };
    projections::rebuild(runtime.log, runtime.keyring, options, names, show);
    if (terminal) fmt::print(stderr, "\n");
    fmt::print("rebuilt\n");
    runtime.stop();
}

struct Arguments {
    std::vector<std::string> names;
    bool all = false;
};

}  // namespace

void add_rebuild(CommandLine& line) {
    auto const arguments = std::make_shared<Arguments>();
    auto* command = line.app.add_subcommand("rebuild", "Make read models anew from the log, while nothing serves");
    command->add_option("NAME", arguments->names, "Read models to rebuild");
    command->add_flag("--all", arguments->all, "All of them");
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) {
            rebuild(loaded.config, arguments->all ? std::vector<std::string>{} : arguments->names);
            return 0;
        };
    });
}

}  // namespace workforce::api
