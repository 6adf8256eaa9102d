#include "workers/engine/work_loop.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "core/logging.hpp"
#include "core/outage.hpp"

namespace workforce::workers {

using boost::asio::awaitable;

awaitable<void> WorkLoop::run(Look look) {
    executor_ = co_await boost::asio::this_coro::executor;
    timer_.emplace(*executor_);
    for (bool fails = false; !stopping_;) {
        bool more = false;
        try {
            more = co_await look();
            fails = false;
        } catch (std::exception const& error) {
            auto const level = core::quiet_while_away(core::Level::warn);
            if (!fails) core::log(level, trouble_, {{"error", error.what()}});
            fails = level != core::Level::debug;
        }
        if (!more && !stopping_ && !std::exchange(called_, false)) co_await rest();
    }
    auto const until = std::chrono::steady_clock::now() + pace_.grace;
    while (under_way_ > 0 && std::chrono::steady_clock::now() < until) co_await rest();
}

awaitable<void> WorkLoop::rest() {
    timer_->expires_after(pace_.rest);
    boost::system::error_code woken;  // no failure: look_soon() cancels it
    co_await timer_->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, woken));
}

void WorkLoop::begin(awaitable<void> work, Failed failed) {
    ++under_way_;
    boost::asio::co_spawn(*executor_, guarded(std::move(work), std::move(failed)), boost::asio::detached);
}

awaitable<void> WorkLoop::guarded(awaitable<void> work, Failed failed) {
    try {
        co_await std::move(work);
    } catch (std::exception const& error) {
        failed(error);
    }
    --under_way_;
    look_soon();
}

void WorkLoop::look_soon() {
    called_ = true;
    if (timer_) timer_->cancel();
}

void WorkLoop::stop() {
    stopping_ = true;
    look_soon();
}

}  // namespace workforce::workers
