// The program: subcommands of `bench`.
#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <utility>

#include "tests/bench/bench.hpp"

namespace workforce::bench {

core::Config load_config(core::ConfigFlags const& flags) {
    auto loaded = core::load_config(flags, [](char const* name) { return std::getenv(name); });
    if (!loaded) throw std::runtime_error(loaded.error());
    return std::move(loaded->config);
}

}  // namespace workforce::bench

int main(int argc, char** argv) {
    namespace bench = workforce::bench;
    CLI::App app{"What tests/bench/run measures the service with, and beside."};
    bench::Run run;
    app.require_subcommand(1);
    for (auto* add :
         {bench::add_bare, bench::add_server, bench::add_sink, bench::add_customers, bench::add_sessions,
          bench::add_history, bench::add_log, bench::add_projections, bench::add_verify, bench::add_usage}) {
        add(app, run);
    }
    CLI11_PARSE(app, argc, argv);
    try {
        return run();
    } catch (std::exception const& error) {
        fmt::print(stderr, "bench: {}\n", error.what());
        return 1;
    }
}
