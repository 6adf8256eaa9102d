// How runs go on: a turn of a run at its partition's owner.
#pragma once

#include "operations/operation.hpp"

namespace workforce::operations {

/// Runs whose ids a cancellation shows.
inline constexpr std::size_t kShownRuns = 1'000;

/// What came of a turn.
enum class TurnEnd : std::uint8_t {
    rests,    ///< the run has ended, or waits for a person: it needs no more turns
    goes_on,  ///< its time is up
    busy,     ///< somebody else goes on with it
    queues,   ///< as many of the agent's runs as may are worked on
    later,    ///< what it needs is away for now
};
BOOST_DESCRIBE_ENUM(TurnEnd, rests, goes_on, busy, queues, later)

/// The answer of agent_runs.advance.
struct TurnAnswer {
    TurnEnd end = TurnEnd::rests;
    std::int64_t steps = 0;  ///< calls that were made
};
BOOST_DESCRIBE_STRUCT(TurnAnswer, (), (end, steps))

/// agent_runs.advance, which the installation asks for: works on a run until it rests, or its time is up. Asked twice
/// at a time, one of both does nothing.
Operation run_advance();

}  // namespace workforce::operations
