// Rules of guardrails (domain 1.11, 2.6, 16).
#include "commands/guardrail.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/facility.hpp"
#include "core/json_path.hpp"
#include "core/utf8.hpp"
#include "events/agent.hpp"

namespace workforce::commands {
namespace {

using events::GuardrailRecord;
constexpr std::size_t kMostConditions = 20;

using PolicyFault = std::optional<tl::unexpected<core::Problem>>;

NewEvent guardrail_event(Id id, events::GuardrailEvent event) {
    return {{events::Kind::guardrail, id}, 0, std::move(event)};
}

/// Whether the policy concerns the caller: one of no facility concerns all.
bool policy_concerns(events::Guardrail const& policy, Context const& context) {
    return context.facilities.empty() || policy.facilityIds.empty() ||
           std::ranges::any_of(policy.facilityIds, [&](Id id) { return context.reaches(id); });
}

/// Whether the policy concerns nobody whom the caller does not reach.
bool is_theirs_alone(events::Guardrail const& policy, Context const& context) {
    return context.facilities.empty() ||
           (!policy.facilityIds.empty() &&
            std::ranges::all_of(policy.facilityIds, [&](Id id) { return context.reaches(id); }));
}

/// The policy, where the caller may change it. Errors: NOT_FOUND, FACILITY_SCOPE_VIOLATION.
Result<GuardrailRecord const*> changeable_policy(View const& view, Id id, Context const& context) {
    auto const* record = view.get<GuardrailRecord>(id);
    if (!record || record->deleted || !policy_concerns(*record, context)) return not_found("guardrail", id);
    if (!is_theirs_alone(*record, context)) {
        return refuse(Code::facility_scope_violation, "The guardrail concerns facilities beside yours, too.");
    }
    return record;
}

/// Each once, in their order.
template <class T>
std::vector<T> each_once(std::vector<T> values) {
    auto end = values.begin();
    for (auto& value : values) {
        if (std::find(values.begin(), end, value) == end) *end++ = value;
    }
    values.erase(end, values.end());
    return values;
}

PolicyFault check_policy_facilities(View const& view, std::vector<Id> const& facilities, Context const& context) {
    for (Id const id : facilities) {
        if (auto const found = facility_in_scope(view, id, context); !found) return tl::unexpected(found.error());
    }
    return std::nullopt;
}

/// Refuses what is no agent of the organization.
PolicyFault check_policy_agents(View const& view, std::vector<Id> const& agents) {
    Requirements(view).rows<events::AgentRecord>(agents).require();
    bool const known = std::ranges::all_of(agents, [&](Id id) {
        auto const* agent = view.get<events::AgentRecord>(id);
        return agent && !agent->deleted;
    });
    if (known) return std::nullopt;
    return invalid_field("agentIds", "known", "must be agents of the organization");
}

/// Refuses a name that another policy has, in whatever case, and one more policy than there may be. `own`: the policy
/// that has the name; 0: a new one.
PolicyFault check_policy_name(View const& view, core::Name const& name, Id own, Context const& context) {
    auto const key = core::fold_case(name.value);
    auto const standing = view.by<events::GuardrailsOfOrganization>();
    for (auto const* other : standing) {
        if (other->id == own || core::fold_case(other->name.value) != key) continue;
        return policy_concerns(*other, context) ? duplicate("name", other->id) : duplicate_unseen("name");
    }
    if (own != 0 || std::ssize(standing) < kMostGuardrails) return std::nullopt;
    return refuse(Code::limit_reached,
                  fmt::format("The organization may have {} guardrails, and has them already.", kMostGuardrails),
                  fmt::format(R"({{"resource":"guardrail","limit":{}}})", kMostGuardrails));
}

/// What lists must have, and where paths of conditions begin.
void check_policy_lists(core::FieldCheck& fields, std::vector<events::ToolGlob> const* tools,
                        std::vector<events::ToolChannel> const* channels,
                        std::vector<events::Condition> const* conditions) {
    if (tools && tools->empty() && fields.sound("tools")) fields.fail("tools", "min_items", "must name a tool");
    if (channels && channels->empty() && fields.sound("channels")) {
        fields.fail("channels", "min_items", "must name a channel");
    }
    if (!conditions || !fields.sound("conditions")) return;
    if (conditions->size() > kMostConditions) {
        fields.fail("conditions", "max_items", fmt::format("takes at most {} items", kMostConditions));
    }
    for (std::size_t i = 0; i < conditions->size(); ++i) {
        auto const path = core::JsonPath::parse((*conditions)[i].path.value);
        if (path && path->root() == "arguments" && !path->is_root()) continue;
        fields.fail(fmt::format("conditions[{}].path", i), "path", "must lead to an argument, as arguments.rate does");
    }
}

}  // namespace

void CreateGuardrail::check(core::FieldCheck& fields) const {
    check_policy_lists(fields, &tools, &channels, &conditions);
}

void UpdateGuardrail::check(core::FieldCheck& fields) const {
    check_policy_lists(fields, tools ? &*tools : nullptr, channels ? &*channels : nullptr,
                       conditions ? &*conditions : nullptr);
}

Result<Decision> decide(View const& view, CreateGuardrail const& command, Context const& context) {
    events::GuardrailCreated created{command};
    if (created.facilityIds.empty()) created.facilityIds = context.facilities;
    if (auto fault = check_policy_facilities(view, created.facilityIds, context)) return *fault;
    if (auto fault = check_policy_agents(view, created.agentIds)) return *fault;
    if (auto fault = check_policy_name(view, created.name, 0, context)) return *fault;
    created.channels = each_once(std::move(created.channels));
    created.facilityIds = each_once(std::move(created.facilityIds));
    created.roles = each_once(std::move(created.roles));
    created.agentIds = each_once(std::move(created.agentIds));
    return Decision{{guardrail_event(context.new_ids.at(0), std::move(created))}, {}};
}
events::Guardrail answer(View const& view, CreateGuardrail const&, Decision const& decision) {
    return *view.get<GuardrailRecord>(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, UpdateGuardrail const& command, Context const& context) {
    auto const found = changeable_policy(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& record = **found;
    events::GuardrailUpdated updated{command};
    if (updated.facilityIds) updated.facilityIds = each_once(*std::move(updated.facilityIds));
    if (updated.channels) updated.channels = each_once(*std::move(updated.channels));
    if (updated.roles) updated.roles = each_once(*std::move(updated.roles));
    if (updated.agentIds) updated.agentIds = each_once(*std::move(updated.agentIds));
    if (!events::keep_changed(static_cast<events::Guardrail const&>(record),
                              static_cast<events::GuardrailChanges&>(updated))) {
        return Decision{};
    }
    if (updated.facilityIds) {
        if (updated.facilityIds->empty() && !context.facilities.empty()) {
            return refuse(Code::facility_scope_violation, "facilityIds must name some of your facilities.");
        }
        if (auto fault = check_policy_facilities(view, *updated.facilityIds, context)) return *fault;
    }
    if (updated.agentIds) {
        if (auto fault = check_policy_agents(view, *updated.agentIds)) return *fault;
    }
    if (updated.name) {
        if (auto fault = check_policy_name(view, *updated.name, command.id, context)) return *fault;
    }
    return Decision{{guardrail_event(command.id, std::move(updated))}, {}};
}
events::Guardrail answer(View const& view, UpdateGuardrail const& command, Decision const&) {
    return *view.get<GuardrailRecord>(command.id);
}

Result<Decision> decide(View const& view, DeleteGuardrail const& command, Context const& context) {
    auto const found = changeable_policy(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    return Decision{{guardrail_event(command.id, events::GuardrailDeleted{})}, {}};
}

}  // namespace workforce::commands
