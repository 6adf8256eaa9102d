// What a model is told and what it says, whichever provider has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "core/json.hpp"

namespace workforce::workers {

/// A tool that a model may call.
struct LlmTool {
    std::string name;
    std::string description;
    std::string parameters;  ///< JSON Schema of its arguments, an object
};

/// A call that a model asked for.
struct LlmCall {
    std::string id;         ///< by which its result is told
    std::string tool;       ///< as the model has it: it may be none
    std::string arguments;  ///< as the model has them: a JSON object, or something else
};
BOOST_DESCRIBE_STRUCT(LlmCall, (), (id, tool, arguments))

/// What a model said in a turn.
struct LlmTurn {
    std::string text;
    std::vector<LlmCall> calls;
};
BOOST_DESCRIBE_STRUCT(LlmTurn, (), (text, calls))

/// What came of a call.
struct LlmResult {
    std::string id;  ///< LlmCall::id
    std::string content;
    bool is_error = false;
};

/// A turn, and what came of its calls, in their order.
struct LlmExchange {
    LlmTurn turn;
    std::vector<LlmResult> results;
};

/// A question to a model: what it is to do, what it was given, and how far it has come.
struct LlmRequest {
    std::string model;
    std::string system;
    std::string user;
    std::vector<LlmExchange> exchanges;
    std::vector<LlmTool> tools;
    std::int64_t max_output_tokens = 4096;
};

/// Its answer.
struct LlmAnswer {
    LlmTurn turn;
    std::int64_t input_tokens = 0;
    std::int64_t output_tokens = 0;
};

/// So many calls of a turn are carried out; of more the model hears nothing.
inline constexpr std::size_t kMostCallsOfTurn = 32;
/// The text of a turn, the arguments of a call, and names are cut at, or refused past, so many bytes.
inline constexpr std::size_t kMostTurnText = std::size_t{32} << 10;
inline constexpr std::size_t kMostCallArguments = std::size_t{32} << 10;
inline constexpr std::size_t kMostToolName = 128;

/// A format in which providers are asked. All functions are pure.
struct LlmWire {
    std::string_view name;  ///< of the setting llm_provider
    std::string_view path;  ///< below the base URL
    /// The body of the request.
    std::string (*encode)(LlmRequest const& request);
    /// The answer that a body of status 200 is. Errors: why it is none, for operators: nothing that it says.
    tl::expected<LlmAnswer, std::string> (*decode)(std::string_view body);
    /// Whether a request shows its key as a bearer token; else as `x-api-key`.
    bool bearer = false;
};

/// The format of that name, or null.
LlmWire const* find_llm_wire(std::string_view name);

}  // namespace workforce::workers
