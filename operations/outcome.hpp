// What an operation answers, whichever way it was asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "operations/http_binding.hpp"

namespace workforce::operations {

/// An answer, or a refusal in the form that the operation's row names.
struct Outcome {
    std::uint16_t status = 200;
    std::string body;                     ///< of the type that was asked for, RawInput::answer
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

/// A refusal as text.
std::string render_problem(core::Problem const& problem, std::string_view request_id,
                           ErrorForm form = ErrorForm::envelope);
/// The media type of that text.
MediaType media_type_of(ErrorForm form);

/// The outcome that refuses.
Outcome refusal(core::Problem const& problem, std::string_view request_id, ErrorForm form = ErrorForm::envelope);

}  // namespace workforce::operations
