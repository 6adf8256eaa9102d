// The request path.
#include "api/dispatch.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "api/credentials/presented.hpp"
#include "api/problem_reply.hpp"
#include "api/rest/body.hpp"
#include "api/rest/cors.hpp"
#include "api/rest/entity_tags.hpp"
#include "api/rest/idempotency.hpp"
#include "api/rest/media.hpp"
#include "api/rest/same_origin.hpp"
#include "core/ascii.hpp"
#include "core/ids.hpp"
#include "core/logging.hpp"
#include "events/key_secret.hpp"
#include "operations/target.hpp"

namespace workforce::api {
namespace {

using core::Code;

/// For a partition that is on its way from one process to another: longer than claim and tail take as a rule.
constexpr std::chrono::milliseconds kHandOverPatience = workers::kLeaseLife;

constexpr std::size_t kSmallReply = 8 << 10;   // counts for nobody: the number of connections bounds them
constexpr std::size_t kUsualReply = 64 << 10;  // without room for one nothing is done

bool is_mcp_path(std::string_view path) {
    return path == "/mcp" || path.starts_with("/mcp/") || path == "/.well-known/mcp";
}

core::Problem unread() {
    return {Code::service_unavailable, "Answers that were not read yet fill your share of memory."};
}

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

bool is_limit(Code code) { return code == Code::api_key_rate_limited || code == Code::rate_limited; }

/// Whether the method changes nothing (RFC 9110 9.2.1).
bool is_safe(net::Method method) {
    return method == net::Method::get || method == net::Method::head || method == net::Method::options;
}

/// Whether the refusal is for those who have a credential: that of a limit; and that of a path or method that no route
/// has (domain 15), below /api, unless the path is open to anybody by another method.
bool asks_credential(Router const& router, net::Request const& request, core::Problem const& problem) {
    if (is_limit(problem.code)) return true;  // foreseen before the body: now it counts
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

/// Names parameters that the route does not have: a mistyped filter must not look like one that everything passes.
void warn_unknown_parameters(operations::Call& call) {
    std::vector<std::string> unknown;
    for (auto const& [name, value] : call.input.parameters) {
        bool const known = events::begins_as_key(name) ||  // which nobody repeats
                           std::ranges::any_of(call.operation.parameters,
                                               [&](auto const& parameter) { return parameter.name == name; });
        if (!known) unknown.push_back(name);
    }
    operations::warn_ignored(call, "parameters", unknown);
}

/// What the client is to get, of what the row gives. Errors: NOT_ACCEPTABLE where it gives several and the client wants
/// none of them; a row that gives one type gives it to all (RFC 9110 12.4.1).
core::Result<operations::MediaType> answer_type(net::Request const& request, operations::HttpBinding const& http) {
    if (http.gives.size() == 1) return http.gives.front();
    auto const accept = request.list("Accept");
    if (!accept) return http.gives.front();
    if (auto const best = best_type(http.gives, *accept)) return *best;
    std::string names;
    for (auto const type : http.gives) names.append(names.empty() ? "" : ", ").append(operations::info(type).name);
    return tl::unexpected(core::Problem{
        Code::not_acceptable, "The answer can only be one of: " + names + ".", {}, "Accept one of these."});
}

void note(operations::Facts& facts, operations::Outcome const& outcome) {
    facts.refused = outcome.refused;
    facts.replayed = outcome.replayed;
    if (!outcome.replayed) facts.marker = outcome.marker;  // it was told of when it was achieved
    if (facts.facility == 0) facts.facility = outcome.facility;
}

/// Adds from where the request came, for what keeps that itself.
void add_client(operations::CallMeta& meta, net::Request const& request, ForwardedFrom const& from) {
    meta.address = from.client_address;
    meta.agent = printable(request.header("User-Agent").value_or(""));
}

/// Whether another process's answer was told before.
bool is_replayed(net::Reply const& reply) {
    return std::ranges::any_of(
        reply.headers, [](auto const& header) { return core::ascii_lower(header.first) == "idempotency-replayed"; });
}

/// The versions as the installation is configured.
Versions versions_of(DispatcherParts const& parts) {
    auto const deprecations = read_deprecations(parts.config.version_deprecations);
    if (!deprecations) throw std::runtime_error("version_deprecations: " + deprecations.error());
    check_changes(parts.changes, parts.router);
    return {*deprecations, parts.changes, parts.config.base_url + "/.well-known/api-versions"};
}

net::Reply reply_of(operations::Outcome outcome, operations::Call const& call, std::string_view base_url) {
    auto const errors = call.operation.http.errors;
    net::Reply reply;
    reply.status = outcome.status;
    reply.body = std::move(outcome.body);
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
    if (!outcome.location.empty()) reply.headers.emplace_back("Location", outcome.location);
    if (outcome.session_cookie) {
        reply.headers.emplace_back("Set-Cookie", session_cookie(*outcome.session_cookie, base_url));
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
      limits_(parts_.config, parts_.key_limits),
      share_(static_cast<std::size_t>(parts_.config.organization_requests)),
      streams_(static_cast<std::size_t>(parts_.config.credential_streams),
               static_cast<std::size_t>(parts_.config.streams)),
      latency_(metrics.histogram("workforce_http_request_seconds", "Time from a whole request to its answer", {},
                                 core::latency_bounds())),
      failures_(metrics) {
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
    auto const* const found =
        is_mcp_path(request.path()) ? nullptr : parts_.router.find(request.method, request.path()).route;
    bool const wanted =
        found != nullptr && (found->operation->access != operations::Access::open || found->operation->body != nullptr);
    if (!wanted) co_return net::Admission{};
    if (found->operation->access == operations::Access::open)
        co_return net::Admission{net::holder_of(request.remote_address), {}};
    try {
        auto const caller = co_await authenticate(request);
        if (!caller) co_return net::Admission{{}, caller.error()};
        if (auto over = limits_.foresee(**caller)) co_return net::Admission{{}, std::move(over)};
        co_return net::Admission{net::holder_of(core::Lane((*caller)->organization, (*caller)->sandbox)), {}};
    } catch (...) {
        (void)failures_.met(std::current_exception(), {"", request.remote_address, request.path()});
    }
    co_return net::Admission{{}, core::Problem{Code::service_unavailable, "The credential can't be looked up now."}};
}

boost::asio::awaitable<net::Reply> Dispatcher::answer_as(net::Request const& request, ForwardedFrom from,
                                                         bool forwarded) {
    auto const& request_id = from.request_id;
    auto const started = std::chrono::steady_clock::now();
    auto const& base_url = parts_.config.base_url;
    Told told{&versions_.latest()};
    told.facts.correlation = operations::CorrelationId(request_id);
    auto const failed = [&](core::Problem const& problem) {
        told.facts.refused = problem.code;
        return problem_reply(problem, request_id, base_url, told.errors());
    };
    auto const met = [&] {
        return failed(
            failures_.met(std::current_exception(),
                          {request_id, from.client_address, request.method_name + ' ' + std::string(request.path())}));
    };
    net::Reply reply;
    try {
        reply = co_await route(request, from, forwarded, told);
    } catch (...) {
        reply = met();
    }
    if (!told.version->newer.empty() && !told.downgraded) {
        bool const envelope = told.errors() == operations::ErrorForm::envelope;
        try {
            if (reply.status < 400 || envelope) downgrade(told.version->newer, told.verb(), reply);
        } catch (...) {
            reply = met();
        }
    }
    add_common_headers(reply, request, told, request_id);
    answers_.at(std::min<std::size_t>(reply.status / 100, 5))->Increment();
    std::chrono::duration<double> const took = std::chrono::steady_clock::now() - started;
    latency_.Observe(took.count());
    told.facts.status = reply.status;
    told.facts.seconds = took.count();
    tell_later(reply, told.facts);
    core::log(core::Level::debug, "request",
              {{"request_id", request_id},
               {"client", from.client_address},
               {"method", request.method_name},
               {"path", request.path()},
               {"operation", told.facts.verb},
               {"status", static_cast<int>(reply.status)},
               {"seconds", took.count()}});
    co_return reply;
}

boost::asio::awaitable<core::Result<std::optional<Elsewhere>>> Dispatcher::send_on(
    operations::Call const& call, net::Request const& request, ForwardedFrom const& from,
    std::span<VersionChange const> newer) {
    auto const home = co_await parts_.services.processor.homes().find(call.meta.organization);
    auto const here = [&] { return parts_.services.processor.owns(home); };
    if (home < 0 || here()) co_return std::nullopt;
    auto const patience =
        fails_here(parts_.services.processor, home) ? std::chrono::milliseconds(0) : kHandOverPatience;
    bool const has_body = request.method != net::Method::del;
    auto const upgraded = upgraded_body(newer, call);
    std::string_view const body = upgraded.empty() ? request.body : upgraded;
    ForwardedCall const forwarded{message_of(call, from.client_address), has_body ? body : "", &request, from};
    co_return co_await parts_.cluster->send_to_owner(home, forwarded, here, patience);
}

boost::asio::awaitable<std::optional<net::Reply>> Dispatcher::send_back(Id organization, ForwardedFrom const& from) {
    auto const& processor = parts_.services.processor;
    auto const home = co_await parts_.services.processor.homes().find(organization);
    if (home < 0 || processor.owns(home) || fails_here(processor, home)) co_return std::nullopt;
    co_return not_owner_reply(from.request_id, parts_.config.base_url);
}

std::optional<core::Problem> Dispatcher::find(net::Request const& request, Match& match) const {
    bool const for_mcp = is_mcp_path(request.path());
    if (!for_mcp) match = parts_.router.find(request.method, request.path());
    if (request.refusal) return request.refusal;
    if (request.fault != net::RequestFault::none) {
        return fault_problem(request.fault, match.route ? match.route->http().max_body : operations::kMaxBody);
    }
    if (for_mcp) return not_on_this_host(parts_.config.mcp_url);
    return match.route ? std::nullopt : unroutable(match, request);
}

void Dispatcher::add_common_headers(net::Reply& reply, net::Request const& request, Told const& told,
                                    std::string const& request_id) const {
    limits_.tell(reply, told.limit);
    reply.headers.emplace_back("Service-Version", told.version->date);
    for (auto const& header : told.version->headers) reply.headers.push_back(header);
    reply.headers.emplace_back("X-Request-Id", request_id);
    bool const private_answer = request.path().starts_with("/api") || told.errors() == operations::ErrorForm::oauth;
    if (private_answer) reply.headers.emplace_back("Cache-Control", "no-store");
    if (told.operation != nullptr && told.operation->http.cors) add_cors_headers(reply);
}

core::Result<void> Dispatcher::take_stream_place(operations::Outcome& outcome, Caller const* caller) {
    if (!outcome.stream) return {};
    std::pair<events::ActorType, Id> holder{};
    if (caller != nullptr) holder = {caller->credential_type, caller->credential_id};
    auto place = streams_.enter(holder);
    if (!place) {
        if (place.error() == Full::holder)
            return core::refuse(Code::rate_limited, "The credential has as many streams open as it may.");
        return core::refuse(Code::service_unavailable, "The process has as many streams open as it may.");
    }
    outcome.stream.place = std::make_shared<FairShare<std::pair<events::ActorType, Id>>::Place>(*std::move(place));
    return {};
}

core::Result<void> Dispatcher::count_body(operations::Outcome& outcome, operations::Operation const& operation,
                                          net::ByteHolder holder) {
    auto const bytes = outcome.body.size();
    if (outcome.held || bytes <= kSmallReply) return {};
    auto& replies = parts_.services.replies;
    if (operation.effect != operations::Effect::read) {
        replies.force(holder, bytes);  // it is done: whoever did it is to know
    } else if (!replies.take(holder, bytes)) {
        return tl::unexpected(unread());
    }
    outcome.held = net::HeldBytes(replies, holder, bytes);
    return {};
}

void Dispatcher::note_origin(operations::Call const& call, net::Request const& request, ForwardedFrom const& from,
                             std::uint16_t status, bool replayed) const {
    if (parts_.request_origins == nullptr || !call.operation.audited || replayed || status < 200 || status > 299)
        return;
    parts_.request_origins->note({.organization = call.meta.organization,
                                  .request_id = call.meta.request_id,
                                  .user = call.caller ? call.caller->user.id : 0,
                                  .address = from.client_address,
                                  .agent = printable(request.header("User-Agent").value_or("")),
                                  .at = core::now()});
}

void Dispatcher::tell_later(net::Reply& reply, operations::Facts const& facts) const {
    if (facts.verb.empty() || parts_.hooks.empty()) return;
    reply.on_sent = [hooks = &parts_.hooks, facts] {
        for (auto const& hook : *hooks) hook(facts);
    };
}

core::Result<void> Dispatcher::complete(operations::Call& call, net::Request const& request,
                                        std::span<VersionChange const> newer) const {
    bool const reads = call.operation.effect == operations::Effect::read;
    if (!reads || call.operation.body != nullptr) {
        call.input.body.emplace(parse_body(request, call.operation.http.takes));
    }
    if (!newer.empty()) upgrade(newer, call.operation.name, call.input);
    warn_unknown_parameters(call);
    auto const answer = answer_type(request, call.operation.http);
    if (!answer) return tl::unexpected(answer.error());
    call.input.answer = *answer;
    if (reads || !call.caller || !call.operation.appends) return {};  // a key is a credential's
    auto idempotency =
        idempotency_of(request, {call.caller->lineage(), operations::is_about_sandbox(*call.caller, call.operation)},
                       parts_.idempotency_secret);
    if (!idempotency) return tl::unexpected(idempotency.error());
    call.meta.idempotency = *std::move(idempotency);
    if (auto const field = request.list("If-Match")) call.meta.expected_versions = expected_versions(*field);
    return {};
}

boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> Dispatcher::authenticate(
    net::Request const& request) const {
    auto const presented = presented_credential(request);
    if (!presented) co_return tl::unexpected(presented.error());
    if (presented->by_cookie() && !is_safe(request.method)) {
        if (auto rejected = check_same_origin(request, parts_.config.base_url)) {
            co_return tl::unexpected(*std::move(rejected));
        }
    }
    co_return co_await parts_.authenticate(*presented);
}

boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> Dispatcher::identify(net::Request const& request,
                                                                                         ForwardedFrom const& from,
                                                                                         bool forwarded,
                                                                                         LimitNote& note) {
    auto known = co_await authenticate(request);
    if (forwarded) co_return known;  // it counted where it came in
    if (known && parts_.key_uses != nullptr) parts_.key_uses->note(**known, from.client_address);
    if (known && parts_.session_uses != nullptr) parts_.session_uses->note(**known);
    auto over = known ? co_await limits_.admit(**known, note) : limits_.admit_stranger(from.client_address, note);
    if (over) co_return tl::unexpected(*std::move(over));
    co_return known;
}

std::optional<core::Problem> Dispatcher::admit_anyone(net::Request const& request,
                                                      operations::Operation const& operation,
                                                      ForwardedFrom const* counted, LimitNote& note) {
    if (counted != nullptr) {
        if (auto over = limits_.admit_stranger(counted->client_address, note)) return over;
    }
    // A session that a stranger has a browser begin is another account than its user thinks.
    return operation.signs_in ? check_same_origin(request, parts_.config.base_url) : std::nullopt;
}

boost::asio::awaitable<net::Reply> Dispatcher::route(net::Request const& request, ForwardedFrom const& from,
                                                     bool forwarded, Told& told) {
    auto const& request_id = from.request_id;
    auto const& base_url = parts_.config.base_url;
    auto const refused = [&](core::Problem const& problem) {
        told.facts.refused = problem.code;
        return problem_reply(problem, request_id, base_url, told.errors());
    };
    // Refusals carry it too; one that can't be had is refused only once the caller is known.
    auto const picked = versions_.pick(request.header("Service-Version"), parts_.now);
    told.version = picked.version;
    if (auto preflight = answer_preflight(request, parts_.router)) co_return *std::move(preflight);
    Match match;
    auto const problem = find(request, match);
    if (match.route) told.operation = match.route->operation;
    if (problem) {
        std::optional<core::Problem> over;
        if (asks_credential(parts_.router, request, *problem)) {
            auto const known = co_await identify(request, from, forwarded, told.limit);
            if (!known) over = known.error();
        } else if (!forwarded && request.fault == net::RequestFault::none && core::info(problem->code).status < 500) {
            over = limits_.admit_stranger(from.client_address, told.limit);
        }
        if (over) co_return refused(*over);
        if (is_limit(problem->code)) told.limit.retry_after = 1;  // its window has ended meanwhile
        auto reply = refused(*problem);
        if (!match.allow.empty()) reply.headers.emplace_back("Allow", match.allow);
        co_return reply;
    }
    auto const& found = *match.route;
    auto const& operation = *found.operation;
    if (!found.document) told.facts.verb = operation.name;
    std::optional<FairShare<core::Lane>::Place> place;  // until the answer is made; a stream has one of its own
    std::shared_ptr<Caller const> caller;
    net::ByteHolder holder;  // of the answer
    if (operation.access == operations::Access::open) {
        holder = net::holder_of(request.remote_address);
        bool const counts = !found.document && !forwarded;
        if (auto const refusal = admit_anyone(request, operation, counts ? &from : nullptr, told.limit)) {
            co_return refused(*refusal);
        }
    } else {
        auto known = co_await identify(request, from, forwarded, told.limit);
        if (!known) co_return refused(known.error());
        if (picked.refusal) co_return refused(*picked.refusal);
        known = on_asked_side(request, *std::move(known));
        if (!known) co_return refused(known.error());
        caller = std::move(*known);
        if (caller->facilities.size() == 1) told.facts.facility = caller->facilities.front();
        if (!forwarded) {  // it has its place where it came in
            auto taken = share_.enter(core::Lane(caller->organization, caller->sandbox));
            if (!taken) {
                co_return refused({Code::service_unavailable, "Too many requests of this organization are under way."});
            }
            place = *std::move(taken);
        }
        holder = net::holder_of(core::Lane(caller->organization, caller->sandbox));
        bool const writes = operation.effect != operations::Effect::read;
        if (writes && parts_.services.replies.is_full(holder, kUsualReply)) {
            parts_.services.replies.note_refused();
            co_return refused(unread());
        }
    }
    if (operation.signs_in && !forwarded) {
        if (auto const over = limits_.admit_sign_in(from.client_address, told.limit)) co_return refused(*over);
    }
    // What tells of versions answers clients whose version has ended, too.
    bool const ended = picked.refusal && picked.refusal->code == Code::version_sunset;
    if (picked.refusal && !(ended && found.document)) co_return refused(*picked.refusal);
    if (caller) {
        if (auto const misfit = operations::lacking(*caller, operation)) co_return refused(*misfit);
    }
    if (auto const misfit = unroutable(match, request)) co_return refused(*misfit);
    auto parameters = operations::parse_query(request.query());
    if (!parameters) co_return refused(parameters.error());
    operations::RawInput input{.path = std::move(match.path), .parameters = *std::move(parameters)};
    operations::Call call{
        parts_.services, operation, caller, {.request_id = request_id, .cause = {.channel = "rest"}}, std::move(input)};
    if (!operation.appends) add_client(call.meta, request, from);
    auto ready = complete(call, request, told.version->newer);
    if (ready && caller) {
        auto const target = operations::pick_target(call);
        if (!target) {
            ready = tl::unexpected(target.error());
        } else if (!*target) {
            ready = co_await operations::find_target(call);
        }
    }
    std::optional<Elsewhere> elsewhere;
    bool const for_owner = operation.effect != operations::Effect::read && operation.appends;
    if (ready && parts_.cluster != nullptr && caller && for_owner) {
        if (forwarded) {
            if (auto reply = co_await send_back(call.meta.organization, from)) {
                told.facts.verb = {};
                co_return *std::move(reply);
            }
        } else {
            auto sent = co_await send_on(call, request, from, told.version->newer);
            if (!sent) co_return refused(sent.error());
            elsewhere = *std::move(sent);
        }
        if (elsewhere && elsewhere->reply) {
            told.facts.verb = {};  // whoever answers tells of it
            told.downgraded = true;
            auto& reply = *elsewhere->reply;
            note_origin(call, request, from, reply.status, is_replayed(reply));
            if (reply.body.size() > kSmallReply) {
                parts_.services.replies.force(holder, reply.body.size());
                reply.held = net::HeldBytes(parts_.services.replies, holder, reply.body.size());
            }
            co_return std::move(reply);
        }
    }
    operations::Outcome outcome;
    if (elsewhere) {
        outcome = std::move(elsewhere->answer->outcome);
        std::ranges::move(elsewhere->answer->warnings, std::back_inserter(call.warnings));
    } else if (!ready) {
        outcome = operations::refusal(ready.error(), request_id, told.errors());
    } else if (found.document) {
        outcome.body = found.document(versions_);
    } else {
        outcome = co_await operation.handler(call);
    }
    if (auto const counted = count_body(outcome, operation, holder); !counted) co_return refused(counted.error());
    if (auto const streams = take_stream_place(outcome, caller.get()); !streams) {
        if (streams.error().code == Code::rate_limited) told.limit.retry_after = 1;
        co_return refused(streams.error());
    }
    if (caller && outcome.status < 500) failures_.over();
    note(told.facts, outcome);
    if (!forwarded) note_origin(call, request, from, outcome.status, outcome.replayed);
    co_return reply_of(std::move(outcome), call, base_url);
}

}  // namespace workforce::api
