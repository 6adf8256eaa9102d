// The JSON Schema of what a tool takes, from those of its operation.
#pragma once

#include <string>
#include <vector>

#include "operations/tools/tool.hpp"

namespace workforce::operations {

/// What a tool takes. The schema is one JSON object that refers to nothing outside itself and has no alternatives at
/// its top, for models' providers take none there. It says what a model has to know; the operation checks the rest.
struct ToolShape {
    std::vector<ToolArgument> arguments;
    std::string input;
};

/// The shape of the operation's tool. Throws as tools_of().
ToolShape shape_of(Operation const& operation);

}  // namespace workforce::operations
