// What clients are told of exceptions, and what operators are: the one place for all ways in.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string_view>

#include "core/log_throttle.hpp"
#include "core/metrics.hpp"
#include "core/result.hpp"
#include "operations/outcome.hpp"

namespace workforce::api {

/// Names a request in a log line.
struct RequestLabel {
    std::string_view request_id;
    std::string_view client;  ///< address
    std::string_view what;    ///< method and path, or the operation
};

/// Thread-safe.
class Failures {
   public:
    explicit Failures(core::Metrics& metrics);

    /// The refusal for what a handler threw: SERVICE_UNAVAILABLE while database or log are away, which is logged once
    /// for many requests, else INTERNAL_ERROR.
    core::Problem met(std::exception_ptr const& error, RequestLabel const& request);
    /// Why met() answers this error with 503; `other` where it does not.
    static operations::Unavailable reason_of(std::exception_ptr const& error) noexcept;

    /// Logs that the request was answered with 503, whatever the reason: a line with its id. Of more than kMostLines in
    /// a second the rest is counted, and a later line has the count. `body` is the refusal as it was sent.
    void unavailable(RequestLabel const& request, std::optional<core::Code> code, std::string_view body);
    static constexpr int kMostLines = 100;

    /// What was away is there again.
    void over();

   private:
    /// Whether a line may be written now; counts it, or that it was not.
    bool take_line();
    /// Logs how many lines were not written, once that second is over.
    void tell_unsaid();

    std::mutex mutex_;  // guards what follows
    std::chrono::steady_clock::time_point second_{};
    int lines_ = 0;  // in that second
    std::int64_t unsaid_ = 0;
    std::atomic<bool> any_unsaid_ = false;  // saves over() the lock
    prometheus::Counter& database_busy_;
    core::LogThrottle log_away_{"the log is away"};
    core::LogThrottle database_away_{"the database is away"};
};

}  // namespace workforce::api
