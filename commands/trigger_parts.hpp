// What changes of triggers and their dispatches share.
#pragma once

#include "commands/trigger.hpp"

namespace workforce::commands {

/// An event of a trigger, which lies where its agent does.
NewEvent trigger_event(events::TriggerPlace const& place, Id id, events::TriggerEvents event);
NewEvent trigger_event(events::TriggerRecord const& trigger, events::TriggerEvents event);

/// A trigger that the caller may change, and its agent; neither is null.
struct OwnTrigger {
    events::AgentRecord const* agent = nullptr;
    events::TriggerRecord const* trigger = nullptr;
};
/// Errors: NOT_FOUND for either.
Result<OwnTrigger> own_trigger(View const& view, Id agent, Id trigger, Context const& context);

/// When it comes to fire next after `now` by its schedule; of an event trigger null.
core::Nullable<Timestamp> next_run(events::TriggerDetails const& details, Timestamp now);

/// AGENT_INACTIVE.
tl::unexpected<core::Problem> refuse_inactive_agent();

}  // namespace workforce::commands
