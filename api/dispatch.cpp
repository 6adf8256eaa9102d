// The request path.
#include "api/dispatch.hpp"

#include <algorithm>
#include <vector>

#include "api/problem_reply.hpp"
#include "api/rest/command_route.hpp"
#include "api/rest/route.hpp"
#include "api/versions.hpp"
#include "core/ids.hpp"
#include "core/logging.hpp"
#include "events/log/log.hpp"

namespace workforce::api {
namespace {

using core::Code;

/// For a partition that is on its way from one process to another: longer than claim and tail take as a rule.
constexpr std::chrono::milliseconds kHandOverPatience = workers::kLeaseLife;

bool is_mcp_path(std::string_view path) {
    return path == "/mcp" || path.starts_with("/mcp/") || path == "/.well-known/mcp";
}

core::Problem not_on_this_host(std::string const& mcp_url) {
    core::JsonWriter w;
    w.begin_object();
    w.member("mcpUrl", mcp_url);
    w.end_object();
    return {Code::mcp_host_not_allowed, "MCP is served on its own host.", w.take()};
}

core::Problem lacks(std::string_view permission) {
    core::JsonWriter w;
    w.begin_object();
    w.member("permission", permission);
    w.end_object();
    return {Code::insufficient_scope, "The credential lacks the permission " + std::string(permission) + ".", w.take()};
}

/// The refusal of a path or method that no route has; nothing when there is a route.
std::optional<core::Problem> unroutable(Match const& match, net::Request const& request) {
    if (match.route && match.bad_id) {
        return core::validation_problem({{"id", "type", "must be a positive integer"}});
    }
    if (match.route) return std::nullopt;
    if (match.allow.empty()) {
        return core::Problem{
            Code::not_found, "There is nothing at this path.", {}, "Use a path that /openapi.json describes."};
    }
    return core::Problem{Code::method_not_allowed, request.method_name + " is not possible here; see Allow."};
}

/// Names parameters that the route does not have: a mistyped filter must not look like one that everything passes.
void warn_unknown_parameters(Call& call, Route const& route) {
    std::vector<std::string> unknown;
    for (auto const& [name, value] : call.query) {
        bool const known = std::any_of(route.query.begin(), route.query.end(),
                                       [&](QueryParameter const& parameter) { return parameter.name == name; });
        if (!known) unknown.push_back(name);
    }
    warn_ignored(call, "parameters", unknown);
}

}  // namespace

Dispatcher::Dispatcher(Services& services, Authenticator& authenticator, core::Metrics& metrics)
    : services_(services),
      authenticator_(authenticator),
      share_(static_cast<std::size_t>(services.config.organization_requests)),
      latency_(metrics.histogram("workforce_http_request_seconds", "Time from a whole request to its answer", {},
                                 core::latency_bounds())),
      database_busy_(
          metrics.counter("workforce_database_jobs_refused", "Requests for whose query there was no room", {})) {
    for (std::size_t hundred = 1; hundred < answers_.size(); ++hundred) {
        answers_[hundred] = &metrics.counter("workforce_http_requests_total", "Answers of the REST listener",
                                             {{"status", std::to_string(hundred) + "xx"}});
    }
}

boost::asio::awaitable<net::Reply> Dispatcher::answer(net::Request const& request) {
    return answer_as(request, {core::request_id(), request.remote_address}, false);
}

boost::asio::awaitable<net::Reply> Dispatcher::answer_forwarded(net::Request const& request, ForwardedFrom from) {
    return answer_as(request, std::move(from), true);
}

boost::asio::awaitable<net::Admission> Dispatcher::admit(net::Request const& request) {
    auto const* const found = is_mcp_path(request.path()) ? nullptr : find_route(request.method, request.path()).route;
    bool const wanted = found != nullptr && (found->access != Access::open || found->body != nullptr);
    if (!wanted) co_return net::Admission{};
    if (found->access == Access::open) co_return net::Admission{net::holder_of(request.remote_address), {}};
    try {
        auto const principal = co_await authenticator_.authenticate(request.header("Authorization"));
        if (!principal) co_return net::Admission{{}, principal.error()};
        co_return net::Admission{net::holder_of(core::Lane((*principal)->organization, (*principal)->sandbox)), {}};
    } catch (core::DatabaseBusy const&) {
        database_busy_.Increment();
    } catch (std::exception const& error) {
        database_away_.met(core::Level::warn, {{"client", request.remote_address}, {"error", error.what()}});
    }
    co_return net::Admission{{}, core::Problem{Code::service_unavailable, "The credential can't be looked up now."}};
}

boost::asio::awaitable<net::Reply> Dispatcher::answer_as(net::Request const& request, ForwardedFrom from,
                                                         bool forwarded) {
    auto const& request_id = from.request_id;
    auto const started = std::chrono::steady_clock::now();
    auto const& base_url = services_.config.base_url;
    std::string_view version = kLatestVersion;
    net::Reply reply;
    try {
        reply = co_await route(request, from, forwarded, version);
    } catch (core::DatabaseBusy const&) {
        database_busy_.Increment();
        reply = problem_reply({Code::service_unavailable, "Too many requests wait for the database."}, request_id,
                              base_url);
    } catch (events::LogUnavailable const& error) {
        log_away_.met(core::Level::warn, {{"request_id", request_id}, {"error", error.what()}});
        reply = problem_reply({Code::service_unavailable, "The event log can't be reached."}, request_id, base_url);
    } catch (core::DatabaseUnavailable const& error) {
        database_away_.met(core::Level::warn, {{"request_id", request_id}, {"error", error.what()}});
        reply = problem_reply({Code::service_unavailable, "The database can't be reached."}, request_id, base_url);
    } catch (std::exception const& error) {
        core::log(core::Level::error, "a request failed",
                  {{"request_id", request_id},
                   {"client", from.client_address},
                   {"method", request.method_name},
                   {"path", request.path()},
                   {"error", error.what()}});
        reply = problem_reply({Code::internal_error, "Something went wrong on our side."}, request_id, base_url);
    }
    reply.headers.emplace_back("Service-Version", version);
    reply.headers.emplace_back("X-Request-Id", request_id);
    if (request.path().starts_with("/api")) reply.headers.emplace_back("Cache-Control", "no-store");
    answers_.at(std::min<std::size_t>(reply.status / 100, 5))->Increment();
    std::chrono::duration<double> const took = std::chrono::steady_clock::now() - started;
    latency_.Observe(took.count());
    core::log(core::Level::debug, "request",
              {{"request_id", request_id},
               {"client", from.client_address},
               {"method", request.method_name},
               {"path", request.path()},
               {"status", static_cast<int>(reply.status)},
               {"seconds", took.count()}});
    co_return reply;
}

boost::asio::awaitable<std::optional<net::Reply>> Dispatcher::send_on(net::Request const& request,
                                                                      Principal const& principal,
                                                                      ForwardedFrom const& from) {
    auto const home = co_await services_.processor.homes().find(principal.organization);
    auto const here = [&] { return services_.processor.owns(home); };
    if (home < 0 || here()) co_return std::nullopt;
    auto const patience = fails_here(home) ? std::chrono::milliseconds(0) : kHandOverPatience;
    auto answer = co_await services_.cluster->send_to_owner(home, request, from, here, patience);
    if (answer) co_return *std::move(answer);
    co_return problem_reply(answer.error(), from.request_id, services_.config.base_url);
}

bool Dispatcher::fails_here(int partition) const {
    auto const& processor = services_.processor;
    return processor.has(partition) &&
           processor.partitions().at(static_cast<std::size_t>(partition))->fault().has_value();
}

boost::asio::awaitable<std::optional<net::Reply>> Dispatcher::send_back(Principal const& principal,
                                                                        ForwardedFrom const& from) {
    auto const home = co_await services_.processor.homes().find(principal.organization);
    if (home < 0 || services_.processor.owns(home) || fails_here(home)) co_return std::nullopt;
    auto reply = problem_reply({Code::service_unavailable, "Another process serves this organization's partition."},
                               from.request_id, services_.config.base_url);
    reply.headers.emplace_back(kNotOwnerField, "true");
    co_return reply;
}

boost::asio::awaitable<net::Reply> Dispatcher::route(net::Request const& request, ForwardedFrom const& from,
                                                     bool forwarded, std::string_view& version) {
    auto const& request_id = from.request_id;
    auto const refused = [&](core::Problem const& problem) {
        return problem_reply(problem, request_id, services_.config.base_url);
    };
    // Refusals carry it too; one that can't be had is refused only once the caller is known.
    auto const picked = pick_version(request.header("Service-Version"));
    if (picked) version = *picked;
    if (request.refusal) co_return refused(*request.refusal);
    if (request.fault != net::RequestFault::none) co_return refused(fault_problem(request.fault));
    if (is_mcp_path(request.path())) co_return refused(not_on_this_host(services_.config.mcp_url));
    auto match = find_route(request.method, request.path());
    if (auto const problem = unroutable(match, request); problem && !match.route) {
        auto reply = refused(*problem);
        if (!match.allow.empty()) reply.headers.emplace_back("Allow", match.allow);
        co_return reply;
    }
    auto const& found = *match.route;
    std::optional<FairShare::Place> place;  // until the answer is made
    Call call{services_, request, nullptr, request_id, std::move(match.path_ids), {}, found.path, {}};
    if (found.access != Access::open) {
        auto principal = co_await authenticator_.authenticate(request.header("Authorization"));
        if (!principal) co_return refused(principal.error());
        call.principal = std::move(*principal);
        if (!forwarded) {  // it has its place where it came in
            place = share_.enter(call.principal->organization, call.principal->sandbox);
            if (!place) {
                co_return refused({Code::service_unavailable, "Too many requests of this organization are under way."});
            }
        }
    }
    if (!picked) co_return refused(picked.error());
    if (found.access == Access::permission && !call.principal->permits(found.permission))
        co_return refused(lacks(found.permission));
    if (auto const problem = unroutable(match, request)) co_return refused(*problem);
    if (services_.cluster != nullptr && call.principal && found.method != net::Method::get) {
        auto reply = forwarded ? send_back(*call.principal, from) : send_on(request, *call.principal, from);
        if (auto elsewhere = co_await std::move(reply)) co_return *std::move(elsewhere);
    }
    auto query = parse_query(request.query());
    if (!query) co_return refused(query.error());
    call.query = std::move(*query);
    warn_unknown_parameters(call, found);
    auto reply = co_await found.handler(call);
    if (call.principal && reply.status < 500) {
        log_away_.over();
        database_away_.over();
    }
    std::move(call.headers.begin(), call.headers.end(), std::back_inserter(reply.headers));
    co_return reply;
}

}  // namespace workforce::api
