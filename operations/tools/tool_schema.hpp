// The JSON Schemas of a tool, from those of its operation.
#pragma once

#include <string>
#include <vector>

#include "operations/tools/tool.hpp"

namespace workforce::operations {

/// What a tool takes and gives. Each schema is one JSON object that refers to nothing outside itself and has no
/// alternatives at its top, for models' providers take none there, but for those of an answer.
struct ToolShape {
    std::vector<ToolArgument> arguments;
    std::string input;
    std::string output;
};

/// The shape of the operation's tool. Throws as tools_of().
ToolShape shape_of(Operation const& operation);

}  // namespace workforce::operations
