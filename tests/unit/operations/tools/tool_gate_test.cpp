// What stands between a call of a tool and what it does.
#include "operations/tools/tool_gate.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "events/roles.hpp"

namespace workforce::operations {
namespace {

using nlohmann::json;

Caller key_of(std::vector<std::string> const& scopes, events::ModelTier tier = events::ModelTier::advanced) {
    Caller caller;
    caller.organization = 7;
    caller.permissions = permissions_of_key(scopes, false);
    caller.own_permissions = caller.permissions;
    caller.tier = tier;
    return caller;
}

Tool const& tool(std::string_view name) { return *find_tool(name); }

/// "allowed", the refusal's code with its details, or why it waits.
std::string told(ToolVerdict const& verdict) {
    if (auto const* problem = std::get_if<core::Problem>(&verdict)) {
        return std::string(core::info(problem->code).name) + problem->details;
    }
    auto const* deferral = std::get_if<ToolDeferral>(&verdict);
    if (deferral == nullptr) return "allowed";
    return "waits for " + std::string(core::enum_name(deferral->reason)) +
           (deferral->guardrail ? " " + *deferral->guardrail : "");
}

TEST(ToolGate, AsksForScopeThenRoleThenTier) {
    auto const problem = check_tool_access(key_of({"shifts:read"}, events::ModelTier::basic), tool("shifts_create"),
                                           usual_model_tiers());
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->code, core::Code::insufficient_scope);
    EXPECT_EQ(problem->details, R"({"permission":"shifts.create"})");
    auto bound = key_of({"shifts:write"});
    bound.permissions.reset();
    bound.own_permissions.reset();
    bound.role_lacks.set();
    EXPECT_EQ(check_tool_access(bound, tool("shifts_create"), usual_model_tiers())->code, core::Code::forbidden);
    auto const low = check_tool_access(key_of({"shifts:write"}, events::ModelTier::basic), tool("shifts_create"),
                                       usual_model_tiers());
    ASSERT_TRUE(low);
    EXPECT_EQ(low->code, core::Code::tier_required);
    auto const details = json::parse(low->details);
    EXPECT_EQ(details["requiredTier"], "standard");
    EXPECT_EQ(details["credentialTier"], "basic");
    EXPECT_EQ(details["tierEquivalence"].front(), "*-mini") << "each pattern that is good enough, the least first";
    EXPECT_FALSE(check_tool_access(key_of({"shifts:write"}), tool("shifts_create"), usual_model_tiers()));
}

TEST(ToolGate, NamesModelsAsTheyAreConfigured) {
    auto const tiers = read_model_tiers("advanced=c-*,basic=a,standard=b,advanced=d");
    auto const low =
        check_tool_access(key_of({"shifts:write"}, events::ModelTier::basic), tool("shifts_create"), tiers);
    ASSERT_TRUE(low);
    EXPECT_EQ(json::parse(low->details)["tierEquivalence"], json({"b", "c-*", "d"}));
    EXPECT_THROW(read_model_tiers("basic=a"), std::logic_error);
}

TEST(ToolGate, DefersByTheToolsRuleInRunsOfAgents) {
    auto const& risky = tool("shifts_cancel");
    auto const& plain = tool("shifts_create");
    auto const& reads = tool("shifts_list");
    ToolContext context;
    for (auto const* each : {&risky, &plain, &reads})
        EXPECT_EQ(told(check_tool_call(*each, core::JsonValue(rapidjson::kObjectType), context, {})), "allowed");
    context.channel = ToolChannel::agent;
    EXPECT_EQ(told(check_tool_call(risky, core::JsonValue(rapidjson::kObjectType), context, {})),
              "waits for tool_policy");
    EXPECT_EQ(told(check_tool_call(plain, core::JsonValue(rapidjson::kObjectType), context, {})), "allowed");
    context.mode = ApprovalMode::always;
    EXPECT_EQ(told(check_tool_call(plain, core::JsonValue(rapidjson::kObjectType), context, {})),
              "waits for agent_setting");
    EXPECT_EQ(told(check_tool_call(reads, core::JsonValue(rapidjson::kObjectType), context, {})), "allowed");
    context.mode = ApprovalMode::trusted;
    EXPECT_EQ(told(check_tool_call(risky, core::JsonValue(rapidjson::kObjectType), context, {})), "allowed");
    context = {.channel = ToolChannel::agent, .approved = true};
    EXPECT_EQ(told(check_tool_call(risky, core::JsonValue(rapidjson::kObjectType), context, {})), "allowed")
        << "a person approved it";
}

TEST(ToolGate, GuardrailsComeBeforeTheToolsRule) {
    GuardrailMatch const blocks{events::GuardrailEffect::block, 1, "No \"cancelling\"", false};
    GuardrailMatch const waits{events::GuardrailEffect::require_approval, 2, "Ask first", false};
    auto const& risky = tool("shifts_cancel");
    ToolContext context{.channel = ToolChannel::agent};
    EXPECT_EQ(told(check_tool_call(risky, core::JsonValue(rapidjson::kObjectType), context, blocks)),
              R"(GUARDRAIL_BLOCKED{"guardrail":"No \"cancelling\""})");
    EXPECT_EQ(told(check_tool_call(risky, core::JsonValue(rapidjson::kObjectType), context, waits)),
              "waits for guardrail Ask first");
    EXPECT_EQ(std::get<ToolDeferral>(check_tool_call(risky, core::JsonValue(rapidjson::kObjectType), context, waits))
                  .guardrail_id,
              waits.id);
    context.approved = true;
    EXPECT_EQ(told(check_tool_call(risky, core::JsonValue(rapidjson::kObjectType), context, waits)), "allowed");
    EXPECT_EQ(told(check_tool_call(risky, core::JsonValue(rapidjson::kObjectType), context, blocks)),
              R"(GUARDRAIL_BLOCKED{"guardrail":"No \"cancelling\""})");
    EXPECT_TRUE(is_policy_refusal(core::Code::guardrail_blocked));
}

}  // namespace
}  // namespace workforce::operations
