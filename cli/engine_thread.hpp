// An engine of workers on a thread of its own.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <optional>
#include <utility>

#include "core/background.hpp"

namespace workforce::cli {

/// `Engine` has run(), which works until stop(), and look_soon(). Made, started and stopped by one thread.
template <class Engine>
class EngineThread {
   public:
    /// Before start(). A process that makes none starts none.
    template <class... Parts>
    Engine& make(Parts&&... parts) {
        return engine_.emplace(std::forward<Parts>(parts)...);
    }

    void start() {
        if (engine_) end_ = boost::asio::co_spawn(thread_.executor(), engine_->run(), boost::asio::use_future);
    }

    /// Something may be due. Thread-safe, once there is an engine.
    void look_soon() {
        boost::asio::post(thread_.executor(), [this] { engine_->look_soon(); });
    }

    /// Returns once the engine has come to its end. Errors: what it ended by.
    void stop() {
        if (!end_.valid()) return;
        boost::asio::post(thread_.executor(), [this] { engine_->stop(); });
        end_.get();
    }

    /// Ends the thread, with what the engine left under way.
    void close() { thread_.stop(); }

   private:
    core::Background thread_;
    std::optional<Engine> engine_;
    std::future<void> end_;
};

}  // namespace workforce::cli
