// Hashing of passwords (argon2id, RFC 9106), on threads of its own: it is slow by design and takes memory.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/completion.hpp"
#include "core/fair_queue.hpp"
#include "core/result.hpp"

namespace workforce::core {

/// The password's hash with its parameters and a new salt, encoded. Blocks for some ten milliseconds and takes 19 MiB.
/// Throws std::runtime_error where there is no memory.
std::string hash_password(std::string_view password);
/// Whether the password has that hash. False, too, for what is no hash, as slowly. Blocks and throws as above.
bool verify_password(std::string_view hash, std::string_view password);

/// Who waits for a hash: known callers take turns with strangers, who can fill half of the queue.
enum class HashFor : std::uint8_t { stranger, caller };

/// What a hasher has done, for metrics.
struct HasherStats {
    std::size_t waiting = 0;
    std::uint64_t done = 0;
    std::uint64_t refused = 0;
};

/// Thread-safe. Its threads stand behind all others of the process, so that a flood of sign-ins slows nothing else.
class PasswordHasher {
   public:
    /// `queue_limit`: how many may wait; 4 or more.
    explicit PasswordHasher(std::size_t threads = 1, std::size_t queue_limit = 128);
    PasswordHasher(PasswordHasher const&) = delete;
    PasswordHasher& operator=(PasswordHasher const&) = delete;
    /// As stop().
    ~PasswordHasher();

    /// As hash_password(). Errors: SERVICE_UNAVAILABLE where too many wait, or the hasher stopped.
    boost::asio::awaitable<Result<std::string>> hash(std::string password, HashFor whom);
    /// As verify_password(). Errors: as hash().
    boost::asio::awaitable<Result<bool>> verify(std::string hash, std::string password, HashFor whom);

    /// Refuses what waits, then ends the threads. The callers' executors still exist.
    void stop();

    [[nodiscard]] HasherStats stats() const;

   private:
    using Outcome = Result<std::string>;
    struct Job {
        HashFor whom = HashFor::stranger;
        std::string password;
        std::string hash;  ///< to be verified; empty: to be made
        Completion<Outcome> done;
        [[nodiscard]] Lane lane() const { return {static_cast<Id>(whom), false}; }
    };

    /// The hash, or for one that was to be verified whether the password has it: a text that is not empty.
    boost::asio::awaitable<Outcome> run(std::string hash, std::string password, HashFor whom);
    void submit(Job job);
    void serve();

    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    FairQueue<Job> queue_;
    std::uint64_t done_ = 0;
    std::uint64_t refused_ = 0;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace workforce::core
