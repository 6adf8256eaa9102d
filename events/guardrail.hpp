// Guardrails: policies of an organization that bound what tools may be called for (domain 1.11), their events, and how
// they fold. Nothing in them is personal, as long as nobody writes it there.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "events/condition.hpp"
#include "events/index.hpp"
#include "events/resource.hpp"
#include "events/user.hpp"
#include "events/weekly_window.hpp"

namespace workforce::events {

enum class GuardrailEffect : std::uint8_t { block, require_approval };
BOOST_DESCRIBE_ENUM(GuardrailEffect, block, require_approval)

/// By which way a tool is called.
enum class ToolChannel : std::uint8_t { mcp, agent };
BOOST_DESCRIBE_ENUM(ToolChannel, mcp, agent)

/// Names of tools as a pattern, in which `*` stands for any text and `?` for any character.
struct ToolGlobPolicy {
    static constexpr std::string_view kRule = "tool_glob", kSchemaKey = "pattern",
                                      kSchemaValue = "^[a-z0-9_*?]{1,100}$",
                                      kMessage = "may have a-z, 0-9, '_', '*' and '?', at most 100";
    static void normalise(std::string&) {}
    static bool check(std::string_view text);
};
using ToolGlob = core::Formatted<ToolGlobPolicy>;

/// What a caller says of a new policy. A call meets it where each of these does that says something; an empty list says
/// nothing.
struct GuardrailDetails {
    core::Name name;  ///< unique in the organization, its sandbox apart
    core::LongText description;
    GuardrailEffect effect = GuardrailEffect::block;
    std::vector<ToolGlob> tools;
    std::vector<ToolChannel> channels{ToolChannel::mcp, ToolChannel::agent};
    std::vector<Condition> conditions;  ///< all of which the call's arguments meet
    core::Nullable<WeeklyWindow> window;
    std::vector<Id> facilityIds;
    std::vector<Role> roles;
    std::vector<Id> agentIds;
    core::Int<-1000, 1000> priority;
    bool isEnabled = true;

    static constexpr std::array<std::string_view, 3> kRequired{"name", "effect", "tools"};
};
BOOST_DESCRIBE_STRUCT(GuardrailDetails, (),
                      (name, description, effect, tools, channels, conditions, window, facilityIds, roles, agentIds,
                       priority, isEnabled))

/// The fields of an update: absent means unchanged.
struct GuardrailChanges {
    std::optional<core::Name> name;
    std::optional<core::LongText> description;
    std::optional<GuardrailEffect> effect;
    std::optional<std::vector<ToolGlob>> tools;
    std::optional<std::vector<ToolChannel>> channels;
    std::optional<std::vector<Condition>> conditions;
    std::optional<core::Nullable<WeeklyWindow>> window;
    std::optional<std::vector<Id>> facilityIds;
    std::optional<std::vector<Role>> roles;
    std::optional<std::vector<Id>> agentIds;
    std::optional<core::Int<-1000, 1000>> priority;
    std::optional<bool> isEnabled;
};
BOOST_DESCRIBE_STRUCT(GuardrailChanges, (),
                      (name, description, effect, tools, channels, conditions, window, facilityIds, roles, agentIds,
                       priority, isEnabled))

struct GuardrailFlags {
    core::Nullable<Id> createdBy;  ///< user id; null where no user stands behind the credential
};
BOOST_DESCRIBE_STRUCT(GuardrailFlags, (), (createdBy))

struct Guardrail : Identified, GuardrailDetails, GuardrailFlags, Stamped {};
BOOST_DESCRIBE_STRUCT(Guardrail, (Identified, GuardrailDetails, GuardrailFlags, Stamped), ())

struct GuardrailCreated : GuardrailDetails {
    static constexpr std::string_view kType = "guardrail.created";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(GuardrailCreated, (GuardrailDetails), ())

struct GuardrailUpdated : GuardrailChanges {
    static constexpr std::string_view kType = "guardrail.updated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(GuardrailUpdated, (GuardrailChanges), ())

struct GuardrailDeleted {
    static constexpr std::string_view kType = "guardrail.deleted";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kEnds = true;
};
BOOST_DESCRIBE_STRUCT(GuardrailDeleted, (), ())

using GuardrailEvent = std::variant<GuardrailCreated, GuardrailUpdated, GuardrailDeleted>;

/// A policy with what callers don't see of it.
struct GuardrailRecord : Guardrail {
    static constexpr Kind kKind = Kind::guardrail;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(GuardrailRecord, (Guardrail), (deleted))
inline Guardrail const& resource_of(GuardrailRecord const& record) { return record; }

/// All that were not deleted.
struct GuardrailsOfOrganization : Index<Kind::guardrail> {
    static constexpr bool kDeleted = false;
};
/// Those of a facility alone in its sandbox.
struct GuardrailsOfFacility : OfFacility<Kind::guardrail, Only<&Guardrail::facilityIds>> {};

/// Folds one event into the policy.
void evolve(GuardrailRecord& record, GuardrailEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::guardrail> : Declared<GuardrailRecord, GuardrailEvent> {
    static constexpr bool kInActivity = false;
    static constexpr bool kGivesFacilities = true;
    using Deleted = GuardrailDeleted;
    using Indexes = boost::mp11::mp_list<GuardrailsOfOrganization, GuardrailsOfFacility>;
};

}  // namespace workforce::events
