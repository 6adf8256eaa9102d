// What plans are like.
#include "events/agent_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace workforce::events {
namespace {

constexpr std::size_t kLongestStepName = 50;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_char(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; }

}  // namespace

bool StepNamePolicy::check(std::string_view text) {
    return !text.empty() && text.size() <= kLongestStepName && is_letter(text.front()) &&
           std::ranges::all_of(text, is_name_char);
}

std::string step_name(PlanStep const& step, std::size_t place) {
    return step.id ? (*step.id).value : fmt::format("s{}", place + 1);
}

void check_plan(Plan const& plan, std::string_view field, core::FieldCheck& fields) {
    if (!fields.sound(field)) return;
    if (plan.size() > kMostPlanSteps) return fields.fail(field, "max_items", "takes at most 50 steps");
    std::set<std::string> names;
    for (std::size_t place = 0; place < plan.size(); ++place) {
        if (names.insert(step_name(plan[place], place)).second) continue;
        return fields.fail(fmt::format("{}[{}].id", field, place), "unique", "is the id of another step, too");
    }
}

}  // namespace workforce::events
