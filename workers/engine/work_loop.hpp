// The loop of an engine: it looks for work, begins it, and rests until it is woken.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string_view>

namespace workforce::workers {

/// How a loop takes its time.
struct WorkPace {
    std::chrono::milliseconds rest{250};     ///< between two looks, where nothing wakes it
    std::chrono::milliseconds grace{3'000};  ///< after a stop, for what is under way
};

/// The loop of one engine. Its coroutines run on one executor of one thread, which run() is started on; all members but
/// under_way() are called there.
class WorkLoop {
   public:
    /// Looks for work and begins it. Returns whether more is due already.
    using Look = std::function<boost::asio::awaitable<bool>()>;
    using Failed = std::function<void(std::exception const& error)>;

    /// `trouble` is what is logged where a look failed, once until one succeeds.
    explicit WorkLoop(std::string_view trouble, WorkPace pace = {}) : trouble_(trouble), pace_(pace) {}
    WorkLoop(WorkLoop const&) = delete;
    WorkLoop& operator=(WorkLoop const&) = delete;
    ~WorkLoop() = default;

    /// Looks until stop(); returns once nothing is under way, or the grace is over.
    boost::asio::awaitable<void> run(Look look);
    /// Starts work beside the loop, which is woken when it ends. `failed` is told what it threw.
    void begin(boost::asio::awaitable<void> work, Failed failed);
    /// Something may be due.
    void look_soon();
    void stop();

    /// How much has begun and not ended. Thread-safe.
    [[nodiscard]] std::int64_t under_way() const { return under_way_; }

   private:
    boost::asio::awaitable<void> rest();
    boost::asio::awaitable<void> guarded(boost::asio::awaitable<void> work, Failed failed);

    std::string_view const trouble_;
    WorkPace const pace_;
    std::optional<boost::asio::any_io_executor> executor_;
    std::optional<boost::asio::steady_timer> timer_;
    bool called_ = false;
    bool stopping_ = false;
    std::atomic<std::int64_t> under_way_{0};
};

}  // namespace workforce::workers
