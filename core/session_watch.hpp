// One session of the process that stays open, for all who have to hear of its server: notifications, positions, its
// end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/session_pool.hpp"

namespace workforce::core {

/// A thread with a session, which it opens again for as long as anybody watches. Thread-safe.
class SessionWatch {
   public:
    using Clock = std::chrono::steady_clock;

    /// Who watches; called on the watch's thread. An exception ends the session, for all.
    class Guest {
       public:
        Guest() = default;
        Guest(Guest const&) = delete;
        Guest& operator=(Guest const&) = delete;
        virtual ~Guest() = default;

        /// The session is there. `missed`: for a while since join() none was, and whatever happened in it is not known.
        virtual void opened(Connection& /*session*/, bool /*missed*/) {}
        /// The session is about to go, the guest may use it no longer. Must not throw.
        virtual void ended() {}
        /// Does what is due on the session. Returns when to be called again at the latest; wake() has it called sooner.
        virtual Clock::time_point serve(Connection& /*session*/) { return Clock::time_point::max(); }
    };

    /// The process's watch of that database, under the role workforce_projector and in schema projection; it lasts as
    /// long as somebody has it. Blocks until its session was opened, or could not be.
    static std::shared_ptr<SessionWatch> of(std::string const& database_url);

    explicit SessionWatch(std::string const& database_url);
    SessionWatch(SessionWatch const&) = delete;
    SessionWatch& operator=(SessionWatch const&) = delete;
    /// Nobody watches any more.
    ~SessionWatch();

    /// The guest is called from now on, and outlives its leave().
    void join(Guest& guest);
    /// The guest was told that its session ends, where it had one, and is called no more once this returns. A second
    /// call does nothing. Not to be called on the watch's thread.
    void leave(Guest& guest);
    /// Has guests served soon. Does not block.
    void wake() const;

   private:
    struct Member {
        Guest* guest;
        bool missed = false;   // while it was a member there was no session
        bool greeted = false;  // it has the session
        bool leaving = false;
    };

    void run();
    /// Serves the guests by one session until that ends, or the watch does.
    void serve_session();
    /// Notes whether there is a session; where there is none any more, guests are told so.
    void note(bool there);
    /// Lets go who leaves; returns those who stay, and whether the watch goes on.
    bool take_roll(std::vector<Guest*>& guests);
    void greet(Guest& guest, Connection& session);
    void await(Connection& session, Clock::time_point until);

    SessionPool pool_;
    int const wake_fd_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Member> members_;
    bool stopping_ = false;
    bool tried_ = false;  // to open a session, once at least
    bool there_ = false;  // a session
    std::thread thread_;
};

}  // namespace workforce::core
