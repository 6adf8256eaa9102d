// What a memory holds, as text.
#include "tests/integration/commands/fixture.hpp"

#include <map>

#include "events/catalogue.hpp"

namespace workforce::tests {

std::string CommandsTest::describe(commands::OrganizationState const& state) {
    std::map<std::string, std::string> lines;  // ordered: two memories of one log must read the same
    events::for_each_kind<events::StatefulKinds>([&](events::Kind kind, auto constant) {
        for (auto const& [id, held] : state.rows<events::StateOf<decltype(constant)>>()) {
            lines[to_string(events::AggregateRef{kind, id})] =
                std::to_string(held.version) + (held.sandbox ? " sandbox " : " live ") + core::to_json(held.value);
        }
    });
    for (auto const& [key, of_key] : state.indexes.keys()) {
        for (auto const& entry : of_key.entries) {
            lines["index " + core::hex_encode(key) + " " + std::to_string(entry.id)] =
                std::to_string(entry.starts.ms) + "-" + std::to_string(entry.ends.ms);
        }
    }
    std::string text;
    for (auto const& [name, value] : lines) text += name + ": " + value + "\n";
    return text;
}

}  // namespace workforce::tests
