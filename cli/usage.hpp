// How the program says that it was called wrongly.
#pragma once

#include <CLI/CLI.hpp>
#include <stdexcept>

namespace workforce::cli {

/// The exit code of wrong usage and of a wrong configuration, whatever the command.
inline constexpr int kUsageExit = 2;

/// The command line asks for what can't be meant; the text is one line that names the option or word.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Takes numbers that partitions may have.
CLI::Range partition_number();

/// Prints what is wrong as one line, with the nearest known command and where to read more. Returns kUsageExit.
int refuse_usage(CLI::App const& app, CLI::ParseError const& error);
int refuse_usage(CLI::App const& app, UsageError const& error);

/// Prints why the command failed, as one line: of a database's error its own line alone, for those after it quote
/// statements and rows. Returns 1.
int fail(std::exception const& error);

}  // namespace workforce::cli
