// What clients are told of exceptions, and what operators are: the one place for all ways in.
#pragma once

#include <exception>
#include <string_view>

#include "core/burst.hpp"
#include "core/metrics.hpp"
#include "core/result.hpp"

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

    /// What was away is there again.
    void over();

   private:
    prometheus::Counter& database_busy_;
    core::Burst log_away_{"the log is away"};
    core::Burst database_away_{"the database is away"};
};

}  // namespace workforce::api
