// Commands on guardrails. Who is bound to facilities sees the policies that concern these, and changes those that
// concern no others.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/guardrail.hpp"

namespace workforce::commands {

/// How many policies an organization may have, its sandbox apart.
inline constexpr std::int64_t kMostGuardrails = 1000;

/// POST /api/guardrails. Of whoever is bound to facilities a policy is of these where it names none.
/// FACILITY_SCOPE_VIOLATION; DUPLICATE_RESOURCE where another has the name; LIMIT_REACHED; VALIDATION_ERROR for agents
/// that the organization does not have.
struct CreateGuardrail : events::GuardrailDetails {
    using Answer = events::Guardrail;
    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(CreateGuardrail, (events::GuardrailDetails), ())
Result<Decision> decide(View const& view, CreateGuardrail const& command, Context const& context);
events::Guardrail answer(View const& view, CreateGuardrail const& command, Decision const& decision);

/// PUT or PATCH /api/guardrails/{id}. Errors: as CreateGuardrail, and NOT_FOUND.
struct UpdateGuardrail : events::GuardrailChanges {
    using Answer = events::Guardrail;
    Id id = 0;
    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(UpdateGuardrail, (events::GuardrailChanges), ())
Result<Decision> decide(View const& view, UpdateGuardrail const& command, Context const& context);
events::Guardrail answer(View const& view, UpdateGuardrail const& command, Decision const& decision);

/// DELETE /api/guardrails/{id}. For good: NOT_FOUND from then on.
struct DeleteGuardrail {
    using Answer = Nothing;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(DeleteGuardrail, (), ())
Result<Decision> decide(View const& view, DeleteGuardrail const& command, Context const& context);

}  // namespace workforce::commands
