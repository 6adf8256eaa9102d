// Words for usage and billing.
#include "operations/words/words.hpp"

namespace workforce::operations {

std::vector<StructWords> usage_words() {
    return {
        {{"UsageQuery"}, {{"days", "Days that the window goes back from now; 30 where it is not given"}}},
        {{"UsageSeriesQuery", "UsageTimeseries"},
         {{"granularity", "How long the buckets are: day (the default) or hour, which at most 31 days are cut into"}}},
        {{"UsageFigures", "UsageBucket", "UsageOfAgent", "UsageOfTool", "UsageOfKey"},
         {{"totalCalls", "Requests and calls of tools"},
          {"errorCount", "Those that were refused or failed"},
          {"avgLatencyMs", "How long one took on average, in milliseconds"},
          {"outcomeCount", "Those that had an outcome"}}},
        {{"UsageFigures", "UsageOfTool"},
         {{"p95LatencyMs", "The time that 95 of 100 took at most, in milliseconds; above 2,047 up to 1.6 % too high"}}},
        {{"UsageFigures"}, {{"uniqueKeys", "API keys that were used"}}},
        {{"UsageSummary"},
         {{"periodDays", "Days of the window, as asked for"},
          {"from", "Where the window begins (UTC)"},
          {"to", "Where it ends: now (UTC)"}}},
        {{"UsageSummary", "UsageTimeseries", "UsageByAgent", "UsageByTool", "UsageByKey", "UsageOutcomes"},
         {{"scope", "Whose usage it is"}}},
        {{"UsageTimeseries"}, {{"data", "The buckets, oldest first"}}},
        {{"UsageByAgent", "UsageByTool", "UsageByKey", "UsageOutcomes"}, {{"data", "The groups, largest first"}}},
        {{"UsageBucket"}, {{"bucket", "When the day or hour begins (UTC)"}}},
        {{"UsageOfAgent"},
         {{"agentId", "The agent that has this name; null: none of the platform's own, or one that had it before"},
          {"agent", "Its name, what an MCP client calls itself, or direct"}}},
        {{"UsageOfAgent", "UsageOfKey"}, {{"lastUsedAt", "When the newest of them came (UTC)"}}},
        {{"UsageOfTool"},
         {{"tool", "The tool's name, or the method and route of REST"},
          {"channel", "How it was asked for: rest, mcp, agent or session"}}},
        {{"UsageOfKey"},
         {{"keyId", "The API key; null: another credential"},
          {"keyName", "Its name; empty for another credential"},
          {"keyPrefix", "How its secret begins"},
          {"keyType", "Its type: live or pat"}}},
        {{"UsageOutcome"},
         {{"outcomeType", "What was achieved, such as shift_filled"}, {"totalCount", "In how many requests"}}},
        {{"UsageGranularity"}, {{"", "How long a bucket is, from its start in UTC"}}},
    };
}

std::vector<StructWords> billing_words() {
    return {
        {{"BillingFilter"}, {{"status", "Only rows that stand so: pending, sent, dead, held or no_subject"}}},
        {{"BillingRow"},
         {{"id", "Newer rows have higher ids"},
          {"organizationId", "Whose outcome it is"},
          {"requestId", "Request that had the outcome"},
          {"eventName", "The outcome, by which the meter knows it"},
          {"subject", "The organization's billingCustomerRef when it happened; null: it had none"},
          {"value", "How much it counts for"},
          {"identifier", "The same on each attempt, so that the meter counts it once"},
          {"occurredAt", "When it happened (UTC)"},
          {"status",
           "pending: to be sent; sent; dead: given up; held: it may have been sent before; no_subject: nobody to bill"},
          {"attempts", "How often it was tried"},
          {"nextAttemptAt", "When it is tried next at the earliest; null: not by itself"},
          {"lastError", "Why the last attempt failed; null: it did not"}}},
        {{"BillingStatus"}, {{"", "What became of an outcome that is billed"}}},
    };
}

}  // namespace workforce::operations
