// How many database sessions are open, in use and waited for, by the name that they give to the server and their role.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace workforce::core {

/// Counts of all pools and sessions of one name and role. Thread-safe.
struct SessionUse {
    std::atomic<std::int64_t> open{0};     ///< sessions
    std::atomic<std::int64_t> used{0};     ///< of these: those that somebody has; the others are idle
    std::atomic<std::int64_t> waiting{0};  ///< jobs of pools that have no session yet
};

/// The counts of that application_name and role; they live as long as the program. A look-up takes a lock.
SessionUse& session_use(std::string const& application_name, std::string const& role);

/// The counts of one name and role at a moment.
struct NamedUse {
    std::string name;  ///< application_name without "workforce " before it
    std::string role;  ///< empty: the one that logged in
    std::int64_t open = 0;
    std::int64_t used = 0;
    std::int64_t waiting = 0;
};
/// The counts of all names and roles that this process has used.
std::vector<NamedUse> session_uses();

/// Counts one from its construction to its end.
class CountOne {
   public:
    explicit CountOne(std::atomic<std::int64_t>& count) : count_(count) { ++count_; }
    CountOne(CountOne const&) = delete;
    CountOne& operator=(CountOne const&) = delete;
    ~CountOne() { --count_; }

   private:
    std::atomic<std::int64_t>& count_;
};

}  // namespace workforce::core
