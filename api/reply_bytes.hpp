// The memory that answers have until clients took them, counted for whom they are. Small ones count for nobody: the
// number of connections bounds them. What these functions are given outlives the answers.
#pragma once

#include <optional>

#include "core/result.hpp"
#include "net/byte_budget.hpp"
#include "net/http.hpp"
#include "operations/operation.hpp"

namespace workforce::api {

/// The refusal of a write, before it is done, whose answer would find no room: SERVICE_UNAVAILABLE.
std::optional<core::Problem> foresee_reply(net::ByteBudget& replies, net::ByteHolder holder);

/// Counts an outcome's body until its answer has left. Errors: SERVICE_UNAVAILABLE for a read for whose answer there is
/// no room.
core::Result<void> hold_body(net::ByteBudget& replies, net::ByteHolder holder, operations::Effect effect,
                             operations::Outcome& outcome);

/// Counts the body of another process's answer, which is done whether or not there is room.
void hold_reply(net::ByteBudget& replies, net::ByteHolder holder, net::Reply& reply);

}  // namespace workforce::api
