// A bound on how long a server may keep a question without an answer, where blocking calls know none.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace workforce::core {

/// Shuts a connection's socket down when its server has had a question for longer than the limit, so that whoever waits
/// meets a lost connection instead of waiting for ever. A server that stands still (stopped, or hanging on its disk) is
/// seen by nothing else: its kernel goes on acknowledging, and its own timeouts do not fire. One thread of the process
/// looks after all watches, four times a second. asked() and answered() by one thread at a time.
class Watch {
   public:
    /// Watches the open `socket`, of which it keeps a duplicate; does nothing with a limit of zero, or when there is no
    /// descriptor left to duplicate it.
    Watch(int socket, std::chrono::milliseconds limit);
    Watch(Watch const&) = delete;
    Watch& operator=(Watch const&) = delete;
    ~Watch();

    /// A question goes out now.
    void asked() noexcept { since_.store(now(), std::memory_order_relaxed); }
    /// Nothing is awaited any longer.
    void answered() noexcept { since_.store(0, std::memory_order_relaxed); }

    /// Whether the socket was shut down.
    [[nodiscard]] bool cut() const noexcept { return cut_.load(std::memory_order_relaxed); }

    /// asked() until the end of a scope.
    class Question {
       public:
        explicit Question(Watch& watch) : watch_(watch) { watch_.asked(); }
        Question(Question const&) = delete;
        Question& operator=(Question const&) = delete;
        ~Question() { watch_.answered(); }

       private:
        Watch& watch_;
    };

   private:
    class Keeper;
    static Keeper& keeper();
    static std::int64_t now() noexcept;  // ms of the steady clock, never 0
    void look(std::int64_t now) noexcept;

    std::int64_t const limit_;  // ms
    int const socket_;          // -1: nothing to watch
    std::atomic<std::int64_t> since_{0};
    std::atomic<bool> cut_{false};
};

}  // namespace workforce::core
