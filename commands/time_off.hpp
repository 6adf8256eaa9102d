// Commands on time off.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/time_off.hpp"

namespace workforce::commands {

/// When days are on the world's clock, by the clocks of a zone. Errors: VALIDATION_ERROR where a change of the clocks
/// turns beginning and end round.
Result<events::TimeOffSpan> span_of_days(events::TimeOffDays const& days, std::string const& zone);

/// POST /api/time-off: somebody asks for days, or has them asked for. Without `staffId` it is the caller, who for
/// themselves alone may name nobody else. Errors: NOT_FOUND; STAFF_INACTIVE; DUPLICATE_RESOURCE where another request
/// of the person that is pending or approved overlaps; VALIDATION_ERROR of days that a change of the clocks turns
/// round.
struct RequestTimeOff : events::TimeOffDays {
    using Answer = events::TimeOff;
    std::optional<Id> staffId;
    std::optional<core::LongText> note;
};
BOOST_DESCRIBE_STRUCT(RequestTimeOff, (events::TimeOffDays), (staffId, note))
Result<Decision> decide(View const& view, RequestTimeOff const& command, Context const& context);
events::TimeOff answer(View const& view, RequestTimeOff const& command, Decision const& decision);

/// Time off with the shifts that the person is on meanwhile.
struct TimeOffAnswer : events::TimeOff {
    std::optional<std::vector<Violation>> warnings;  ///< absent where there are none
};
BOOST_DESCRIBE_STRUCT(TimeOffAnswer, (events::TimeOff), (warnings))

/// POST /api/time-off/{id}/approve: from here on nobody assigns the person to that time, unless by an override. Shifts
/// that they are on stay, and the answer warns of them, without the id where the caller does not see the shift. Errors:
/// SELF_APPROVAL_FORBIDDEN of one's own, unless the role is admin or super_admin; INVALID_STATE_TRANSITION.
struct ApproveTimeOff {
    using Answer = TimeOffAnswer;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(ApproveTimeOff, (), ())
Result<Decision> decide(View const& view, ApproveTimeOff const& command, Context const& context);
TimeOffAnswer answer(View const& view, ApproveTimeOff const& command, Decision const& decision);

/// POST /api/time-off/{id}/decline: of what is pending.
struct DeclineTimeOff {
    using Answer = events::TimeOff;
    Id id = 0;
    std::optional<core::LongText> reason;
};
BOOST_DESCRIBE_STRUCT(DeclineTimeOff, (), (reason))
Result<Decision> decide(View const& view, DeclineTimeOff const& command, Context const& context);
events::TimeOff answer(View const& view, DeclineTimeOff const& command, Decision const& decision);

/// POST /api/time-off/{id}/cancel: of what is pending or approved. Who acts for themselves alone cancels no approved
/// time that has begun (INVALID_STATE_TRANSITION).
struct CancelTimeOff {
    using Answer = events::TimeOff;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(CancelTimeOff, (), ())
Result<Decision> decide(View const& view, CancelTimeOff const& command, Context const& context);
events::TimeOff answer(View const& view, CancelTimeOff const& command, Decision const& decision);

}  // namespace workforce::commands
