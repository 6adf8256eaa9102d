// Calls that other processes send to the one that writes their organization's partition, and those that this process
// makes itself.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string_view>

#include "api/cluster/call_message.hpp"
#include "api/failures.hpp"
#include "net/http.hpp"

namespace workforce::api {

/// The caller behind a credential, by its kind and id and the organization that it is of. Errors: UNAUTHENTICATED.
using FindCaller = std::function<boost::asio::awaitable<core::Result<std::shared_ptr<operations::Caller const>>>(
    events::ActorType credential, core::Id id, core::Id organization)>;

/// The operation of that name that writes, or null. Thread-safe.
operations::Operation const* find_operation(std::string_view verb);

/// Runs calls of operations that write. Whoever sends a call has looked at the caller's rights; this process looks at
/// them again, in a view of its own, so that what ended a moment ago ends here too. Thread-safe; what it refers to
/// outlives it.
class CallServer {
   public:
    CallServer(operations::Services& services, FindCaller find_caller, Failures& failures)
        : services_(services), find_caller_(std::move(find_caller)), failures_(failures) {}

    /// The reply to a request at kCallPath whose signature was verified: 200 with what write_answer() makes, or 503
    /// where nothing was done and another process, or this one later, may do it. Never throws.
    boost::asio::awaitable<net::Reply> answer(net::Request const& request);

    /// Runs a call here, whoever writes the partition. `body` outlives the call; past `deadline` nobody waits for the
    /// answer. Errors: SERVICE_UNAVAILABLE for what this release does not know. Throws what handlers do.
    boost::asio::awaitable<core::Result<CallAnswer>> run(
        CallMessage const& message, std::string_view body,
        std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max());

   private:
    boost::asio::awaitable<core::Result<std::shared_ptr<operations::Caller const>>> caller_of(
        CallMessage const& message);

    operations::Services& services_;
    FindCaller const find_caller_;
    Failures& failures_;
};

}  // namespace workforce::api
