// What the formats share.
#pragma once

#include "core/json_values.hpp"
#include "workers/llm/message.hpp"

namespace workforce::workers {

extern LlmWire const kOpenAiWire;
extern LlmWire const kAnthropicWire;

/// Gives a model's call an id where it has none that can be told again, or one that another call of the turn has, and
/// cuts the names of tools. Calls past kMostCallsOfTurn go.
void settle_calls(std::vector<LlmCall>& calls);

/// A tool's name as providers take it back: what a model made up may be none that they would.
std::string told_name(std::string_view tool);

/// A number of tokens, or 0.
std::int64_t tokens_of(core::JsonValue const* usage, std::string_view member);

}  // namespace workforce::workers
