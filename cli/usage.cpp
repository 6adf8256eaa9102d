// What is wrong with a command line, in one line.
#include "cli/usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/nearest.hpp"

namespace workforce::cli {
namespace {

/// The subcommand that the words name, as far as they name one.
CLI::App const* innermost(CLI::App const& app) {
    auto const* found = &app;
    for (auto given = found->get_subcommands(); !given.empty(); given = found->get_subcommands()) found = given.front();
    return found;
}

/// "workforce log copy".
std::string words_of(CLI::App const& app) {
    return app.get_parent() == nullptr ? "workforce" : words_of(*app.get_parent()) + ' ' + app.get_name();
}

/// What a command that needs a subcommand of its own lacks; "" when that is not what is wrong.
std::string missing_command(CLI::App const& app, CLI::App const& innermost) {
    if (innermost.get_require_subcommand_min() == 0) return "";
    auto const extra = app.remaining(true);
    auto const word =
        std::find_if(extra.begin(), extra.end(), [](std::string const& each) { return !each.starts_with('-'); });
    if (word == extra.end()) {
        return extra.empty() ? "a command is missing" : fmt::format("there is no option '{}'", extra.front());
    }
    auto const all = innermost.get_subcommands([](CLI::App const*) { return true; });
    std::vector<std::string> names;
    for (auto const* each : all) names.push_back(each->get_name());
    return fmt::format("there is no command '{}'{}", *word,
                       core::suggest(*word, std::vector<std::string_view>(names.begin(), names.end())));
}

/// Prints one line, with where to read more.
int refuse(CLI::App const& app, std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    fmt::print(stderr, "workforce: {} (see `{} --help`)\n", text, words_of(*innermost(app)));
    return kUsageExit;
}

}  // namespace

CLI::Range partition_number() { return {0, std::numeric_limits<int>::max(), "NUMBER"}; }

int refuse_usage(CLI::App const& app, CLI::ParseError const& error) {
    auto const missing = missing_command(app, *innermost(app));
    return refuse(app, missing.empty() ? error.what() : missing);
}

int refuse_usage(CLI::App const& app, UsageError const& error) { return refuse(app, error.what()); }

int fail(std::exception const& error) {
    std::string_view text(error.what());
    text = text.substr(0, text.find('\n'));
    fmt::print(stderr, "workforce: {}\n", text);
    return 1;
}

}  // namespace workforce::cli
