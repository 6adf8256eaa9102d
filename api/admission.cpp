// The checks, in their order.
#include "api/admission.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "api/problem_reply.hpp"
#include "api/reply_bytes.hpp"
#include "api/rest/same_origin.hpp"
#include "operations/caller.hpp"

namespace workforce::api {
namespace {

using core::Code;

core::Problem not_on_this_host(std::string const& mcp_url) {
    core::JsonWriter w;
    w.begin_object();
    w.member("mcpUrl", mcp_url);
    w.end_object();
    return {Code::mcp_host_not_allowed, "MCP is served on its own host.", w.take()};
}

/// The refusal of a path one of whose parameters is none of its type.
core::Problem malformed(Match const& match) {
    auto const refuse_id = match.route->http().malformed_id;
    auto const segments = segments_of(match.route->path);
    auto const segment = std::ranges::find(segments, match.malformed, &Segment::text);
    if (segment->type == Segment::Type::text) {
        return core::validation_problem({{std::string(match.malformed), "type", "must be percent-encoded UTF-8"}});
    }
    if (refuse_id != nullptr) return refuse_id();
    return core::validation_problem({{std::string(match.malformed), "type", "must be a positive integer"}});
}

/// The refusal of a path or method that no route has; nothing when there is a route.
std::optional<core::Problem> unroutable(Match const& match, net::Request const& request) {
    if (match.route) return match.malformed.empty() ? std::nullopt : std::optional(malformed(match));
    if (match.allow.empty()) {
        return core::Problem{
            Code::not_found, "There is nothing at this path.", {}, "Use a path that /openapi.json describes."};
    }
    return core::Problem{Code::method_not_allowed, request.method_name + " is not possible here; see Allow."};
}

/// Whether the method changes nothing (RFC 9110 9.2.1).
bool is_safe(net::Method method) {
    return method == net::Method::get || method == net::Method::head || method == net::Method::options;
}

/// Whether the refusal is for those who have a credential: that of a limit; that of a body that the credential was let
/// in with; and that of a path or method that no route has (domain 15), below /api, unless the path is open to anybody
/// by another method.
bool asks_credential(Router const& router, net::Request const& request, core::Problem const& problem) {
    if (is_limit(problem.code)) return true;  // foreseen before the body: now it counts
    if (request.admitted && request.fault != net::RequestFault::none) {
        auto const* const route = router.find(request.method, request.path()).route;
        return route != nullptr && route->operation->access != operations::Access::open;
    }
    bool const below_api = request.path() == "/api" || request.path().starts_with("/api/");
    bool const unroutable = problem.code == Code::not_found || problem.code == Code::method_not_allowed;
    if (!below_api || !unroutable) return false;
    constexpr std::array kMethods{net::Method::get, net::Method::post};  // all that anybody may use
    return std::ranges::none_of(kMethods, [&](net::Method method) {
        auto const* const shown = router.find(method, request.path()).route;
        return shown != nullptr && shown->operation->access == operations::Access::open;
    });
}

/// Turns a caller into one who acts on the sandbox where the request asks for that (domain 14). Errors: FORBIDDEN,
/// VALIDATION_ERROR.
core::Result<std::shared_ptr<Caller const>> on_asked_side(net::Request const& request,
                                                          std::shared_ptr<Caller const> caller) {
    auto const said = request.header("Service-Sandbox");
    if (!said || *said == "false") return caller;
    if (*said == "true") return operations::acting_on_sandbox(std::move(caller));
    return tl::unexpected(core::validation_problem({{"Service-Sandbox", "enum", "must be true or false"}}));
}

boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> refuse_caller(core::Problem problem) {
    co_return tl::unexpected(std::move(problem));
}

}  // namespace

AdmissionControl::AdmissionControl(DispatcherParts const& parts)
    : parts_(parts),
      hosts_(parts.config),
      limits_(parts.config, parts.key_limits, parts.mcp_limits),
      share_(static_cast<std::size_t>(parts.config.organization_requests)) {}

boost::asio::awaitable<tl::expected<Admitted, Refusal>> AdmissionControl::admit(Incoming const& incoming,
                                                                                PickedVersion const& picked,
                                                                                RequestNotes& notes) {
    Admitted admitted;
    auto& match = admitted.match;
    auto problem = find(incoming.request, match);
    if (match.route) notes.operation = match.route->operation;
    if (problem) {
        co_return tl::unexpected(
            co_await refuse_unfound(incoming, *std::move(problem), std::move(match.allow), notes.limit));
    }
    auto const& route = *match.route;
    auto const& operation = *route.operation;
    if (!route.document) {
        notes.facts.verb = operation.name;
        notes.facts.row = operation.row;
        notes.facts.by_put = route.method == net::Method::put && operation.http.method != net::Method::put;
    }
    std::optional<core::Problem> refusal;
    if (operation.access == operations::Access::open) {
        admitted.holder = net::holder_of(incoming.request.remote_address);
        refusal = admit_anyone(incoming, route, notes.limit);
        if (!refusal && operation.knows_session) admitted.caller = co_await known_by_session(incoming.request);
    } else {
        auto known = co_await identify(incoming, notes.limit);
        refusal = known ? take_in(*std::move(known), incoming, picked, admitted, notes) : std::optional(known.error());
    }
    if (!refusal && operation.signs_in && !incoming.forwarded) {
        refusal = limits_.admit_sign_in(incoming.from.client_address, notes.limit);
    }
    // What tells of versions answers clients whose version has ended, too.
    bool const ended = picked.refusal && picked.refusal->code == Code::version_sunset;
    if (!refusal && !(ended && route.document)) refusal = picked.refusal;
    if (!refusal && admitted.caller) refusal = operations::lacking(*admitted.caller, operation);
    if (!refusal) refusal = unroutable(match, incoming.request);
    if (refusal) co_return tl::unexpected(Refusal{*std::move(refusal)});
    co_return admitted;
}

boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> AdmissionControl::admit_to_mcp(
    Incoming const& incoming, LimitNote& note) {
    note.surface = Surface::mcp;
    auto known = co_await identify(incoming, note);
    if (!known) co_return known;
    co_return on_asked_side(incoming.request, *std::move(known));
}

core::Result<FairShare<core::Lane>::Place> AdmissionControl::enter(core::Lane const& lane) {
    auto place = share_.enter(lane);
    if (place) return *std::move(place);
    return core::refuse(Code::service_unavailable, "Too many requests of this organization are under way.");
}

boost::asio::awaitable<net::Admission> AdmissionControl::admit_body(net::Request const& request) const {
    auto const surface = hosts_.surface_of(request);
    if (surface == Surface::rest) {
        auto const* const found =
            is_mcp_path(request.path()) ? nullptr : parts_.router.find(request.method, request.path()).route;
        bool const wanted = found != nullptr &&
                            (found->operation->access != operations::Access::open || found->operation->body != nullptr);
        if (!wanted) co_return net::Admission{};
        if (found->operation->access == operations::Access::open)
            co_return net::Admission{net::holder_of(request.remote_address), {}};
    } else if (!takes_messages(request)) {
        co_return net::Admission{};
    }
    auto const caller = co_await authenticate(request);
    if (!caller) co_return net::Admission{{}, caller.error()};
    if (auto over = limits_.foresee(**caller, surface)) co_return net::Admission{{}, std::move(over)};
    co_return net::Admission{net::holder_of(core::Lane((*caller)->organization, (*caller)->sandbox)), {}};
}

std::optional<core::Problem> AdmissionControl::find(net::Request const& request, Match& match) const {
    bool const for_mcp = is_mcp_path(request.path());
    if (!for_mcp) match = parts_.router.find(request.method, request.path());
    if (request.refusal) return request.refusal;
    if (request.fault != net::RequestFault::none) {
        return fault_problem(request.fault, match.route ? match.route->http().max_body : operations::kMaxBody);
    }
    if (for_mcp) return not_on_this_host(parts_.config.mcp_url);
    return match.route ? std::nullopt : unroutable(match, request);
}

boost::asio::awaitable<Refusal> AdmissionControl::refuse_unfound(Incoming const& incoming, core::Problem problem,
                                                                 std::string allow, LimitNote& note) {
    auto const& [request, from, forwarded] = incoming;
    std::optional<core::Problem> over;
    if (asks_credential(parts_.router, request, problem)) {
        auto const known = co_await identify(incoming, note);
        if (!known) over = known.error();
    } else if (!forwarded && request.fault == net::RequestFault::none && core::info(problem.code).status < 500) {
        over = limits_.admit_stranger(from.client_address, note);
    }
    if (over) co_return Refusal{*std::move(over)};
    if (is_limit(problem.code)) note.retry_after = 1;  // its window has ended meanwhile
    co_return Refusal{std::move(problem), std::move(allow)};
}

// No coroutine, for it awaits nothing itself.
boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> AdmissionControl::authenticate(
    net::Request const& request) const {
    auto const presented = presented_credential(request);
    if (!presented) return refuse_caller(presented.error());
    if (presented->by_cookie() && !is_safe(request.method)) {
        if (auto rejected = check_same_origin(request, parts_.config.base_url))
            return refuse_caller(*std::move(rejected));
    }
    return parts_.authenticate(*presented);
}

boost::asio::awaitable<std::shared_ptr<Caller const>> AdmissionControl::known_by_session(
    net::Request const& request) const {
    auto const presented = presented_session(request);
    if (!presented) co_return nullptr;
    if (!is_safe(request.method) && check_same_origin(request, parts_.config.base_url)) co_return nullptr;
    auto known = co_await parts_.authenticate(*presented);
    co_return known ? *std::move(known) : nullptr;
}

boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> AdmissionControl::identify(Incoming const& incoming,
                                                                                               LimitNote& note) {
    auto known = co_await authenticate(incoming.request);
    if (incoming.forwarded) co_return known;  // it counted where it came in
    auto const& address = incoming.from.client_address;
    if (known && parts_.key_uses != nullptr) parts_.key_uses->note(**known, address);
    if (known && parts_.session_uses != nullptr) parts_.session_uses->note(**known);
    std::optional<core::Problem> over;
    if (!known) {
        over = limits_.admit_stranger(address, note);
    } else if (auto const counted = limits_.admit_here(**known, note); !counted) {
        over = counted.error();
    } else if (!*counted) {
        over = co_await limits_.admit_by_lease(**known, note);
    }
    if (over) co_return tl::unexpected(*std::move(over));
    co_return known;
}

std::optional<core::Problem> AdmissionControl::admit_anyone(Incoming const& incoming, Route const& route,
                                                            LimitNote& note) {
    if (!route.document && !route.operation->counts_clients && !incoming.forwarded) {
        if (auto over = limits_.admit_stranger(incoming.from.client_address, note)) return over;
    }
    // A session that a stranger has a browser begin is another account than its user thinks.
    return route.operation->signs_in ? check_same_origin(incoming.request, parts_.config.base_url) : std::nullopt;
}

std::optional<core::Problem> AdmissionControl::take_in(std::shared_ptr<Caller const> who, Incoming const& incoming,
                                                       PickedVersion const& picked, Admitted& admitted,
                                                       RequestNotes& notes) {
    if (picked.refusal) return picked.refusal;
    auto known = on_asked_side(incoming.request, std::move(who));
    if (!known) return known.error();
    admitted.caller = *std::move(known);
    auto const& caller = *admitted.caller;
    operations::note_caller(notes.facts, caller, kRestChannel);
    core::Lane const lane(caller.organization, caller.sandbox);
    if (!incoming.forwarded) {  // it has its place where it came in
        auto place = enter(lane);
        if (!place) return place.error();
        admitted.place = *std::move(place);
    }
    admitted.holder = caller.byte_holder();
    if (admitted.match.route->operation->effect == operations::Effect::read) return std::nullopt;
    auto room = reserve_reply(parts_.services.replies, admitted.holder);
    if (!room) return room.error();
    admitted.room = *std::move(room);
    return std::nullopt;
}

}  // namespace workforce::api
