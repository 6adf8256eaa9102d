// What is wrong with an agent or a plan that only the table of tools can tell: tools that are none, and templates.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_io.hpp"
#include "events/agent_run.hpp"
#include "operations/tools/model_tiers.hpp"
#include "operations/tools/tool.hpp"

namespace workforce::operations {

/// Whether one of an agent's patterns allows the tool.
bool is_allowed(std::vector<core::Name> const& patterns, std::string_view tool);

/// What events name as the tool of a call that was asked for: the name of one that there is, else kUnknownTool.
std::string recorded_tool(std::string const& name);

/// Patterns that allow no tool that runs may call, or that there are none; by field `allowedTools`.
std::vector<core::FieldError> faults_of_tools(std::vector<core::Name> const& patterns);

/// Steps whose tools are none that runs may call, or not among these patterns where there are some; conditions, paths
/// and templates that name what no run has. By the plan's field.
std::vector<core::FieldError> faults_of_plan(events::Plan const& plan, std::string_view field,
                                             std::vector<core::Name> const* patterns);

/// Arguments of steps that their tools don't take, whatever templates become: names, and values that are no template.
/// By the plan's field.
std::vector<core::FieldError> faults_of_arguments(events::Plan const& plan, std::string_view field);

/// Templates of an output that name what no run of the plan has. Of a plan that is not known (null), any step.
std::vector<core::FieldError> faults_of_output(core::Nullable<events::RunValue> const& output,
                                               events::Plan const* plan);

/// What the caller lacks for a tool of the plan: who is no person brings a plan only of what its scopes cover. Nothing
/// where it lacks nothing.
std::optional<core::Problem> lacking_for_plan(Caller const& caller, events::Plan const& plan, ModelTiers const& tiers);

/// The tools that an agent may not call whom the caller builds: who is no person builds one of what its scopes cover.
std::vector<std::string> tools_beyond(Caller const& caller);

}  // namespace workforce::operations
