// argon2id by libargon2.
#include "core/password_hasher.hpp"

#include <argon2.h>
#include <sys/resource.h>
#include <unistd.h>

#include <exception>
#include <stdexcept>
#include <utility>

#include "core/crypto.hpp"

namespace workforce::core {
namespace {

// What OWASP asks for at least: 19 MiB, two passes, one lane.
constexpr std::uint32_t kPasses = 2;
constexpr std::uint32_t kKibibytes = 19456;
constexpr std::uint32_t kLanes = 1;
constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kHashBytes = 32;

constexpr int kNice = 10;

Problem busy() { return {Code::service_unavailable, "Too many passwords wait to be checked."}; }

std::runtime_error failed(int code) { return std::runtime_error(std::string("argon2: ") + argon2_error_message(code)); }

}  // namespace

std::string hash_password(std::string_view password) {
    auto const salt = random_bytes(kSaltBytes);
    std::string encoded(argon2_encodedlen(kPasses, kKibibytes, kLanes, kSaltBytes, kHashBytes, Argon2_id), '\0');
    int const code = argon2id_hash_encoded(kPasses, kKibibytes, kLanes, password.data(), password.size(), salt.data(),
                                           salt.size(), kHashBytes, encoded.data(), encoded.size());
    if (code != ARGON2_OK) throw failed(code);
    encoded.resize(encoded.find('\0'));
    return encoded;
}

bool verify_password(std::string_view hash, std::string_view password) {
    int const code = argon2id_verify(std::string(hash).c_str(), password.data(), password.size());
    if (code == ARGON2_MEMORY_ALLOCATION_ERROR) throw failed(code);
    bool const judged = code == ARGON2_OK || code == ARGON2_VERIFY_MISMATCH;
    if (!judged) (void)hash_password(password);  // whoever asks must not see by the time that there is no hash
    return code == ARGON2_OK;
}

PasswordHasher::PasswordHasher(std::size_t threads, std::size_t queue_limit) : queue_(queue_limit) {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

PasswordHasher::~PasswordHasher() { stop(); }

boost::asio::awaitable<PasswordHasher::Outcome> PasswordHasher::run(std::string hash, std::string password,
                                                                    HashFor whom) {
    co_return co_await await_completion<Outcome>(
        [&](Completion<Outcome> done) { submit({whom, std::move(password), std::move(hash), std::move(done)}); });
}

boost::asio::awaitable<Result<std::string>> PasswordHasher::hash(std::string password, HashFor whom) {
    co_return co_await run("", std::move(password), whom);
}

boost::asio::awaitable<Result<bool>> PasswordHasher::verify(std::string hash, std::string password, HashFor whom) {
    auto const outcome = co_await run(hash.empty() ? "-" : std::move(hash), std::move(password), whom);
    if (!outcome) co_return tl::unexpected(outcome.error());
    co_return *outcome == "yes";
}

void PasswordHasher::submit(Job job) {
    {
        std::unique_lock lock(mutex_);
        if (stopping_ || !queue_.has_room(job.lane())) {
            ++refused_;
            lock.unlock();
            return job.done(tl::unexpected(busy()));
        }
        queue_.push(std::move(job));
    }
    arrived_.notify_one();
}

void PasswordHasher::serve() {
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
    while (true) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            arrived_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
            if (queue_.empty()) return;
            job = queue_.pop();
            if (stopping_) {
                lock.unlock();
                job.done(tl::unexpected(busy()));
                continue;
            }
        }
        Outcome outcome;
        try {
            outcome = job.hash.empty() ? hash_password(job.password)
                                       : std::string(verify_password(job.hash, job.password) ? "yes" : "no");
        } catch (std::exception const& error) {
            outcome = refuse(Code::service_unavailable, error.what());
        }
        {
            std::lock_guard const lock(mutex_);
            ++done_;
        }
        job.done(std::move(outcome));
    }
}

void PasswordHasher::stop() {
    {
        std::lock_guard const lock(mutex_);
        stopping_ = true;
    }
    arrived_.notify_all();
    for (auto& thread : threads_) {
        if (thread.joinable()) thread.join();
    }
}

HasherStats PasswordHasher::stats() const {
    std::lock_guard const lock(mutex_);
    return {queue_.size(), done_, refused_};
}

}  // namespace workforce::core
