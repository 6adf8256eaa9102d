// Guardrails as queries see them, and as calls of tools are judged by.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/bool_or_any.hpp"
#include "core/connection.hpp"
#include "events/guardrail.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of guardrails is narrowed to.
struct GuardrailFilter : ListFilter {
    std::optional<core::BoolOrAny> isEnabled{};
    std::optional<std::vector<events::GuardrailEffect>> effect{};
};
BOOST_DESCRIBE_STRUCT(GuardrailFilter, (ListFilter), (isEnabled, effect))

using GuardrailRows = ReadModel<events::GuardrailRecord, GuardrailFilter>;

/// The enabled guardrails of an organization, on one side.
struct EnabledGuardrails {
    std::string state{};                        ///< names the rows, as they are written now
    std::vector<events::Guardrail> policies{};  ///< none where the state was known already
};

/// Those of organizations, by their ids, each with the state that is known; empty: none. Blocks. Errors: pqxx's.
std::map<core::Id, EnabledGuardrails> enabled_guardrails(core::Connection& connection, bool sandbox,
                                                         std::map<core::Id, std::string> const& known);

/// read.guardrail. Who is bound to facilities sees those that concern these.
GuardrailRows const& guardrails();

}  // namespace workforce::projections
