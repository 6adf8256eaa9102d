// When a delivery that failed is tried again (spec 6.2, domain 7.4).
#pragma once

#include <array>
#include <chrono>

#include "core/time.hpp"

namespace workforce::workers {

/// The longest part of a delay that may be added to it, in percent.
inline constexpr int kMostDelayAdded = 10;

/// Between an attempt that failed and the next one, from the first attempt on.
inline constexpr std::array kRetryDelays{std::chrono::seconds(30), std::chrono::seconds(2 * 60),
                                         std::chrono::seconds(15 * 60), std::chrono::seconds(3600),
                                         std::chrono::seconds(6 * 3600)};

/// Attempts at most.
inline constexpr int kMostAttempts = static_cast<int>(kRetryDelays.size()) + 1;

/// How long after attempt `attempt` (1 or more, below kMostAttempts) the next one is due. `spread` from 0 to 1 is by
/// how much of kMostDelayAdded the delay is longer, so that what failed together does not come again together.
constexpr std::chrono::milliseconds retry_delay(int attempt, double spread) {
    std::chrono::milliseconds const delay = kRetryDelays.at(static_cast<std::size_t>(attempt) - 1);
    auto const added = static_cast<double>(delay.count()) * kMostDelayAdded / 100 * spread;
    return delay + std::chrono::milliseconds(static_cast<std::int64_t>(added));
}

/// When the next attempt is due after one that began at `begun`, took so long and failed.
constexpr core::Timestamp retry_at(core::Timestamp begun, std::chrono::milliseconds took, int attempt, double spread) {
    return {begun.ms + (took + retry_delay(attempt, spread)).count()};
}

}  // namespace workforce::workers
