// `workforce heads`: signs where the log stands, for files that are kept elsewhere.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/audit.hpp"
#include "cli/command_line.hpp"
#include "core/files.hpp"

namespace workforce::cli {
namespace {

struct HeadsArguments {
    std::string out;
    bool public_key = false;
};

int heads(core::Config const& config, HeadsArguments const& arguments) {
    auto const signer = head_signer(config);
    if (arguments.public_key) {
        fmt::print("{}\n", signer.public_key());
        return 0;
    }
    auto const log = open_for_audit(config);
    auto const lines = events::sign_heads(*log, signer);
    if (arguments.out.empty()) {
        fmt::print("{}", lines);
    } else {
        core::append_to_file(arguments.out, lines);
    }
    return 0;
}

}  // namespace

void add_heads(CommandLine& line) {
    auto const arguments = std::make_shared<HeadsArguments>();
    auto* command = line.app.add_subcommand("heads", "Sign where each partition of the log stands, a JSON line each");
    command->add_option("--out", arguments->out, "File to append to (default: standard output)");
    command->add_flag("--public-key", arguments->public_key, "Print the key that signatures are checked with");
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return heads(loaded.config, *arguments); };
    });
}

}  // namespace workforce::cli
