// Start, signal, stop.
#include "cli/serve.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <string_view>

#include "cli/node.hpp"
#include "core/logging.hpp"

namespace workforce::cli {
namespace {

/// SIGTERM and SIGINT, which end the process at once before this is built, and ask for an orderly stop from then on.
class StopSignals {
   public:
    StopSignals() : signals_(context_, SIGINT, SIGTERM) {}

    /// Returns at the next signal, after logging `what`.
    void wait(std::string_view what) {
        expect(what);
        context_.run();
    }

    /// As wait, for that long at most.
    void wait_for(std::chrono::seconds longest, std::string_view what) {
        expect(what);
        context_.run_for(longest);
    }

   private:
    void expect(std::string_view what) {
        context_.restart();
        signals_.async_wait([what](boost::system::error_code failed, int number) {
            if (!failed) core::log(core::Level::info, what, {{"signal", number}});
        });
    }

    boost::asio::io_context context_{1};
    boost::asio::signal_set signals_;
};

/// Returns when the process is to stop: at a signal, after what `drain` asks for. A signal past that ends it at once.
void serve_until_stopped(Node& node, std::chrono::seconds drain) {
    StopSignals signals;
    node.announce_start();
    signals.wait("stopping");
    node.announce_stop();
    if (drain.count() == 0) return;
    core::log(core::Level::info, "draining", {{"seconds", drain.count()}});
    signals.wait_for(drain, "draining ends early");
}

}  // namespace

int serve(core::Config const& config, workers::Role role) {
    Node node(config, role);
    node.start();
    // Balancers send clients to listeners for clients only.
    serve_until_stopped(node, std::chrono::seconds(role == workers::Role::workers ? 0 : config.drain_seconds));
    node.stop();
    return 0;
}

}  // namespace workforce::cli
