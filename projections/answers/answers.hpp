// Where the answers kept for idempotency stand in the log: which the writer of a partition looks up once they have left
// its memory.
#pragma once

#include <string>
#include <string_view>

#include "projections/projection.hpp"

namespace workforce::projections {

/// How long an answer counts, in milliseconds.
inline constexpr std::int64_t kAnswerLifeMs = 24 * 3'600'000LL;

/// What rows know an idempotency key by, as the text of a uuid.
std::string answer_key(std::string_view idempotency_key);

/// What keeps read.answer. Answers older than they count are passed over.
ProjectionType answer_projection();

}  // namespace workforce::projections
