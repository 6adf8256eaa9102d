// The rules that an assignment is checked against (domain 2.1 and 14), and what their findings do.
#pragma once

#include <span>

#include "commands/command.hpp"
#include "events/facility.hpp"
#include "events/organization.hpp"
#include "events/shift.hpp"
#include "events/staff.hpp"

namespace workforce::commands {

/// What the people of one shift are judged by: the levels of its facility, the limits of its organization, and the ISO
/// week that the shift starts in, by the calendar of its zone.
struct AssignmentRules : events::SchedulingRules {
    /// What people need to work such a shift at the facility, of the shift's specialty; empty where nobody asks.
    std::vector<events::RequiredCredential> required;
    std::int64_t min_rest_ms = 0;
    std::int64_t weekly_ms = 0;  ///< planned time a week past which is overtime, for who has no limit of their own
    core::Date monday;           ///< of the week
    Timestamp week_starts;
    Timestamp week_ends;

    /// From when on a person's other shifts count, and until when.
    [[nodiscard]] Timestamp from(events::ShiftSpan const& shift) const;
    [[nodiscard]] Timestamp to(events::ShiftSpan const& shift) const;
};
/// The rules of a shift with these times that asks for the specialty. `facility` may be null.
AssignmentRules rules_of(events::Facility const* facility, events::OrganizationSettings const& limits,
                         events::ShiftSpan const& shift, std::string_view specialty);

/// Time of a person that another shift takes.
struct OtherTime {
    Timestamp starts;
    Timestamp ends;
    Id shift = 0;        ///< 0: of a shift of the same request
    bool shown = false;  ///< whether the caller may be told of the shift
};
/// Approved time off of a person.
struct TimeAway {
    Timestamp starts;
    Timestamp ends;
    Id time_off = 0;
};
/// Facts of a person that rules look at, besides the record.
struct PersonFacts {
    std::vector<OtherTime> others{};                  ///< their other time
    std::vector<TimeAway> away{};                     ///< near the shift
    std::vector<events::Credential const*> held{};    ///< where the rules require some
    std::vector<events::AvailabilityBlock> weekly{};  ///< when they can work; none: nothing is said
};
/// Whether the other time overlaps the shift; touching ends do not.
bool overlaps(events::ShiftSpan const& shift, OtherTime const& other);
/// Whether less than the rest lies between the two, or they overlap.
bool is_near(events::ShiftSpan const& shift, AssignmentRules const& rules, Timestamp starts, Timestamp ends);

/// A rule that an assignment breaks.
struct Finding {
    Code code;
    events::RuleLevel level;  ///< as the facility's schedulingRules say
    bool may_be_overridden;   ///< STAFF_INACTIVE never is
    std::string_view rule;    ///< name in schedulingRules, for the override's record
    Violation violation;
    Id other = 0;  ///< the other shift that it is broken with, shown to the caller or not; 0: none, or of the request.
                   ///< Of STAFF_ON_TIME_OFF the time off
    std::int64_t by_ms = 0;  ///< how far, of a rule that measures time: the overlap, the missing rest, the overtime
};

/// Findings of the rules that go by the shift's times, which a change of these may break as an assignment may. In the
/// order of the rules; levels `allow` are left out.
std::vector<Finding> check_times(events::ShiftSpan const& shift, events::Staff const& staff,
                                 AssignmentRules const& rules, PersonFacts const& facts);

/// All findings of assigning the person to the shift, as check_times() has them.
std::vector<Finding> check_assignment(events::Shift const& shift, events::Staff const& staff,
                                      AssignmentRules const& rules, PersonFacts const& facts);

/// Past so many findings an answer would be too large.
inline constexpr std::size_t kMostFindings = 2000;

tl::unexpected<core::Problem> too_many_findings();

/// Sorts findings of all persons into what goes on and what stops.
struct Verdict {
    std::vector<Violation> warnings;                             ///< flagged, or blocked and overridden
    std::vector<std::pair<Id, events::RuleOverride>> overrides;  ///< by person, each rule once
};
/// Errors: the first blocking finding's code, all blocking ones in details.violations, the others in details.warnings;
/// PAYLOAD_TOO_LARGE for more than kMostFindings.
Result<Verdict> judge(std::vector<Finding> const& findings, bool override_blocks, std::string const& comment);

}  // namespace workforce::commands
