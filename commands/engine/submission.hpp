// A command on its way to its partition, and the answer that comes back.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "commands/command.hpp"
#include "commands/view.hpp"

namespace workforce::commands {

/// The two texts by which a retry is recognised. The log has them in clear, so digests of what people send are keyed.
struct Idempotency {
    std::string key;  ///< digest of credential lineage, sandbox flag and the client's key
    std::string
        fingerprint;  ///< digest of method, path, query and body; or the key, where that alone names the request

    /// Whether a request of that fingerprint under the same key is this one.
    [[nodiscard]] bool repeats(std::string_view first) const { return fingerprint == key || fingerprint == first; }
};
/// The idempotency of a call that the service makes itself: its key names the call, whatever the arguments are by then.
inline Idempotency key_that_names(std::string const& key) { return {key, key}; }

/// The answer of a command, as it is stored for retries.
struct Reply {
    std::uint16_t status = 200;
    std::string body;
    std::string location;           ///< of what was created, or empty
    std::int64_t version = 0;       ///< the aggregate's, for the ETag; 0: none
    bool replayed = false;          ///< the first answer, told again
    std::optional<Code> refused{};  ///< why it is no success, unless replayed
    int partition = 0;
    std::int64_t position = -1;    ///< of the command's last event; -1: it appended none
    core::Id facility = 0;         ///< of the first of its events that has one; 0: of none
    std::string_view outcome{};    ///< that usage marks (events/outcomes.hpp); static text, empty: none, or replayed
    std::int64_t retry_after = 0;  ///< of a refusal: as core::Problem has it
};

/// What `render` makes of a decision once the state shows it.
struct Rendered {
    std::string body;
    events::AggregateRef created;       ///< what a create made, where `location` leads; id 0: nothing of its own
    std::optional<std::string> kept{};  ///< what a retry is answered, where that is another body
    std::string part{};                 ///< what Decision::part would answer by itself
};

/// How long a command may wait for its turn.
inline constexpr std::chrono::seconds kSubmissionLife{30};

/// A command with all that the processor needs to know of it. The functions run on the partition's thread and are pure.
struct Submission {
    Context context;
    std::optional<Idempotency> idempotency;
    std::optional<std::vector<std::int64_t>> if_match;  ///< versions of `target`, of which the caller expects one
    events::AggregateRef target;                        ///< what the command is about; id 0: something new
    std::uint16_t success_status = 200;
    std::string location_prefix;  ///< "/api/shifts/" for a create, else empty
    std::function<Result<Decision>(View const&, Context const&)> decide;
    std::function<Rendered(View const&, Decision const&)> render;
    /// The refusal as the client is to read it.
    std::function<std::string(core::Problem const&)> render_problem;
    /// False: a refusal is computed again for each retry (a body that is not valid), not stored.
    bool store_refusal = true;
    /// When it is refused if its turn has not come: no later than kSubmissionLife after it was made.
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::now() + kSubmissionLife;
    /// Stored answers were looked through up to that position, and none was found with this key.
    std::int64_t answers_seen = -1;
};

/// The reply that refuses a submission.
inline Reply refusal(Submission const& submission, core::Problem const& problem) {
    Reply reply;
    reply.status = core::info(problem.code).status;
    reply.body = submission.render_problem(problem);
    reply.refused = problem.code;
    reply.retry_after = problem.retry_after;
    return reply;
}

}  // namespace workforce::commands
