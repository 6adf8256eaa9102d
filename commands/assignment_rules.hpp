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

/// All findings of assigning the person to the shift, in the order of the rules. Levels `allow` are left out.
std::vector<Finding> check_assignment(View const& view, events::Shift const& shift, events::Staff const& staff,
                                      events::SchedulingRules const& rules);

/// Sorts findings of all persons into what goes on and what stops.
struct Verdict {
    std::vector<Violation> warnings;                             ///< flagged, or blocked and overridden
    std::vector<std::pair<Id, events::RuleOverride>> overrides;  ///< by person
};
/// Errors: the first blocking finding's code, all of them in details.violations.
Result<Verdict> judge(std::vector<Finding> const& findings, bool override_blocks, std::string const& comment);

}  // namespace workforce::commands
