// Credentials in the order of their use.
#include "api/credentials/credential_cache.hpp"

#include <iterator>

#include "core/heap_bytes.hpp"

namespace workforce::api {
namespace {

constexpr auto kFresh = std::chrono::milliseconds(400);  // used as it is; up to kKeyTrust while it is being refreshed

constexpr std::size_t kNode =
    4 * sizeof(void*);  // of a list or hash table, or of what pointers share, beside the value

std::size_t bytes_of(operations::Caller const& caller) {
    return kNode + sizeof caller + core::heap_bytes(caller.facilities) + core::heap_bytes(caller.scopes) +
           core::heap_bytes(caller.name) + core::heap_bytes(caller.organization_record) +
           core::heap_bytes(caller.user) + (caller.for_tools ? bytes_of(*caller.for_tools) : 0);
}

std::size_t bytes_of(CallerResult const& outcome) {
    if (outcome) return bytes_of(**outcome);
    auto const& problem = outcome.error();
    return core::heap_bytes(problem.message) + core::heap_bytes(problem.details) + core::heap_bytes(problem.suggestion);
}

}  // namespace

CredentialCache::Found CredentialCache::find(std::string const& digest) {
    std::lock_guard const lock(mutex_);
    auto const found = by_digest_.find(digest);
    if (found == by_digest_.end()) return {};
    entries_.splice(entries_.begin(), entries_, found->second);
    auto& entry = *found->second;
    auto const age = now_() - entry.fetched;
    if (age < kFresh) return {.outcome = entry.known.outcome};
    if (age < kKeyTrust && entry.refreshing) return {.outcome = entry.known.outcome};
    entry.refreshing = true;
    // This request looks it up again, the others go on with what is known; or, of a key, this one too.
    if (age >= kKeyTrust || entry.known.versions.empty()) return {.known = entry.known};
    bool const first = stale_.empty();
    stale_.emplace_back(digest, entry.known);
    return {.outcome = entry.known.outcome, .begin_refresh = first};
}

void CredentialCache::keep(std::string const& digest, KnownCredential known, Clock::time_point since) {
    auto const& outcome = known.outcome;
    // Unknown tokens are not kept: anyone can invent more of them than there is memory.
    // Nor is what can't be read yet, for it can be at the next request.
    bool const unknown = !outcome && (outcome.error().code == core::Code::invalid_api_key ||
                                      outcome.error().code == core::Code::read_model_behind);
    bool const person = outcome && (*outcome)->counts_as_person();
    Entries made;
    made.push_back({digest, std::move(known), since});
    auto& entry = made.front();
    entry.bytes = 2 * kNode + sizeof entry + sizeof(decltype(by_digest_)::value_type) + core::heap_bytes(entry.digest) +
                  core::heap_bytes(entry.known.versions) + bytes_of(entry.known.outcome);
    Entries gone;
    std::lock_guard const lock(mutex_);
    if (person && since <= forgotten_) return;
    if (auto const found = by_digest_.find(digest); found != by_digest_.end()) remove(found->second, gone);
    if (unknown) return;
    if (entry.bytes > limit_) {
        ++dropped_;
        return;
    }
    by_digest_.emplace(entry.digest, made.begin());
    used_ += entry.bytes;
    entries_.splice(entries_.begin(), made);
    while (used_ > limit_) {
        auto const last = std::prev(entries_.end());
        if (now_() - last->fetched < kKeyTrust) ++dropped_;  // what is in use is looked up that often
        remove(last, gone);
    }
}

void CredentialCache::remove(Entries::iterator entry, Entries& gone) {
    by_digest_.erase(entry->digest);
    used_ -= entry->bytes;
    gone.splice(gone.begin(), entries_, entry);
}

void CredentialCache::drop(std::string const& digest) {
    Entries gone;
    std::lock_guard const lock(mutex_);
    if (auto const found = by_digest_.find(digest); found != by_digest_.end()) remove(found->second, gone);
}

void CredentialCache::forget(core::Id user) {
    Entries gone;
    std::lock_guard const lock(mutex_);
    forgotten_ = now_();
    for (auto next = entries_.begin(); next != entries_.end();) {
        auto const entry = next++;
        auto const& outcome = entry->known.outcome;
        if (outcome && (*outcome)->counts_as_person() && (*outcome)->user.id == user) remove(entry, gone);
    }
}

CredentialCache::Stale CredentialCache::take_stale() {
    std::lock_guard const lock(mutex_);
    return std::exchange(stale_, {});
}

std::size_t CredentialCache::used() const {
    std::lock_guard const lock(mutex_);
    return used_;
}

std::uint64_t CredentialCache::dropped() const {
    std::lock_guard const lock(mutex_);
    return dropped_;
}

}  // namespace workforce::api
