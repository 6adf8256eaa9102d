// Threads that take the next partition until none is left.
#include "events/log/each_partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace workforce::events {
namespace {

/// Half of the time a thread waits for the log; and an engine has few connections for readers.
constexpr unsigned kLeastThreads = 4;
constexpr unsigned kMostThreads = 16;

}  // namespace

std::vector<int> choose_partitions(int count, int only) {
    if (only >= count) throw std::runtime_error(fmt::format("the log has partitions 0 to {}, not {}", count - 1, only));
    std::vector<int> chosen(only < 0 ? static_cast<std::size_t>(count) : 1, only);
    if (only < 0) std::iota(chosen.begin(), chosen.end(), 0);
    return chosen;
}

void each_partition(std::vector<int> const& partitions, std::function<void(int partition)> const& work) {
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::exception_ptr first;
    auto const take = [&] {
        try {
            for (std::size_t i = 0; (i = next++) < partitions.size();) work(partitions[i]);
        } catch (...) {
            next = partitions.size();
            std::lock_guard const lock(mutex);
            if (!first) first = std::current_exception();
        }
    };
    auto const wanted = std::clamp(std::thread::hardware_concurrency(), kLeastThreads, kMostThreads);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < std::min<std::size_t>(wanted, partitions.size()); ++i) threads.emplace_back(take);
    for (auto& thread : threads) thread.join();
    if (first) std::rethrow_exception(first);
}

}  // namespace workforce::events
