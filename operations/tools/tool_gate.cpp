// The checks in their order.
#include "operations/tools/tool_gate.hpp"

#include <fmt/format.h>

namespace workforce::operations {
namespace {

using core::Code;

core::Problem too_low(Caller const& caller, Tool const& tool, ModelTiers const& tiers) {
    auto const needed = tool.binding().tier;
    core::JsonWriter w;
    w.begin_object();
    w.member("requiredTier", core::enum_name(needed));
    w.key("tierEquivalence");
    w.begin_array();
    for (auto const& row : tiers) {
        if (row.tier < needed) continue;
        for (auto const& pattern : row.equivalence) w.string(pattern);
    }
    w.end_array();
    w.member("credentialTier", core::enum_name(caller.tier));
    w.end_object();
    return {Code::tier_required,
            fmt::format("{} takes a credential of the tier {}.", tool.name, core::enum_name(needed)), w.take()};
}

core::Problem blocked_by(GuardrailMatch const& policy, Tool const& tool) {
    core::JsonWriter w;
    w.begin_object();
    w.member("guardrail", policy.name);
    w.end_object();
    return {Code::guardrail_blocked,
            fmt::format("The guardrail \"{}\" of the organization blocks this call of {}.", policy.name, tool.name),
            w.take()};
}

/// Why a call waits by the tool's own word and its agent's, if it does.
std::optional<DeferralReason> deferred_by_rule(Tool const& tool, core::JsonValue const& arguments,
                                               ToolContext const& context) {
    auto const& binding = tool.binding();
    auto const rule = binding.waits_if == nullptr || binding.waits_if(arguments) ? binding.approval : Approval::never;
    if (rule == Approval::always) return DeferralReason::tool_policy;
    if (context.channel != ToolChannel::agent) return std::nullopt;
    if (rule == Approval::headless && context.mode != ApprovalMode::trusted) return DeferralReason::tool_policy;
    bool const reads = tool.operation->effect == Effect::read;
    if (context.mode == ApprovalMode::always && !reads) return DeferralReason::agent_setting;
    return std::nullopt;
}

}  // namespace

bool is_policy_refusal(Code code) {
    return code == Code::insufficient_scope || code == Code::forbidden || code == Code::tier_required ||
           code == Code::guardrail_blocked;
}

std::optional<core::Problem> check_tool_access(Caller const& caller, Tool const& tool, ModelTiers const& tiers) {
    if (auto problem = lacking(caller, *tool.operation)) return problem;
    if (caller.tier < tool.binding().tier) return too_low(caller, tool, tiers);
    return std::nullopt;
}

ToolVerdict check_tool_call(Tool const& tool, core::JsonValue const& arguments, ToolContext const& context,
                            std::optional<GuardrailMatch> const& policy) {
    if (policy && policy->effect == events::GuardrailEffect::block) return blocked_by(*policy, tool);
    if (context.approved) return ToolAllowed{};
    if (policy) return ToolDeferral{DeferralReason::guardrail, std::string(policy->name), policy->id};
    if (auto const reason = deferred_by_rule(tool, arguments, context)) return ToolDeferral{*reason};
    return ToolAllowed{};
}

}  // namespace workforce::operations
