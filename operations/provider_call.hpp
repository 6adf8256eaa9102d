// Shared by operations that ask somebody outside before they record the result (decision 120).
#pragma once

#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "operations/call.hpp"
#include "workers/unanswered.hpp"

namespace workforce::workers {
struct CredentialRegistries;
}

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

/// Has a key for as long as it lives.
class KeyHold {
   public:
    KeyHold(KeysUnderWay& keys, std::string key) : keys_(keys), key_(std::move(key)), held_(keys_.begin(key_)) {}
    KeyHold(KeyHold const&) = delete;
    KeyHold& operator=(KeyHold const&) = delete;
    ~KeyHold() {
        if (held_) keys_.end(key_);
    }
    [[nodiscard]] bool held() const { return held_; }

   private:
    KeysUnderWay& keys_;
    std::string const key_;
    bool const held_;
};

/// How credentials are looked up outside; alive as long as any request.
struct RegistryServices {
    workers::CredentialRegistries const& registries;
    KeysUnderWay under_way{};
};

/// Under which the call asks a provider: the same whenever it comes again under its idempotency key. `what` is what is
/// asked, where that may be another by then.
std::string provider_key(Call const& call, std::string_view prefix, std::string_view what = {});

/// The refusal of a request whose key is held by another one.
core::Problem provider_in_progress();

/// The time that somebody outside has: `most`, and no more than is left to the call.
std::chrono::milliseconds provider_patience(Call const& call, std::chrono::milliseconds most);

/// The problem of a call whose question `whom` ("The registry x") did not answer: UPSTREAM_TIMEOUT where they took
/// longer than they had, else UPSTREAM_ERROR. Pure.
core::Problem unanswered_problem(std::string_view whom, workers::Unanswered const& why);

/// Answers with the refusal, which is computed again for a repeat.
boost::asio::awaitable<Outcome> refuse_asked(Call& call, core::Problem problem);

}  // namespace workforce::operations
