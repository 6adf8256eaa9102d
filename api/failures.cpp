// Exceptions, sorted.
#include "api/failures.hpp"

#include <utility>

#include "core/database.hpp"
#include "core/json.hpp"
#include "core/json_values.hpp"
#include "core/logging.hpp"
#include "core/outage.hpp"
#include "events/log/log.hpp"

namespace workforce::api {
namespace {

using core::Code;

/// The message of a refusal, in the envelope or in JSON-RPC; empty where the body is neither.
std::string message_in(std::string_view body) {
    auto const document = core::parse_json(body);
    auto const* const error = document ? core::find_member(&*document, "error") : nullptr;
    auto const* const message = error == nullptr ? nullptr : core::find_member(error, "message");
    return message != nullptr && message->IsString() ? message->GetString() : "";
}

}  // namespace

Failures::Failures(core::Metrics& metrics)
    : database_busy_(
          metrics.counter("workforce_database_jobs_refused_total", "Requests for whose query there was no room", {})) {}

core::Problem Failures::met(std::exception_ptr const& error, RequestLabel const& request) {
    try {
        std::rethrow_exception(error);
    } catch (core::DatabaseBusy const&) {
        database_busy_.Increment();
        return {Code::service_unavailable, "Too many requests wait for the database."};
    } catch (events::LogUnavailable const& thrown) {
        log_away_.met(core::quiet_while_away(core::Level::warn),
                      {{"request_id", request.request_id}, {"error", thrown.what()}});
        return {Code::service_unavailable, "The event log can't be reached."};
    } catch (core::DatabaseUnavailable const& thrown) {
        database_away_.met(core::quiet_while_away(core::Level::warn),
                           {{"request_id", request.request_id}, {"error", thrown.what()}});
        return {Code::service_unavailable, "The database can't be reached."};
    } catch (std::exception const& thrown) {
        core::log(core::Level::error, "a request failed",
                  {{"request_id", request.request_id},
                   {"client", request.client},
                   {"request", request.what},
                   {"error", thrown.what()}});
    }
    return {Code::internal_error, "Something went wrong on our side."};
}

bool Failures::take_line() {
    auto const now = std::chrono::steady_clock::now();
    std::lock_guard const lock(mutex_);
    if (now - second_ >= std::chrono::seconds(1)) {
        second_ = now;
        lines_ = 0;
    }
    if (lines_ == kMostLines) {
        ++unsaid_;
        any_unsaid_ = true;
        return false;
    }
    ++lines_;
    return true;
}

void Failures::tell_unsaid() {
    if (!any_unsaid_.load(std::memory_order_relaxed)) return;
    std::int64_t unsaid = 0;
    {
        std::lock_guard const lock(mutex_);
        if (lines_ == kMostLines && std::chrono::steady_clock::now() - second_ < std::chrono::seconds(1)) return;
        unsaid = std::exchange(unsaid_, 0);
        any_unsaid_ = false;
    }
    if (unsaid == 0) return;
    core::log(core::Level::info, "requests were answered with 503 without a line of their own", {{"requests", unsaid}});
}

void Failures::unavailable(RequestLabel const& request, std::optional<Code> code, std::string_view body) {
    if (!take_line()) return;
    tell_unsaid();
    core::log(core::Level::info, "a request was answered with 503",
              {{"request_id", request.request_id},
               {"client", request.client},
               {"request", request.what},
               {"code", code ? core::info(*code).name : std::string_view()},
               {"reason", message_in(body)}});
}

operations::Unavailable Failures::reason_of(std::exception_ptr const& error) noexcept {
    try {
        std::rethrow_exception(error);
    } catch (core::DatabaseBusy const&) {
        return operations::Unavailable::database_queue;
    } catch (events::LogUnavailable const&) {
        return operations::Unavailable::log;
    } catch (core::DatabaseUnavailable const&) {
        return operations::Unavailable::database;
    } catch (...) {
        return operations::Unavailable::other;
    }
}

void Failures::over() {
    tell_unsaid();
    log_away_.over();
    database_away_.over();
}

}  // namespace workforce::api
