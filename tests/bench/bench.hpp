// `bench`: the benchmarks in C++, most of which tests/bench/run starts. Each subcommand adds itself in the file of its
// name and says what it does once the command line is read. They are one program so that what all of them include is
// compiled once.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "core/config.hpp"

namespace workforce::net {
class Server;
}

namespace workforce::bench {

/// What the subcommand given does; set by its callback while the command line is read. Returns the exit code.
/// Errors: any std::exception, whose text is one line.
using Run = std::function<int()>;

// The subcommands, in the order of --help. `bench` and `run` outlive what they add.

/// The least that an HTTP server can do, a yardstick.
void add_bare(CLI::App& bench, Run& run);
/// Our server with nothing behind it: what it alone costs above the bare handler.
void add_server(CLI::App& bench, Run& run);
/// Where webhooks arrive.
void add_sink(CLI::App& bench, Run& run);
/// The organizations and keys that requests are made with.
void add_customers(CLI::App& bench, Run& run);
/// The sessions of people that requests are made with.
void add_sessions(CLI::App& bench, Run& run);
/// A long history for an installation.
void add_history(CLI::App& bench, Run& run);
/// The log: bare parts, appends, commands without HTTP.
void add_log(CLI::App& bench, Run& run);
/// The read side: catch-up of each projection, visibility of single events, queries.
void add_projections(CLI::App& bench, Run& run);
/// The audit of a large log.
void add_verify(CLI::App& bench, Run& run);
/// Usage: recording, and views of many rows.
void add_usage(CLI::App& bench, Run& run);

/// The configuration in force. Errors: std::runtime_error with the line of core::load_config().
core::Config load_config(core::ConfigFlags const& flags);

/// Starts the server and returns once a signal has ended it. Returns the exit code. Throws as net::Server::start().
int serve(net::Server& server);

}  // namespace workforce::bench
