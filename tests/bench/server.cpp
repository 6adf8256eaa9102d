// The service's HTTP server with a handler that answers a constant: the server's own cost, beside bench_bare.
#include "net/server.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

namespace net = workforce::net;

namespace {

boost::asio::awaitable<net::Reply> answer(net::Request const&) {
    net::Reply reply;
    reply.body = R"({"id":4711,"title":"Night shift","status":"Open","requiredWorkers":3,"assignedWorkers":1})";
    co_return reply;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("The service's HTTP server with a constant answer");
    net::ServerOptions options;
    auto& port = options.ports.front().number;
    port = 18081;
    app.add_option("--port", port, "Port on 127.0.0.1")->capture_default_str();
    app.add_option("--threads", options.threads, "I/O threads")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    boost::asio::io_context signals;
    boost::asio::signal_set stop(signals, SIGINT, SIGTERM);
    stop.async_wait([](auto const&...) {});
    net::Server server(options, answer);
    try {
        server.start();
    } catch (std::exception const& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    signals.run();
    server.stop(std::chrono::seconds(1));
    return 0;
}
