// Plans: what a scripted run of an agent does, step by step (domain 6.5). A plan is data; operations/agents/ carries it
// out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/any_json.hpp"
#include "core/text.hpp"
#include "events/condition.hpp"
#include "events/resource.hpp"

namespace workforce::events {

inline constexpr std::size_t kMostPlanSteps = 50;
/// Of an array that a step is done for each item of.
inline constexpr std::size_t kMostPlanItems = 100;

/// The most bytes of input, of the arguments of a call, of its result and of an output.
inline constexpr std::size_t kLongestRunField = 256 * 1024;
using RunObject = core::AnyObject<kLongestRunField>;
using RunValue = core::AnyJson<kLongestRunField>;

/// Names of steps are what templates can name: a letter, then letters, digits, '_' and '-'.
struct StepNamePolicy {
    static constexpr std::string_view kRule = "step_id";
    static constexpr std::string_view kMessage = "must be a letter and up to 49 letters, digits, '_' or '-'";
    static void normalise(std::string&) {}
    static bool check(std::string_view text);
    static void schema(core::JsonWriter& w) { w.member("pattern", "^[A-Za-z][A-Za-z0-9_-]{0,49}$"); }
};
using StepName = core::Formatted<StepNamePolicy>;

enum class OnStepError : std::uint8_t { stop, continue_ };
BOOST_DESCRIBE_ENUM(OnStepError, stop, continue_)

struct PlanStep {
    core::AbsentOrNull<StepName> id;  ///< absent: "s" and its number, from 1
    core::Name tool;
    RunObject arguments;                             ///< with templates
    core::AbsentOrNull<Condition> when;              ///< what has to hold for it to be done
    core::AbsentOrNull<core::Text<1, 200>> forEach;  ///< path of an array, for each item of which it is done
    OnStepError onError = OnStepError::stop;

    static constexpr std::array<std::string_view, 1> kRequired{"tool"};
};
BOOST_DESCRIBE_STRUCT(PlanStep, (), (id, tool, arguments, when, forEach, onError))

using Plan = std::vector<PlanStep>;

/// What a step is called: by its id, else by its place, from 0.
std::string step_name(PlanStep const& step, std::size_t place);

/// What is wrong with a plan that its members' types don't say: too many steps, names that come twice.
void check_plan(Plan const& plan, std::string_view field, core::FieldCheck& fields);

}  // namespace workforce::events
