// The declaration of read.guardrail.
#include "projections/guardrails/guardrails.hpp"

#include <ranges>

#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

constexpr core::Statement kEnabled{"guardrails_enabled", sql::guardrails_enabled};

}  // namespace

GuardrailRows const& guardrails() {
    static GuardrailRows const model =
        GuardrailRows::declare("guardrail")
            .seen_at("t.facility_ids && $facilities OR t.facility_ids = '{}'")
            .shown_if("NOT t.deleted")
            .column("facility_ids", [](auto const& policy) -> auto const& { return policy.facilityIds; })
            .column("deleted", [](auto const& policy) { return policy.deleted; })
            .column("is_enabled", [](auto const& policy) { return policy.isEnabled; })
            .column("effect", [](auto const& policy) { return policy.effect; })
            .column("priority", [](auto const& policy) { return policy.priority; })
            .column("name_key", [](auto const& policy) { return core::fold_case(policy.name.value); })
            .filter<&GuardrailFilter::isEnabled>("t.is_enabled = $isEnabled")
            .filter<&GuardrailFilter::effect>("t.effect = ANY ($effect)")
            .search([](auto const& policy) { return search_text(policy.name.value, policy.description.value); })
            .stamped()
            .sort("createdAt", "created_at")
            .sort("name", "name_key")
            .sort("priority", "priority");
    return model;
}

std::map<core::Id, EnabledGuardrails> enabled_guardrails(core::Connection& connection, bool sandbox,
                                                         std::map<core::Id, std::string> const& known) {
    std::map<core::Id, EnabledGuardrails> found;
    auto const organizations = core::array_literal(std::views::keys(known));
    auto const states = core::array_literal(std::views::values(known));
    auto const rows = connection.execute(kEnabled, organizations, states, sandbox);
    for (auto const& row : rows) {
        auto& of_one = found[core::read<core::Id>(row["organization_id"])];
        of_one.state = core::read<std::string>(row["state"]);
        if (row["doc"].is_null()) continue;
        of_one.policies.push_back(core::from_stored_json<events::Guardrail>(core::read_view(row["doc"])));
    }
    return found;
}

}  // namespace workforce::projections
