// Conditions on JSON: what guardrails ask of a call's arguments, and plans of agents of what a run has found.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "core/any_json.hpp"
#include "core/text.hpp"

namespace workforce::events {

enum class ConditionOp : std::uint8_t { eq, ne, gt, gte, lt, lte, in, not_in, matches, exists };
BOOST_DESCRIBE_ENUM(ConditionOp, eq, ne, gt, gte, lt, lte, in, not_in, matches, exists)

/// The longest pattern, and the longest text that one is tried on, in bytes.
inline constexpr std::size_t kLongestPattern = 200;
inline constexpr std::size_t kLongestMatched = 4096;

/// What is wrong with the value that an op is to compare with, for people; empty: nothing. `exists` takes true or
/// false; `in` and `not_in` a list of texts, numbers and booleans; `matches` a glob; orders a text or a number; the
/// others a text, a number or a boolean.
std::string_view fault_of(ConditionOp op, core::JsonValue const& value);

/// Whether `actual`, null where there is none, meets the op with a value that fault_of() finds nothing wrong with. What
/// is missing, null, or of another type than the value meets `exists` with false alone. Numbers compare as numbers,
/// texts by their bytes; one that is longer than kLongestMatched matches nothing. Thread-safe.
bool meets(ConditionOp op, core::JsonValue const& value, core::JsonValue const* actual);
/// Whether any of what a path found does; where it found nothing, whether nothing does.
bool meets(ConditionOp op, core::JsonValue const& value, std::span<core::JsonValue const* const> found);

/// A condition as callers say it.
struct Condition {
    core::Text<1, 200> path;  ///< as core::JsonPath
    ConditionOp op = ConditionOp::eq;
    core::AnyJson<2'000> value;

    static constexpr std::array<std::string_view, 3> kRequired{"path", "op", "value"};
    void check(core::FieldCheck& fields) const;
    bool operator==(Condition const&) const = default;
};
BOOST_DESCRIBE_STRUCT(Condition, (), (path, op, value))

}  // namespace workforce::events
