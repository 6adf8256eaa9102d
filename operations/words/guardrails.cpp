// Words for guardrails.
#include "operations/words/words.hpp"

namespace workforce::operations {

std::vector<StructWords> guardrail_words() {
    return {
        {{"guardrails/"}, {{"id", "The guardrail's id, from {guardrails.list}"}}},
        {{"GuardrailDetails", "GuardrailChanges"},
         {{"name", "What refusals call it; no two of the organization have the same"},
          {"description", "Why it is there. No personal data: it stays in the log"},
          {"effect", "block refuses the call; require_approval has it wait for a person"},
          {"tools", "Names of tools, with * for any text and ? for any character"},
          {"channels", "By which way tools are called: mcp, agent; both by default"},
          {"conditions", "Up to 20 of the call's arguments, all of which have to hold"},
          {"window", "When it counts; null: always"},
          {"facilityIds", "Only calls that concern these, from {facilities.list}; empty: all"},
          {"roles", "Only calls for users of these roles; empty: all"},
          {"agentIds", "Only calls of these agents; empty: of anybody"},
          {"priority", "Of two that count the higher names itself, -1000 to 1000; 0 by default"},
          {"isEnabled", "false: it does not count"}}},
        {{"GuardrailFlags"}, {{"createdBy", "User who made it; null: a credential without a user"}}},
        {{"GuardrailFilter"},
         {{"isEnabled", "true: those that count; false: the others; any (the default): both"},
          {"effect", "Only those of this effect"}}},
        {{"Condition"},
         {{"path", "Leads to an argument: arguments.rate, arguments.shifts[0].title, or [*] for any item of a list"},
          {"op",
           "How the argument compares with value; one that is missing or of another type meets exists: false alone"},
          {"value",
           "A text, number or boolean; for in and not_in a list of them, for matches a pattern. No personal data: it "
           "stays in the log"}}},
        {{"WeeklyWindow"},
         {{"days", "1 (Monday) to 7 (Sunday): days on which it begins"},
          {"from", "HH:MM, when it begins"},
          {"to", "HH:MM, when it ends; not later than from: on the day after"},
          {"timezone", "IANA zone by whose clocks it is told"}}},
        {{"GuardrailTest"},
         {{"tool", "Name of the tool"},
          {"arguments", "What it would be called with"},
          {"channel", "By which way; mcp by default"},
          {"role", "Role of who would call; yours by default"},
          {"at", "When (RFC 3339); now by default"}}},
        {{"GuardrailTestResult"},
         {{"effect", "allow: the call goes on; else what the policy does"},
          {"guardrail", "Name of the policy that decides; null: none does"}}},
        {{"GuardrailEffect"}, {{"", "What a policy does with a call"}}},
        {{"GuardrailTestEffect"}, {{"", "What the policies make of a call"}}},
        {{"ToolChannel"}, {{"", "By which way a tool is called"}}},
        {{"ConditionOp"}, {{"", "How an argument compares with a value"}}},
    };
}

}  // namespace workforce::operations
