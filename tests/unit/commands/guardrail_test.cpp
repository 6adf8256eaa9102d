// Guardrails: what makes one, what is refused, and who sees and changes it.
#include "commands/guardrail.hpp"

#include <gtest/gtest.h>

#include "tests/support/given.hpp"

namespace workforce::commands {
namespace {

using tests::Given;

CreateGuardrail policy(std::string const& name, std::vector<Id> facilities = {}) {
    CreateGuardrail command;
    command.name = core::Name(name);
    command.effect = events::GuardrailEffect::block;
    command.tools = {events::ToolGlob("shifts_*")};
    command.facilityIds = std::move(facilities);
    return command;
}

UpdateGuardrail change(Id id) {
    UpdateGuardrail command;
    command.id = id;
    return command;
}

Given given_guarded() {
    Given given;
    given.organization().facility(1).facility(2);
    return given;
}

/// A policy that is there, of these facilities.
Id stands(Given& given, Id id, std::string const& name, std::vector<Id> facilities = {}) {
    given.context.new_ids = {id};
    given.after(policy(name, std::move(facilities)));
    return id;
}

TEST(CreateGuardrail, TakesWhatIsSaidAndDefaultsForTheRest) {
    auto given = given_guarded();
    auto const made = given.after(policy("No shifts"));
    EXPECT_EQ(made.id, 101);
    EXPECT_EQ(made.createdBy.value, 3);
    EXPECT_TRUE(made.isEnabled);
    EXPECT_EQ(made.channels, (std::vector{events::ToolChannel::mcp, events::ToolChannel::agent}));
    EXPECT_EQ(made.priority.value, 0);
    EXPECT_FALSE(made.window.value);
}

TEST(CreateGuardrail, FaultsNameTheFields) {
    auto const faults = [](std::string_view more) {
        return tests::faults_in<CreateGuardrail>(R"({"name":"n","effect":"block","tools":["*"])" + std::string(more) +
                                                 "}");
    };
    EXPECT_EQ(faults(""), "");
    EXPECT_EQ(tests::faults_in<CreateGuardrail>("{}"), "name required, effect required, tools required");
    EXPECT_EQ(tests::faults_in<CreateGuardrail>(R"({"name":"","effect":"allow","tools":[]})"),
              "name min_length, effect enum, tools min_items");
    EXPECT_EQ(tests::faults_in<CreateGuardrail>(R"({"name":"n","effect":"block","tools":["Shifts","a b","","[a-z]"]})"),
              "tools[0] tool_glob, tools[1] tool_glob, tools[2] tool_glob, tools[3] tool_glob");
    EXPECT_EQ(faults(R"(,"channels":[])"), "channels min_items");
    EXPECT_EQ(faults(R"(,"channels":["rest"])"), "channels[0] enum");
    EXPECT_EQ(faults(R"(,"roles":["boss"])"), "roles[0] enum");
    EXPECT_EQ(faults(R"(,"priority":1001)"), "priority range");
    EXPECT_EQ(faults(R"(,"conditions":[{"path":"rate","op":"gt","value":5}])"), "conditions[0].path path");
    EXPECT_EQ(faults(R"(,"conditions":[{"path":"arguments","op":"exists","value":true}])"), "conditions[0].path path");
    EXPECT_EQ(faults(R"(,"conditions":[{"path":"arguments.rate","op":"gt","value":5}])"), "");
    EXPECT_EQ(faults(R"(,"conditions":[{"path":"arguments.shifts[*].rate","op":"in","value":[]}])"),
              "conditions[0].value condition_value");
    EXPECT_EQ(faults(R"(,"window":{"days":[9],"from":"08:00","to":"17:00","timezone":"UTC"})"), "window.days[0] range");
    EXPECT_EQ(faults(R"(,"window":null)"), "");
    std::string many;
    for (int i = 0; i < 21; ++i) {
        many += many.empty() ? "" : ",";
        many += R"({"path":"arguments.rate","op":"gt","value":5})";
    }
    EXPECT_EQ(faults(R"(,"conditions":[)" + many + "]"), "conditions max_items");
}

TEST(CreateGuardrail, HasANameOfItsOwn) {
    auto given = given_guarded();
    stands(given, 11, "No shifts");
    auto const twin = given.when(policy("NO SHIFTS"));
    EXPECT_EQ(twin.summary(), "DUPLICATE_RESOURCE");
    EXPECT_EQ(twin.details(), R"({"field":"name","existingId":11})");
    given.context.sandbox = true;
    EXPECT_EQ(given.when(policy("No shifts")).summary(), "guardrail.created") << "the sandbox has names of its own";
    given.context.sandbox = false;
    DeleteGuardrail gone{11};
    given.after(gone);
    EXPECT_EQ(given.when(policy("No shifts")).summary(), "guardrail.created") << "what was deleted has none";
}

TEST(CreateGuardrail, IsOfFacilitiesWithinReach) {
    auto given = given_guarded();
    EXPECT_EQ(given.when(policy("a", {9})).summary(), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(given.when(policy("a", {2, 1, 2})).event<events::GuardrailCreated>().facilityIds,
              (std::vector<Id>{2, 1}));
    given.context.facilities = {1};
    EXPECT_EQ(given.when(policy("a", {2})).summary(), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(given.when(policy("a")).event<events::GuardrailCreated>().facilityIds, std::vector<Id>{1})
        << "who is bound makes none for everybody";
}

TEST(CreateGuardrail, NamesNoAgents) {
    auto given = given_guarded();
    auto command = policy("a");
    command.agentIds = {5};
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR");
}

TEST(CreateGuardrail, StopsAtTheLimit) {
    auto given = given_guarded();
    for (Id id = 1; id <= kMostGuardrails; ++id) {
        events::GuardrailCreated created{policy("Policy " + std::to_string(id))};
        given.event({events::Kind::guardrail, id}, events::GuardrailEvent(std::move(created)));
    }
    auto const refused = given.when(policy("One more"));
    EXPECT_EQ(refused.summary(), "LIMIT_REACHED");
    EXPECT_EQ(refused.details(), R"({"resource":"guardrail","limit":1000})");
    auto renamed = change(1);
    renamed.name = core::Name("Other");
    EXPECT_EQ(given.when(renamed).summary(), "guardrail.updated");
}

TEST(UpdateGuardrail, TellsWhatChanged) {
    auto given = given_guarded();
    auto const id = stands(given, 11, "No shifts");
    auto command = change(id);
    command.name = core::Name("No shifts");
    command.isEnabled = false;
    auto const outcome = given.when(command);
    auto const& updated = outcome.event<events::GuardrailUpdated>();
    EXPECT_FALSE(updated.name);
    EXPECT_EQ(updated.isEnabled, false);
    EXPECT_EQ(given.when(change(id)).summary(), "nothing");
    command.isEnabled.reset();
    command.window = core::Nullable<events::WeeklyWindow>();
    EXPECT_EQ(given.when(command).summary(), "nothing");
    EXPECT_EQ(given.when(change(99)).summary(), "NOT_FOUND");
}

TEST(UpdateGuardrail, IsRefusedToThoseWhomItDoesNotConcernAlone) {
    auto given = given_guarded();
    auto const all = stands(given, 11, "All");
    auto const both = stands(given, 12, "Both", {1, 2});
    auto const theirs = stands(given, 13, "Theirs", {2});
    auto const own = stands(given, 14, "Own", {1});
    given.context.facilities = {1};
    auto const disabled = [&](Id id) {
        auto command = change(id);
        command.isEnabled = false;
        return given.when(command).summary();
    };
    EXPECT_EQ(disabled(all), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(disabled(both), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(disabled(theirs), "NOT_FOUND");
    EXPECT_EQ(disabled(own), "guardrail.updated");
    for (Id const id : {all, both}) EXPECT_EQ(given.when(DeleteGuardrail{id}).summary(), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(given.when(DeleteGuardrail{theirs}).summary(), "NOT_FOUND");
    auto widened = change(own);
    widened.facilityIds = std::vector<Id>{};
    EXPECT_EQ(given.when(widened).summary(), "FACILITY_SCOPE_VIOLATION");
    auto named = change(own);
    named.name = core::Name("theirs");
    auto const outcome = given.when(named);
    EXPECT_EQ(outcome.summary(), "DUPLICATE_RESOURCE");
    EXPECT_EQ(outcome.details(), R"({"field":"name"})") << "whose it is, they don't know";
}

TEST(DeleteGuardrail, IsForGood) {
    auto given = given_guarded();
    auto const id = stands(given, 11, "No shifts");
    given.after(DeleteGuardrail{id});
    EXPECT_EQ(given.when(DeleteGuardrail{id}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(change(id)).summary(), "NOT_FOUND");
    EXPECT_TRUE(events::ends(events::GuardrailEvent(events::GuardrailDeleted{})));
}

}  // namespace
}  // namespace workforce::commands
