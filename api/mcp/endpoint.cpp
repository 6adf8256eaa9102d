// From a request of the MCP host to its reply.
#include "api/mcp/endpoint.hpp"

#include <array>
#include <exception>
#include <iterator>
#include <utility>

#include "api/credentials/request_origins.hpp"
#include "api/mcp/methods.hpp"
#include "api/problem_reply.hpp"
#include "api/reply_bytes.hpp"
#include "api/rest/cors.hpp"
#include "api/rest/media.hpp"
#include "core/scopes.hpp"
#include "core/utf8.hpp"

namespace workforce::api::mcp {
namespace {

using core::Code;
using operations::MediaType;

constexpr std::string_view kStreams = "/mcp/stream/";
constexpr std::string_view kResourceMetadata = "/.well-known/oauth-protected-resource/mcp";
constexpr char const* kClientMember = "io.modelcontextprotocol/clientInfo";

std::string_view content_type_of(MediaType type) { return operations::info(type).content_type; }

/// The answer has no room: what is told instead is a 503.
void note_no_room(operations::Facts& facts) {
    facts.status = core::info(Code::service_unavailable).status;
    facts.refused = Code::service_unavailable;
    facts.unavailable = operations::Unavailable::reply_bytes;
}

net::Reply json_reply(std::string body, unsigned status = 200) {
    net::Reply reply;
    reply.status = status;
    reply.body = std::move(body);
    reply.content_type = content_type_of(MediaType::json);
    return reply;
}

net::Reply accepted() {
    net::Reply reply;
    reply.status = 202;
    return reply;
}

/// What scopes a client that has no credential yet may ask for.
std::string const& asked_scopes() {
    static auto const scopes = [] {
        std::string all;
        for (auto const& scope : core::scope_catalogue()) {
            if (scope.in_default_grant) all.append(all.empty() ? "" : " ").append(scope.name);
        }
        return all;
    }();
    return scopes;
}

/// Whether the answer is to be a stream: where the client takes nothing else, or takes both and wants to hear of
/// progress.
bool wants_stream(net::Request const& request, Message const& message) {
    auto const accept = request.list("Accept");
    if (!accept) return false;
    constexpr std::array kOnlyStream{MediaType::event_stream};
    constexpr std::array kOnlyJson{MediaType::json};
    if (!best_type(kOnlyStream, *accept)) return false;
    if (!best_type(kOnlyJson, *accept)) return true;
    return find_member(message.param("_meta"), "progressToken") != nullptr;
}

std::string key_of(Exchange const& exchange, std::string_view id) {
    return exchange.caller->lineage().append("\n").append(exchange.session).append("\n").append(id);
}

}  // namespace

/// Keeps a request where a notice of its client can cancel it.
class Endpoint::InFlight {
   public:
    InFlight(Endpoint& endpoint, Exchange const& exchange) : endpoint_(endpoint) {
        std::lock_guard const lock(endpoint_.mutex_);
        place_ = endpoint_.in_flight_.emplace(key_of(exchange, exchange.message.id), exchange.cancellation);
    }
    ~InFlight() {
        std::lock_guard const lock(endpoint_.mutex_);
        endpoint_.in_flight_.erase(place_);
    }
    InFlight(InFlight const&) = delete;
    InFlight& operator=(InFlight const&) = delete;

   private:
    Endpoint& endpoint_;
    Cancellations::iterator place_;
};

net::Reply Endpoint::refusal(core::Problem const& problem, Incoming const& incoming, RequestNotes& notes) const {
    auto error = rpc_error(problem, incoming.from.request_id);
    // Nobody knows when: the window has ended meanwhile, or a stream is about to end.
    if (is_limit(problem.code) && notes.limit.retry_after == 0) notes.limit.retry_after = 1;
    if (notes.limit.retry_after > 0) {
        error.data.pop_back();
        error.data.append(R"(,"retryAfter":)").append(std::to_string(notes.limit.retry_after)).append("}");
    }
    auto reply = json_reply(error_message(error), error.status);
    if (error.status == 503) reply.headers.emplace_back("Retry-After", "1");
    if (error.status == 401) {
        reply.headers.emplace_back("WWW-Authenticate", "Bearer resource_metadata=\"" + parts_.config.mcp_url +
                                                           std::string(kResourceMetadata) + "\", scope=\"" +
                                                           asked_scopes() + "\"");
    }
    return reply;
}

boost::asio::awaitable<net::Reply> Endpoint::answer(Incoming const& incoming, RequestNotes& notes) {
    auto const& request = incoming.request;
    auto const refuse = [&](core::Problem const& problem) { return refusal(problem, incoming, notes); };
    notes.limit.surface = Surface::mcp;
    if (request.fault != net::RequestFault::none && !request.admitted) {
        co_return refuse(fault_problem(request.fault, kMaxMessage));
    }
    auto const origin = request.header("Origin");
    if (origin && !admission_.hosts().allows_origin(*origin)) {
        co_return refuse({Code::forbidden, "Scripts of this origin may not use MCP.", {}, "Add it to mcp_origins."});
    }
    if (origin && request.method == net::Method::options) co_return mcp_preflight(*origin);
    net::Reply reply;
    try {
        reply = co_await route(incoming, notes);
    } catch (...) {
        auto const& from = incoming.from;
        reply = refuse(failures_.met(std::current_exception(), {from.request_id, from.client_address, request.path()}));
    }
    if (origin) allow_origin(reply, *origin);
    co_return reply;
}

boost::asio::awaitable<net::Reply> Endpoint::route(Incoming const& incoming, RequestNotes& notes) {
    auto const& request = incoming.request;
    auto const path = request.path();
    using enum net::Method;
    bool const reads = request.method == get || request.method == head;
    auto const refuse = [&](core::Problem const& problem) { return refusal(problem, incoming, notes); };
    auto const not_allowed = [&](std::string_view allow) {
        auto refused = refuse({Code::method_not_allowed, request.method_name + " is not possible here; see Allow."});
        refused.headers.emplace_back("Allow", allow);
        return refused;
    };
    if (path == "/mcp" || path == "/mcp/") {
        if (request.method == post) co_return co_await this->post(incoming, notes);
        if (request.method == get && request.header("Last-Event-ID")) co_return co_await resume(incoming, {}, notes);
        co_return not_allowed("POST");
    }
    if (path == "/mcp/health") co_return reads ? json_reply(health_document()) : not_allowed("GET");
    if (path.starts_with(kStreams) && path.size() > kStreams.size()) {
        if (request.method != get) co_return not_allowed("GET");
        co_return co_await resume(incoming, path.substr(kStreams.size()), notes);
    }
    co_return problem_reply({Code::not_found, "There is nothing at this path of the MCP host.",
                             R"({"baseUrl":")" + parts_.config.base_url + "\"}", "Call the REST host for /api."},
                            incoming.from.request_id, parts_.config.base_url);
}

boost::asio::awaitable<net::Reply> Endpoint::post(Incoming const& incoming, RequestNotes& notes) {
    auto caller = co_await admission_.admit_to_mcp(incoming, notes.limit);
    if (!caller) co_return refusal(caller.error(), incoming, notes);
    auto read = read_exchange(incoming, notes);
    if (!read) co_return std::move(read.error());
    auto const exchange = *std::move(read);
    exchange->caller = *std::move(caller);
    if (exchange->message.kind != Message::Kind::request) {
        take_notice(*exchange);
        co_return accepted();
    }
    if (has_method(*exchange) && wants_stream(incoming.request, exchange->message)) {
        co_return co_await open_stream(exchange, incoming, notes);
    }
    co_return co_await reply_to(*exchange, incoming, notes);
}

tl::expected<std::shared_ptr<Exchange>, net::Reply> Endpoint::read_exchange(Incoming const& incoming,
                                                                            RequestNotes& notes) const {
    auto const& request = incoming.request;
    auto const refuse = [&](core::Problem const& problem) { return tl::unexpected(refusal(problem, incoming, notes)); };
    if (request.refusal) return refuse(*request.refusal);  // foreseen before the body, which was not read
    if (request.fault != net::RequestFault::none) return refuse(fault_problem(request.fault, kMaxMessage));
    auto const type = request.header("Content-Type");
    if (!type || !is_type(*type, MediaType::json)) {
        return refuse({Code::unsupported_media_type, "The body must be application/json."});
    }
    auto message = read_message(request.body);
    if (!message) return tl::unexpected(json_reply(error_message(message.error()), message.error().status));
    auto const protocol = protocol_of(request, *message);
    if (!protocol) return tl::unexpected(json_reply(error_message(protocol.error()), protocol.error().status));
    auto exchange = std::make_shared<Exchange>();
    exchange->message = *std::move(message);
    exchange->protocol = *protocol;
    exchange->from = incoming.from;
    exchange->agent = printable(request.header("User-Agent").value_or(""));
    exchange->session = core::to_valid_utf8(request.header("Mcp-Session-Id").value_or(""));
    exchange->idempotency_key = request.header("Idempotency-Key").value_or("");
    return exchange;
}

boost::asio::awaitable<net::Reply> Endpoint::open_stream(std::shared_ptr<Exchange> exchange, Incoming const& incoming,
                                                         RequestNotes& notes) {
    auto id = new_stream_id();
    auto const recorder = std::make_shared<FrameRecorder>(
        *parts_.frames,
        StreamName{id, exchange->caller->lineage(), exchange->message.id, exchange->caller->byte_holder()});
    auto reply = stream_reply(exchange, std::move(id), recorder);
    if (auto const place = streams_.take(reply.stream, exchange->caller.get()); !place) {
        co_return refusal(place.error(), incoming, notes);
    }
    co_await recorder->begin();  // before the client hears of the stream
    co_return reply;
}

boost::asio::awaitable<net::Reply> Endpoint::reply_to(Exchange& exchange, Incoming const& incoming,
                                                      RequestNotes& notes) {
    InFlight const kept(*this, exchange);
    auto answer = co_await respond(exchange);
    notes.facts = answer.facts;
    auto const& id = exchange.message.id;
    auto reply = answer.result ? json_reply(result_message(id, *answer.result))
                               : json_reply(error_message(answer.result.error()), answer.result.error().status);
    bool const lacks_scope = !answer.result && answer.facts.refused == Code::insufficient_scope;
    if (lacks_scope && exchange.caller->is_client()) {
        reply.status = core::info(Code::insufficient_scope).status;
        add_scope_challenge(reply, operations::operations().at(answer.facts.row),
                            parts_.config.mcp_url + std::string(kResourceMetadata));
    }
    // The reply is what counts from here on.
    if (!hold_reply(parts_.services.replies, exchange.caller->byte_holder(), reply.body.size(), answer.held)) {
        note_no_room(notes.facts);
        co_return refusal(no_room(answer.done), incoming, notes);
    }
    reply.held = std::move(answer.held);
    co_return reply;
}

Endpoint::ClientName Endpoint::client_of(Exchange const& exchange) {
    auto const& message = exchange.message;
    if (auto const name = as_text(find_member(find_member(message.param("_meta"), kClientMember), "name"))) {
        return ClientName(*name);
    }
    // Clients say them, so they are cut to a bounded length.
    auto const session = ClientName(exchange.session), agent = ClientName(exchange.agent);
    auto const key = exchange.caller->lineage().append("\n").append(session.text()).append("\n").append(agent.text());
    auto const initialized = as_text(find_member(message.param("clientInfo"), "name"));
    std::lock_guard const lock(mutex_);
    if (message.method == "initialize" && initialized) return *client_names_.put(key, ClientName(*initialized));
    if (auto const* const known = client_names_.find(key)) return *known;
    auto const& registered = exchange.caller->client_name;
    return registered.empty() ? agent : ClientName(registered);
}

boost::asio::awaitable<Answer> Endpoint::respond(Exchange& exchange) {
    auto const client = client_of(exchange);
    auto answer = co_await answer_method(exchange, tools_, parts_.config.mcp_diagnostics);
    answer.facts.client = client;
    co_return answer;
}

net::Reply Endpoint::stream_reply(std::shared_ptr<Exchange> exchange, std::string id,
                                  std::shared_ptr<FrameRecorder> recorder) {
    net::Reply reply;
    auto const& type = operations::info(MediaType::event_stream);
    reply.content_type = type.content_type;
    reply.headers = {{"Mcp-Stream-Id", std::move(id)}, {"X-Accel-Buffering", "no"}};
    // From before the client hears of the stream, for it may cancel as soon as it does.
    auto kept = std::make_shared<InFlight>(*this, *exchange);
    auto respond = [this, kept = std::move(kept)](Exchange& each) mutable {
        return respond_in_stream(each, std::move(kept));
    };
    reply.stream = stream_of(std::move(recorder), std::move(exchange), std::move(respond));
    reply.stream.heartbeat = type.heartbeat;
    return reply;
}

boost::asio::awaitable<LastMessage> Endpoint::respond_in_stream(Exchange& exchange,
                                                                [[maybe_unused]] std::shared_ptr<InFlight> kept) {
    auto answer = co_await respond(exchange);
    LastMessage last;
    last.text =
        answer.result ? result_message(exchange.message.id, *answer.result) : error_message(answer.result.error());
    last.held = std::move(answer.held);
    // Stored and sent, it is there twice for a while.
    if (!hold_reply(parts_.services.replies, exchange.caller->byte_holder(), 2 * last.text.size(), last.held)) {
        auto error = rpc_error(no_room(answer.done), exchange.from.request_id);
        error.id = exchange.message.id;
        last.text = error_message(error);
        note_no_room(answer.facts);
    }
    if (!answer.facts.verb.empty()) {
        for (auto const& hook : parts_.hooks) hook(answer.facts);
    }
    co_return last;
}

void Endpoint::take_notice(Exchange const& exchange) {
    if (exchange.message.method != "notifications/cancelled") return;
    auto const* const id = exchange.message.param("requestId");
    if (id == nullptr) return;
    std::lock_guard const lock(mutex_);
    auto const [first, end] = in_flight_.equal_range(key_of(exchange, json_of(*id)));
    if (first == end || std::next(first) != end) return;  // which of several clients means it can't be told
    if (auto const cancellation = first->second.lock()) cancellation->request();
}

boost::asio::awaitable<net::Reply> Endpoint::resume(Incoming const& incoming, std::string_view stream,
                                                    RequestNotes& notes) {
    auto const caller = co_await admission_.admit_to_mcp(incoming, notes.limit);
    if (!caller) co_return refusal(caller.error(), incoming, notes);
    auto const last = incoming.request.header("Last-Event-ID");
    auto after = last ? parse_event_id(*last) : EventId{std::string(stream), 0};
    bool const other = after && !stream.empty() && after->stream != stream;
    auto holder = (*caller)->lineage();
    FrameRoom const room{parts_.services.replies, (*caller)->byte_holder()};
    net::HeldBytes held;
    std::optional<Frames> first;
    if (after && !other) {
        auto read = co_await read_frames(*parts_.frames, *after, holder, room, held);
        if (!read) co_return refusal(read.error(), incoming, notes);
        first = *std::move(read);
    }
    if (!first) {
        co_return refusal(
            {Code::not_found, "There is no such stream, or it is too old.", {}, "Send the request again."}, incoming,
            notes);
    }
    net::Reply reply;
    auto const& type = operations::info(MediaType::event_stream);
    reply.content_type = type.content_type;
    reply.headers = {{"Mcp-Stream-Id", after->stream}, {"X-Accel-Buffering", "no"}};
    reply.stream =
        resumption_of(*parts_.frames, *std::move(after), std::move(holder), *std::move(first), room, std::move(held));
    reply.stream.heartbeat = type.heartbeat;
    if (auto const place = streams_.take(reply.stream, caller->get()); !place) {
        co_return refusal(place.error(), incoming, notes);
    }
    co_return reply;
}

}  // namespace workforce::api::mcp
