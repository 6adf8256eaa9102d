// Groups what many coroutines ask for at the same time into one call.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <functional>
#include <mutex>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "core/completion.hpp"

namespace workforce::core {

/// While one call is under way, further items wait; the next call takes all of them. So an item waits for at most one
/// call that began before it came, and the number of calls does not grow with the load. Thread-safe; it must outlive
/// all that wait.
template <class Item, class Result>
class Batcher {
   public:
    /// Gives as many results as there are items, in their order. What it throws reaches everyone of the batch. Runs on
    /// the executor of one of those who wait.
    using Serve = std::function<boost::asio::awaitable<std::vector<Result>>(std::vector<Item>)>;

    explicit Batcher(Serve serve) : serve_(std::move(serve)) {}
    Batcher(Batcher const&) = delete;
    Batcher& operator=(Batcher const&) = delete;
    ~Batcher() = default;

    /// The item's result, or what `serve` threw.
    boost::asio::awaitable<Result> submit(Item item) {
        auto const executor = co_await boost::asio::this_coro::executor;
        auto outcome = co_await await_completion<Outcome>([&](Completion<Outcome> done) {
            bool first = false;
            {
                std::lock_guard const lock(mutex_);
                waiting_.push_back({std::move(item), std::move(done), executor});
                first = !std::exchange(busy_, true);
            }
            if (first) serve_next();
        });
        if (!outcome) std::rethrow_exception(std::move(outcome.error()));
        co_return *std::move(outcome);
    }

   private:
    using Outcome = tl::expected<Result, std::exception_ptr>;
    struct Waiting {
        Item item;
        Completion<Outcome> done;
        boost::asio::any_io_executor executor;
    };

    /// Serves what waits, on the executor of one of those: that one's context lives for as long as it waits, which the
    /// context of someone served before need not.
    void serve_next() {
        std::vector<Waiting> batch;
        {
            std::lock_guard const lock(mutex_);
            busy_ = !waiting_.empty();
            batch = std::exchange(waiting_, {});
        }
        if (batch.empty()) return;
        auto const executor = batch.front().executor;
        boost::asio::co_spawn(executor, serve(std::move(batch)), boost::asio::detached);
    }

    boost::asio::awaitable<void> serve(std::vector<Waiting> batch) {
        std::vector<Item> items;
        items.reserve(batch.size());
        for (auto& each : batch) items.push_back(std::move(each.item));
        std::vector<Result> results;
        std::exception_ptr error;
        try {
            results = co_await serve_(std::move(items));
        } catch (...) {
            error = std::current_exception();
        }
        serve_next();
        for (std::size_t i = 0; i < batch.size(); ++i) {
            batch[i].done(error ? Outcome(tl::unexpected(error)) : Outcome(std::move(results.at(i))));
        }
    }

    Serve const serve_;
    std::mutex mutex_;
    std::vector<Waiting> waiting_;
    bool busy_ = false;
};

}  // namespace workforce::core
