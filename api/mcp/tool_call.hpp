// tools/call: from a name and arguments to a result (domain 6.4).
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/admission.hpp"
#include "api/dispatch_parts.hpp"
#include "api/failures.hpp"
#include "api/mcp/json_rpc.hpp"
#include "api/mcp/protocol.hpp"
#include "operations/tools/tool.hpp"

namespace workforce::api::mcp {

/// Says how far a call has come; false where nobody listens any more. Empty: nobody does.
using Progress = std::function<boost::asio::awaitable<bool>(double done, double total)>;

/// Ends a call from outside. Thread-safe.
class Cancellation {
   public:
    void request() { requested_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool requested() const { return requested_.load(std::memory_order_relaxed); }

   private:
    std::atomic<bool> requested_ = false;
};

/// A request past authentication, with all that it needs once its connection has gone on.
struct Exchange {
    Message message;
    Protocol protocol{};
    std::shared_ptr<Caller const> caller;
    ForwardedFrom from;
    std::string agent{};            ///< User-Agent
    std::string session{};          ///< Mcp-Session-Id, which is only noted
    std::string idempotency_key{};  ///< the header; empty: none
    Progress progress{};
    std::shared_ptr<Cancellation> cancellation = std::make_shared<Cancellation>();

    /// Who acts, where scope and role both count.
    [[nodiscard]] Caller const& acting() const { return caller->for_tools ? *caller->for_tools : *caller; }
};

/// What was answered: JSON of a result, or an error.
struct Answer {
    tl::expected<std::string, RpcError> result;
    operations::Facts facts{};  ///< of a call of a tool: its verb; else without one
    net::HeldBytes held{};
    bool done = false;  ///< a write took effect
};

/// Calls tools. Thread-safe. What it refers to outlives it.
class ToolCaller {
   public:
    ToolCaller(DispatcherParts const& parts, AdmissionControl& admission, Failures& failures)
        : parts_(parts), admission_(admission), failures_(failures) {}

    /// The tools that the exchange's caller may call: scope and role allow them.
    [[nodiscard]] static bool may_call(Exchange const& exchange, operations::Tool const& tool);

    /// Answers tools/call. Refusals of policy and of arguments are errors; what the operation refuses is a result.
    /// Never throws.
    boost::asio::awaitable<Answer> call(Exchange& exchange);

   private:
    /// The outcome; nothing where the call was cancelled before its command began.
    boost::asio::awaitable<std::optional<operations::Outcome>> run(Exchange& exchange, operations::Tool const& tool,
                                                                   core::JsonValue const& arguments,
                                                                   operations::Facts& facts, bool& stale);
    /// The outcome of a call that is ready, from this process or its partition's owner; `cancelled` is set where the
    /// call was cancelled before, and nothing is done.
    boost::asio::awaitable<operations::Outcome> perform(operations::Call& call, Exchange const& exchange,
                                                        operations::Facts& facts, bool& cancelled);

    DispatcherParts const& parts_;
    AdmissionControl& admission_;
    Failures& failures_;
};

/// A tool's result of content alone, as diagnostics give; `content` is a JSON array.
std::string content_result(std::string_view content, bool is_error, Era era);

}  // namespace workforce::api::mcp
