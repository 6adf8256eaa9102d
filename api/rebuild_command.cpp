// Rebuilding from the command line.
#include "api/rebuild_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "api/runtime.hpp"
#include "projections/rebuild.hpp"
#include "schemas/migrations.hpp"
#include "workers/leases.hpp"

namespace workforce::api {

void rebuild_command(core::Config const& config, std::vector<std::string> const& names) {
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

}  // namespace workforce::api
