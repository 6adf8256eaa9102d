// Keys and their entries.
#include "commands/engine/index_table.hpp"

#include <algorithm>

namespace workforce::commands {
namespace {

constexpr std::size_t kIndexEntryBytes = 80;
constexpr std::size_t kIndexKeyBytes = 200;  // besides the key's own

std::size_t weight_of_key(IndexKey const& key) { return kIndexKeyBytes + key.size(); }

}  // namespace

IndexTable::Key const* IndexTable::find(IndexKey const& key) const {
    auto const found = keys_.find(key);
    return found == keys_.end() ? nullptr : &found->second;
}

bool IndexTable::is_complete(IndexKey const& key) const {
    auto const* found = find(key);
    return found && found->complete_from;
}

IndexTable::Keys::iterator IndexTable::make(IndexKey const& key) {
    auto const [entry, added] = keys_.try_emplace(key);
    if (added) bytes_ += weight_of_key(key);
    return entry;
}

void IndexTable::insert(IndexKey const& key, IndexEntry const& entry) {
    if (make(key)->second.entries.insert(entry).second) bytes_ += kIndexEntryBytes;
}

void IndexTable::erase(IndexKey const& key, IndexEntry const& entry) {
    auto const found = keys_.find(key);
    if (found == keys_.end()) return;
    bytes_ -= found->second.entries.erase(entry) * kIndexEntryBytes;
    drop_if_empty(found);
}

void IndexTable::drop_if_empty(Keys::iterator key) {
    if (!key->second.entries.empty() || key->second.complete_from) return;
    bytes_ -= weight_of_key(key->first);
    keys_.erase(key);
}

void IndexTable::replace(KeyedEntries const& before, KeyedEntries const& after) {
    if (before == after) return;  // as after most events
    auto const has = [](KeyedEntries const& all, auto const& one) { return std::ranges::find(all, one) != all.end(); };
    // Of many entries most have changed, and comparing each with each would cost their square.
    bool const few = before.size() + after.size() < 16;
    for (auto const& one : before) {
        if (!few || !has(after, one)) erase(one.first, one.second);
    }
    for (auto const& one : after) insert(one.first, one.second);
}

void IndexTable::complete(IndexKey const& key, Timestamp from, std::span<IndexEntry const> found) {
    auto& known = make(key)->second;
    for (auto const& entry : found) {
        if (known.entries.insert(entry).second) bytes_ += kIndexEntryBytes;
    }
    known.complete_from = std::min(from, known.complete_from.value_or(from));
    known.used = true;
}

void IndexTable::leave(KeyedEntries const& entries) {
    for (auto const& [key, entry] : entries) {
        auto const* known = find(key);
        if (known && known->complete_from && entry.starts >= *known->complete_from) continue;
        erase(key, entry);
    }
}

void IndexTable::evict(IndexKey const& key, std::function<bool(Id)> const& is_here) {
    auto const found = keys_.find(key);
    if (found == keys_.end()) return;
    found->second.complete_from.reset();
    bytes_ -= std::erase_if(found->second.entries, [&](IndexEntry const& entry) { return !is_here(entry.id); }) *
              kIndexEntryBytes;
    drop_if_empty(found);
}

}  // namespace workforce::commands
