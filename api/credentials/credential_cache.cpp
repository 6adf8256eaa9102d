// The two generations of credentials.
#include "api/credentials/credential_cache.hpp"

#include "core/heap_bytes.hpp"

namespace workforce::api {
namespace {

constexpr auto kFresh = std::chrono::milliseconds(400);  // used as it is; up to kKeyTrust while it is being refreshed

constexpr std::size_t kNode = 4 * sizeof(void*);  // of a hash table, or of what a pointer shares, beside the value

std::size_t bytes_of(operations::Caller const& caller) {
    return kNode + sizeof caller + core::heap_bytes(caller.facilities) + core::heap_bytes(caller.scopes) +
           core::heap_bytes(caller.organization_record) + core::heap_bytes(caller.user) +
           (caller.for_tools ? bytes_of(*caller.for_tools) : 0);
}

std::size_t bytes_of(CallerResult const& outcome) {
    if (outcome) return bytes_of(**outcome);
    auto const& problem = outcome.error();
    return core::heap_bytes(problem.message) + core::heap_bytes(problem.details) + core::heap_bytes(problem.suggestion);
}

}  // namespace

void CredentialCache::make_room(Entries& dropped) {
    if (young_bytes_ <= limit_ / 2) return;
    dropped = std::exchange(old_, std::exchange(young_, {}));
    old_bytes_ = std::exchange(young_bytes_, 0);
}

CredentialCache::Entry* CredentialCache::touch(std::string const& digest, Entries& dropped) {
    if (auto const found = young_.find(digest); found != young_.end()) return &found->second;
    auto node = old_.extract(digest);
    if (!node) return nullptr;
    auto const bytes = node.mapped().bytes;
    old_bytes_ -= bytes;
    make_room(dropped);
    young_bytes_ += bytes;
    return &young_.insert(std::move(node)).position->second;
}

CredentialCache::Found CredentialCache::find(std::string const& digest) {
    Entries dropped;  // destroyed last, when the mutex is free
    std::lock_guard const lock(mutex_);
    auto* const entry = touch(digest, dropped);
    if (entry == nullptr) return {};
    auto const age = now_() - entry->fetched;
    if (age < kFresh) return {.outcome = entry->known.outcome};
    if (age < kKeyTrust && entry->refreshing) return {.outcome = entry->known.outcome};
    entry->refreshing = true;
    // This request looks it up again, the others go on with what is known; or, of a key, this one too.
    if (age >= kKeyTrust || entry->known.versions.empty()) return {.known = entry->known};
    bool const first = stale_.empty();
    stale_.emplace_back(digest, entry->known);
    return {.outcome = entry->known.outcome, .begin_refresh = first};
}

void CredentialCache::keep(std::string const& digest, KnownCredential known, Clock::time_point since) {
    auto const& outcome = known.outcome;
    // Unknown tokens are not kept: anyone can invent more of them than there is memory.
    bool const unknown = !outcome && outcome.error().code == core::Code::invalid_api_key;
    auto const bytes = kNode + sizeof(Entries::value_type) + digest.size() + core::heap_bytes(known.versions) +
                       bytes_of(known.outcome);
    Entries dropped;
    std::lock_guard const lock(mutex_);
    if (outcome && (*outcome)->is_person() && since <= forgotten_) return;
    remove(digest);
    if (unknown) return;
    make_room(dropped);
    young_.emplace(digest, Entry{std::move(known), since, false, bytes});
    young_bytes_ += bytes;
}

void CredentialCache::remove(std::string const& digest) {
    if (auto const node = young_.extract(digest)) {
        young_bytes_ -= node.mapped().bytes;
    } else if (auto const older = old_.extract(digest)) {
        old_bytes_ -= older.mapped().bytes;
    }
}

void CredentialCache::drop(std::string const& digest) {
    std::lock_guard const lock(mutex_);
    remove(digest);
}

void CredentialCache::forget(core::Id user) {
    std::lock_guard const lock(mutex_);
    forgotten_ = now_();
    auto const forget_in = [user](Entries& entries, std::size_t& bytes) {
        std::erase_if(entries, [&](auto const& entry) {
            auto const& outcome = entry.second.known.outcome;
            bool const theirs = outcome && (*outcome)->is_person() && (*outcome)->user.id == user;
            if (theirs) bytes -= entry.second.bytes;
            return theirs;
        });
    };
    forget_in(young_, young_bytes_);
    forget_in(old_, old_bytes_);
}

CredentialCache::Stale CredentialCache::take_stale() {
    std::lock_guard const lock(mutex_);
    return std::exchange(stale_, {});
}

std::size_t CredentialCache::used() const {
    std::lock_guard const lock(mutex_);
    return young_bytes_ + old_bytes_;
}

}  // namespace workforce::api
