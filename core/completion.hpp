// Lets a coroutine await what another thread completes: a callback that resumes it.
#pragma once

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <utility>

namespace workforce::core {

/// Resumes one waiting coroutine with a T, on that coroutine's executor. Movable; to be called once, from any thread.
/// One that is destroyed uncalled leaves its coroutine suspended for ever, so owners call it on every path.
template <class T>
class Completion {
   public:
    Completion() = default;
    template <class Handler>
    explicit Completion(Handler handler) : waiter_(std::make_unique<Waiter<Handler>>(std::move(handler))) {}

    void operator()(T value) { std::exchange(waiter_, nullptr)->resume(std::move(value)); }
    /// As calling it, but a coroutine of this thread's io_context goes on before this returns: for callers that hold no
    /// lock and expect to be called back.
    void resume_here(T value) { std::exchange(waiter_, nullptr)->resume_here(std::move(value)); }
    explicit operator bool() const { return waiter_ != nullptr; }

   private:
    struct WaiterBase {
        virtual ~WaiterBase() = default;
        virtual void resume(T value) = 0;
        virtual void resume_here(T value) = 0;
    };
    template <class Handler>
    struct Waiter final : WaiterBase {
        explicit Waiter(Handler h)
            : handler(std::move(h)),
              // Tracked: the waiter's io_context must not run out of work meanwhile.
              executor(boost::asio::prefer(boost::asio::get_associated_executor(handler),
                                           boost::asio::execution::outstanding_work.tracked)) {}
        void resume(T value) override { boost::asio::post(executor, resumption(std::move(value))); }
        void resume_here(T value) override { boost::asio::dispatch(executor, resumption(std::move(value))); }
        auto resumption(T value) {
            return [h = std::move(handler), v = std::move(value)]() mutable { std::move(h)(std::move(v)); };
        }
        Handler handler;
        decltype(boost::asio::prefer(boost::asio::get_associated_executor(std::declval<Handler&>()),
                                     boost::asio::execution::outstanding_work.tracked)) executor;
    };

    std::unique_ptr<WaiterBase> waiter_;
};

/// Calls start(Completion<T>) and resumes when that completion is called. `start` must not throw.
template <class T, class Start>
boost::asio::awaitable<T> await_completion(Start start) {
    auto initiate = [&start](auto handler) { start(Completion<T>(std::move(handler))); };
    co_return co_await boost::asio::async_initiate<boost::asio::use_awaitable_t<> const, void(T)>(
        initiate, boost::asio::use_awaitable);
}

}  // namespace workforce::core
