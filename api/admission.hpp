// Who gets in: the checks that come before a request is read as a call, in the order that clients rely on: host rule
// and route, credential, limits, version, sandbox side, place, permission.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "api/dispatch_parts.hpp"
#include "api/fair_share.hpp"
#include "api/hosts.hpp"
#include "api/incoming.hpp"
#include "api/limits.hpp"
#include "core/fair_queue.hpp"
#include "core/result.hpp"
#include "net/byte_budget.hpp"

namespace workforce::api {

/// What admission found of a request that gets in.
struct Admitted {
    Match match{};
    std::shared_ptr<Caller const> caller{};               ///< null: the operation is open to anybody
    net::ByteHolder holder{};                             ///< whom the answer counts for
    std::optional<FairShare<core::Lane>::Place> place{};  ///< of its organization, until the answer is made
    net::HeldBytes room{};                                ///< for the answer of a write
};

/// Why a request does not get in.
struct Refusal {
    core::Problem problem;
    std::string allow{};  ///< methods that the path could be asked for; empty: the answer names none
};

/// Admits requests, and counts them for their callers. Thread-safe. It outlives the connections that its places go to.
class AdmissionControl {
   public:
    /// `parts` outlives this.
    explicit AdmissionControl(DispatcherParts const& parts);

    /// Checks a request, which `picked` is the version of, and notes its operation and limit. Refusals: of a path that
    /// nothing serves, of a credential, of limits and versions, and what the caller lacks. Throws as
    /// DispatcherParts::authenticate and Limits::admit_by_lease.
    boost::asio::awaitable<tl::expected<Admitted, Refusal>> admit(Incoming const& incoming, PickedVersion const& picked,
                                                                  RequestNotes& notes);

    /// Who asks MCP, once the request counted for its limit there. Errors: of a credential; RATE_LIMITED; FORBIDDEN and
    /// VALIDATION_ERROR of `Service-Sandbox`. Throws as admit().
    boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> admit_to_mcp(Incoming const& incoming,
                                                                                     LimitNote& note);
    /// A place of the organization for a call. Errors: SERVICE_UNAVAILABLE where it has as many as it may.
    core::Result<FairShare<core::Lane>::Place> enter(core::Lane const& lane);

    /// Whether the rest of a request's body is worth reading, as BodyGate. Counts nothing. Throws as
    /// DispatcherParts::authenticate.
    boost::asio::awaitable<net::Admission> admit_body(net::Request const& request) const;

    /// Requests refused since the start because their organization had too many under way.
    [[nodiscard]] std::size_t refused() const { return share_.refused(); }
    [[nodiscard]] Limits const& limits() const { return limits_; }
    [[nodiscard]] Hosts const& hosts() const { return hosts_; }

   private:
    /// Finds the route; else the refusal of what reaches none, and in `match` what the path could be asked for.
    std::optional<core::Problem> find(net::Request const& request, Match& match) const;
    /// The refusal of what reaches no route, or of a limit or credential where that comes first.
    boost::asio::awaitable<Refusal> refuse_unfound(Incoming const& incoming, core::Problem problem, std::string allow,
                                                   LimitNote& note);
    /// Whom the request's credential stands for. Errors: as presented_credential and Authenticate; CSRF_REJECTED for a
    /// cookie that another site has a browser send along with a change.
    boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> authenticate(net::Request const& request) const;
    /// Finds the user of the request's session; returns null where it has none that holds. Throws as authenticate().
    boost::asio::awaitable<std::shared_ptr<Caller const>> known_by_session(net::Request const& request) const;
    /// Who asks, once the request counted for its limit where it came in. Errors: as authenticate(); RATE_LIMITED,
    /// API_KEY_RATE_LIMITED.
    boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> identify(Incoming const& incoming,
                                                                                 LimitNote& note);
    /// The refusal of a request for what is open to anybody: it comes from another site where it signs somebody in, or
    /// from an address with too many.
    std::optional<core::Problem> admit_anyone(Incoming const& incoming, Route const& route, LimitNote& note);
    /// The refusal of a request whose credential is known, or who asks, on which side, and their organization's place,
    /// in `admitted`.
    std::optional<core::Problem> take_in(std::shared_ptr<Caller const> who, Incoming const& incoming,
                                         PickedVersion const& picked, Admitted& admitted, RequestNotes& notes);

    DispatcherParts const& parts_;
    Hosts const hosts_;
    Limits limits_;
    FairShare<core::Lane> share_;
};

}  // namespace workforce::api
