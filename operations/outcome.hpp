// What an operation answers, whichever way it was asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace workforce::operations {

/// An answer, or a refusal in the envelope of spec 2.10.
struct Outcome {
    std::uint16_t status = 200;
    std::string body;                     ///< JSON
    std::optional<core::Code> refused{};  ///< why it is no success; nothing for a refusal that is told again
    std::int64_t version = 0;             ///< of the resource that the body is; 0: it is no single resource
    std::string location{};               ///< where what was made can be read, or empty
    bool replayed = false;                ///< the answer of the first request with this idempotency key
};

/// What others learn of an outcome: usage, metrics, audit. Views of text that lives as long as the program.
struct Facts {
    std::string_view verb;  ///< the operation's name; empty: there was none
    std::uint16_t status = 0;
    std::optional<core::Code> refused{};
    bool replayed = false;
    double seconds = 0;  ///< from the whole request to its answer
};

/// The envelope of spec 2.10 as JSON text.
std::string render_problem(core::Problem const& problem, std::string_view request_id);

/// The outcome that refuses.
Outcome refusal(core::Problem const& problem, std::string_view request_id);

}  // namespace workforce::operations
