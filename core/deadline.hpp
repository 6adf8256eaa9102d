// A bound on how long a coroutine waits for another.
#pragma once

#include <atomic>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace workforce::core {

/// Awaits `operation` for at most `limit`: its result, its exception, or nothing when time ran out. The operation is
/// not stopped by that but goes on by itself, so it must own what it uses; its late result or exception is dropped.
/// Resumes on the caller's executor, which may have several threads.
template <class T>
boost::asio::awaitable<std::optional<T>> within(std::chrono::milliseconds limit, boost::asio::awaitable<T> operation) {
    using Value = std::optional<T>;
    auto const executor = co_await boost::asio::this_coro::executor;
    auto initiate = [&](auto handler) {
        struct Race {
            decltype(handler) resume;
            boost::asio::steady_timer timer;
            std::atomic<bool> decided = false;

            Race(decltype(handler) h, boost::asio::any_io_executor const& e) : resume(std::move(h)), timer(e) {}
            void decide(std::exception_ptr error, Value value) {
                if (decided.exchange(true)) return;
                timer.cancel();
                auto const target = timer.get_executor();
                boost::asio::post(target,
                                  [h = std::move(resume), e = std::move(error), v = std::move(value)]() mutable {
                                      std::move(h)(std::move(e), std::move(v));
                                  });
            }
        };
        auto race = std::make_shared<Race>(std::move(handler), executor);
        race->timer.expires_after(limit);
        race->timer.async_wait([race](boost::system::error_code failed) {
            if (!failed) race->decide(nullptr, std::nullopt);
        });
        // Optional: a result that has no default value comes with an exception too.
        auto wrapped = [](boost::asio::awaitable<T> inner) -> boost::asio::awaitable<Value> {
            co_return co_await std::move(inner);
        };
        boost::asio::co_spawn(executor, wrapped(std::move(operation)), [race](std::exception_ptr error, Value value) {
            race->decide(std::move(error), std::move(value));
        });
    };
    co_return co_await boost::asio::async_initiate<boost::asio::use_awaitable_t<> const,
                                                   void(std::exception_ptr, Value)>(initiate,
                                                                                    boost::asio::use_awaitable);
}

}  // namespace workforce::core
