// Agents: who does work that nobody should have to do (domain 1.11), their events, and how they fold. Nothing in them
// is personal.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "events/agent_plan.hpp"
#include "events/api_key.hpp"
#include "events/index.hpp"

namespace workforce::events {

enum class AgentExecutor : std::uint8_t { scripted, llm };
BOOST_DESCRIBE_ENUM(AgentExecutor, scripted, llm)

/// Which calls of an agent wait for a person: those whose tools say so, all that are no reads, or those alone of which
/// no call goes without.
enum class AgentApprovalMode : std::uint8_t { default_, always, trusted };
BOOST_DESCRIBE_ENUM(AgentApprovalMode, default_, always, trusted)

/// What a run may take at most.
struct AgentLimits {
    core::Int<1, 200> maxToolCalls = 50;
    core::Int<1, 50> maxSteps = 50;
    core::Int<5, 900> timeoutSeconds = 120;  ///< without the time in which it waits for people
    core::Int<1'000, 10'000'000> maxTokens = 200'000;

    static constexpr std::array<std::string_view, 0> kRequired{};
};
BOOST_DESCRIBE_STRUCT(AgentLimits, (), (maxToolCalls, maxSteps, timeoutSeconds, maxTokens))

/// As AgentLimits, of which some are to change.
struct AgentLimitsChanges {
    using PartOf = AgentLimits;
    std::optional<core::Int<1, 200>> maxToolCalls;
    std::optional<core::Int<1, 50>> maxSteps;
    std::optional<core::Int<5, 900>> timeoutSeconds;
    std::optional<core::Int<1'000, 10'000'000>> maxTokens;
};
BOOST_DESCRIBE_STRUCT(AgentLimitsChanges, (), (maxToolCalls, maxSteps, timeoutSeconds, maxTokens))

using Instructions = core::Text<0, 16'000, core::TextForm::paragraph>;

/// What a caller says of a new agent.
struct AgentDetails {
    core::Nullable<Id> facilityId;  ///< that its calls are limited to; null: where its user may act
    core::Name name;
    core::LongText description;
    AgentExecutor executor = AgentExecutor::scripted;
    Plan plan;                        ///< of runs that bring none
    core::Nullable<RunValue> output;  ///< template of what a run gives; null: its last result
    Instructions instructions;
    ModelTier modelTier = ModelTier::standard;
    std::vector<core::Name> allowedTools;  ///< names of tools, with `*` for any text
    AgentApprovalMode approvalMode = AgentApprovalMode::default_;
    AgentLimits limits;

    static constexpr std::array<std::string_view, 2> kRequired{"name", "allowedTools"};
};
BOOST_DESCRIBE_STRUCT(AgentDetails, (),
                      (facilityId, name, description, executor, plan, output, instructions, modelTier, allowedTools,
                       approvalMode, limits))

/// The fields of an update: absent means unchanged.
struct AgentChanges {
    std::optional<core::Name> name;
    std::optional<core::LongText> description;
    std::optional<AgentExecutor> executor;
    std::optional<Plan> plan;
    std::optional<core::Nullable<RunValue>> output;
    std::optional<Instructions> instructions;
    std::optional<ModelTier> modelTier;
    std::optional<std::vector<core::Name>> allowedTools;
    std::optional<AgentApprovalMode> approvalMode;
    std::optional<AgentLimitsChanges> limits;
};
BOOST_DESCRIBE_STRUCT(AgentChanges, (),
                      (name, description, executor, plan, output, instructions, modelTier, allowedTools, approvalMode,
                       limits))

struct AgentFlags {
    bool isActive = true;
    core::Nullable<Id> createdBy;  ///< user id; null where no user stands behind the credential
};
BOOST_DESCRIBE_STRUCT(AgentFlags, (), (isActive, createdBy))

struct Agent : Identified, AgentDetails, AgentFlags, Stamped {};
BOOST_DESCRIBE_STRUCT(Agent, (Identified, AgentDetails, AgentFlags, Stamped), ())

struct AgentCreated : AgentDetails {
    static constexpr std::string_view kType = "agent.created";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(AgentCreated, (AgentDetails), ())

struct AgentUpdated : AgentChanges {
    static constexpr std::string_view kType = "agent.updated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(AgentUpdated, (AgentChanges), ())

/// Nothing starts it any more. Its live runs are cancelled by events of their own.
struct AgentDeactivated {
    static constexpr std::string_view kType = "agent.deactivated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(AgentDeactivated, (), ())

struct AgentReactivated {
    static constexpr std::string_view kType = "agent.reactivated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(AgentReactivated, (), ())

/// A reset of its sandbox deleted it.
struct AgentDeleted {
    static constexpr std::string_view kType = "agent.deleted";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(AgentDeleted, (), ())

using AgentEvent = std::variant<AgentCreated, AgentUpdated, AgentDeactivated, AgentReactivated, AgentDeleted>;

/// An agent with what callers don't see of it.
struct AgentRecord : Agent {
    static constexpr Kind kKind = Kind::agent;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(AgentRecord, (Agent), (deleted))
inline Agent const& resource_of(AgentRecord const& record) { return record; }

/// The agents of the organization.
struct AgentsOfOrganization : Index<Kind::agent, Value<&Agent::organizationId>> {
    static constexpr bool kDeleted = false;
};
/// Those of a facility in its sandbox.
struct AgentsOfFacility : OfFacility<Kind::agent, Value<&Agent::facilityId>> {};

/// Folds one event into the agent.
void evolve(AgentRecord& agent, AgentEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::agent> : Declared<AgentRecord, AgentEvent> {
    using Deleted = AgentDeleted;
    using Indexes = boost::mp11::mp_list<AgentsOfOrganization, AgentsOfFacility>;
};

}  // namespace workforce::events
