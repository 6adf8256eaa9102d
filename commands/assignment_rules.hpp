// The rules that an assignment is checked against (domain 2.1), and what their findings do.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"

namespace workforce::commands {

/// A rule that an assignment breaks.
struct Finding {
    Code code;
    events::RuleLevel level;  ///< as the facility's schedulingRules say
    bool may_be_overridden;   ///< STAFF_INACTIVE never is
    std::string_view rule;    ///< name in schedulingRules, for the override's record
    Violation violation;
};

/// Findings of the rules that go by the shift's times, which a change of these may break as an assignment may. In the
/// order of the rules; levels `allow` are left out.
std::vector<Finding> check_times(View const& view, events::Shift const& shift, Id staff,
                                 events::SchedulingRules const& rules, Context const& context);

/// All findings of assigning the person to the shift, in the order of the rules. Levels `allow` are left out.
std::vector<Finding> check_assignment(View const& view, events::Shift const& shift, events::Staff const& staff,
                                      events::SchedulingRules const& rules, Context const& context);

/// Sorts findings of all persons into what goes on and what stops.
struct Verdict {
    std::vector<Violation> warnings;                             ///< flagged, or blocked and overridden
    std::vector<std::pair<Id, events::RuleOverride>> overrides;  ///< by person
};
/// Errors: the first blocking finding's code, all blocking ones in details.violations, the others in details.warnings.
Result<Verdict> judge(std::vector<Finding> const& findings, bool override_blocks, std::string const& comment);

}  // namespace workforce::commands
