// Requests to Composio, and its answers.
#include "workers/apps/composio.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/ascii.hpp"
#include "core/excerpt.hpp"
#include "core/json_values.hpp"
#include "core/utf8.hpp"

namespace workforce::workers {

using boost::asio::awaitable;
using core::find_member;
using core::JsonValue;

namespace {

constexpr std::size_t kAroundResult = std::size_t{4} << 10;  // what an answer has besides its data
constexpr std::size_t kMostActionsBody = std::size_t{1} << 20;
constexpr std::size_t kMostActions = 100;
constexpr std::size_t kMostError = 1'000;
constexpr std::chrono::minutes kListedFor{10};

bool is_success(net::Reply const& reply) { return reply.status >= 200 && reply.status < 300; }

/// What somebody outside said, as one line of text.
std::string told_error(std::string_view text) {
    auto line = core::to_valid_utf8(text);
    std::ranges::replace_if(line, [](unsigned char c) { return c < ' ' || c == 0x7F; }, ' ');
    return core::excerpt(line, kMostError);
}

/// The reason where an answer is none.
std::string garbled(net::Reply const& reply) {
    return fmt::format("Composio answered {} with {} bytes that are no answer.", reply.status, reply.body.size());
}

/// The reason where an answer says no, for now.
Unanswered refused(net::Reply const& reply) { return {fmt::format("Composio answered {}.", reply.status)}; }

/// The member `error`: a text, or an object with a `message`.
std::string error_in(JsonValue const& answer, std::string otherwise) {
    auto const* error = find_member(&answer, "error");
    auto const text = core::as_text(error && error->IsObject() ? find_member(error, "message") : error);
    return text && !text->empty() ? told_error(*text) : otherwise;
}

std::string error_of(net::Reply const& reply) {
    auto const otherwise = fmt::format("Composio answered {}.", reply.status);
    auto const answer = core::parse_json(reply.body);
    return answer ? error_in(*answer, otherwise) : otherwise;
}

AppAnswer success_of(JsonValue const& answer) {
    auto const* data = find_member(&answer, "data");
    if (data == nullptr) return {AppAnswer::Kind::succeeded, "null", ""};
    auto text = core::json_of(*data);
    if (text.size() > events::kMostAppResult || core::nesting_of(*data) > core::kMostNesting) {
        return {AppAnswer::Kind::failed, "null", "The app did it, and its result is too large to be told."};
    }
    return {AppAnswer::Kind::succeeded, std::move(text), ""};
}

/// RFC 3986: all but what is unreserved.
std::string in_path(std::string_view text) {
    constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
    std::string encoded;
    for (char const c : text) {
        if (kPlain.find(c) != std::string_view::npos) {
            encoded += c;
        } else {
            encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return encoded;
}

/// Whether it is an action of that app: their names begin with the app's.
bool is_of(std::string_view action, std::string_view app) {
    return core::ascii_lower(action).starts_with(core::ascii_lower(app) + "_");
}

std::string execution_body(AppCall const& call) {
    core::JsonWriter w;
    w.begin_object();
    w.member("connected_account_id", call.account);
    w.member("user_id", call.owner);
    w.key("arguments");
    w.raw(call.arguments);
    w.end_object();
    return w.take();
}

}  // namespace

AppAnswer judge_execution(net::Reply const& reply) {
    using enum AppAnswer::Kind;
    if (reply.status == 401 || reply.status == 403) return {unauthorized, "null", error_of(reply)};
    if (reply.status == 404) return {no_such_action, "null", error_of(reply)};
    bool const for_good = reply.status == 400 || reply.status == 409 || reply.status == 413 || reply.status == 422;
    if (for_good) return {failed, "null", error_of(reply)};
    if (!is_success(reply)) return {unavailable, "null", fmt::format("Composio answered {}.", reply.status)};
    if (reply.truncated) return {failed, "null", "The app may have done it, and its result is too large to be told."};
    auto const answer = core::parse_json(reply.body);
    auto const* successful = answer ? find_member(&*answer, "successful") : nullptr;
    if (successful == nullptr || !successful->IsBool()) return {unavailable, "null", garbled(reply)};
    if (successful->GetBool()) return success_of(*answer);
    return {failed, "null", error_in(*answer, "The app did not do it, and does not say why.")};
}

tl::expected<ConnectedAccount, Unanswered> judge_connection(net::Reply const& reply) {
    if (!is_success(reply)) return tl::unexpected(refused(reply));
    auto const answer = core::parse_json(reply.body);
    if (!answer || reply.truncated) return tl::unexpected(Unanswered{garbled(reply)});
    auto id = core::as_text(find_member(&*answer, "connected_account_id"));
    if (!id) id = core::as_text(find_member(&*answer, "id"));
    auto const redirect = core::as_text(find_member(&*answer, "redirect_url"));
    constexpr std::size_t kMostAccountId = 200;
    bool const sound = id && !id->empty() && id->size() <= kMostAccountId && redirect &&
                       (net::parse_outbound_url(*redirect, false) || net::parse_outbound_url(*redirect, true));
    if (!sound) return tl::unexpected(Unanswered{garbled(reply)});
    return ConnectedAccount{.id = std::string(*id), .redirect_url = std::string(*redirect)};
}

tl::expected<std::vector<AppAction>, Unanswered> judge_actions(net::Reply const& reply) {
    if (!is_success(reply)) return tl::unexpected(refused(reply));
    auto const answer = core::parse_json(reply.body);
    auto const* items = answer ? find_member(&*answer, "items") : nullptr;
    if (items == nullptr || !items->IsArray() || reply.truncated) return tl::unexpected(Unanswered{garbled(reply)});
    std::vector<AppAction> actions;
    for (auto const& item : items->GetArray()) {
        if (actions.size() == kMostActions) break;
        AppAction action;
        core::JsonReader reader;
        auto const read = [&](std::string_view name, auto& member) {
            if (auto const* value = find_member(&item, name)) {
                core::JsonType<std::remove_cvref_t<decltype(member)>>::read(*value, member, reader);
            }
        };
        read("slug", action.name);
        if (!reader.errors().empty() || action.name.value.empty()) continue;
        if (auto const text = core::as_text(find_member(&item, "description"))) action.description = told_error(*text);
        read("input_parameters", action.parameters);
        if (!reader.errors().empty()) action.parameters = {};
        actions.push_back(std::move(action));
    }
    return actions;
}

Composio::Composio(net::HttpClient& client, ComposioOptions options) : client_(client), options_(std::move(options)) {
    for (auto const& each : options_.apps) known_.push_back({each.app, each.app});
}

awaitable<tl::expected<net::Reply, net::ClientFailure>> Composio::send(net::ClientRequest request,
                                                                       net::ClientLimits limits) const {
    if (options_.url.target != "/") request.target.insert(0, options_.url.target);
    request.headers.emplace_back("x-api-key", options_.api_key);
    request.headers.emplace_back("Accept", "application/json");
    request.headers.emplace_back("User-Agent", "Service-Apps/1");
    if (!request.body.empty()) request.headers.emplace_back("Content-Type", "application/json");
    limits.addresses = net::AddressPolicy::anything;  // whom the operator named
    return client_.send(options_.url, std::move(request), limits);
}

awaitable<tl::expected<std::vector<AppAction>, Unanswered>> Composio::list(std::string app) {
    auto const now = std::chrono::steady_clock::now();
    {
        std::lock_guard const lock(mutex_);
        auto const found = listed_.find(app);
        if (found != listed_.end() && now < found->second.until) co_return found->second.actions;
    }
    net::ClientRequest request{.method = "GET", .target = {}, .headers = {}, .body = {}};
    request.target = fmt::format("/api/v3/tools?toolkit_slug={}&limit={}", in_path(app), kMostActions);
    auto const reply = co_await send(std::move(request), {.most_body = kMostActionsBody});
    if (!reply) co_return tl::unexpected(unanswered(reply.error()));
    auto actions = judge_actions(*reply);
    if (actions) {
        std::lock_guard const lock(mutex_);
        listed_.insert_or_assign(app, Listed{*actions, now + kListedFor});
    }
    co_return actions;
}

awaitable<tl::expected<ConnectedAccount, Unanswered>> Composio::connect(std::string app, std::string owner,
                                                                        std::string key) {
    auto const known = std::ranges::find(options_.apps, app, &core::ComposioApp::app);
    if (known == options_.apps.end()) co_return tl::unexpected(Unanswered{"the app is not configured"});
    core::JsonWriter w;
    w.begin_object();
    w.member("auth_config_id", known->auth_config);
    w.member("user_id", owner);
    w.end_object();
    net::ClientRequest request{
        .method = "POST", .target = "/api/v3/connected_accounts/link", .headers = {}, .body = w.take()};
    request.headers.emplace_back("Idempotency-Key", std::move(key));
    auto const reply = co_await send(std::move(request), {});
    if (!reply) co_return tl::unexpected(unanswered(reply.error()));
    co_return judge_connection(*reply);
}

awaitable<tl::expected<void, Unanswered>> Composio::disconnect(std::string account) {
    net::ClientRequest request{.method = "DELETE", .target = {}, .headers = {}, .body = {}};
    request.target = "/api/v3/connected_accounts/" + in_path(account);
    auto const reply = co_await send(std::move(request), {});
    if (!reply) co_return tl::unexpected(unanswered(reply.error()));
    if (is_success(*reply) || reply->status == 404) co_return tl::expected<void, Unanswered>();
    co_return tl::unexpected(refused(*reply));
}

awaitable<AppAnswer> Composio::execute(AppCall call) {
    if (!is_of(call.action, call.app)) co_return AppAnswer{AppAnswer::Kind::no_such_action, "null", ""};
    net::ClientRequest request{.method = "POST", .target = {}, .headers = {}, .body = execution_body(call)};
    request.target = "/api/v3/tools/execute/" + in_path(call.action);
    request.headers.emplace_back("Idempotency-Key", call.key);
    auto const reply = co_await send(std::move(request),
                                     {.whole = call.patience, .most_body = events::kMostAppResult + kAroundResult});
    if (!reply) {
        auto const why = unanswered(reply.error());
        co_return AppAnswer{AppAnswer::Kind::unavailable, "null", "Composio: " + why.reason + ".", why.timed_out};
    }
    co_return judge_execution(*reply);
}

}  // namespace workforce::workers
