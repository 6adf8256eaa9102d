// What memory keeps of the indexes of one organization's aggregates (events/index.hpp): a key's entries, and whether
// these are all there are. An entry may outlive its row in memory. Not thread-safe.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "commands/index_key.hpp"

namespace workforce::commands {

/// Entries with their keys: those of one aggregate, few as a rule.
using KeyedEntries = boost::container::small_vector<std::pair<IndexKey, IndexEntry>, 4>;

class IndexTable {
   public:
    struct Key {
        std::set<IndexEntry> entries;              ///< those of all rows in memory, at least
        std::optional<Timestamp> complete_from{};  ///< all entries that start then or later are here
        mutable bool used = true;                  ///< since the last look at what may be evicted
    };

    /// The key's entries, or null where none are known.
    [[nodiscard]] Key const* find(IndexKey const& key) const;
    [[nodiscard]] bool is_complete(IndexKey const& key) const;

    /// A row in memory has these entries from now on, where it had those before.
    void replace(KeyedEntries const& before, KeyedEntries const& after);
    /// Adds what was looked up: entries that no row in memory has otherwise. From `from` on they are all there are.
    void complete(IndexKey const& key, Timestamp from, std::span<IndexEntry const> found);
    /// A row leaves memory; its entries stay where their key is complete.
    void leave(KeyedEntries const& entries);
    /// Forgets what was looked up of a key: that it is complete, and the entries of rows that are not here.
    void evict(IndexKey const& key, std::function<bool(Id)> const& is_here);

    [[nodiscard]] std::unordered_map<IndexKey, Key> const& keys() const { return keys_; }
    [[nodiscard]] bool empty() const { return keys_.empty(); }
    /// What keys and entries take.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

   private:
    using Keys = std::unordered_map<IndexKey, Key>;
    Keys::iterator make(IndexKey const& key);
    void insert(IndexKey const& key, IndexEntry const& entry);
    void erase(IndexKey const& key, IndexEntry const& entry);
    /// Removes a key that says nothing any more.
    void drop_if_empty(Keys::iterator key);

    Keys keys_;
    std::size_t bytes_ = 0;
};

}  // namespace workforce::commands
