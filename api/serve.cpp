// Start, signal, stop.
#include "api/serve.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "api/node.hpp"
#include "core/logging.hpp"

namespace workforce::api {
namespace {

/// Runs until a signal asks to stop.
void wait_for_signal() {
    boost::asio::io_context context{1};
    boost::asio::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait(
        [](boost::system::error_code, int number) { core::log(core::Level::info, "stopping", {{"signal", number}}); });
    context.run();
}

}  // namespace

int serve(core::Config const& config, workers::Role role) {
    Node node(config, role);
    node.start();
    wait_for_signal();
    node.stop();
    return 0;
}

}  // namespace workforce::api
