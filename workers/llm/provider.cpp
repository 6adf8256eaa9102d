// Requests to a provider of models.
#include "workers/llm/provider.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>
#include <stdexcept>

#include "core/config_providers.hpp"
#include "core/json_values.hpp"
#include "core/logging.hpp"

namespace workforce::workers {

using boost::asio::awaitable;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t kMostAnswer = std::size_t{1} << 20;
constexpr std::size_t kMostReason = 64;
constexpr std::string_view kAnthropicVersion = "2023-06-01";

/// The word by which an error's body says what it is about: {error: {code}} or {error: {type}}. Its message may repeat
/// keys and prompts, and goes nowhere.
std::string reason_in(net::Reply const& reply) {
    auto const document = core::parse_json(reply.body);
    auto const* error = document ? core::find_member(&*document, "error") : nullptr;
    for (auto const* member : {"code", "type"}) {
        auto const word = core::as_text(core::find_member(error, member));
        bool const plain =
            word && !word->empty() && word->size() <= kMostReason && std::ranges::all_of(*word, [](unsigned char c) {
                return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
            });
        if (plain) return std::string(*word);
    }
    return {};
}

/// Retry-After in seconds; a date is not read.
std::optional<milliseconds> retry_after(net::Reply const& reply) {
    for (auto const& [name, value] : reply.headers) {
        if (name != "Retry-After" && name != "retry-after") continue;
        std::int64_t seconds = 0;
        auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
        if (error != std::errc{} || end != value.data() + value.size() || seconds < 0) return std::nullopt;
        return std::min(milliseconds(std::chrono::seconds(std::min<std::int64_t>(seconds, 3600))), kLongestPause);
    }
    return std::nullopt;
}

bool may_be_asked_again(unsigned status) { return status == 408 || status == 409 || status == 429 || status >= 500; }

}  // namespace

LlmJudgement judge_llm(LlmWire const& wire, net::Reply const& reply) {
    LlmJudgement judged;
    if (reply.status == 200 && !reply.truncated) {
        auto answer = wire.decode(reply.body);
        if (answer) {
            judged.answer = *std::move(answer);
            return judged;
        }
        judged.again = true;
        judged.why = fmt::format("The provider of models answered what is no answer: {}.", answer.error());
        return judged;
    }
    if (reply.status == 200) {
        judged.why = fmt::format("The provider of models answered with more than {} bytes.", kMostAnswer);
        return judged;
    }
    judged.again = may_be_asked_again(reply.status);
    judged.after = retry_after(reply);
    auto const reason = reason_in(reply);
    judged.why =
        fmt::format("The provider of models answered {}{}{}", reply.status, reason.empty() ? "." : ": ", reason);
    return judged;
}

std::string const* LlmProvider::model_of(events::ModelTier tier) const {
    auto const found = options_.models.find(tier);
    return found == options_.models.end() ? nullptr : &found->second;
}

awaitable<LlmJudgement> LlmProvider::try_once(std::string const& body, milliseconds patience) {
    net::ClientRequest request{.method = "POST", .target = {}, .headers = {}, .body = body};
    request.target = (options_.url.target == "/" ? "" : options_.url.target) + std::string(options_.wire->path);
    request.headers.emplace_back("Content-Type", "application/json");
    request.headers.emplace_back("Accept", "application/json");
    request.headers.emplace_back("User-Agent", "Service-Agents/1");
    if (!options_.wire->bearer) request.headers.emplace_back("anthropic-version", std::string(kAnthropicVersion));
    if (!options_.api_key.empty()) {
        request.headers.emplace_back(options_.wire->bearer ? "Authorization" : "x-api-key",
                                     (options_.wire->bearer ? "Bearer " : "") + options_.api_key);
    }
    net::ClientLimits limits;
    limits.whole = patience;
    limits.connect = std::min(limits.connect, patience);
    limits.most_body = kMostAnswer;
    limits.addresses = net::AddressPolicy::anything;  // whom the operator named
    auto const reply = co_await client_.send(options_.url, std::move(request), limits);
    if (reply) co_return judge_llm(*options_.wire, *reply);
    co_return LlmJudgement{.again = true,
                           .why = fmt::format("The provider of models did not answer: {}.", reply.error().reason)};
}

awaitable<tl::expected<LlmAnswer, std::string>> LlmProvider::complete(LlmRequest request, Clock::time_point until) {
    auto const body = options_.wire->encode(request);
    request = {};  // it may be large
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    for (std::size_t tries = 0;; ++tries) {
        auto const left = std::chrono::duration_cast<milliseconds>(until - Clock::now());
        if (left <= milliseconds(0)) co_return tl::unexpected(std::string("There was no time left to ask a model."));
        auto judged = co_await try_once(body, std::min(options_.patience, left));
        if (judged.answer) co_return *std::move(judged.answer);
        core::log(core::Level::warn, "a provider of models gave no answer",
                  {{"try", tries + 1}, {"error", judged.why}});
        if (!judged.again || tries == options_.pauses.size()) co_return tl::unexpected(std::move(judged.why));
        timer.expires_after(std::max(judged.after.value_or(milliseconds(0)), options_.pauses[tries]));
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

std::unique_ptr<LlmProvider> open_llm(core::Config const& config, net::HttpClient& client) {
    LlmOptions options;
    options.wire = find_llm_wire(config.llm_provider);
    if (options.wire == nullptr) return nullptr;
    auto const url = net::parse_operator_url(config.llm_base_url);
    if (!url) throw std::runtime_error("llm_base_url names no address");
    options.url = *url;
    if (!config.llm_api_key_file.empty()) {
        auto key = core::load_token("llm_api_key_file", config.llm_api_key_file);
        if (!key) throw std::runtime_error(key.error());
        options.api_key = *std::move(key);
    }
    auto const models = core::parse_llm_models(config.llm_models);
    for (auto const& [tier, model] : *models) {
        options.models.emplace(core::parse_enum<events::ModelTier>(tier).value(), model);
    }
    options.patience = std::chrono::seconds(config.llm_timeout_seconds);
    options.max_output_tokens = config.llm_max_output_tokens;
    return std::make_unique<LlmProvider>(client, std::move(options));
}

}  // namespace workforce::workers
