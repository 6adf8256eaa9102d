// Guardrails as callers say them, and the calls that they judge: what is taken can be judged by, and says the same once
// it is written and read again.
#include "commands/guardrail.hpp"
#include "core/glob.hpp"
#include "core/json_path.hpp"
#include "operations/tools/guardrail_set.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
namespace {

constexpr std::array<std::string_view, 3> kTools{"shifts_create", "shifts_list", "staff_create"};

/// A glob by its definition, in as many steps as that takes.
bool matches_slowly(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) return text.empty();
    if (pattern[0] == '*')
        return matches_slowly(pattern.substr(1), text) || (!text.empty() && matches_slowly(pattern, text.substr(1)));
    bool const one = !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]);
    return one && matches_slowly(pattern.substr(1), text.substr(1));
}

bool is_ascii(std::string_view text) {
    return text.find_first_of("\x80\xFF") == std::string_view::npos &&
           std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

operations::GuardrailMatch judged(events::Guardrail const& policy, core::JsonValue const& arguments,
                                  core::Timestamp now) {
    operations::GuardrailSet const set({&policy, 1}, kTools);
    operations::GuardrailMatch none{events::GuardrailEffect::block, -1, {}, false};
    for (auto const tool : kTools) {
        auto const found = set.find({.tool = tool, .arguments = arguments, .now = now});
        if (found) none.id = found->id;
    }
    return none;
}

void try_policy(std::string_view body, std::string_view call, core::Timestamp now) {
    auto const document = core::parse_json(body);
    auto const arguments = core::parse_json(call);
    if (!document || !arguments || !arguments->IsObject()) return;
    commands::CreateGuardrail command;
    core::JsonReader reader;
    core::JsonType<commands::CreateGuardrail>::read(*document, command, reader);
    if (!reader.errors().empty()) return;
    events::Guardrail policy;
    static_cast<events::GuardrailDetails&>(policy) = command;
    auto const again = core::from_stored_json<events::Guardrail>(core::to_json(policy));
    require(core::to_json(again) == core::to_json(policy), "what is written is read");
    require(judged(policy, *arguments, now).id == judged(again, *arguments, now).id, "and judges the same");
}

}  // namespace

void fuzz(std::string_view input) {
    auto const seconds = static_cast<std::int64_t>(take_byte(input)) << 8 | take_byte(input);
    auto const body = take_until(input, '\n');
    try_policy(body, input, {seconds * 3'600'000});
    if (core::JsonPath::parse(body))
        require(body.find('\n') == std::string_view::npos, "a path has no control character");
    if (body.size() + input.size() < 24 && is_ascii(body) && is_ascii(input)) {
        require(core::matches_glob(body, input) == matches_slowly(body, input), "a glob means what it says");
    }
}

}  // namespace workforce::tests
