// Where the answers kept for idempotency stand in the log: which the writer of a partition looks up once they have left
// its memory.
#pragma once

#include <string>
#include <string_view>

#include "projections/engine/projection.hpp"

namespace workforce::projections {

/// What rows know an idempotency key by, as the text of a uuid.
std::string answer_key(std::string_view idempotency_key);

/// What keeps read.answer. Answers that count no more are passed over.
ProjectionType answer_projection();

}  // namespace workforce::projections
