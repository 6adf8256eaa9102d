// Words for triggers of agents.
#include "operations/words/words.hpp"

namespace workforce::operations {

std::vector<StructWords> trigger_words() {
    return {
        {{"TriggerType"}, {{"", "What a trigger waits for: a time or an event"}}},
        {{"triggers/"}, {{"triggerId", "The trigger's id, from {triggers.list}"}}},
        {{"TriggerQuery", "UpdateTrigger", "ToggleTrigger", "RunTriggerNow"},
         {{"triggerId", "The trigger's id, from {triggers.list}, where the path does not name it"}}},
        {{"TriggerDetails", "TriggerChanges", "CreateTrigger"},
         {{"name", "What the trigger is for"},
          {"cron",
           "Of a schedule: minute, hour, day of the month, month and day of the week, as crontab has them, at "
           "least 5 minutes apart. A time that a change of the clocks skips comes at the change"},
          {"timezone", "Of a schedule: IANA zone that it is read in; the organization's by default"},
          {"eventType", "Of an event trigger: what it waits for; shift.* is everything that happens to shifts"},
          {"filter",
           "Of an event trigger: members of the event's data, each with the value that it must have, or a "
           "list of such values. No personal data: it stays in the log"},
          {"input",
           "Input of its runs; texts may have templates over event and now. No personal data: it stays in the log"},
          {"runAsUserId", "User by whose rights its runs act; its maker by default"},
          {"maxRunsPerHour", "How often it fires in an hour at most; more is skipped"}}},
        {{"TriggerDetails", "CreateTrigger", "UpdateTrigger"},
         {{"type", "schedule: at times; event: when something happens. Fixed"}}},
        {{"CreateTrigger"}, {{"isEnabled", "false: it does not fire until it is enabled"}}},
        {{"ToggleTrigger"}, {{"isEnabled", "Whether it is to fire; without it, it becomes what it is not"}}},
        {{"RunTriggerNow"}, {{"input", "Input of the run instead of the trigger's"}}},
        {{"TriggerFilter"}, {{"type", "schedule, event or both"}, {"isEnabled", "Only those that fire, or do not"}}},
        {{"TriggerPlace", "UpdateTrigger"}, {{"agentId", "Agent whose runs it starts. Fixed"}}},
        {{"TriggerPlace"},
         {{"facilityId", "The agent's facility, whose events alone it sees; null: all"},
          {"createdBy", "User who made it, and who is told when it is given up; null: nobody stands behind the key"}}},
        {{"TriggerStanding"},
         {{"isEnabled", "Whether it fires"},
          {"consecutiveFailures", "Dispatches and runs that failed since a run completed"},
          {"lastRunId", "The run that it started last; null: none"},
          {"lastRunStatus", "queued, or how that run ended; empty: it never fired"},
          {"lastFiredAt", "When it fired last; null: never"},
          {"nextRunAt", "When it fires next by its schedule; null: it waits for an event, or is disabled"},
          {"disabledReason",
           "Why it does not fire: manual, max_consecutive_failures or agent_deactivated; empty: it does"},
          {"disabledAt", "When it was disabled; null: it is enabled"},
          {"lastError", "What went wrong last; null: nothing since a run completed"}}},
        {{"TriggerError"}, {{"code", "What went wrong, for programs"}, {"message", "The same for people"}}},
    };
}

}  // namespace workforce::operations
