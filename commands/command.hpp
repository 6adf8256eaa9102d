// What every command is decided with, and what a decision gives.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/imported_row.hpp"
#include "core/result.hpp"
#include "events/event.hpp"
#include "events/roles.hpp"

namespace workforce::commands {

using core::Code;
using core::Id;
using core::refuse;
using core::Result;
using core::Timestamp;

/// How a command came to be asked for. The events that it leads to say so; empty and 0 where it does not apply.
struct Cause {
    std::string_view verb{};       ///< the operation, "shifts.assign"; lives as long as the program
    std::string_view channel{};    ///< "rest", "mcp", "agent" or "session"; lives as long as the program
    std::string client_id{};       ///< OAuth client
    std::string correlation_id{};  ///< request id of the first cause, where that is another request
    std::string event_id{};        ///< event that led to the command
    std::string run_id{};          ///< run of an agent
    std::int32_t depth = 0;        ///< hops that agents caused
    std::string tool{};            ///< through MCP: the tool that was called
    std::string dedupe_key{};      ///< of such a call: what a repeat of it has in common with it (domain 8.3)
};

/// Everything that a decision may depend on besides the state: time, ids and the caller come in, so that `decide` is
/// pure.
struct Context {
    Timestamp now;
    events::Actor actor;
    Id credential = 0;
    std::string_view credential_type{};  ///< as usage tells it: "live", "pat", "session"; static text
    Id organization = 0;
    Id staff = 0;  ///< the staff record of the user who asks, or who is behind the credential; 0: none
    bool sandbox = false;
    bool own_only = false;                           ///< reaches what is of `staff` alone
    std::vector<Id> facilities;                      ///< the caller's facilities; empty: all of the organization
    events::Role role = events::Role::admin;         ///< the caller's own; of a key without a user what that may give
    bool may_assign = false;                         ///< holds shifts.assign
    bool may_override = false;                       ///< holds shifts.override
    Code lacks_assign = Code::insufficient_scope;    ///< what the caller is refused with who may not assign
    Code lacks_override = Code::insufficient_scope;  ///< likewise who may not override
    std::string request_id;
    Cause cause{};
    std::vector<Id> new_ids;  ///< ids for what the command creates, as many as it asked for

    /// Whether the caller's facilities include this one.
    [[nodiscard]] bool reaches(Id facility) const;

    /// The request id of the first cause: the command's own, unless another request led to it.
    [[nodiscard]] std::string const& correlation() const {
        return cause.correlation_id.empty() ? request_id : cause.correlation_id;
    }
};

/// An event that a decision wants appended, before the log's own attributes.
struct NewEvent {
    events::AggregateRef subject;
    Id facility = 0;  ///< 0: of no facility
    events::AnyEvent data;
    std::shared_ptr<Context const> as{};  ///< whose doing it is; null: the command's
};

/// A broken assignment rule: shown in `warnings` when it is only flagged, in details.violations when it blocks.
struct Violation {
    std::string code;
    std::string message;
    Id staffId = 0;
    std::optional<Id> shiftId;  ///< the other shift, where there is one
};
BOOST_DESCRIBE_STRUCT(Violation, (), (code, message, staffId, shiftId))

struct Rendered;

/// What a command leads to. No events: it already held, or there is nothing to do.
struct Decision {
    std::vector<NewEvent> events;
    std::vector<Violation> warnings;
    std::vector<std::pair<Id, core::Problem>> refused{};  ///< of several things those that stay as they are, and why
    std::vector<ImportedRow> imported{};                  ///< of an import: what becomes of each row
    Timestamp at{};                                       ///< when it was made, for answers that tell of today
    std::shared_ptr<Decision const> part{};  ///< of a command that carries out another one: that one's decision
    /// Events such as `after` gives: of the same aggregates and types. What they need is at hand before anything
    /// changes.
    std::vector<NewEvent> later{};
    /// What follows from the answer, once the events have changed the state: more events of the same command. It looks
    /// at nothing that the decision did not look at.
    std::function<std::vector<NewEvent>(Rendered const&)> after{};
};

/// The answer of a command that has none: what it was about is gone.
struct Nothing {};

/// 404 for a resource that is not there, or not visible to the caller: the two must look the same.
tl::unexpected<core::Problem> not_found(std::string_view what, Id id);
/// 409 for a command that the state forbids; `allowed` names the commands that it permits. Where there are none the
/// suggestion says so.
tl::unexpected<core::Problem> invalid_transition(std::string_view what, std::string_view from, std::string_view command,
                                                 std::vector<std::string> const& allowed,
                                                 std::string const& reason = {});
/// 400 naming one field.
tl::unexpected<core::Problem> invalid_field(std::string field, std::string rule, std::string message);
/// 409 for a value that must be unique.
tl::unexpected<core::Problem> duplicate(std::string_view field, Id existing);
/// The same where the caller may not know of the record that has it.
tl::unexpected<core::Problem> duplicate_unseen(std::string_view field);

}  // namespace workforce::commands
