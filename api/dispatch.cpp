// The request path.
#include "api/dispatch.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <string>

#include "api/cluster/owner_call.hpp"
#include "api/credentials/presented.hpp"
#include "api/problem_reply.hpp"
#include "api/reply_bytes.hpp"
#include "api/rest/cors.hpp"
#include "api/rest/entity_tags.hpp"
#include "api/rest/rest_call.hpp"
#include "core/ascii.hpp"
#include "core/ids.hpp"
#include "core/logging.hpp"
#include "operations/oauth/redirect_uri.hpp"
#include "operations/pages/page.hpp"
#include "operations/target.hpp"

namespace workforce::api {
namespace {

using core::Code;
using operations::Unavailable;

constexpr std::size_t kUsualHeaders = 12;  // that an answer has at most, as a rule

void note(operations::Facts& facts, operations::Outcome const& outcome) {
    facts.refused = outcome.refused;
    facts.replayed = outcome.replayed;
    if (!outcome.replayed) facts.marker = outcome.marker;  // it was told of when it was achieved
    if (facts.facility == 0) facts.facility = outcome.facility;
    if (outcome.organization != 0) facts.organization = outcome.organization;
}

/// Whether another process's answer was told before.
bool is_replayed(net::Reply const& reply) {
    return std::ranges::any_of(
        reply.headers, [](auto const& header) { return core::ascii_lower(header.first) == "idempotency-replayed"; });
}

/// Completes the call, and finds the organization that it is about.
boost::asio::awaitable<core::Result<void>> make_ready(operations::Call& call, net::Request const& request,
                                                      std::span<VersionChange const> newer, std::string const& secret) {
    auto const completed = complete(call, request, newer, secret);
    if (!completed) co_return tl::unexpected(completed.error());
    if (*completed) co_return core::Result<void>{};
    co_return co_await operations::find_target(call);
}

AskedFrom asked_from(Incoming const& incoming) {
    return {incoming.from.client_address, incoming.request.header("User-Agent").value_or("")};
}

/// The versions as the installation is configured.
Versions versions_of(DispatcherParts const& parts) {
    auto const deprecations = read_deprecations(parts.config.version_deprecations);
    if (!deprecations) throw std::runtime_error("version_deprecations: " + deprecations.error());
    check_changes(parts.changes, parts.router);
    return {*deprecations, parts.changes, parts.config.base_url + "/.well-known/api-versions"};
}

/// Where a browser goes to sign in that asks for a page as nobody; nothing for any other refusal.
std::optional<std::string> sign_in_address(core::Problem const& problem, net::Request const& request,
                                           RequestNotes const& notes) {
    bool const page = notes.errors() == operations::ErrorForm::page && request.method == net::Method::get;
    if (!page || problem.code != Code::unauthenticated) return std::nullopt;
    // /login looks at the cookie alone: who presents something else would be sent to and fro.
    auto const presented = presented_credential(request);
    if (!presented || presented->authorization) return std::nullopt;
    return "/login?return_to=" + operations::form_encoded(request.target);
}

/// What keeps browsers from doing more with a page than to show it (RFC 9700 4.16).
void add_page_headers(net::Reply& reply) {
    constexpr std::string_view kPolicy = "Content-Security-Policy";
    bool const has_policy =
        std::ranges::any_of(reply.headers, [&](auto const& header) { return header.first == kPolicy; });
    if (!has_policy) reply.headers.emplace_back(kPolicy, operations::page_policy(""));
    reply.headers.emplace_back("X-Frame-Options", "DENY");
    reply.headers.emplace_back("X-Content-Type-Options", "nosniff");
    reply.headers.emplace_back("Referrer-Policy", "same-origin");
}

net::Reply reply_of(operations::Outcome outcome, operations::Call const& call, std::string_view base_url) {
    auto const errors = call.operation.http.errors;
    net::Reply reply;
    reply.headers.reserve(kUsualHeaders);
    reply.status = outcome.status;
    reply.body = std::move(outcome.body);
    reply.static_body = outcome.static_body;
    reply.held = std::move(outcome.held);
    auto const& type = operations::info(outcome.status < 400 ? call.input.answer : operations::media_type_of(errors));
    reply.content_type = type.content_type;
    if (outcome.stream) {
        reply.stream = std::move(outcome.stream);
        if (reply.stream.heartbeat.empty()) reply.stream.heartbeat = type.heartbeat;
        reply.headers.emplace_back("X-Accel-Buffering", "no");  // proxies hold streams back otherwise
    }
    if (outcome.version > 0 && call.operation.versioned)
        reply.headers.emplace_back("ETag", entity_tag(outcome.version));
    if (!outcome.attachment.empty()) {
        reply.headers.emplace_back("Content-Disposition", "attachment; filename=\"" + outcome.attachment + '"');
    }
    if (!outcome.location.empty()) reply.headers.emplace_back("Location", outcome.location);
    if (outcome.session_cookie) {
        reply.headers.emplace_back("Set-Cookie", session_cookie(*outcome.session_cookie, base_url));
    }
    if (errors == operations::ErrorForm::page) {
        reply.headers.emplace_back("Content-Security-Policy", operations::page_policy(outcome.form_source));
    }
    if (outcome.replayed) reply.headers.emplace_back("Idempotency-Replayed", "true");
    if (outcome.refused) add_problem_headers(reply, *outcome.refused, base_url, errors);
    for (auto const& warning : call.warnings) reply.headers.emplace_back("Service-Warnings", warning);
    if (call.stale) reply.headers.emplace_back("Service-Stale", "true");
    return reply;
}

}  // namespace

Dispatcher::Dispatcher(DispatcherParts parts, core::Metrics& metrics)
    : parts_(std::move(parts)),
      versions_(versions_of(parts_)),
      help_(parts_.config, versions_),
      admission_(parts_),
      streams_(parts_.config),
      latency_(metrics.histogram("workforce_http_request_seconds", "Time from a whole request to its answer", {},
                                 core::latency_bounds())),
      failures_(metrics),
      mcp_(parts_, admission_, streams_, failures_) {
    for (std::size_t hundred = 1; hundred < answers_.size(); ++hundred) {
        answers_[hundred] = &metrics.counter("workforce_http_requests_total", "Answers of both hosts",
                                             {{"status", std::to_string(hundred) + "xx"}});
    }
}

boost::asio::awaitable<net::Reply> Dispatcher::answer(net::Request const& request) {
    return answer(Incoming{request, {core::request_id(), request.remote_address}});
}

boost::asio::awaitable<net::Reply> Dispatcher::answer_forwarded(net::Request const& request, ForwardedFrom from) {
    return answer(Incoming{request, std::move(from), true});
}

boost::asio::awaitable<net::Admission> Dispatcher::admit(net::Request const& request) {
    try {
        co_return co_await admission_.admit_body(request);
    } catch (...) {
        (void)failures_.met(std::current_exception(), {"", request.remote_address, request.path()});
    }
    co_return net::Admission{{}, core::Problem{Code::service_unavailable, "The credential can't be looked up now."}};
}

boost::asio::awaitable<net::Reply> Dispatcher::answer(Incoming incoming) {
    auto const started = std::chrono::steady_clock::now();
    RequestNotes notes{&versions_.latest()};
    notes.facts.correlation = operations::CorrelationId(incoming.from.request_id);
    net::Reply reply;
    try {
        reply = co_await route(incoming, notes);
    } catch (...) {
        reply = meet(std::current_exception(), incoming, notes);
    }
    downgrade_to_version(reply, incoming, notes);
    add_common_headers(reply, incoming, notes);
    std::chrono::duration<double> const took = std::chrono::steady_clock::now() - started;
    tell(reply, incoming, notes, took.count());
    co_return reply;
}

boost::asio::awaitable<net::Reply> Dispatcher::route(Incoming const& incoming, RequestNotes& notes) {
    auto const& request = incoming.request;
    // Refusals carry it too; one that can't be had is refused only once the caller is known.
    auto const picked = versions_.pick(request.header("Service-Version"), parts_.now);
    notes.version = picked.version;
    if (admission_.hosts().surface_of(request) == Surface::mcp) co_return co_await mcp_.answer(incoming, notes);
    if (auto preflight = answer_preflight(request, parts_.router)) co_return *std::move(preflight);
    if (auto help = show_help(incoming, notes)) co_return *std::move(help);

    auto admitted = co_await admission_.admit(incoming, picked, notes);
    if (!admitted) {
        auto reply = refuse(admitted.error().problem, incoming, notes, Unavailable::organization_share);
        if (auto address = sign_in_address(admitted.error().problem, request, notes)) {
            reply.status = 303;
            reply.headers.emplace_back("Location", *std::move(address));
        }
        if (!admitted.error().allow.empty()) reply.headers.emplace_back("Allow", admitted.error().allow);
        co_return reply;
    }

    co_return co_await run_call(*admitted, incoming, notes);
}

boost::asio::awaitable<net::Reply> Dispatcher::run_call(Admitted& admitted, Incoming const& incoming,
                                                        RequestNotes& notes) {
    auto const document = admitted.match.route->document;
    auto call = call_of(parts_.services, std::move(admitted.match), admitted.caller, incoming);
    if (!call) co_return refuse(call.error(), incoming, notes);
    auto const ready = co_await make_ready(*call, incoming.request, notes.version->newer, parts_.idempotency_secret);
    if (call->meta.organization != 0) notes.facts.organization = call->meta.organization;
    if (!ready) co_return finish(operations::refuse(*call, ready.error()), *call, admitted, incoming, notes);

    CallOrigin origin;
    if (!incoming.forwarded) origin = co_await CallOrigin::keep(parts_.request_origins, *call, asked_from(incoming));
    auto outcome = operations::Outcome();
    auto owner_answer = co_await hop(*call, incoming, *notes.version);
    if (!owner_answer) {
        origin.settle(*call, core::info(owner_answer.error().code).status, false);
        co_return refuse(owner_answer.error(), incoming, notes, Unavailable::forwarding);
    }
    if (auto& answer = *owner_answer; answer && answer->reply) {
        origin.settle(*call, answer->reply->status, is_replayed(*answer->reply));
        co_return pass_on(*std::move(answer->reply), admitted, incoming, notes);
    } else if (answer) {
        outcome = std::move(answer->answer->outcome);
        std::ranges::move(answer->answer->warnings, std::back_inserter(call->warnings));
    } else if (document) {
        auto text = document({versions_, parts_.config, incoming.request.header("Host").value_or("")});
        outcome.body = std::move(text.made);
        outcome.static_body = text.lasting;
    } else if (incoming.forwarded && co_await is_misdirected(*call)) {
        notes.facts.verb = {};
        co_return not_owner_reply(incoming.from.request_id, parts_.config.base_url);
    } else {
        outcome = co_await call->operation.handler(*call);
    }
    origin.settle(*call, outcome.status, outcome.replayed);
    co_return finish(std::move(outcome), *call, admitted, incoming, notes);
}

boost::asio::awaitable<core::Result<std::optional<OwnerAnswer>>> Dispatcher::hop(operations::Call& call,
                                                                                 Incoming const& incoming,
                                                                                 ServedVersion const& version) const {
    if (incoming.forwarded || parts_.cluster == nullptr || !is_for_owner(call)) co_return std::nullopt;
    auto const upgraded = upgraded_body(version.newer, call);
    std::string_view body = upgraded.empty() ? incoming.request.body : upgraded;
    if (incoming.request.method == net::Method::del) body = {};  // it means nothing
    co_return co_await ask_owner(*parts_.cluster, call, {body, incoming.from, &incoming.request});
}

boost::asio::awaitable<bool> Dispatcher::is_misdirected(operations::Call const& call) const {
    if (parts_.cluster == nullptr || !is_for_owner(call)) co_return false;
    co_return co_await is_served_elsewhere(parts_.services.processor, call.meta.organization);
}

std::optional<net::Reply> Dispatcher::show_help(Incoming const& incoming, RequestNotes& notes) {
    auto const& request = incoming.request;
    if (request.fault != net::RequestFault::none || request.refusal) return std::nullopt;
    auto const* const file = help_.find(request.path());
    if (file == nullptr) return std::nullopt;
    notes.downgraded = true;  // it is no body of the API's
    if (request.method != net::Method::get && request.method != net::Method::head) {
        auto reply = refuse({Code::method_not_allowed, "Pages of help can only be read."}, incoming, notes);
        reply.headers.emplace_back("Allow", "GET");
        return reply;
    }
    return answer_with(*file, request);
}

net::Reply Dispatcher::refuse(core::Problem const& problem, Incoming const& incoming, RequestNotes& notes,
                              Unavailable reason) const {
    notes.facts.refused = problem.code;
    notes.facts.unavailable = reason;
    return problem_reply(problem, incoming.from.request_id, parts_.config.base_url, notes.errors());
}

net::Reply Dispatcher::finish(operations::Outcome outcome, operations::Call const& call, Admitted& admitted,
                              Incoming const& incoming, RequestNotes& notes) {
    note(notes.facts, outcome);  // what took effect, also where there is no room for its answer
    notes.facts.stale = call.stale;
    if (outcome.refused == Code::service_unavailable) notes.facts.unavailable = operations::reason_of(call);
    auto const held =
        hold_body(parts_.services.replies, admitted.holder, call.operation.effect, outcome, std::move(admitted.room));
    if (!held) return refuse(held.error(), incoming, notes, Unavailable::reply_bytes);
    bool const comes_too_often = outcome.refused == Code::rate_limited || outcome.refused == Code::run_limit_reached;
    if (comes_too_often) notes.limit.retry_after = std::max<std::int64_t>(outcome.retry_after, 1);
    auto const place = outcome.stream ? streams_.take(outcome.stream, call.caller.get()) : core::Result<void>{};
    if (!place) {
        if (place.error().code == Code::rate_limited) notes.limit.retry_after = 1;
        return refuse(place.error(), incoming, notes, Unavailable::streams);
    }
    if (call.caller && outcome.status < 500) failures_.over();
    return reply_of(std::move(outcome), call, parts_.config.base_url);
}

net::Reply Dispatcher::pass_on(net::Reply reply, Admitted& admitted, Incoming const& incoming,
                               RequestNotes& notes) const {
    notes.facts.verb = {};  // whoever answers tells of it
    notes.downgraded = true;
    if (!hold_reply(parts_.services.replies, admitted.holder, reply.body.size(), admitted.room)) {
        return refuse(no_room(reply.status < 300), incoming, notes, Unavailable::reply_bytes);
    }
    reply.held = std::move(admitted.room);
    return reply;
}

net::Reply Dispatcher::meet(std::exception_ptr const& error, Incoming const& incoming, RequestNotes& notes) {
    auto const& [request, from, forwarded] = incoming;
    auto const problem = failures_.met(
        error, {from.request_id, from.client_address, request.method_name + ' ' + std::string(request.path())});
    return refuse(problem, incoming, notes, Failures::reason_of(error));
}

void Dispatcher::downgrade_to_version(net::Reply& reply, Incoming const& incoming, RequestNotes& notes) {
    if (notes.version->newer.empty() || notes.downgraded) return;
    if (reply.status >= 400 && notes.errors() != operations::ErrorForm::envelope) return;
    try {
        downgrade(notes.version->newer, notes.verb(), reply);
    } catch (...) {
        reply = meet(std::current_exception(), incoming, notes);
    }
}

void Dispatcher::add_common_headers(net::Reply& reply, Incoming const& incoming, RequestNotes const& notes) const {
    limits().tell(reply, notes.limit);
    reply.headers.emplace_back("Service-Version", notes.version->date);
    for (auto const& header : notes.version->headers) reply.headers.push_back(header);
    reply.headers.emplace_back("X-Request-Id", incoming.from.request_id);
    auto const path = incoming.request.path();
    bool const for_people = notes.errors() == operations::ErrorForm::page;
    bool const private_answer =
        path.starts_with("/api") || is_mcp_path(path) || for_people || notes.errors() == operations::ErrorForm::oauth;
    if (for_people) add_page_headers(reply);
    bool const lacks_scope = notes.facts.refused == Code::insufficient_scope && reply.status == 403;
    if (lacks_scope && notes.operation != nullptr) {
        add_scope_challenge(reply, *notes.operation, parts_.config.base_url + "/.well-known/oauth-protected-resource");
    }
    if (private_answer) reply.headers.emplace_back("Cache-Control", "no-store");
    if (notes.operation != nullptr && notes.operation->http.cors) add_cors_headers(reply);
}

void Dispatcher::tell(net::Reply& reply, Incoming const& incoming, RequestNotes& notes, double seconds) {
    answers_.at(std::min<std::size_t>(reply.status / 100, 5))->Increment();
    latency_.Observe(seconds);
    if (reply.status == 503) {
        auto const& [request, from, forwarded] = incoming;
        auto const what = request.method_name + ' ' + std::string(request.path());
        failures_.unavailable({from.request_id, from.client_address, what}, notes.facts.refused, reply.body);
    }
    auto& facts = notes.facts;
    if (facts.status == 0) facts.status = static_cast<std::uint16_t>(reply.status);  // a tool's call has one of its own
    facts.seconds = seconds;
    if (!facts.verb.empty() && !parts_.hooks.empty()) {
        reply.on_sent = [hooks = &parts_.hooks, facts] {
            for (auto const& hook : *hooks) hook(facts);
        };
    }
    core::log(core::Level::debug, "request",
              {{"request_id", incoming.from.request_id},
               {"client", incoming.from.client_address},
               {"method", incoming.request.method_name},
               {"path", incoming.request.path()},
               {"operation", facts.verb},
               {"status", static_cast<int>(reply.status)},
               {"seconds", seconds}});
}

}  // namespace workforce::api
