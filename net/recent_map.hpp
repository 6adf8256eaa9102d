// What is remembered by name, of the names that were used last.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

namespace workforce::net {

/// A map that forgets: what was not used while so many others were goes. Not thread-safe.
template <class Value>
class RecentMap {
   public:
    /// Keeps `most` names at most, and at least the half of it that was used last; 2 or more.
    explicit RecentMap(std::size_t most) : most_(most) {}

    /// The value, until the next call; null where there is none.
    Value* find(std::string const& name) {
        if (auto const found = recent_.find(name); found != recent_.end()) return &found->second;
        auto const former = former_.find(name);
        if (former == former_.end()) return nullptr;
        auto value = std::move(former->second);
        former_.erase(former);
        return put(name, std::move(value));
    }
    /// Sets the value.
    Value* put(std::string const& name, Value value) {
        if (recent_.size() >= most_ / 2 && !recent_.contains(name)) former_ = std::exchange(recent_, {});
        former_.erase(name);
        return &recent_.insert_or_assign(name, std::move(value)).first->second;
    }
    [[nodiscard]] std::size_t size() const { return recent_.size() + former_.size(); }

   private:
    using Values = std::unordered_map<std::string, Value>;
    std::size_t const most_;
    Values recent_;
    Values former_;
};

}  // namespace workforce::net
