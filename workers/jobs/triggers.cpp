// Counting what comes of triggers, and what waits.
#include "workers/jobs/triggers.hpp"

#include <utility>

#include "commands/trigger.hpp"
#include "core/json.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kOverdue{"triggers_overdue", R"(
SELECT COALESCE(extract(epoch FROM now() - min(t.next_run_at)), 0)::float8
FROM read.trigger t
JOIN read.organization o ON o.organization_id = t.organization_id AND o.id = t.organization_id AND NOT o.is_sandbox AND o.is_active
WHERE t.next_run_at <= now() AND NOT t.deleted)"};

void count_dispatch(core::Metrics& metrics, core::Result<OperationAnswer> const& answer) {
    std::string result = "unknown";
    if (answer && !answer->refused) {
        auto const dispatch = core::from_stored_json<commands::TriggerDispatch>(answer->body);
        result = core::enum_name(dispatch.result);
    }
    metrics
        .counter("workforce_trigger_dispatches_total", "What came of triggers that were to fire", {{"result", result}})
        .Increment();
}

}  // namespace

double overdue_seconds(core::Connection& connection) {
    return core::read<double>(connection.execute(kOverdue).at(0)[0]);
}

AskOperation counting_dispatches(core::Metrics& metrics, AskOperation ask) {
    return [&metrics,
            ask = std::move(ask)](OperationRequest request) -> boost::asio::awaitable<core::Result<OperationAnswer>> {
        bool const fires = request.verb == kFireTrigger;
        auto answer = co_await ask(std::move(request));
        if (fires) count_dispatch(metrics, answer);
        co_return answer;
    };
}

SubmitOperation counting_dispatches(core::Metrics& metrics, SubmitOperation submit) {
    return [&metrics, submit = std::move(submit)](OperationRequest request) {
        bool const fires = request.verb == kFireTrigger;
        auto answer = submit(std::move(request));
        if (fires) count_dispatch(metrics, answer);
        return answer;
    };
}

}  // namespace workforce::workers
