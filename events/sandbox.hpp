// The sandbox of a facility (domain 9): what its last reset did. What lies in it are rows of all other kinds.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "events/resource.hpp"

namespace workforce::events {

/// How many rows there are, by kind; of kinds without an entry there are none.
struct SandboxCounts {
    std::map<std::string, std::int64_t, std::less<>> value;  ///< by the kind's name

    SandboxCounts() = default;
    SandboxCounts(std::initializer_list<std::pair<Kind, std::int64_t>> counts);

    void add(Kind kind, std::int64_t rows);
    [[nodiscard]] std::int64_t of(Kind kind) const;
    bool operator==(SandboxCounts const&) const = default;
};
SandboxCounts operator+(SandboxCounts one, SandboxCounts const& other);

}  // namespace workforce::events

namespace workforce::core {

template <>
struct JsonType<events::SandboxCounts> {
    static void write(JsonWriter& w, events::SandboxCounts const& v);
    static void read(JsonValue const& v, events::SandboxCounts& out, JsonReader& r);
    static void schema(JsonWriter& w);
};

}  // namespace workforce::core

namespace workforce::events {

/// What decides the content of the data set, beside the day.
using SandboxSeed = core::Int<0, 2'147'483'647>;

struct SandboxDetails {
    SandboxSeed seed = 1;
    SandboxCounts cleared;  ///< that the reset deleted
    SandboxCounts seeded;   ///< that it made
};
BOOST_DESCRIBE_STRUCT(SandboxDetails, (), (seed, cleared, seeded))

/// Its id is the facility's; it was last reset when it was last updated.
struct Sandbox : Identified, SandboxDetails, Stamped {
    static constexpr Kind kKind = Kind::sandbox;
};
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
