// `workforce replay`: the log's evidence — verified, as of a time, or as a file.
#include "cli/replay.hpp"

#include <memory>
#include <stdexcept>

#include "cli/command_line.hpp"

namespace workforce::cli {
namespace {

int replay(core::LoadedConfig const& loaded, ReplayArguments const& arguments) {
    int const ways = static_cast<int>(arguments.verify) + static_cast<int>(!arguments.aggregate.empty()) +
                     static_cast<int>(!arguments.export_to.empty());
    if (ways != 1) throw UsageError("replay takes one of --verify, --aggregate, --export");
    if (arguments.verify) return replay_verify(loaded.config, arguments);
    if (!arguments.aggregate.empty()) return replay_as_of(loaded, arguments);
    return replay_export(loaded.config, arguments);
}

}  // namespace

void add_replay(CommandLine& line) {
    auto const arguments = std::make_shared<ReplayArguments>();
    auto* command = line.app.add_subcommand("replay", "Read the whole log: verify it, tell a past state, or export it");
    command->add_flag("--verify", arguments->verify,
                      "Check every partition's chain; exit code 1: broken, 2: can't tell");
    command->add_option("--against", arguments->against, "Signed heads that the log has to pass through")
        ->needs("--verify");
    command
        ->add_option("--public-key", arguments->public_keys,
                     "Keys of those heads, and of mends (default: this installation's, former ones too)")
        ->needs("--verify");
    command->add_flag("--json", arguments->json, "Print the result as JSON")->needs("--verify");
    command->add_option("--aggregate", arguments->aggregate, "Tell the state of one, as `shift/42`");
    command->add_option("--as-of", arguments->as_of, "At this RFC 3339 time (default: now)")->needs("--aggregate");
    command->add_flag("--sandbox", arguments->sandbox, "The sandbox's, not the live one")->needs("--aggregate");
    command->add_flag("--personal", arguments->personal, "Open personal data, for those in personal_readers")
        ->needs("--aggregate");
    command->add_option("--export", arguments->export_to,
                        "Write CloudEvents to a file, a line each, zstd unless it ends in .ndjson; -: standard output");
    command->add_option("--from", arguments->from, "Events from this RFC 3339 time on")->needs("--export");
    command->add_option("--to", arguments->to, "Events before this RFC 3339 time")->needs("--export");
    command->add_option("--partition", arguments->partition, "One partition only")->check(partition_number());
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return replay(loaded, *arguments); };
    });
}

}  // namespace workforce::cli
