// Operations as tools: names, schemas and arguments, for every way in by which models call them (domain 6.3).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/faults.hpp"
#include "core/result.hpp"
#include "operations/call.hpp"
#include "operations/operation.hpp"

namespace workforce::operations {

/// Types of JSON values, as a set.
using JsonTypes = std::uint8_t;
inline constexpr JsonTypes kJsonNull = 1;
inline constexpr JsonTypes kJsonBoolean = 2;
inline constexpr JsonTypes kJsonFraction = 4;  ///< a number that is no whole one
inline constexpr JsonTypes kJsonString = 8;
inline constexpr JsonTypes kJsonArray = 16;
inline constexpr JsonTypes kJsonObject = 32;
inline constexpr JsonTypes kJsonInteger = 64;  ///< a number without a fraction, however it is written
inline constexpr JsonTypes kJsonNumber = kJsonFraction | kJsonInteger;
inline constexpr JsonTypes kJsonAny = 127;

/// Which members the objects in a value may have, and whether its numbers are whole; those of a list's items are the
/// list's.
struct KnownMembers {
    bool any = true;     ///< nothing is said of the members
    bool whole = false;  ///< no number may have a fraction
    std::map<std::string, KnownMembers, std::less<>> by_name{};
};

/// An argument of a tool, and which field of the operation's input it is.
struct ToolArgument {
    enum class Place : std::uint8_t { path, parameter, body };
    std::string name;
    std::string field;
    Place place = Place::body;
    bool required = false;
    JsonTypes types = kJsonAny;  ///< that its schema takes
    KnownMembers members{};
};

/// One tool.
struct Tool {
    Operation const* operation = nullptr;
    std::string_view name;
    std::string scope;  ///< the scope that covers it; empty: any credential may call it
    std::vector<ToolArgument> arguments;
    std::string definition;  ///< as tools/list shows it (MCP 2025-11-25, Tool): a JSON object

    [[nodiscard]] ToolBinding const& binding() const { return operation->tool; }
};

/// The tools of operations that have one, in the table's order. Throws
/// std::logic_error for a row whose tool names a field that the operation does not have, or two arguments alike.
std::vector<Tool> tools_of(std::span<Operation const> operations);

/// All tools. Built at the first call; references to its rows stay.
std::vector<Tool> const& tools();
/// The tool of that name, or null.
Tool const* find_tool(std::string_view name);

/// What is wrong with arguments by the tool's schema alone: names that it does not have and fractions of whole numbers,
/// at any depth, those that are missing, values of another type. `arguments` is an object. What is left, the operation
/// tells.
core::Faults check_arguments(Tool const& tool, core::JsonValue const& arguments);

/// Arguments that check_arguments() finds nothing wrong with, as the operation's input. Errors: VALIDATION_ERROR for an
/// id that is none.
core::Result<RawInput> input_of(Tool const& tool, core::JsonValue const& arguments);

/// The objects among the arguments each of which stands for a call of its own: the items of a list whose members are
/// arguments of the tool beside it, as shifts_create has it. Views of `arguments`.
std::vector<core::JsonValue const*> calls_within(Tool const& tool, core::JsonValue const& arguments);

/// What a call answered, as structured content: an object, also where REST answers with a list or with nothing.
std::string structured_content(Tool const& tool, std::string body);

}  // namespace workforce::operations
