// The operations on guardrails: policies that bound what tools may be called for.
#include <algorithm>

#include "commands/guardrail.hpp"
#include "core/glob.hpp"
#include "operations/declare.hpp"
#include "operations/tools/guardrail_sets.hpp"
#include "operations/tools/tool.hpp"
#include "operations/words/words.hpp"
#include "projections/guardrails/guardrails.hpp"

namespace workforce::operations {

/// A call that is only tried on the policies.
struct GuardrailTest {
    core::Name tool;
    core::AnyObject<100'000> arguments;
    events::ToolChannel channel = events::ToolChannel::mcp;
    std::optional<events::Role> role;  ///< of who calls; absent: the caller's own
    std::optional<core::Timestamp> at;

    static constexpr std::array<std::string_view, 1> kRequired{"tool"};
};
BOOST_DESCRIBE_STRUCT(GuardrailTest, (), (tool, arguments, channel, role, at))

enum class GuardrailTestEffect : std::uint8_t { allow, block, require_approval };
BOOST_DESCRIBE_ENUM(GuardrailTestEffect, allow, block, require_approval)

struct GuardrailTestResult {
    GuardrailTestEffect effect = GuardrailTestEffect::allow;
    core::Nullable<std::string> guardrail;
};
BOOST_DESCRIBE_STRUCT(GuardrailTestResult, (), (effect, guardrail))

namespace {

using boost::asio::awaitable;
using events::Kind;

/// Faults of globs that are of no tool: a mistyped one would look like a policy that holds.
std::vector<core::FieldError> unknown_tools(std::vector<events::ToolGlob> const& globs) {
    std::vector<core::FieldError> faults;
    for (std::size_t i = 0; i < globs.size(); ++i) {
        bool const known = std::ranges::any_of(
            tools(), [&](Tool const& tool) { return core::matches_glob(globs[i].value, tool.name); });
        if (!known) faults.push_back({"tools[" + std::to_string(i) + "]", "known", "matches no tool"});
    }
    return faults;
}
std::vector<core::FieldError> unknown_tools(commands::CreateGuardrail const& command) {
    return unknown_tools(command.tools);
}
std::vector<core::FieldError> unknown_tools(commands::UpdateGuardrail const& command) {
    return command.tools ? unknown_tools(*command.tools) : std::vector<core::FieldError>();
}
std::vector<core::FieldError> unknown_tools(commands::DeleteGuardrail const&) { return {}; }

}  // namespace

template <>
struct FurtherFaults<commands::CreateGuardrail> {
    static std::vector<core::FieldError> of(commands::CreateGuardrail const& command) { return unknown_tools(command); }
};
template <>
struct FurtherFaults<commands::UpdateGuardrail> {
    static std::vector<core::FieldError> of(commands::UpdateGuardrail const& command) { return unknown_tools(command); }
};

namespace {

/// As run_command(), of policies whose globs are of tools.
template <class Command>
awaitable<Outcome> change_guardrail(Call& call) {
    auto command = read_command<Command>(call);
    if (command) {
        if (auto const faults = unknown_tools(*command); !faults.empty()) {
            command = tl::unexpected(core::validation_problem(faults));
        }
    }
    std::size_t const new_ids = command ? 1 : 0;
    auto outcome = co_await submit(call, submission_of(call, std::move(command)), new_ids);
    if (outcome.refused || outcome.status >= 300) co_return outcome;
    co_await await_own_writes(call);  // from what it shows on, calls are bound within kGuardrailTrust
    if (call.stale) call.warnings.emplace_back("the change is kept, but binds no calls yet: read models are behind");
    co_return outcome;
}

GuardrailTestEffect effect_of(std::optional<GuardrailMatch> const& policy) {
    if (!policy) return GuardrailTestEffect::allow;
    bool const blocks = policy->effect == events::GuardrailEffect::block;
    return blocks ? GuardrailTestEffect::block : GuardrailTestEffect::require_approval;
}

awaitable<Outcome> test_guardrails(Call& call) {
    auto const test = read_command<GuardrailTest>(call);
    if (!test) co_return refuse(call, test.error());
    auto const* const tool = find_tool(test->tool.value);
    if (tool == nullptr) {
        co_return refuse(call, core::validation_problem({{"tool", "known", "must be the name of a tool"}}));
    }
    co_await await_own_writes(call);
    auto const& caller = *call.caller;
    auto const organization = call.meta.organization == 0 ? caller.organization : call.meta.organization;
    auto const policies = co_await call.services.guardrails->read(organization, call.meta.sandbox);
    auto const arguments = core::parse_json(test->arguments.text).value();
    auto const named = named_facilities(arguments);
    auto const items = calls_within(*tool, arguments);
    std::optional<events::Role> role;
    if (caller.user.id != 0) role = caller.user.role;
    auto const policy = policies->find({.tool = test->tool.value,
                                        .arguments = arguments,
                                        .items = items,
                                        .channel = test->channel,
                                        .role = test->role ? test->role : role,
                                        .facilities = named.empty() ? caller.facilities : named,
                                        .now = test->at.value_or(core::now())});
    GuardrailTestResult result;
    result.effect = effect_of(policy);
    if (policy) result.guardrail = std::string(policy->name);
    co_return Outcome{.body = core::to_json(result)};
}

Operation test_row() {
    auto row = query_with<GuardrailTestResult, TargetQuery>("guardrails.test", "Try a call on the guardrails",
                                                            test_guardrails);
    row.body = &request_of<GuardrailTest>;
    row.body_example = &example<GuardrailTest, Side::request>;
    row.body_required = true;
    row.reads = {projections::guardrails().spec().name};
    return row;
}

template <class Command>
Operation changed_guardrail(std::string_view name, std::string_view summary) {
    auto row = command<Command>(name, summary);
    row.handler = change_guardrail<Command>;
    row.reads = {projections::guardrails().spec().name};
    return std::move(row).needs("guardrails.edit").audit();
}

}  // namespace

std::vector<Operation> guardrail_operations() {
    using enum net::Method;
    using projections::guardrails;
    return {
        list<guardrails>("guardrails.list", "List guardrails")
            .says("Returns a page of the policies that block calls of tools or have them wait for an approval.")
            .needs("guardrails.view")
            .at(get, "/api/guardrails"),
        one<guardrails>("guardrails.get", "Read a guardrail")
            .says("Returns one policy with all that a call has to meet for it to count.")
            .needs("guardrails.view")
            .at(get, "/api/guardrails/{id:int}"),
        changed_guardrail<commands::CreateGuardrail>("guardrails.create", "Add a guardrail")
            .says(
                "Adds a policy and returns it. It binds calls of tools at every process within a second. A call meets "
                "it where each member does that says something. One that blocks counts before one that requires an "
                "approval; then the higher priority names itself. Refused where another policy of the organization "
                "has the name, and past 1,000 of them.")
            .refuses({core::Code::duplicate_resource, core::Code::limit_reached})
            .creates(Kind::guardrail)
            .at(post, "/api/guardrails"),
        changed_guardrail<commands::UpdateGuardrail>("guardrails.update", "Change a guardrail")
            .says("Changes the fields that are given; others stay, and lists are replaced as a whole. Returns the "
                  "policy. It binds calls within a second.")
            .refuses({core::Code::duplicate_resource})
            .on(Kind::guardrail)
            .at(patch, "/api/guardrails/{id:int}")
            .also_put("guardrails.put"),
        changed_guardrail<commands::DeleteGuardrail>("guardrails.delete", "Delete a guardrail")
            .says("Deletes a policy for good. Calls that wait for an approval because of it go on waiting.")
            .on(Kind::guardrail)
            .destroys()
            .at(del, "/api/guardrails/{id:int}"),
        test_row()
            .says(
                "Says what the policies would make of a call of a tool, and which of them decides. Nothing is called. "
                "Of a call that names no facility it is told as of one that concerns any of yours.")
            .needs("guardrails.view")
            .appends_nothing()
            .else_at_home()
            .at(post, "/api/guardrails/test"),
    };
}

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
