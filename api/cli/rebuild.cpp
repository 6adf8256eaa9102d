// `workforce rebuild`: read models anew from the log beside live traffic, with progress.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "api/cli/command_line.hpp"
#include "api/runtime.hpp"
#include "projections/rebuild.hpp"

namespace workforce::api {
namespace {

/// Shows progress on standard error: a line that changes on a terminal, else one a tenth or a new occupation.
class Display {
   public:
    void show(projections::RebuildProgress const& progress) {
        auto const percent =
            progress.total == 0 ? 100 : std::min<std::int64_t>(100, progress.events * 100 / progress.total);
        if (percent == percent_ && progress.doing == doing_) return;
        if (terminal_) {
            fmt::print(stderr, "\r\033[Krebuild: {}, {} of {} events, {} %", progress.doing, progress.events,
                       progress.total, percent);
        } else if (percent / 10 != percent_ / 10 || progress.doing != doing_) {
            fmt::print(stderr, "rebuild: {}, {} of {} events, {} %\n", progress.doing, progress.events, progress.total,
                       percent);
        }
        percent_ = percent;
        doing_ = progress.doing;
    }
    void end() const {
        if (terminal_) fmt::print(stderr, "\n");
    }

   private:
    bool const terminal_ = isatty(STDERR_FILENO) != 0;
    std::int64_t percent_ = -1;
    std::string_view doing_;
};

/// Rebuilds the named read models (none: all), whether or not services run.
void rebuild(core::Config const& config, std::vector<std::string> const& names) {
    Runtime runtime(config);
    projections::RebuildOptions options;
    options.connection = session(config, "", "workforce rebuild");
    Display display;
    auto const result = projections::rebuild(runtime.log, runtime.keyring, options, names,
                                             [&](auto const& progress) { display.show(progress); });
    display.end();
    fmt::print("rebuilt {} from {} events; readers waited {:.1f} ms at most\n",
               names.empty() ? "all read models" : fmt::format("{}", fmt::join(names, ", ")), result.events,
               static_cast<double>(result.locked.count()) / 1000);
    runtime.stop();
}

struct Arguments {
    std::vector<std::string> names;
    bool all = false;
};

}  // namespace

void add_rebuild(CommandLine& line) {
    auto const arguments = std::make_shared<Arguments>();
    auto* command = line.app.add_subcommand("rebuild", "Make read models anew from the log; services go on");
    command->add_option("NAME", arguments->names, "Read models to rebuild");
    command->add_flag("--all", arguments->all, "All of them");
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) {
            if (arguments->names.empty() && !arguments->all) {
                throw std::runtime_error("name the read models to rebuild, or say --all");
            }
            rebuild(loaded.config, arguments->all ? std::vector<std::string>{} : arguments->names);
            return 0;
        };
    });
}

}  // namespace workforce::api
