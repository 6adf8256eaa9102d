// What rows of operations that put people on shifts have in common.
#pragma once

#include <vector>

#include "operations/operation.hpp"

namespace workforce::operations {

/// What rules of assignment refuse with, and these.
std::vector<core::Code> assignment_refusals(std::vector<core::Code> codes);

/// Whether an assignment asks to override rules: no other one leaves an entry in the audit log.
bool overrides_rules(RawInput const& input);

/// What offers a shift to people, among the operations on shifts (shift_offers.cpp).
Operation shift_offering();

}  // namespace workforce::operations
