// Keys of persons in memory.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>

#include "core/crypto.hpp"
#include "events/keyring.hpp"

namespace workforce::tests {

/// Thread-safe, as keyrings are.
class MemoryKeyring final : public events::Keyring {
   public:
    std::string key_to_seal(std::string const& person) override {
        std::lock_guard const lock(mutex_);
        if (destroyed_.contains(person)) throw std::runtime_error("the key of " + person + " was destroyed");
        auto& key = keys_[person];
        if (key.empty()) key = core::random_bytes(32);
        return key;
    }
    std::optional<std::string> key_to_open(std::string const& person) override {
        std::lock_guard const lock(mutex_);
        auto const found = keys_.find(person);
        return found == keys_.end() ? std::nullopt : std::optional(found->second);
    }
    void prefetch(std::span<std::string const>) override {}
    void persist() override {}
    [[nodiscard]] bool has_unstored() const override { return false; }
    void forget(std::string const& person) override { destroy(person); }

    void destroy(std::string const& person) {
        std::lock_guard const lock(mutex_);
        keys_.erase(person);
        destroyed_.insert(person);
    }

   private:
    std::mutex mutex_;
    std::map<std::string, std::string> keys_;
    std::set<std::string> destroyed_;
};

}  // namespace workforce::tests
