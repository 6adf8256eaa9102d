// What a process knows of the credentials that it looked up lately, within a budget of bytes.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "operations/caller.hpp"

namespace workforce::api {

/// How long a key that was looked up is trusted: from so long after its secret was marked as revoked no process takes
/// it.
inline constexpr std::chrono::milliseconds kKeyTrust{1000};

/// What came of a credential: its caller, or why it has none.
using CallerResult = core::Result<std::shared_ptr<operations::Caller const>>;

/// Who was behind a credential, and by which versions of the rows that say so; empty: by no particular ones.
struct KnownCredential {
    CallerResult outcome;
    std::string versions{};
};

/// Credentials by the digests of their tokens, in two generations: the older one is dropped whole when there is too
/// much, and what is used moves to the younger. Thread-safe.
class CredentialCache {
   public:
    using Clock = std::chrono::steady_clock;
    using Stale = std::vector<std::pair<std::string, KnownCredential>>;

    /// It holds about `limit` bytes at most (decision 58).
    explicit CredentialCache(std::size_t limit, Clock::time_point (*now)() = &Clock::now) : limit_(limit), now_(now) {}
    CredentialCache(CredentialCache const&) = delete;
    CredentialCache& operator=(CredentialCache const&) = delete;

    /// What memory has of a credential.
    struct Found {
        std::optional<CallerResult> outcome{};  ///< nothing where it is to be looked up
        KnownCredential known{};                ///< then: what was known so far
        bool begin_refresh = false;             ///< it is the first that waits for take_stale()
    };
    Found find(std::string const& digest);

    /// Keeps what was looked up from `since` on, unless anyone can invent more of its kind.
    void keep(std::string const& digest, KnownCredential known, Clock::time_point since);
    void drop(std::string const& digest);
    /// Drops what is known of the user's sessions; look-ups that are under way are not kept.
    void forget(core::Id user);

    /// The keys that are trusted but no longer fresh, by digest, each told once: they are to be looked up again.
    Stale take_stale();

    /// Bytes held now.
    [[nodiscard]] std::size_t used() const;

   private:
    struct Entry {
        KnownCredential known;
        Clock::time_point fetched;
        bool refreshing = false;
        std::size_t bytes = 0;
    };
    using Entries = std::unordered_map<std::string, Entry>;

    /// Under the mutex: the entry, which is young from here on; null: there is none.
    Entry* touch(std::string const& digest, Entries& dropped);
    /// Under the mutex. What is dropped is the caller's, to be destroyed after the mutex is free.
    void make_room(Entries& dropped);
    void remove(std::string const& digest);

    std::size_t const limit_;
    Clock::time_point (*const now_)();
    mutable std::mutex mutex_;  // guards what follows
    Entries young_;
    Entries old_;
    std::size_t young_bytes_ = 0;
    std::size_t old_bytes_ = 0;
    Stale stale_;
    Clock::time_point forgotten_{};  // what was looked up before may be of a session that ended
};

}  // namespace workforce::api
