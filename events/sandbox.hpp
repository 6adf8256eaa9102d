// The sandbox of a facility (domain 9): what its last reset did. What lies in it are rows of all other kinds.
#pragma once

#include <variant>

#include "events/resource.hpp"

namespace workforce::events {

/// How many rows there are of each kind that a sandbox has of its own. A kind that came later counts 0 in older events.
struct SandboxCounts {
    std::int64_t staff = 0;
    std::int64_t shift = 0;
    std::int64_t lead = 0;
    std::int64_t credential = 0;
    std::int64_t timesheet = 0;

    static constexpr std::array<std::string_view, 0> kRequired{};
    bool operator==(SandboxCounts const&) const = default;
};
BOOST_DESCRIBE_STRUCT(SandboxCounts, (), (staff, shift, lead, credential, timesheet))

inline SandboxCounts operator+(SandboxCounts const& one, SandboxCounts const& other) {
    return {one.staff + other.staff, one.shift + other.shift, one.lead + other.lead, one.credential + other.credential,
            one.timesheet + other.timesheet};
}

/// What decides the content of the data set, beside the day.
using SandboxSeed = core::Int<0, 2'147'483'647>;

struct SandboxDetails {
    SandboxSeed seed = 1;
    SandboxCounts cleared;  ///< that the reset deleted
    SandboxCounts seeded;   ///< that it made
};
BOOST_DESCRIBE_STRUCT(SandboxDetails, (), (seed, cleared, seeded))

/// Its id is the facility's; it was last reset when it was last updated.
struct Sandbox : Identified, SandboxDetails, Stamped {};
BOOST_DESCRIBE_STRUCT(Sandbox, (Identified, SandboxDetails, Stamped), ())

/// The events before it, of the same command, deleted what was there; those behind it make the data set. Where there
/// was more than one command deletes, commands before it have one each, which count what went so far and make nothing.
struct SandboxReset : SandboxDetails {
    static constexpr std::string_view kType = "sandbox.reset";
    static constexpr std::int32_t kVersion = 3;
};
BOOST_DESCRIBE_STRUCT(SandboxReset, (SandboxDetails), ())

using SandboxEvent = std::variant<SandboxReset>;

/// Folds one event into the sandbox.
void evolve(Sandbox& sandbox, SandboxEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::sandbox> : Declared<Sandbox, SandboxEvent> {};

}  // namespace workforce::events
