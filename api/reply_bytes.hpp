// The memory that answers have until clients took them, counted for whom they are. Small ones count for nobody: the
// number of connections bounds them. What these functions are given outlives the answers.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/result.hpp"
#include "net/byte_budget.hpp"
#include "net/http.hpp"
#include "operations/operation.hpp"

namespace workforce::api {

/// The refusal of a write, before it is done, whose answer would find no room: SERVICE_UNAVAILABLE.
std::optional<core::Problem> foresee_reply(net::ByteBudget& replies, net::ByteHolder holder);

/// Counts an outcome's body until its answer has left, as often as there are to be copies of it at a time. Errors:
/// SERVICE_UNAVAILABLE for a read for whose answer there is no room.
core::Result<void> hold_body(net::ByteBudget& replies, net::ByteHolder holder, operations::Effect effect,
                             operations::Outcome& outcome, std::size_t copies = 1);

/// Counts the text of an answer that is made, whether or not there is room.
net::HeldBytes hold_text(net::ByteBudget& replies, net::ByteHolder holder, std::string_view text);

/// What who asks for more is told: SERVICE_UNAVAILABLE.
core::Problem unread();

}  // namespace workforce::api
