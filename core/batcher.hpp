// Groups what many coroutines ask for at the same time into one call.
#pragma once

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <tl/expected.hpp>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/completion.hpp"

namespace workforce::core {

/// While `at_once` calls are under way, further items wait; the next call takes all of them. So an item waits for at
/// most one call that began before it came, and the number of calls does not grow with the load. Thread-safe; it must
/// outlive all that wait, and be stopped before the io_contexts of those end who may still wait then.
template <class Item, class Result>
class Batcher {
   public:
    /// Gives as many results as there are items, in their order. What it throws reaches everyone of the batch. Runs on
    /// the executor of one of those who wait.
    using Serve = std::function<boost::asio::awaitable<std::vector<Result>>(std::vector<Item>)>;

    explicit Batcher(Serve serve, std::size_t at_once = 1) : serve_(std::move(serve)), at_once_(at_once) {}
    Batcher(Batcher const&) = delete;
    Batcher& operator=(Batcher const&) = delete;
    ~Batcher() = default;

    /// The item's result, or what `serve` threw, or the error that it was stopped with.
    boost::asio::awaitable<Result> submit(Item item) {
        auto const executor = co_await boost::asio::this_coro::executor;
        auto outcome = co_await await_completion<Outcome>([&](Completion<Outcome> done) {
            bool begin = false;
            std::exception_ptr stopped;
            {
                std::lock_guard const lock(mutex_);
                stopped = stopped_;
                if (!stopped) {
                    waiting_.push_back({std::move(item), std::move(done), executor});
                    begin = calls_ < at_once_;
                    if (begin) ++calls_;
                }
            }
            // NOLINTNEXTLINE(bugprone-use-after-move): moved from exactly when it is not stopped
            if (stopped) done(tl::unexpected(std::move(stopped)));
            if (begin) serve_next();
        });
        if (!outcome) std::rethrow_exception(std::move(outcome.error()));
        co_return *std::move(outcome);
    }

    /// Ends all that wait with this error, those whose call is under way too, and so all that come later.
    void stop(std::exception_ptr const& error) {
        std::vector<Done> ended;
        {
            std::lock_guard const lock(mutex_);
            stopped_ = error;
            for (auto& each : waiting_) ended.push_back(std::move(each.done));
            waiting_.clear();
            for (auto const& call : under_way_) std::move(call->begin(), call->end(), std::back_inserter(ended));
            under_way_.clear();
        }
        for (auto& done : ended) done(tl::unexpected(error));
    }

   private:
    using Outcome = tl::expected<Result, std::exception_ptr>;
    using Done = Completion<Outcome>;
    /// Who waits for a call. Kept here and not in the call's coroutine, which may end with its io_context only.
    using Call = std::shared_ptr<std::vector<Done>>;
    struct Waiting {
        Item item;
        Done done;
        boost::asio::any_io_executor executor;
    };

    /// Serves what waits, on the executor of one of those: that one's context lives for as long as it waits, which the
    /// context of someone served before need not.
    void serve_next() {
        std::vector<Item> items;
        auto call = std::make_shared<std::vector<Done>>();
        boost::asio::any_io_executor executor;
        {
            std::lock_guard const lock(mutex_);
            if (waiting_.empty()) {
                --calls_;
                return;
            }
            executor = waiting_.front().executor;
            items.reserve(waiting_.size());
            call->reserve(waiting_.size());
            for (auto& each : waiting_) {
                items.push_back(std::move(each.item));
                call->push_back(std::move(each.done));
            }
            waiting_.clear();
            under_way_.insert(call);
        }
        boost::asio::co_spawn(executor, serve(std::move(items), std::move(call)), boost::asio::detached);
    }

    boost::asio::awaitable<void> serve(std::vector<Item> items, Call call) {
        std::vector<Result> results;
        std::exception_ptr error;
        try {
            results = co_await serve_(std::move(items));
        } catch (...) {
            error = std::current_exception();
        }
        bool stopped = false;
        {
            std::lock_guard const lock(mutex_);
            stopped = under_way_.erase(call) == 0;
        }
        serve_next();
        if (stopped) co_return;
        for (std::size_t i = 0; i < call->size(); ++i) {
            (*call)[i](error ? Outcome(tl::unexpected(error)) : Outcome(std::move(results.at(i))));
        }
    }

    Serve const serve_;
    std::size_t const at_once_;
    std::mutex mutex_;
    std::vector<Waiting> waiting_;
    std::unordered_set<Call> under_way_;
    std::size_t calls_ = 0;
    std::exception_ptr stopped_;
};

}  // namespace workforce::core
