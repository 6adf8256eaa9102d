// What operations on apps work with.
#pragma once

#include <mutex>
#include <set>
#include <string>

#include "workers/apps/provider.hpp"

namespace workforce::operations {

/// The keys under which something outside is being done right now. Thread-safe.
class KeysUnderWay {
   public:
    /// Whether nobody else does it; then end() has to follow.
    [[nodiscard]] bool begin(std::string const& key) {
        std::lock_guard const lock(mutex_);
        return keys_.insert(key).second;
    }
    void end(std::string const& key) {
        std::lock_guard const lock(mutex_);
        keys_.erase(key);
    }

   private:
    std::mutex mutex_;
    std::set<std::string> keys_;
};

/// Alive as long as any request.
struct AppServices {
    workers::AppProviders const& providers;
    KeysUnderWay under_way{};
};

}  // namespace workforce::operations
