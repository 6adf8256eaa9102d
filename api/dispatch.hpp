// The request path: host rule, route, credential, limit, version, permission, handler; and the one place that turns
// whatever goes wrong into an answer and a log line.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/cluster/cluster.hpp"
#include "api/credentials/authentication.hpp"
#include "api/credentials/key_uses.hpp"
#include "api/credentials/request_origins.hpp"
#include "api/credentials/session_uses.hpp"
#include "api/failures.hpp"
#include "api/fair_share.hpp"
#include "api/limits.hpp"
#include "api/rest/route.hpp"
#include "api/versions.hpp"
#include "core/config.hpp"
#include "core/fair_queue.hpp"
#include "core/metrics.hpp"
#include "net/http.hpp"
#include "operations/call.hpp"

namespace workforce::api {

/// Hears of every outcome of an operation, in the process that made it, once the answer was handed to the connection,
/// of a stream once it ended. Called on the connection's thread: it must not block, nor throw.
using FactsHook = std::function<void(operations::Facts const&)>;

/// As Authenticator::authenticate, for every kind of credential that there is.
using Authenticate =
    std::function<boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>>(Presented presented)>;

/// What the dispatcher works with; all of it outlives the dispatcher.
struct DispatcherParts {
    core::Config const& config;
    operations::Services& services;
    Authenticate authenticate;
    std::string idempotency_secret;   ///< keys the digests of idempotency keys and requests
    Cluster* cluster = nullptr;       ///< null where one process serves alone
    KeyLimits* key_limits = nullptr;  ///< null where requests of API keys are not counted
    std::vector<FactsHook> hooks{};
    KeyUses* key_uses = nullptr;                ///< null where nobody wants to know
    SessionUses* session_uses = nullptr;        ///< likewise
    RequestOrigins* request_origins = nullptr;  ///< likewise
    Router const& router = rest_router();
    std::span<VersionChange const> changes = version_changes();  ///< of the router's operations
    core::Timestamp (*now)() = &core::now;                       ///< decides when a version has ended
};

/// Answers the requests of the REST listener. Thread-safe. It outlives the connections that its answers go to.
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
    [[nodiscard]] std::size_t refused() const { return share_.refused(); }
    /// Streams refused since the start, for their credential or the process had too many.
    [[nodiscard]] std::size_t refused_streams() const { return streams_.refused(); }
    /// Streams that are open now.
    [[nodiscard]] std::size_t open_streams() const { return streams_.used(); }
    /// The limits of callers, with what they refused.
    [[nodiscard]] Limits const& limits() const { return limits_; }

    [[nodiscard]] Failures& failures() { return failures_; }

   private:
    boost::asio::awaitable<net::Reply> answer_as(net::Request const& request, ForwardedFrom from, bool forwarded);
    /// What an answer needs besides the reply, also when there is none.
    struct Told {
        ServedVersion const* version;
        operations::Operation const* operation = nullptr;  ///< of its route; null where there is none
        bool downgraded = false;                           ///< the answer came from another process in that version
        operations::Facts facts{};
        LimitNote limit{};

        [[nodiscard]] std::string_view verb() const { return operation == nullptr ? "" : operation->name; }
        [[nodiscard]] operations::ErrorForm errors() const {
            return operation == nullptr ? operations::ErrorForm::envelope : operation->http.errors;
        }
    };
    boost::asio::awaitable<net::Reply> route(net::Request const& request, ForwardedFrom const& from, bool forwarded,
                                             Told& told);
    /// Finds the route; else the refusal of what reaches none, and in `match` what the path could be asked for.
    std::optional<core::Problem> find(net::Request const& request, Match& match) const;
    /// Whom the request's credential stands for. Errors: as presented_credential and Authenticate; CSRF_REJECTED for a
    /// cookie that another site has a browser send along with a change.
    boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> authenticate(net::Request const& request) const;
    /// Who asks, once the request counted for its limit where it came in. Errors: as authenticate(); RATE_LIMITED,
    /// API_KEY_RATE_LIMITED.
    boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> identify(net::Request const& request,
                                                                                 ForwardedFrom const& from,
                                                                                 bool forwarded, LimitNote& note);
    /// The refusal of a request for what is open to anybody: it comes from another site where it signs somebody in, or
    /// from an address with too many. `counted`: from where it came; null: it does not count for its address.
    std::optional<core::Problem> admit_anyone(net::Request const& request, operations::Operation const& operation,
                                              ForwardedFrom const* counted, LimitNote& note);
    /// Adds the headers that depend on the request, its route and its caller's limit alone.
    void add_common_headers(net::Reply& reply, net::Request const& request, Told const& told,
                            std::string const& request_id) const;
    /// Takes a place for the outcome's stream, if it has one, until its end. Errors: RATE_LIMITED where the credential
    /// has as many as it may, SERVICE_UNAVAILABLE where the process has.
    core::Result<void> take_stream_place(operations::Outcome& outcome, Caller const* caller);
    /// Counts the outcome's body for its holder until the answer has left. Errors: SERVICE_UNAVAILABLE for a read for
    /// whose answer there is no room.
    core::Result<void> count_body(operations::Outcome& outcome, operations::Operation const& operation,
                                  net::ByteHolder holder);
    /// Notes where a request came from that did what the audit log tells of. Only where the request came in.
    void note_origin(operations::Call const& call, net::Request const& request, ForwardedFrom const& from,
                     std::uint16_t status, bool replayed) const;
    /// Has the hooks told of the outcome once its answer has left.
    void tell_later(net::Reply& reply, operations::Facts const& facts) const;
    /// Adds to a call what the operation takes of the request: digests, expected versions, the body, as today's form
    /// has it. Errors: VALIDATION_ERROR.
    core::Result<void> complete(operations::Call& call, net::Request const& request,
                                std::span<VersionChange const> newer) const;
    /// The answer of the process that writes the organization's partition; nothing when that is this one. Errors:
    /// SERVICE_UNAVAILABLE where it can't be reached.
    boost::asio::awaitable<core::Result<std::optional<Elsewhere>>> send_on(operations::Call const& call,
                                                                           net::Request const& request,
                                                                           ForwardedFrom const& from,
                                                                           std::span<VersionChange const> newer);
    /// What a forwarded request is told when this process does not write the organization's partition; nothing when it
    /// does, or would if it could.
    boost::asio::awaitable<std::optional<net::Reply>> send_back(Id organization, ForwardedFrom const& from);

    DispatcherParts parts_;
    Versions versions_;
    Limits limits_;
    FairShare<core::Lane> share_;
    /// By credential; without one all share the places of one.
    FairShare<std::pair<events::ActorType, Id>> streams_;
    std::array<prometheus::Counter*, 6> answers_{};  // by hundred of the status
    prometheus::Histogram& latency_;
    Failures failures_;
};

}  // namespace workforce::api
