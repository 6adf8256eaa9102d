// What comes next in a run: the one question that every executor answers. It answers by the run's own state, which is
// the fold of its stream; so whoever goes on with a run asks anew, and no finished step comes again.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <variant>

#include "commands/agent_run.hpp"
#include "core/time.hpp"

namespace workforce::operations {

/// A call of a tool.
struct CallTool {
    events::RunPlace place;
    std::string arguments;       ///< a JSON object
    bool last = true;            ///< no item of the step follows
    bool ends_on_error = false;  ///< nor does one if the call fails
};
/// A step, or a call of one, that is over without a call; or a turn of a model that is.
struct RecordOnly {
    events::AgentRunEvent event;
};
/// The run has done what it was to do.
struct FinishRun {
    std::string output = "null";  ///< JSON
};
/// It can't go on.
struct FailRun {
    std::string code;  ///< of domain 5, run errors
    std::string message;
};
/// It is to be asked again later: a provider is away for now.
struct TryLater {
    std::string why;  ///< for operators; nothing personal
};
using NextInRun = std::variant<CallTool, RecordOnly, FinishRun, FailRun, TryLater>;

/// Tells what comes next in runs of a kind. Thread-safe: many runs are asked for at a time.
class RunExecutor {
   public:
    RunExecutor() = default;
    RunExecutor(RunExecutor const&) = delete;
    RunExecutor& operator=(RunExecutor const&) = delete;
    virtual ~RunExecutor() = default;

    /// What comes next in a run that is running. What is executed or recorded is folded into it before the next
    /// question. `run` outlives the answer.
    virtual boost::asio::awaitable<NextInRun> next(commands::RunInHand const& run) = 0;
};

}  // namespace workforce::operations
