// Checking plans against the table of tools.
#include "operations/agents/plan_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/glob.hpp"
#include "core/json_values.hpp"
#include "operations/agents/templates.hpp"
#include "operations/tools/tool_gate.hpp"

namespace workforce::operations {
namespace {

bool is_headless(Tool const& tool) { return tool.binding().headless; }

/// Why a step may not name the tool; empty: it may.
std::string fault_of_tool(std::string const& name, std::vector<core::Name> const* patterns) {
    auto const* const tool = find_tool(name);
    if (tool == nullptr) return fmt::format("names '{}', which is no tool", name);
    if (!is_headless(*tool)) return fmt::format("names '{}', which runs may not call", name);
    if (patterns && !is_allowed(*patterns, name)) return fmt::format("names '{}', which allowedTools lacks", name);
    return {};
}

bool has_template(core::JsonValue const* value) {
    return value != nullptr && core::json_of(*value).find("{{") != std::string::npos;
}

}  // namespace

bool is_allowed(std::vector<core::Name> const& patterns, std::string_view tool) {
    return std::ranges::any_of(patterns, [&](auto const& each) { return core::matches_glob(each.value, tool); });
}

std::string recorded_tool(std::string const& name) {
    return find_tool(name) != nullptr ? name : std::string(events::kUnknownTool);
}

std::vector<core::FieldError> faults_of_tools(std::vector<core::Name> const& patterns) {
    std::vector<core::FieldError> faults;
    if (patterns.empty()) faults.push_back({"allowedTools", "min_items", "must name at least one tool"});
    for (std::size_t place = 0; place < patterns.size(); ++place) {
        auto const& pattern = patterns[place].value;
        bool const any = std::ranges::any_of(
            tools(), [&](Tool const& tool) { return is_headless(tool) && core::matches_glob(pattern, tool.name); });
        if (any) continue;
        faults.push_back({fmt::format("allowedTools[{}]", place), "known",
                          fmt::format("names '{}', which is no tool that runs may call", pattern)});
    }
    return faults;
}

std::vector<core::FieldError> faults_of_plan(events::Plan const& plan, std::string_view field,
                                             std::vector<core::Name> const* patterns) {
    std::vector<core::FieldError> faults;
    NamesInReach names;
    for (std::size_t place = 0; place < plan.size(); ++place) {
        auto const& step = plan[place];
        auto const add = [&](std::string_view member, std::string_view rule, std::string fault) {
            if (fault.empty()) return;
            faults.push_back({fmt::format("{}[{}].{}", field, place, member), std::string(rule), std::move(fault)});
        };
        add("tool", "known", fault_of_tool(step.tool.value, patterns));
        if (step.when) add("when.path", "path", fault_of_path((*step.when).path.value, names));
        if (step.forEach) add("forEach", "path", fault_of_path((*step.forEach).value, names));
        names.items = static_cast<bool>(step.forEach);
        add("arguments", "template", fault_of_templates(step.arguments.text, names));
        names.items = false;
        names.steps.push_back(events::step_name(step, place));
    }
    return faults;
}

std::vector<core::FieldError> faults_of_arguments(events::Plan const& plan, std::string_view field) {
    std::vector<core::FieldError> faults;
    for (std::size_t place = 0; place < plan.size(); ++place) {
        auto const* const tool = find_tool(plan[place].tool.value);
        auto const arguments = core::parse_json(plan[place].arguments.text);
        if (tool == nullptr || !arguments) continue;
        auto const found = check_arguments(*tool, *arguments);
        for (auto const& fault : found.named()) {
            auto const member = fault.field.substr(0, fault.field.find_first_of(".["));
            if (fault.rule == "type" && has_template(core::find_member(&*arguments, member))) continue;
            faults.push_back(
                {fmt::format("{}[{}].arguments.{}", field, place, fault.field), fault.rule, fault.message});
        }
    }
    return faults;
}

std::vector<core::FieldError> faults_of_output(core::Nullable<events::RunValue> const& output,
                                               events::Plan const* plan) {
    if (!output.value) return {};
    NamesInReach names;
    names.any_step = plan == nullptr;
    for (std::size_t place = 0; plan && place < plan->size(); ++place) {
        names.steps.push_back(events::step_name((*plan)[place], place));
    }
    auto fault = fault_of_templates(output.value->text, names);
    if (fault.empty()) return {};
    return {{"output", "template", std::move(fault)}};
}

std::optional<core::Problem> lacking_for_plan(Caller const& caller, events::Plan const& plan, ModelTiers const& tiers) {
    if (caller.is_person()) return std::nullopt;  // the run has a person's whole rights anyway
    auto const& acting = caller.for_tools ? *caller.for_tools : caller;
    for (auto const& step : plan) {
        auto const* const tool = find_tool(step.tool.value);
        if (tool == nullptr) continue;
        if (auto problem = check_tool_access(acting, *tool, tiers)) return problem;
    }
    return std::nullopt;
}

std::vector<std::string> tools_beyond(Caller const& caller) {
    if (caller.is_person()) return {};
    auto const& acting = caller.for_tools ? *caller.for_tools : caller;
    std::vector<std::string> names;
    for (auto const& tool : tools()) {
        if (tool.binding().headless && lacking(acting, *tool.operation)) names.emplace_back(tool.name);
    }
    return names;
}

}  // namespace workforce::operations
