// Exceptions, sorted.
#include "api/failures.hpp"

#include "core/database.hpp"
#include "core/logging.hpp"
#include "events/log/log.hpp"

namespace workforce::api {
namespace {

using core::Code;

}  // namespace

Failures::Failures(core::Metrics& metrics)
    : database_busy_(
          metrics.counter("workforce_database_jobs_refused", "Requests for whose query there was no room", {})) {}

core::Problem Failures::met(std::exception_ptr const& error, RequestLabel const& request) {
    try {
        std::rethrow_exception(error);
    } catch (core::DatabaseBusy const&) {
        database_busy_.Increment();
        return {Code::service_unavailable, "Too many requests wait for the database."};
    } catch (events::LogUnavailable const& thrown) {
        log_away_.met(core::Level::warn, {{"request_id", request.request_id}, {"error", thrown.what()}});
        return {Code::service_unavailable, "The event log can't be reached."};
    } catch (core::DatabaseUnavailable const& thrown) {
        database_away_.met(core::Level::warn, {{"request_id", request.request_id}, {"error", thrown.what()}});
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

void Failures::over() {
    log_away_.over();
    database_away_.over();
}

}  // namespace workforce::api
