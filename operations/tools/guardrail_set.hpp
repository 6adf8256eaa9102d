// The guardrails of an organization, made ready to judge calls of tools (domain 6.4).
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/json_path.hpp"
#include "events/guardrail.hpp"

namespace workforce::operations {

using core::Id;

/// A call of a tool, as policies look at it. What it refers to outlives the look.
struct GuardedCall {
    std::string_view tool;
    core::JsonValue const& arguments;
    /// Further arguments, each to be judged as those of a call of its own: of many in one.
    std::span<core::JsonValue const* const> items{};
    events::ToolChannel channel = events::ToolChannel::mcp;
    Id agent = 0;                        ///< whose run calls; 0: none
    std::optional<events::Role> role{};  ///< of the user behind the call; nothing: there is none
    std::span<Id const> facilities{};    ///< that it may concern; none: any
    core::Timestamp now{};
};

/// The facilities that a call names: by its arguments, or by items of their lists.
std::vector<Id> named_facilities(core::JsonValue const& arguments);

/// The policy that decides on a call.
struct GuardrailMatch {
    events::GuardrailEffect effect = events::GuardrailEffect::block;
    Id id = 0;
    std::string_view name;     ///< the set's
    bool by_facility = false;  ///< it is of some facilities alone
    std::uint32_t place = 0;   ///< the policy's among those of the set: the least decides
};

/// What a look at a call has cost, for tests: it is to depend on what can concern the call alone.
struct GuardrailWork {
    std::size_t policies = 0;
    std::size_t paths = 0;
};

/// Policies by the tools that they are of. Immutable, so thread-safe. A look takes neither locks nor round trips.
class GuardrailSet {
   public:
    /// Of the enabled ones among the policies; globs are matched with these names of tools.
    GuardrailSet(std::span<events::Guardrail const> policies, std::span<std::string_view const> tools);
    GuardrailSet(GuardrailSet const&) = delete;
    GuardrailSet& operator=(GuardrailSet const&) = delete;

    /// The policy that decides: one that blocks before one that requires an approval, then that of the higher priority,
    /// then the older one. `blocks_only`: an approval was given. Nothing: the call goes on. Texts of both sides compare
    /// without regard to case, form and blanks around them, and numbers that miss a hundredth by less than 10^-6 are
    /// that one, as those are read who carry the call out. A text that is too long for a pattern, or comes when
    /// patterns took too many steps already, meets it.
    [[nodiscard]] std::optional<GuardrailMatch> find(GuardedCall const& call, bool blocks_only = false,
                                                     GuardrailWork* work = nullptr) const;

    /// How many steps patterns may take of a call.
    static constexpr std::size_t kMostSteps = 5'000'000;

    [[nodiscard]] std::size_t size() const { return policies_.size(); }

   private:
    struct Test {
        std::uint32_t path = 0;  // of paths_
        events::ConditionOp op = events::ConditionOp::eq;
        core::JsonValue value;
    };
    struct Policy {
        events::GuardrailEffect effect = events::GuardrailEffect::block;
        std::bitset<2> channels;
        std::bitset<16> roles;              // none: any
        std::optional<std::size_t> window;  // of windows_
        std::vector<Id> facilities;
        std::vector<Id> agents;
        std::vector<Test> tests;
        Id id = 0;
        std::string name;
    };
    class Look;

    void add(events::Guardrail const& guardrail);
    std::optional<GuardrailMatch> find_one(Look& look, std::span<std::uint32_t const> places, bool blocks_only) const;
    std::uint32_t path_of(std::string_view text);

    rapidjson::Document values_;  // whose allocator the tests' values are of
    std::vector<Policy> policies_;
    std::vector<events::WeeklyWindow> windows_;
    std::vector<core::JsonPath> paths_;
    std::vector<std::optional<core::JsonPath>> lists_;  // of each path to the items of a list: that of the list
    std::unordered_map<std::string, std::vector<std::uint32_t>> by_tool_;  // in the order in which they decide
};

}  // namespace workforce::operations
