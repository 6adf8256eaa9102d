// The provider of models that the operator configured.
#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/config.hpp"
#include "events/api_key.hpp"
#include "net/http_client.hpp"
#include "workers/llm/message.hpp"

namespace workforce::workers {

/// How a provider is asked.
struct LlmOptions {
    LlmWire const* wire = nullptr;
    net::OutboundUrl url;
    std::string api_key;                              ///< empty: it wants none
    std::map<events::ModelTier, std::string> models;  ///< by what agents may be of; no others may be
    std::chrono::milliseconds patience{60'000};       ///< for each try
    std::int64_t max_output_tokens = 4096;            ///< of a turn
    /// Before the second try and the third, unless the provider names another time up to kLongestPause.
    std::array<std::chrono::milliseconds, 2> pauses{std::chrono::milliseconds(500), std::chrono::milliseconds(2'000)};
};
inline constexpr std::chrono::milliseconds kLongestPause{10'000};

/// What a provider's answer to one try means. Pure.
struct LlmJudgement {
    std::optional<LlmAnswer> answer{};
    bool again = false;                                ///< it may be asked once more
    std::optional<std::chrono::milliseconds> after{};  ///< as it says itself
    std::string why{};                                 ///< there is no answer, for people
};
LlmJudgement judge_llm(LlmWire const& wire, net::Reply const& reply);

/// Asks models. Thread-safe; its coroutines run on their caller's executor, on an io_context of one thread.
class LlmProvider {
   public:
    /// The client outlives this.
    LlmProvider(net::HttpClient& client, LlmOptions options) : client_(client), options_(std::move(options)) {}
    LlmProvider(LlmProvider const&) = delete;
    LlmProvider& operator=(LlmProvider const&) = delete;
    ~LlmProvider() = default;

    /// The model of a tier, or null.
    [[nodiscard]] std::string const* model_of(events::ModelTier tier) const;
    [[nodiscard]] std::int64_t max_output_tokens() const { return options_.max_output_tokens; }

    /// The model's answer, in up to three tries, which end by `until`. Errors: why there is none, for people; never
    /// what the provider was told. Throws nothing.
    boost::asio::awaitable<tl::expected<LlmAnswer, std::string>> complete(LlmRequest request,
                                                                          std::chrono::steady_clock::time_point until);

   private:
    boost::asio::awaitable<LlmJudgement> try_once(std::string const& body, std::chrono::milliseconds patience);

    net::HttpClient& client_;
    LlmOptions const options_;
};

/// The provider that is configured, or null. The client outlives it. Errors: std::runtime_error with one line for the
/// operator.
std::unique_ptr<LlmProvider> open_llm(core::Config const& config, net::HttpClient& client);

}  // namespace workforce::workers
