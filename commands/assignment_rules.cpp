// Assignment rules: double booking, inactive staff and specialty.
#include "commands/assignment_rules.hpp"

#include <algorithm>

#include "commands/shift_staffing.hpp"

namespace workforce::commands {
namespace {

bool has_specialty(events::Staff const& staff, std::string const& wanted) {
    return wanted.empty() || staff.specialty.value == wanted ||
           std::any_of(staff.skills.begin(), staff.skills.end(),
                       [&](auto const& skill) { return skill.value == wanted; });
}

Finding finding(Code code, events::RuleLevel level, std::string_view rule, std::string message, Id staff,
                std::optional<Id> shift = std::nullopt) {
    return {code,
            level,
            code != Code::staff_inactive,
            rule,
            {std::string(core::info(code).name), std::move(message), staff, shift}};
}

}  // namespace

std::vector<Finding> check_times(View const& view, events::Shift const& shift, Id staff,
                                 events::SchedulingRules const& rules, Context const& context) {
    std::vector<Finding> findings;
    if (rules.doubleBooking == events::RuleLevel::allow) return findings;
    if (auto const* other = view.overlap(staff, shift.startsAt, shift.endsAt, shift.id)) {
        findings.push_back(finding(Code::staff_double_booked, rules.doubleBooking, "doubleBooking",
                                   "The staff member works another shift at that time.", staff,
                                   if_visible(view, other->shift, context)));
    }
    return findings;
}

std::vector<Finding> check_assignment(View const& view, events::Shift const& shift, events::Staff const& staff,
                                      events::SchedulingRules const& rules, Context const& context) {
    using events::RuleLevel;
    std::vector<Finding> findings;
    if (!staff.isActive) {
        findings.push_back(
            finding(Code::staff_inactive, RuleLevel::block, "inactive", "The staff member is not active.", staff.id));
    }
    auto of_times = check_times(view, shift, staff.id, rules, context);
    std::move(of_times.begin(), of_times.end(), std::back_inserter(findings));
    if (rules.specialtyMismatch != RuleLevel::allow && !has_specialty(staff, shift.specialty.value)) {
        findings.push_back(
            finding(Code::specialty_mismatch, rules.specialtyMismatch, "specialtyMismatch",
                    "Neither specialty nor skills of the staff member have " + shift.specialty.value + ".", staff.id));
    }
    return findings;
}

Result<Verdict> judge(std::vector<Finding> const& findings, bool override_blocks, std::string const& comment) {
    Verdict verdict;
    std::vector<Finding const*> blocking;
    for (auto const& finding : findings) {
        bool const blocks = finding.level == events::RuleLevel::block;
        bool const overridden = blocks && override_blocks && finding.may_be_overridden;
        if (blocks && !overridden) {
            blocking.push_back(&finding);
            continue;
        }
        if (overridden) {
            verdict.overrides.emplace_back(finding.violation.staffId,
                                           events::RuleOverride{std::string(finding.rule), comment});
        }
        verdict.warnings.push_back(finding.violation);
    }
    if (blocking.empty()) return verdict;
    core::JsonWriter w;
    w.begin_object();
    w.key("violations");
    w.begin_array();
    for (auto const* finding : blocking) core::write_json(w, finding->violation);
    w.end_array();
    if (!verdict.warnings.empty()) {
        w.key("warnings");
        core::write_json(w, verdict.warnings);
    }
    w.end_object();
    return refuse(blocking.front()->code, blocking.front()->violation.message, w.take());
}

}  // namespace workforce::commands
