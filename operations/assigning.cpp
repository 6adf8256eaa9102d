// What rows of operations that put people on shifts have in common.
#include "operations/assigning.hpp"

#include "core/json_values.hpp"
#include "operations/call.hpp"

namespace workforce::operations {

std::vector<core::Code> assignment_refusals(std::vector<core::Code> codes) {
    using enum core::Code;
    for (auto const rule : {staff_inactive, staff_double_booked, staff_on_time_off, credential_invalid,
                            specialty_mismatch, rest_period_violation, overtime_exceeded, staff_unavailable}) {
        codes.push_back(rule);
    }
    return codes;
}

bool overrides_rules(RawInput const& input) {
    core::JsonValue const* const body = input.body && *input.body ? &**input.body : nullptr;
    auto const* const asked = core::find_member(body, "override");
    return asked != nullptr && asked->IsBool() && asked->GetBool();
}

}  // namespace workforce::operations
