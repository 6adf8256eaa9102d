// Which policy decides on a call of a tool.
#include "operations/tools/guardrail_set.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "operations/tools/tool.hpp"
#include "tests/support/given.hpp"

namespace workforce::operations {
namespace {

using events::Guardrail;
using events::GuardrailEffect;
using events::Role;
using events::ToolChannel;

constexpr std::array<std::string_view, 4> kTools{"shifts_list", "shifts_create", "shifts_cancel", "staff_create"};

Guardrail policy(Id id, std::string const& glob, GuardrailEffect effect = GuardrailEffect::block) {
    Guardrail made;
    made.id = id;
    made.name = core::Name("policy " + std::to_string(id));
    made.effect = effect;
    made.tools = {events::ToolGlob(glob)};
    return made;
}

Guardrail where(Guardrail made, std::string const& path, events::ConditionOp op, std::string const& value) {
    made.conditions.push_back({core::Text<1, 200>(path), op, {value}});
    return made;
}

/// A call, by default of shifts_create by nobody in particular, concerning any facility.
struct Asked {
    std::string_view tool = "shifts_create";
    std::string_view arguments = "{}";
    ToolChannel channel = ToolChannel::mcp;
    Id agent = 0;
    std::optional<Role> role{};
    std::vector<Id> facilities{};
    std::string_view at = "2026-07-24T10:00:00Z";
    bool approved = false;
};

/// The id of the policy that decides; 0: none does.
Id deciding(std::vector<Guardrail> const& policies, Asked const& asked, GuardrailWork* work = nullptr) {
    GuardrailSet const set(policies, kTools);
    auto const arguments = core::parse_json(asked.arguments).value();
    auto const found = set.find({.tool = asked.tool,
                                 .arguments = arguments,
                                 .channel = asked.channel,
                                 .agent = asked.agent,
                                 .role = asked.role,
                                 .facilities = asked.facilities,
                                 .now = tests::at(asked.at)},
                                asked.approved, work);
    return found ? found->id : 0;
}

TEST(GuardrailSet, GoesByTheToolsName) {
    std::vector const policies{policy(1, "shifts_c*")};
    EXPECT_EQ(deciding(policies, {}), 1);
    EXPECT_EQ(deciding(policies, {.tool = "shifts_cancel"}), 1);
    EXPECT_EQ(deciding(policies, {.tool = "shifts_list"}), 0);
    EXPECT_EQ(deciding(policies, {.tool = "staff_create"}), 0);
    EXPECT_EQ(deciding(policies, {.tool = "unknown"}), 0);
    EXPECT_EQ(deciding({}, {}), 0);
}

TEST(GuardrailSet, WhatIsDisabledDoesNotCount) {
    auto disabled = policy(1, "*");
    disabled.isEnabled = false;
    EXPECT_EQ(deciding({disabled}, {}), 0);
    EXPECT_EQ(GuardrailSet(std::vector{disabled, policy(2, "*")}, kTools).size(), 1U);
}

TEST(GuardrailSet, BlockBeatsApprovalThenPriorityThenAge) {
    auto waits = policy(1, "*", GuardrailEffect::require_approval);
    waits.priority = 1000;
    auto low = policy(2, "*");
    low.priority = -1000;
    EXPECT_EQ(deciding({waits, low}, {}), 2);
    EXPECT_EQ(deciding({waits}, {}), 1);
    auto high = policy(9, "*");
    high.priority = 1;
    EXPECT_EQ(deciding({waits, low, high}, {}), 9);
    EXPECT_EQ(deciding({policy(5, "*"), policy(4, "*")}, {}), 4);
    auto lesser = policy(3, "*", GuardrailEffect::require_approval);
    EXPECT_EQ(deciding({lesser, waits}, {}), 1);
}

TEST(GuardrailSet, OnceApprovedOnlyBlocksCount) {
    EXPECT_EQ(deciding({policy(1, "*", GuardrailEffect::require_approval)}, {.approved = true}), 0);
    EXPECT_EQ(deciding({policy(1, "*", GuardrailEffect::require_approval), policy(2, "*")}, {.approved = true}), 2);
}

TEST(GuardrailSet, ChannelsRolesAndAgentsNarrow) {
    auto of_agents = policy(1, "*");
    of_agents.channels = {ToolChannel::agent};
    EXPECT_EQ(deciding({of_agents}, {}), 0);
    EXPECT_EQ(deciding({of_agents}, {.channel = ToolChannel::agent, .agent = 4}), 1);
    auto of_roles = policy(1, "*");
    of_roles.roles = {Role::scheduler, Role::viewer};
    EXPECT_EQ(deciding({of_roles}, {.role = Role::viewer}), 1);
    EXPECT_EQ(deciding({of_roles}, {.role = Role::admin}), 0);
    EXPECT_EQ(deciding({of_roles}, {}), 0) << "nobody's role";
    auto of_one = policy(1, "*");
    of_one.agentIds = {4, 5};
    EXPECT_EQ(deciding({of_one}, {.channel = ToolChannel::agent, .agent = 5}), 1);
    EXPECT_EQ(deciding({of_one}, {.channel = ToolChannel::agent, .agent = 6}), 0);
    EXPECT_EQ(deciding({of_one}, {}), 0);
}

TEST(GuardrailSet, FacilitiesNarrowUnlessTheCallHasNone) {
    auto here = policy(1, "*");
    here.facilityIds = {3, 4};
    EXPECT_EQ(deciding({here}, {.facilities = {4, 9}}), 1);
    EXPECT_EQ(deciding({here}, {.facilities = {5}}), 0);
    EXPECT_EQ(deciding({here}, {}), 1) << "a call without a facility meets every facility's policy";
    EXPECT_EQ(deciding({policy(1, "*")}, {.facilities = {5}}), 1);
}

TEST(GuardrailSet, KnowsTheFacilitiesThatArgumentsName) {
    auto const named = [](std::string_view text) { return named_facilities(core::parse_json(text).value()); };
    using Ids = std::vector<Id>;
    EXPECT_EQ(named(R"({"facilityId":3})"), Ids{3});
    EXPECT_EQ(named(R"({"facilityIds":[3,4],"facilityId":5})"), (Ids{5, 3, 4}));
    EXPECT_EQ(named(R"({"shifts":[{"facilityId":3},{"facilityId":4},7]})"), (Ids{3, 4}));
    EXPECT_EQ(named(R"({"facilityId":null,"facilityIds":"3","shiftId":3})"), Ids{});
    EXPECT_EQ(named("{}"), Ids{});
}

TEST(GuardrailSet, AllConditionsHaveToHold) {
    using enum events::ConditionOp;
    auto const dear =
        where(where(policy(1, "*"), "arguments.rate", gt, "80"), "arguments.title", matches, R"("Night*")");
    EXPECT_EQ(deciding({dear}, {.arguments = R"({"rate":81,"title":"Night shift"})"}), 1);
    EXPECT_EQ(deciding({dear}, {.arguments = R"({"rate":80,"title":"Night shift"})"}), 0);
    EXPECT_EQ(deciding({dear}, {.arguments = R"({"rate":81,"title":"Day"})"}), 0);
    EXPECT_EQ(deciding({dear}, {.arguments = R"({"title":"Night"})"}), 0) << "what is missing meets nothing else";
    EXPECT_EQ(deciding({dear}, {.arguments = R"({"rate":"81","title":"Night"})"}), 0) << "nor another type";
    auto const unplaced = where(policy(1, "*"), "arguments.facilityId", exists, "false");
    EXPECT_EQ(deciding({unplaced}, {}), 1);
    EXPECT_EQ(deciding({unplaced}, {.arguments = R"({"facilityId":3})"}), 0);
    auto const any = where(policy(1, "*"), "arguments.shifts[*].rate", gt, "80");
    EXPECT_EQ(deciding({any}, {.arguments = R"({"shifts":[{"rate":10},{"rate":90}]})"}), 1);
    EXPECT_EQ(deciding({any}, {.arguments = R"({"shifts":[{"rate":10},{}]})"}), 0);
    auto const listed = where(policy(1, "*"), "arguments.status[*]", eq, R"("assigned")");
    EXPECT_EQ(deciding({listed}, {.arguments = R"({"status":["open","assigned"]})"}), 1);
    EXPECT_EQ(deciding({listed}, {.arguments = R"({"status":"assigned"})"}), 1) << "one value alone, without a list";
    EXPECT_EQ(deciding({listed}, {.arguments = R"({"status":"open"})"}), 0);
}

TEST(GuardrailSet, NoSpellingPassesAPolicy) {
    using enum events::ConditionOp;
    auto const met = [](events::ConditionOp op, std::string const& value, std::string const& actual) {
        return deciding({where(policy(1, "*"), "arguments.x", op, value)}, {.arguments = "{\"x\":" + actual + "}"}) ==
               1;
    };
    EXPECT_TRUE(met(eq, R"("ICU")", R"(" icu ")"));
    EXPECT_TRUE(met(eq, R"("\u00c9")", R"("E\u0301")")) << "the same letter, composed or not";
    EXPECT_TRUE(met(matches, R"("*@Rival.test")", R"("X@RIVAL.TEST ")"));
    EXPECT_TRUE(met(in, R"(["Day", "Night"])", R"("NIGHT")"));
    EXPECT_TRUE(met(eq, "100", "100.0000001"));
    EXPECT_FALSE(met(eq, "100", "100.01"));
    EXPECT_FALSE(met(eq, R"("ICU")", R"("IC U")"));
    constexpr auto kTen = R"("2026-07-24T10:00:00Z")";
    EXPECT_TRUE(met(eq, kTen, R"(" 2026-07-24T12:00:00.0+02:00")"));
    EXPECT_TRUE(met(gt, kTen, R"("2026-07-24T09:00:00-02:00")")) << "by the moment, not by what the clock showed";
    EXPECT_FALSE(met(gt, kTen, R"("2026-07-24T11:00:00+02:00")"));
    EXPECT_TRUE(met(matches, R"("*T10:*")", R"("2026-07-24T12:00:00+02:00")"));
    EXPECT_TRUE(met(gt, R"("2026-07-24")", R"("2026-07-25")"));
}

TEST(GuardrailSet, WhatPatternsCanNotTellMeetsThem) {
    using enum events::ConditionOp;
    auto const long_text = [](std::size_t size) { return R"({"x":")" + std::string(size, 'a') + R"("})"; };
    auto const small = where(policy(1, "*"), "arguments.x", matches, R"("b*")");
    EXPECT_EQ(deciding({small}, {.arguments = long_text(4096)}), 0);
    EXPECT_EQ(deciding({small}, {.arguments = long_text(4097)}), 1) << "it is too long to be looked at";
    auto const pattern = "\"*" + std::string(100, 'a') + "b\"";  // which is tried at each place of a text
    std::vector<Guardrail> many;
    for (Id id = 1; id <= 1000; ++id) many.push_back(where(policy(id, "*"), "arguments.x", matches, pattern));
    EXPECT_NE(deciding(many, {.arguments = long_text(4096)}), 0) << "they took too many steps";
    EXPECT_EQ(deciding(many, {.arguments = long_text(20)}), 0);
}

TEST(GuardrailSet, ManyCallsInOneAreJudgedEach) {
    using enum events::ConditionOp;
    auto const cheap = core::parse_json(R"({"rate":10})").value();
    auto const dear = core::parse_json(R"({"rate":90})").value();
    auto const none = core::parse_json("{}").value();
    auto waits = where(policy(1, "*", GuardrailEffect::require_approval), "arguments.rate", lt, "50");
    GuardrailSet const set(std::vector{waits, where(policy(2, "*"), "arguments.rate", gt, "80")}, kTools);
    auto const decides = [&](std::vector<core::JsonValue const*> const& items) -> Id {
        auto const found = set.find({.tool = "shifts_create", .arguments = none, .items = items});
        return found ? found->id : 0;
    };
    EXPECT_EQ(decides({}), 0);
    EXPECT_EQ(decides({&cheap}), 1);
    EXPECT_EQ(decides({&cheap, &dear}), 2) << "the strictest counts";
    EXPECT_EQ(decides({&dear, &cheap}), 2);
}

TEST(GuardrailSet, KnowsWhichListsAreManyCalls) {
    auto const count = [](std::string_view tool, std::string_view arguments) {
        auto const read = core::parse_json(arguments).value();
        return calls_within(*find_tool(tool), read).size();
    };
    EXPECT_EQ(count("shifts_create", R"({"shifts":[{"rate":5},{"rate":6}]})"), 2U);
    EXPECT_EQ(count("shifts_create", R"({"breaks":[{"minutes":5}],"assignedStaffIds":[1]})"), 0U);
    EXPECT_EQ(count("payroll_runs_create", R"({"adjustments":[{"staffId":5}]})"), 0U);
    EXPECT_EQ(count("staff_create", R"({"skills":["a"],"workHistory":[{}]})"), 0U);
}

TEST(GuardrailSet, CountsWithinItsWindow) {
    auto nights = policy(1, "*");
    nights.window = events::WeeklyWindow{{5}, tests::clock("22:00"), tests::clock("06:00"), "Europe/Berlin"};
    EXPECT_EQ(deciding({nights}, {.at = "2026-07-24T19:59:00Z"}), 0);
    EXPECT_EQ(deciding({nights}, {.at = "2026-07-24T20:00:00Z"}), 1) << "Friday, 22:00 in Berlin";
    EXPECT_EQ(deciding({nights}, {.at = "2026-07-25T03:59:00Z"}), 1);
    EXPECT_EQ(deciding({nights}, {.at = "2026-07-25T04:00:00Z"}), 0);
}

TEST(GuardrailSet, TellsWhetherAFacilityMattered) {
    auto here = policy(1, "*");
    here.facilityIds = {3};
    auto const arguments = core::parse_json("{}").value();
    GuardedCall const call{.tool = "shifts_list", .arguments = arguments, .role = {}, .facilities = {}, .now = {}};
    EXPECT_TRUE(GuardrailSet(std::vector{here}, kTools).find(call)->by_facility);
    EXPECT_FALSE(GuardrailSet(std::vector{policy(1, "*")}, kTools).find(call)->by_facility);
}

/// What a call costs depends on the policies of its tool, and on the paths that these name.
TEST(GuardrailSet, LooksAtWhatCanConcernTheCallAlone) {
    using enum events::ConditionOp;
    std::vector<Guardrail> policies;
    for (Id id = 1; id <= 1000; ++id) {
        bool const of_tool = id % 100 == 0;
        policies.push_back(where(policy(id, of_tool ? "shifts_create" : "staff_*"), "arguments.rate", eq, "-1"));
    }
    GuardrailWork work;
    EXPECT_EQ(deciding(policies, {.arguments = R"({"rate":5})"}, &work), 0);
    EXPECT_EQ(work.policies, 10U);
    EXPECT_EQ(work.paths, 1U) << "however many policies name it";
    work = {};
    EXPECT_EQ(deciding(policies, {.tool = "shifts_list"}, &work), 0);
    EXPECT_EQ(work.policies, 0U);
    work = {};
    auto first = policy(2000, "*");
    first.priority = 1;
    policies.push_back(first);
    EXPECT_EQ(deciding(policies, {}, &work), 2000);
    EXPECT_EQ(work.policies, 1U) << "the first that decides ends it";
}

}  // namespace
}  // namespace workforce::operations
