// Log lines about subscriptions whose receivers fail: one when that begins, one when it ends, whatever attempts there
// were.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

#include "core/text.hpp"

namespace workforce::workers {

/// What an engine told operators of subscriptions. Of an address it tells the origin alone, for the rest may be a
/// secret. Used by one thread at a time; never throws but for memory.
class FailureLog {
   public:
    using Clock = std::chrono::steady_clock;
    /// A receiver that fails and recovers over and over is told of so often.
    static constexpr std::chrono::minutes kEvery{10};
    /// Lines of that time, of all subscriptions. More are counted in the last one: where the network is away, all
    /// receivers fail.
    static constexpr std::chrono::minutes kWindow{1};
    static constexpr int kMostLines = 20;

    /// `now` is for tests.
    explicit FailureLog(Clock::time_point (*now)() = &Clock::now) : now_(now) {}

    /// An attempt failed, the last of so many in a row. The first is told; a later one only where no line told yet that
    /// the receiver fails.
    void failed(core::Id webhook, core::Id organization, std::string_view url, std::string_view error,
                std::int64_t failures);
    /// It takes deliveries again, after so many failures in a row.
    void recovered(core::Id webhook, core::Id organization, std::int64_t failures);
    /// It was given up.
    void disabled(core::Id webhook, core::Id organization, std::string_view url, std::string_view error);

   private:
    /// A subscription that was told of.
    struct Told {
        bool fails = false;      ///< so says its newest line
        Clock::time_point at{};  ///< when a line last said that
    };

    /// Whether there may be another line; counts it.
    bool may_tell();
    void forget_old();

    Clock::time_point (*const now_)();
    std::map<core::Id, Told> told_;
    Clock::time_point window_begun_{};
    int lines_ = 0;
    std::int64_t untold_ = 0;
};

}  // namespace workforce::workers
