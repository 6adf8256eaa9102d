// Assignment rules: inactive staff, double booking, time off, credentials, specialty, rest, overtime and availability.
#include "commands/assignment_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/credential.hpp"
#include "commands/weekly_availability.hpp"
#include "commands/work_week.hpp"

namespace workforce::commands {
namespace {

bool has_specialty(events::Staff const& staff, std::string const& wanted) {
    return wanted.empty() || staff.specialty.value == wanted ||
           std::any_of(staff.skills.begin(), staff.skills.end(),
                       [&](auto const& skill) { return skill.value == wanted; });
}

constexpr std::int64_t kMinuteMs = 60'000;

constexpr int kMostOverlaps = 10;  // that are told of one person

/// Makes findings about one person.
struct Findings {
    Id staff;
    std::vector<Finding> all{};

    void add(Code code, events::RuleLevel level, std::string_view rule, std::string message,
             OtherTime const* other = nullptr, std::int64_t by_ms = 0) {
        auto const shift = other ? other->shift : 0;
        auto const shown = shift != 0 && other->shown ? std::optional(shift) : std::nullopt;
        all.push_back({code,
                       level,
                       code != Code::staff_inactive,
                       rule,
                       {std::string(core::info(code).name), std::move(message), staff, shown},
                       shift,
                       by_ms});
    }
};

void check_double_booking(events::ShiftSpan const& shift, AssignmentRules const& rules,
                          std::span<OtherTime const> others, Findings& findings) {
    if (rules.doubleBooking == events::RuleLevel::allow) return;
    int told = 0;
    for (auto const& other : others) {
        if (!overlaps(shift, other)) continue;
        if (++told > kMostOverlaps) return;
        findings.add(Code::staff_double_booked, rules.doubleBooking, "doubleBooking",
                     other.shift != 0 ? "The staff member works another shift at that time."
                                      : "The staff member works another shift of this request at that time.",
                     &other, std::min(shift.endsAt, other.ends).ms - std::max(shift.startsAt, other.starts).ms);
    }
}

void check_time_off(events::ShiftSpan const& shift, AssignmentRules const& rules, std::span<TimeAway const> away,
                    Findings& findings) {
    if (rules.timeOff == events::RuleLevel::allow) return;
    for (auto const& each : away) {
        auto const by_ms = std::min(shift.endsAt, each.ends).ms - std::max(shift.startsAt, each.starts).ms;
        if (by_ms <= 0) continue;
        findings.add(Code::staff_on_time_off, rules.timeOff, "timeOff", "The staff member has time off then.", nullptr,
                     by_ms);
        findings.all.back().other = each.time_off;
    }
}

/// Between the shift and its neighbours: the last one before it, and the first one after it.
void check_rest(events::ShiftSpan const& shift, AssignmentRules const& rules, std::span<OtherTime const> others,
                Findings& findings) {
    if (rules.minRest == events::RuleLevel::allow) return;
    OtherTime const* before = nullptr;
    OtherTime const* after = nullptr;
    for (auto const& other : others) {
        if (overlaps(shift, other) || !is_near(shift, rules, other.starts, other.ends)) continue;
        if (other.ends <= shift.startsAt) {
            if (!before || before->ends < other.ends) before = &other;
        } else if (!after || other.starts < after->starts) {
            after = &other;
        }
    }
    auto const add = [&](OtherTime const* neighbour, std::int64_t gap_ms) {
        if (!neighbour) return;
        findings.add(Code::rest_period_violation, rules.minRest, "minRest",
                     fmt::format("Less than {} minutes lie between this shift and another one of the staff member.",
                                 rules.min_rest_ms / kMinuteMs),
                     neighbour, rules.min_rest_ms - gap_ms);
    };
    if (before) add(before, shift.startsAt.ms - before->ends.ms);
    if (after) add(after, after->starts.ms - shift.endsAt.ms);
}

void check_credentials(events::ShiftSpan const& shift, AssignmentRules const& rules,
                       std::span<events::Credential const* const> held, Findings& findings) {
    auto const last_day = core::local_date(shift.endsAt, shift.timezone);
    for (auto const& entry : rules.required) {
        if (is_met(entry, held, last_day)) continue;
        findings.add(Code::credential_invalid, rules.inactiveCredential, "inactiveCredential",
                     fmt::format("The staff member has no {}{}{} that is verified and good on the shift's last day.",
                                 entry.type.value, entry.name.value.empty() ? "" : " ", entry.name.value));
    }
}

void check_specialty(events::Shift const& shift, events::Staff const& staff, AssignmentRules const& rules,
                     Findings& findings) {
    if (rules.specialtyMismatch == events::RuleLevel::allow || has_specialty(staff, shift.specialty.value)) return;
    findings.add(Code::specialty_mismatch, rules.specialtyMismatch, "specialtyMismatch",
                 "Neither specialty nor skills of the staff member have " + shift.specialty.value + ".");
}

void check_overtime(events::ShiftSpan const& shift, events::Staff const& staff, AssignmentRules const& rules,
                    std::span<OtherTime const> others, Findings& findings) {
    constexpr std::int64_t kHundredthOfHourMs = 36'000;
    if (rules.overtime == events::RuleLevel::allow) return;
    auto const& own = staff.maxWeeklyHours.value;
    auto const limit = own ? own->hundredths * kHundredthOfHourMs : rules.weekly_ms;
    auto planned = shift.endsAt.ms - shift.startsAt.ms;
    for (auto const& other : others) {
        bool const same_week = other.starts >= rules.week_starts && other.starts < rules.week_ends;
        if (same_week) planned += other.ends.ms - other.starts.ms;
    }
    if (planned <= limit) return;
    findings.add(Code::overtime_exceeded, rules.overtime, "overtime",
                 fmt::format("With this shift more than {} minutes of the week are planned for the staff member.",
                             limit / kMinuteMs),
                 nullptr, planned - limit);
}

void check_availability(events::ShiftSpan const& shift, AssignmentRules const& rules,
                        std::span<events::AvailabilityBlock const> weekly, Findings& findings) {
    if (rules.unavailable == events::RuleLevel::allow) return;
    auto const outside = minutes_outside(shift, weekly);
    if (outside == 0) return;
    findings.add(
        Code::staff_unavailable, rules.unavailable, "unavailable",
        fmt::format("{} minutes of the shift lie outside the times at which the staff member can work.", outside),
        nullptr, outside * kMinuteMs);
}

}  // namespace

Timestamp AssignmentRules::from(events::ShiftSpan const& shift) const {
    return std::min(week_starts, Timestamp{shift.startsAt.ms - min_rest_ms});
}
Timestamp AssignmentRules::to(events::ShiftSpan const& shift) const {
    return std::max(week_ends, Timestamp{shift.endsAt.ms + min_rest_ms});
}

AssignmentRules rules_of(events::Facility const* facility, events::OrganizationSettings const& limits,
                         events::ShiftSpan const& shift, std::string_view specialty) {
    AssignmentRules rules;
    if (facility) {
        static_cast<events::SchedulingRules&>(rules) = facility->schedulingRules;
        if (rules.inactiveCredential != events::RuleLevel::allow) {
            std::ranges::copy_if(facility->requiredCredentialTypes, std::back_inserter(rules.required),
                                 [&](events::RequiredCredential const& entry) {
                                     return entry.specialty.value.empty() || entry.specialty.value == specialty;
                                 });
        }
    }
    rules.min_rest_ms = limits.minRestMinutes.value * kMinuteMs;
    rules.weekly_ms = limits.overtimeWeeklyMinutes.value * kMinuteMs;
    rules.monday = monday_of(core::local_date(shift.startsAt, shift.timezone));
    rules.week_starts = core::to_utc(rules.monday, {}, shift.timezone);
    rules.week_ends = core::to_utc({rules.monday.days + 7}, {}, shift.timezone);
    return rules;
}

bool overlaps(events::ShiftSpan const& shift, OtherTime const& other) {
    return other.starts < shift.endsAt && shift.startsAt < other.ends;
}

bool is_near(events::ShiftSpan const& shift, AssignmentRules const& rules, Timestamp starts, Timestamp ends) {
    return std::max(shift.startsAt.ms - ends.ms, starts.ms - shift.endsAt.ms) < rules.min_rest_ms;
}

std::vector<Finding> check_times(events::ShiftSpan const& shift, events::Staff const& staff,
                                 AssignmentRules const& rules, PersonFacts const& facts) {
    Findings findings{staff.id};
    check_double_booking(shift, rules, facts.others, findings);
    check_time_off(shift, rules, facts.away, findings);
    check_credentials(shift, rules, facts.held, findings);
    check_rest(shift, rules, facts.others, findings);
    check_overtime(shift, staff, rules, facts.others, findings);
    check_availability(shift, rules, facts.weekly, findings);
    return std::move(findings.all);
}

std::vector<Finding> check_assignment(events::Shift const& shift, events::Staff const& staff,
                                      AssignmentRules const& rules, PersonFacts const& facts) {
    Findings findings{staff.id};
    if (!staff.isActive) {
        findings.add(Code::staff_inactive, events::RuleLevel::block, "inactive", "The staff member is not active.");
    }
    check_double_booking(shift, rules, facts.others, findings);
    check_time_off(shift, rules, facts.away, findings);
    check_credentials(shift, rules, facts.held, findings);
    check_specialty(shift, staff, rules, findings);
    check_rest(shift, rules, facts.others, findings);
    check_overtime(shift, staff, rules, facts.others, findings);
    check_availability(shift, rules, facts.weekly, findings);
    return std::move(findings.all);
}

tl::unexpected<core::Problem> too_many_findings() {
    return refuse(
        Code::payload_too_large,
        fmt::format("More than {} rules are broken, which is more than an answer holds; ask for less at a time.",
                    kMostFindings));
}

Result<Verdict> judge(std::vector<Finding> const& findings, bool override_blocks, std::string const& comment) {
    if (findings.size() > kMostFindings) return too_many_findings();
    Verdict verdict;
    std::vector<Finding const*> blocking;
    for (auto const& finding : findings) {
        bool const blocks = finding.level == events::RuleLevel::block;
        bool const overridden = blocks && override_blocks && finding.may_be_overridden;
        if (blocks && !overridden) {
            blocking.push_back(&finding);
            continue;
        }
        auto const whose = finding.violation.staffId;
        bool const noted = std::ranges::any_of(verdict.overrides, [&](auto const& known) {
            return known.first == whose && known.second.rule == finding.rule;
        });
        if (overridden && !noted)
            verdict.overrides.emplace_back(whose, events::RuleOverride{std::string(finding.rule), comment});
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
