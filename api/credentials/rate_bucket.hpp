// The requests that this process may let in for one API key: the arithmetic of its leases, without clock, lock or
// table.
#pragma once

#include <chrono>
#include <cstdint>

#include "core/text.hpp"

namespace workforce::api {

using core::Id;

/// What a process tells the table of one key, and asks of it.
struct RateContact {
    Id key = 0;
    std::int64_t window = 0;  ///< the one that the process knows, by its end in µs since 1970; 0: none
    std::int64_t used = 0;    ///< requests of that window let in since the last contact
    std::int64_t back = 0;    ///< of its requests given back; with `most` it may get some of these again
    std::int64_t most = 0;    ///< the key's limit; 0: no more requests are wanted
    std::int64_t kept = 0;    ///< what the process has of that window, and keeps
};

/// What stands in the table after a contact.
struct RateLease {
    Id key = 0;
    std::int64_t window = 0;                            ///< the open one, by its end in µs since 1970
    std::chrono::steady_clock::time_point closes_by{};  ///< not after the window's end, by this process's clock
    std::int64_t lent = 0;                              ///< requests that the process gets
    std::int64_t granted = 0;                           ///< of the window, to all processes
    std::int64_t held = 0;                              ///< of these not told to be used
};

/// What an answer tells of a key's limit.
struct RateState {
    std::int64_t limit = 0;
    std::int64_t remaining = 0;    ///< not granted at the last contact, and what this process has
    std::int64_t reset = 0;        ///< when the window ends, in seconds since 1970, by the database's clock
    std::int64_t retry_after = 0;  ///< in how many seconds the window will be over
};

/// One key's. Times are of a steady clock. Not thread-safe.
class RateBucket {
   public:
    using Time = std::chrono::steady_clock::time_point;
    enum class Taken : std::uint8_t {
        yes,
        ask,   ///< the table knows whether there is one
        wait,  ///< all are granted, and other processes may give some back
        no,    ///< all are used
    };

    /// Takes one request of the open window.
    Taken take(Time now, std::int64_t limit);

    /// Whether take() would say no.
    [[nodiscard]] bool exhausted(Time now, std::int64_t limit) const;

    /// Prepares a contact with the table: reports the requests used since the last one, and asks for up to `most` of
    /// the window (RateContact::most). With `most` 0, or below what the window has granted, it gives back all that is
    /// left. The bucket forgets what it reports and gives back at once, so that a contact that fails can't grant a
    /// request twice.
    RateContact contact(Id key, std::int64_t most, Time now);
    /// Adopts the table's answer to a contact. Where several contacts were under way, the later window counts.
    void settle(RateContact const& told, RateLease const& lease, Time now);

    [[nodiscard]] RateState state(Time now, std::int64_t limit) const;
    /// Whether the bucket has something to report or give back, and nobody took a request of it for `since`.
    [[nodiscard]] bool idle(Time now, std::chrono::milliseconds since) const;
    [[nodiscard]] bool over(Time now) const { return now >= closes_by_; }
    /// Requests that other processes hold, as of the last contact.
    [[nodiscard]] std::int64_t others() const { return others_; }
    [[nodiscard]] Time contacted() const { return contacted_; }
    /// True for the first call of a window, false for the others.
    bool first_refusal();

   private:
    /// Whether it has requests of a window of which more were granted than the limit is now: the limit was lowered, and
    /// the table has to tell whether any of these may still be used.
    [[nodiscard]] bool lowered(std::int64_t limit) const { return tokens_ > 0 && granted_ > limit; }

    std::int64_t window_ = 0;
    Time closes_by_{};
    Time asked_{};
    Time contacted_{};
    std::int64_t tokens_ = 0;
    std::int64_t used_ = 0;
    std::int64_t granted_ = 0;
    std::int64_t others_ = 0;
    std::int64_t refused_window_ = 0;
};

}  // namespace workforce::api
