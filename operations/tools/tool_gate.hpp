// What stands between a call of a tool and what it does, for every way in: scope, role, tier, arguments, and which
// calls wait for a person (domain 6.4).
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "events/approval.hpp"
#include "events/guardrail.hpp"
#include "operations/tools/guardrail_set.hpp"
#include "operations/tools/model_tiers.hpp"
#include "operations/tools/tool.hpp"

namespace workforce::operations {

using events::ToolChannel;

/// Which calls of an agent wait for a person (domain 1.11).
enum class ApprovalMode : std::uint8_t {
    by_tool,  ///< those whose tools say so ("default")
    always,   ///< all that are no reads
    trusted,  ///< those alone of which no call goes without
};

using events::DeferralReason;

/// How a call came to be made.
struct ToolContext {
    ToolChannel channel = ToolChannel::mcp;
    Id agent = 0;                               ///< whose run calls; 0: none
    ApprovalMode mode = ApprovalMode::by_tool;  ///< of that agent
    bool approved = false;  ///< a person approved this very call: nothing defers it, what blocks it still does
};

/// The call goes on.
struct ToolAllowed {};

/// The call waits for a person.
struct ToolDeferral {
    DeferralReason reason = DeferralReason::tool_policy;
    std::optional<std::string> guardrail{};  ///< the policy's name, where one is the reason
    std::optional<Id> guardrail_id{};
};

/// What is to become of a call: it goes on, it is refused, or it waits. A refusal of policy has in its details what the
/// caller lacks: `permission`, `requiredTier` and its company, or `guardrail`.
using ToolVerdict = std::variant<ToolAllowed, core::Problem, ToolDeferral>;

/// Whether a problem is a refusal of policy, and none of what the call says or meets.
bool is_policy_refusal(core::Code code);

/// Why the caller, with the rights that hold for tools, may not call the tool at all: INSUFFICIENT_SCOPE, FORBIDDEN,
/// TIER_REQUIRED, which names models of these tiers that will do. Nothing where it may. Looks nothing up.
std::optional<core::Problem> check_tool_access(Caller const& caller, Tool const& tool, ModelTiers const& tiers);

/// The verdict on a call that access and arguments allow: what the guardrail says that decides on it, if any, then what
/// its tool and its agent say of approval. Looks nothing up.
/// `arguments` are those of the call.
ToolVerdict check_tool_call(Tool const& tool, core::JsonValue const& arguments, ToolContext const& context,
                            std::optional<GuardrailMatch> const& policy);

}  // namespace workforce::operations
