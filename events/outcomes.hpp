// Outcomes that usage and billing count (spec 2.6): which event is one, of which command.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "events/event.hpp"

namespace workforce::events {

/// What an envelope of revision 2 says of an event that may be an outcome, and is none.
inline constexpr std::string_view kNoOutcome = "none";

/// An outcome that a usage row is marked with. All texts are static.
struct OutcomeRule {
    std::string_view outcome;  ///< "shift_filled"
    std::string_view type;     ///< of the event that is it
    bool billed = true;        ///< the billing meter hears of it
    /// Whether the event at `index` of a command's events is it; null: any of the type.
    bool (*counts)(std::span<Event const> command, std::size_t index) = nullptr;
    /// The operations whose events of the type were it before envelopes said so; empty: any.
    std::span<std::string_view const> verbs{};
};

/// All outcomes; of several in a command the first one counts (domain 8.3).
std::span<OutcomeRule const> outcome_rules();

/// The rule for events of the type, or null: no event of the type is an outcome.
OutcomeRule const* outcome_rule(std::string_view type);

/// Which of a command's events is its outcome.
struct CommandOutcome {
    OutcomeRule const* rule = nullptr;
    std::size_t event = 0;
};
/// The outcome of a command by all of its events: one at most, and none in the sandbox or without a request.
std::optional<CommandOutcome> outcome_of(std::span<Event const> command);

/// The outcome that an event of the log is, or null: as its envelope says, or in an older one by its type and verb.
OutcomeRule const* recorded_outcome(Event const& event);

}  // namespace workforce::events
