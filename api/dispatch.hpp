// The request path, from a request to its answer: admission, call, outcome, reply; and the one place that turns
// whatever goes wrong into an answer and a log line.
#pragma once

#include <array>
#include <utility>

#include "api/admission.hpp"
#include "api/dispatch_parts.hpp"
#include "api/failures.hpp"
#include "api/incoming.hpp"
#include "api/mcp/endpoint.hpp"
#include "api/pages/help.hpp"
#include "api/stream_places.hpp"
#include "api/versions.hpp"
#include "core/metrics.hpp"
#include "net/http.hpp"
#include "operations/call.hpp"

namespace workforce::api {

/// Answers the requests of both hosts. Thread-safe. It outlives the connections that its answers go to.
class Dispatcher {
   public:
    /// Throws std::runtime_error as read_deprecations refuses, std::logic_error as Versions and check_changes.
    Dispatcher(DispatcherParts parts, core::Metrics& metrics);

    /// Never throws: what escapes a handler is logged with the request id and answered with 500 or 503.
    boost::asio::awaitable<net::Reply> answer(net::Request const& request);
    /// As answer, for a request that another process took in: it is not sent on once more.
    boost::asio::awaitable<net::Reply> answer_forwarded(net::Request const& request, ForwardedFrom from);

    /// Whether the rest of a request's body is worth reading, as BodyGate: a credential that is missing or not valid is
    /// refused before, and so is one whose limit is exhausted.
    boost::asio::awaitable<net::Admission> admit(net::Request const& request);

    /// Requests refused since the start because their organization had too many under way.
    [[nodiscard]] std::size_t refused() const { return admission_.refused(); }
    /// Streams refused since the start, for their credential or the process had too many.
    [[nodiscard]] std::size_t refused_streams() const { return streams_.refused(); }
    /// Streams that are open now.
    [[nodiscard]] std::size_t open_streams() const { return streams_.used(); }
    /// The limits of callers, with what they refused.
    [[nodiscard]] Limits const& limits() const { return admission_.limits(); }

    [[nodiscard]] Failures& failures() { return failures_; }

   private:
    boost::asio::awaitable<net::Reply> answer(Incoming incoming);
    boost::asio::awaitable<net::Reply> route(Incoming const& incoming, RequestNotes& notes);
    /// The reply to a request that was let in: its call made ready, carried out here or by its partition's owner.
    boost::asio::awaitable<net::Reply> run_call(Admitted& admitted, Incoming const& incoming, RequestNotes& notes);
    /// The answer of the owner of the call's partition; nothing where this process carries the call out. Errors: as
    /// ask_owner.
    boost::asio::awaitable<core::Result<std::optional<OwnerAnswer>>> hop(operations::Call& call,
                                                                         Incoming const& incoming,
                                                                         ServedVersion const& version) const;
    /// Whether a forwarded call came to a process that no longer serves its partition. Throws as Homes::find.
    boost::asio::awaitable<bool> is_misdirected(operations::Call const& call) const;
    /// The reply to a request for a page of help, or a file of it; nothing for any other request.
    std::optional<net::Reply> show_help(Incoming const& incoming, RequestNotes& notes);
    /// The refusal as the request's reply. `reason` is noted for a 503.
    net::Reply refuse(core::Problem const& problem, Incoming const& incoming, RequestNotes& notes,
                      operations::Unavailable reason = operations::Unavailable::other) const;
    /// The reply to a call that this process or its owner answered.
    net::Reply finish(operations::Outcome outcome, operations::Call const& call, Admitted& admitted,
                      Incoming const& incoming, RequestNotes& notes);
    /// The reply that the owner of the call's partition made itself.
    net::Reply pass_on(net::Reply reply, Admitted& admitted, Incoming const& incoming, RequestNotes& notes) const;
    /// The reply to what was thrown.
    net::Reply meet(std::exception_ptr const& error, Incoming const& incoming, RequestNotes& notes);
    /// Turns the reply into that of the request's version.
    void downgrade_to_version(net::Reply& reply, Incoming const& incoming, RequestNotes& notes);
    /// Adds the headers that depend on the request, its route and its caller's limit alone.
    void add_common_headers(net::Reply& reply, Incoming const& incoming, RequestNotes const& notes) const;
    /// Counts and logs the answer, and has the hooks told of it once it has left.
    void tell(net::Reply& reply, Incoming const& incoming, RequestNotes& notes, double seconds);

    DispatcherParts parts_;
    Versions versions_;
    Help help_;
    AdmissionControl admission_;
    StreamPlaces streams_;
    std::array<prometheus::Counter*, 6> answers_{};  // by hundred of the status
    prometheus::Histogram& latency_;
    Failures failures_;
    mcp::Endpoint mcp_;
};

}  // namespace workforce::api
