// What a process knows of the credentials that it looked up lately, within a budget of bytes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
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

/// Credentials by the digests of their tokens; those that were not used for longest leave when there are too many.
/// Thread-safe.
class CredentialCache {
   public:
    using Clock = std::chrono::steady_clock;
    using Stale = std::vector<std::pair<std::string, KnownCredential>>;

    /// It holds `limit` bytes at most (decision 58), as far as they follow from the sizes of texts and lists.
    explicit CredentialCache(std::size_t limit, Clock::time_point (*now)() = &Clock::now) : limit_(limit), now_(now) {}
    CredentialCache(CredentialCache const&) = delete;
    CredentialCache& operator=(CredentialCache const&) = delete;

    /// What memory has of a credential.
    struct Found {
        std::optional<CallerResult> outcome{};  ///< nothing where it is to be looked up
        KnownCredential known{};                ///< then: what was known so far
        /// The first key waits for take_stale(), which whoever is told so has to call soon: nobody else is told.
        bool begin_refresh = false;
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
    /// Credentials that left for room since the start while they were in use, or were not kept for want of it.
    [[nodiscard]] std::uint64_t dropped() const;

   private:
    struct Entry {
        std::string digest;
        KnownCredential known;
        Clock::time_point fetched;
        std::size_t bytes = 0;
        bool refreshing = false;
    };
    using Entries = std::list<Entry>;

    /// Under the mutex: the entry leaves for `gone`, which is destroyed when the mutex is free.
    void remove(Entries::iterator entry, Entries& gone);

    std::size_t const limit_;
    Clock::time_point (*const now_)();
    mutable std::mutex mutex_;  // guards what follows
    Entries entries_;           // the one used last first
    std::unordered_map<std::string_view, Entries::iterator> by_digest_;
    std::size_t used_ = 0;
    std::uint64_t dropped_ = 0;
    Stale stale_;
    Clock::time_point forgotten_{};  // what was looked up before may be of a session that ended
};

}  // namespace workforce::api
