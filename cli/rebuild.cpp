// `workforce rebuild`: read models anew from the log beside live traffic, with progress.

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/command_line.hpp"
#include "cli/progress.hpp"
#include "projections/engine/checkpoints.hpp"
#include "projections/engine/rebuild.hpp"
#include "projections/event_tap/event_tap.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {
namespace {

/// Shows the events folded, and what is done besides as a line each.
class Display {
   public:
    void show(projections::RebuildProgress const& progress) {
        if (!line_) line_.emplace("rebuild", "events", progress.total);
        if (progress.doing != doing_ && progress.doing != projections::kFolding) {
            line_->note(progress.doing);
        }
        doing_ = progress.doing;
        line_->add(progress.events - events_);
        events_ = progress.events;
    }

   private:
    std::optional<ProgressLine> line_;
    std::string_view doing_;
    std::int64_t events_ = 0;
};

/// Rebuilds the named read models (none: all), whether or not services run.
void rebuild(core::Config const& config, std::vector<std::string> const& names) {
    workers::Runtime runtime(config);
    projections::RebuildOptions options;
    options.connection =
        projections::keep_events(workers::session(config, "", "workforce rebuild"), config.event_tap_days);
    auto const result = [&] {
        Display display;
        return projections::rebuild(runtime.log, runtime.keyring, options, names,
                                    [&](auto const& progress) { display.show(progress); });
    }();
    fmt::print("rebuilt {} from {} events; readers waited {:.1f} ms at most\n",
               names.empty() ? "all read models" : fmt::format("{}", fmt::join(names, ", ")), result.events,
               static_cast<double>(result.locked.count()) / 1000);
    runtime.stop();
}

/// The read models whose rows are of another revision than this program's.
std::vector<std::string> outdated(core::Config const& configured) {
    auto const config = workers::checked(configured);
    core::Connection connection(projections::aimed_at(workers::session(config, "workforce_reader", "workforce rebuild"),
                                                      projections::Tables::live));
    return projections::outdated(connection, projections::registry());
}

struct RebuildArguments {
    std::vector<std::string> names;
    bool all = false;
    bool outdated = false;
};

void run(core::Config const& config, RebuildArguments const& arguments) {
    if (static_cast<int>(!arguments.names.empty()) + static_cast<int>(arguments.all) +
            static_cast<int>(arguments.outdated) !=
        1) {
        throw UsageError("name the read models to rebuild, or say --all or --outdated");
    }
    auto const names = arguments.outdated ? outdated(config) : arguments.names;
    if (names.empty() && !arguments.all) {
        fmt::print("no read model is of another revision\n");
    } else {
        rebuild(config, names);
    }
}

}  // namespace

void add_rebuild(CommandLine& line) {
    auto const arguments = std::make_shared<RebuildArguments>();
    auto* command = line.app.add_subcommand("rebuild", "Make read models anew from the log; services go on");
    command->add_option("NAME", arguments->names, "Read models to rebuild");
    command->add_flag("--all", arguments->all, "All of them");
    command->add_flag("--outdated", arguments->outdated,
                      "Those whose rows are of another revision than this program's");
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) {
            run(loaded.config, *arguments);
            return 0;
        };
    });
}

}  // namespace workforce::cli
