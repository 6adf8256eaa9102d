// The service's HTTP server with a handler that answers a constant: the server's own cost, beside `bench bare`.
#include "net/server.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <csignal>
#include <memory>

#include "tests/bench/bench.hpp"

namespace workforce::bench {
namespace {

boost::asio::awaitable<net::Reply> answer(net::Request const&) {
    net::Reply reply;
    reply.body = R"({"id":4711,"title":"Night shift","status":"Open","requiredWorkers":3,"assignedWorkers":1})";
    co_return reply;
}

}  // namespace

int serve(net::Server& server) {
    boost::asio::io_context signals;
    boost::asio::signal_set stop(signals, SIGINT, SIGTERM);
    stop.async_wait([](auto const&...) {});
    server.start();
    signals.run();
    server.stop(std::chrono::seconds(1));
    return 0;
}

void add_server(CLI::App& bench, Run& run) {
    auto const options = std::make_shared<net::ServerOptions>();
    auto& port = options->ports.front().number;
    port = 18081;
    auto* command = bench.add_subcommand("server", "The service's HTTP server with a constant answer");
    command->add_option("--port", port, "Port on 127.0.0.1")->capture_default_str();
    command->add_option("--threads", options->threads, "I/O threads")->capture_default_str();
    command->callback([&run, options] {
        run = [options] {
            net::Server server(*options, answer);
            return serve(server);
        };
    });
}

}  // namespace workforce::bench
