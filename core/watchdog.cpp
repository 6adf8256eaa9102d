// The thread that looks after all watches, from the first one to the end of the process.
#include "core/watchdog.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_set>

namespace workforce::core {
namespace {

constexpr auto kLook = std::chrono::milliseconds(250);

}  // namespace

class Watch::Keeper {
   public:
    Keeper() : thread_([this] { look(); }) {}
    Keeper(Keeper const&) = delete;
    Keeper& operator=(Keeper const&) = delete;
    ~Keeper() {
        {
            std::lock_guard const lock(mutex_);
            ending_ = true;
        }
        ends_.notify_all();
        thread_.join();
    }

    void add(Watch& watch) {
        std::lock_guard const lock(mutex_);
        watches_.insert(&watch);
    }
    /// When it returns, nobody looks at the watch.
    void remove(Watch& watch) {
        std::lock_guard const lock(mutex_);
        watches_.erase(&watch);
    }

   private:
    void look() {
        std::unique_lock lock(mutex_);
        while (!ends_.wait_for(lock, kLook, [this] { return ending_; })) {
            auto const moment = now();
            for (auto* watch : watches_) watch->look(moment);
        }
    }

    std::mutex mutex_;
    std::condition_variable ends_;
    bool ending_ = false;
    std::unordered_set<Watch*> watches_;
    std::thread thread_;
};

Watch::Keeper& Watch::keeper() {
    static Keeper all;
    return all;
}

std::int64_t Watch::now() noexcept {
    auto const since_start = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(since_start).count() + 1;
}

// A duplicate, for the library that uses the socket may close it by itself, and its number may be another's by then.
Watch::Watch(int socket, std::chrono::milliseconds limit)
    : limit_(limit.count()), socket_(limit.count() > 0 ? ::fcntl(socket, F_DUPFD_CLOEXEC, 0) : -1) {
    if (socket_ >= 0) keeper().add(*this);
}

Watch::~Watch() {
    if (socket_ < 0) return;
    keeper().remove(*this);
    ::close(socket_);
}

void Watch::look(std::int64_t now) noexcept {
    auto const since = since_.load(std::memory_order_relaxed);
    if (since == 0 || now - since <= limit_) return;
    cut_.store(true, std::memory_order_relaxed);  // before: whoever finds the connection lost asks why
    ::shutdown(socket_, SHUT_RDWR);
}

}  // namespace workforce::core
