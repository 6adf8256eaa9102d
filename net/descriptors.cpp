// The limit of open files.
#include "net/descriptors.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace workforce::net {
namespace {

/// For what is no connection of a client: files, event loops, sessions of writers and projections, other processes.
constexpr std::size_t kReserve = 128;
/// For each session of the pool: its own and one of an io_context, with the duplicates by which they are watched.
constexpr std::size_t kForSession = 4;
/// Three listeners, each with those that it is refusing.
constexpr std::size_t kShares = 6;

/// Descriptors that this process may have, after asking for all of them.
std::size_t descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
}

}  // namespace

std::size_t affordable_connections(core::Config const& config) {
    static std::size_t const limit = descriptor_limit();
    auto const wanted = static_cast<std::size_t>(config.max_connections);
    auto const reserve = kReserve + kForSession * static_cast<std::size_t>(config.database_connections);
    auto const possible = limit > reserve ? (limit - reserve) / kShares : 0;
    if (possible >= wanted) return wanted;
    return std::max<std::size_t>(possible, 1);
}

}  // namespace workforce::net
