// How many sessions the process has with PostgreSQL, who gets the next one, and when idle ones end.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "core/connection.hpp"
#include "core/session_use.hpp"

namespace workforce::core {

/// What sessions are taken for. A purpose always gets its own few sessions, whatever others hold; the rest of the limit
/// goes to whoever asks first.
enum class SessionPurpose : std::uint8_t {
    lease,     ///< renewals of leases; a late one costs partitions
    log,       ///< appends and claims
    request,   ///< short statements that requests and writers wait for
    listing,   ///< reads of requests that may take long
    folding,   ///< read models, and reads of the log
    job,       ///< periodic work that nobody waits for
    nested,    ///< of a thread that holds a session already; SessionPool finds that out itself
    watch,     ///< the session that stays for as long as the process runs
    pipeline,  ///< sessions of io_contexts, which do without where there is no room
};

/// The sessions of the process. Sessions with equal options form a group, whatever pools they were opened for. Within
/// the limit a session is opened when a group has none; where all that it has are in use, once who asks has waited for
/// as long as its purpose may, or, before the process serves, once all who ask have waited for long enough together.
/// Idle sessions for which no pool is left go on as sessions of other groups; so does, where the limit is reached, the
/// one that was idle for the longest time. Idle sessions end after 90 s, and soon where there are more than kMostIdle.
/// Thread-safe.
class SessionBudget {
   public:
    using Clock = std::chrono::steady_clock;

    static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max() / 2;
    static constexpr std::size_t kMostIdle = 8;
    /// Sessions that purposes have for themselves, all together: the least limit.
    static constexpr std::size_t kReserved = 14;

    /// A session that waits for its next user.
    struct Idle {
        std::unique_ptr<Connection> session;
        Clock::time_point since;
    };
    /// Sessions that differ in nothing.
    struct Group {
        ConnectionOptions options;
        SessionUse& use;
        std::size_t pools = 0;
        std::size_t lent = 0;
        std::vector<Idle> idle{};  // the last one was used last
        /// How long those who asked have waited together since then; jobs don't count. For the time before serving.
        Clock::duration waited{};
        Clock::time_point waits_since{};
    };
    /// A pool's part in its group.
    struct Share {
        Group& group;
        std::size_t limit;
        SessionPurpose purpose;
        std::size_t lent = 0;
    };

    static SessionBudget& of_process();

    /// From now on no session is opened past so many, kReserved or more. Until the first call there is no limit.
    void limit(std::size_t sessions);

    /// Says whether callers wait for what the process does. A start and a command, which it is until the first call,
    /// would rather wait for a session in use than open one more.
    void set_serving(bool serving);

    /// The group of such sessions, until as many calls of leave(). Sessions that nobody asks for any more wait for
    /// whoever comes next to their database for as long as there is another group of it.
    Group& join(ConnectionOptions const& options);
    void leave(Group& group);

    /// Waits for a session of the share, up to its connect timeout: an idle one, or null for the right to open one.
    /// One of another group has been reset to the share's options. Errors: DatabaseUnavailable.
    std::unique_ptr<Connection> take(Share& share, SessionPurpose purpose);
    /// Ends what take() began; null where the session was closed.
    void give_back(Share& share, SessionPurpose purpose, std::unique_ptr<Connection> session);

    /// The right to one more session of the purpose `pipeline` until end_pipeline(), or false. Does not wait.
    bool take_pipeline();
    void end_pipeline();

    /// Says that a session was given up for its server's silence: idle ones stand before the same server, and end.
    void fell_silent();
    /// How often that was said.
    [[nodiscard]] std::uint64_t silences() const { return silences_; }

   private:
    struct Waiter;
    static constexpr std::size_t kPurposes = 9;

    [[nodiscard]] bool has_room(SessionPurpose purpose, std::size_t left = 0) const;
    [[nodiscard]] bool may_have(Waiter const& waiter, Clock::time_point now) const;
    [[nodiscard]] std::size_t idle_count() const;
    /// Whether one more session needs the place of an idle one.
    [[nodiscard]] bool is_full() const;
    /// When one more session may be opened for who waits, whose group has others that may soon be idle.
    [[nodiscard]] Clock::time_point opens_at(Waiter const& waiter) const;
    void grant(Waiter& waiter, Clock::time_point now);
    /// Has a waiter go on whose group has no session idle: with another group's, or the right to open one.
    void grant_other(Waiter& waiter);
    /// Grants to all who wait and may have, in the order in which they came.
    void admit();
    /// The group with the session that has been idle for the longest time, among those that `counts` takes; null
    /// without any.
    template <class F>
    Group* longest_idle(F counts);
    /// Its first idle session. The group is gone where that was all of it.
    std::unique_ptr<Connection> take_first(Group& group);
    /// Takes sessions out that were idle for too long.
    std::vector<std::unique_ptr<Connection>> take_rested(Clock::time_point now);

    std::mutex mutex_;
    std::size_t limit_ = kUnlimited;
    bool serving_ = false;
    std::array<std::size_t, kPurposes> held_{};
    std::list<Group> groups_;
    std::list<Waiter*> waiters_;
    Clock::time_point next_look_{};  // for sessions that were idle for too long
    std::atomic<std::uint64_t> silences_{0};
};

}  // namespace workforce::core
