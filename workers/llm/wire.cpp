// What the formats share.
#include "workers/llm/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/excerpt.hpp"

namespace workforce::workers {
namespace {

constexpr std::size_t kMostCallId = 128;
constexpr std::size_t kMostToldName = 64;

bool is_of_names(unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
}

bool is_call_id(std::string_view id) {
    return !id.empty() && id.size() <= kMostCallId && std::ranges::all_of(id, is_of_names);
}

}  // namespace

LlmWire const* find_llm_wire(std::string_view name) {
    static std::array const all{&kOpenAiWire, &kAnthropicWire};
    auto const found = std::ranges::find(all, name, [](LlmWire const* wire) { return wire->name; });
    return found == all.end() ? nullptr : *found;
}

void settle_calls(std::vector<LlmCall>& calls) {
    if (calls.size() > kMostCallsOfTurn) calls.resize(kMostCallsOfTurn);
    std::set<std::string> seen;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        auto& call = calls[i];
        if (!is_call_id(call.id) || seen.contains(call.id)) {
            do {
                call.id = fmt::format("call_{}_{}", i, seen.size());
            } while (seen.contains(call.id));
        }
        seen.insert(call.id);
        call.tool = core::excerpt(call.tool, kMostToolName);
    }
}

std::string told_name(std::string_view tool) {
    std::string name(tool.substr(0, kMostToldName));
    std::ranges::replace_if(name, [](unsigned char c) { return !is_of_names(c); }, '_');
    return name.empty() ? "_" : name;
}

std::int64_t tokens_of(core::JsonValue const* usage, std::string_view member) {
    auto const* count = core::find_member(usage, member);
    if (count == nullptr || !count->IsInt64() || count->GetInt64() < 0) return 0;
    constexpr std::int64_t kMostTokens = 1'000'000'000;
    return std::min(count->GetInt64(), kMostTokens);
}

}  // namespace workforce::workers
