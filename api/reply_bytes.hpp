// The memory that answers have until clients took them, counted for whom they are. Small ones count for nobody: the
// number of connections bounds them. What these functions are given outlives the answers.
#pragma once

#include <cstddef>

#include "core/result.hpp"
#include "net/byte_budget.hpp"
#include "operations/operation.hpp"

namespace workforce::api {

/// Room for the usual answer of a write, `copies` times, before the write is done. Nothing is taken while anybody may
/// have as much. Errors: SERVICE_UNAVAILABLE.
core::Result<net::HeldBytes> reserve_reply(net::ByteBudget& replies, net::ByteHolder holder, std::size_t copies = 1);

/// Counts an outcome's body until its answer has left, as often as there are to be copies of it at a time. `reserved`
/// is what reserve_reply() gave. Errors: no_room().
core::Result<void> hold_body(net::ByteBudget& replies, net::ByteHolder holder, operations::Effect effect,
                             operations::Outcome& outcome, net::HeldBytes reserved, std::size_t copies = 1);

/// Has `held`, which may hold something already, hold an answer of that many bytes. False where there is no room: then
/// it holds nothing.
bool hold_reply(net::ByteBudget& replies, net::ByteHolder holder, std::size_t bytes, net::HeldBytes& held);

/// The refusal for lack of room: SERVICE_UNAVAILABLE. `done`: the write took effect, and only its answer is missing.
core::Problem no_room(bool done = false);

}  // namespace workforce::api
