// The handler of every command: input, context, submission, outcome.
#pragma once

#include <functional>
#include <optional>

#include "operations/call.hpp"
#include "operations/schema/ids.hpp"

namespace workforce::operations {

/// The command context of a call: who, where, with which rights.
commands::Context command_context(Call const& call);
/// The same of a caller who asks for the operation.
commands::Context command_context(Caller const& caller, Operation const& operation, CallMeta const& meta);

/// The submission that refuses a request which isn't valid: it goes through the partition so that a key that was used
/// before is noticed first (domain 5: idempotency comes before validation).
commands::Submission refused_submission(commands::Context context, core::Problem problem);

/// Fills in what a submission needs from the call (idempotency, expected versions, rendering where it has none) and,
/// where the operation creates something, so many new ids; submits it. The call's body is gone from then on.
boost::asio::awaitable<Outcome> submit(Call& call, commands::Submission submission, std::size_t new_ids);

/// The look that a command takes before its handler asks somebody outside: on its partition's writer, at the state that
/// stands there. Gives whether the command stands so far.
using LookAhead = std::function<bool(commands::View const& view, commands::Context const& context)>;
/// Looks. Appends nothing but a 412 under the request's key. Gives the outcome where there is nothing to ask for any
/// more: the request was answered before under its key, can't be decided now, or stands so far and expects another
/// version than there is.
boost::asio::awaitable<std::optional<Outcome>> look_ahead(Call& call, LookAhead look);

/// What a command itself would find wrong with input that its types refuse, so that all is told at once. An operation's
/// file specializes it; members that could not be read are as in a new command.
template <class Command>
struct FurtherFaults {
    static std::vector<core::FieldError> of(Command const&) { return {}; }
};

/// Adds faults of members in which none was found yet.
void add_faults(core::JsonReader& reader, std::vector<core::FieldError> const& faults);

/// What the partition's writer answers to the call's idempotency key: the answer of the key's first request, what is
/// wrong with the key, or, where it is new, the problem that stands in the place of the call's body. Carries nothing
/// out: no handler runs. Throws std::logic_error for a call whose body is no problem.
boost::asio::awaitable<Outcome> recall_answer(Call& call);

/// Reads a command's fields from JSON; the reader has its unknown members. Members that can't be read are as in a new
/// command. Returns what is wrong with it, or nothing.
template <class Command>
std::optional<core::Problem> read_fields(core::JsonValue const& json, Command& command, core::JsonReader& reader) {
    core::JsonType<Command>::read(json, command, reader);
    check_ids(command, reader);
    if (reader.errors().empty()) return std::nullopt;
    add_faults(reader, FurtherFaults<Command>::of(command));
    return core::validation_problem(reader.errors());
}

/// Reads a command's fields from the body; unknown members become warnings. `id` is the path's.
template <class Command>
core::Result<Command> read_command(Call& call) {
    auto const& body = *call.input.body;
    if (!body) return tl::unexpected(body.error());
    Command command;
    core::JsonReader reader;
    if (auto fault = read_fields(*body, command, reader)) return tl::unexpected(*std::move(fault));
    warn_ignored(call, "fields", reader.unknown());
    if constexpr (requires { command.id; }) command.id = call.input.path.id();
    return command;
}

/// What is wrong with a call's input as that of a command.
template <class Command>
core::Result<void> check_command(Call& call) {
    return read_command<Command>(call).map([](Command const&) {});
}

/// The submission of a command, or of the refusal of what was no command. Ids of what it makes are still missing.
template <class Command>
commands::Submission submission_of(Call const& call, core::Result<Command> command) {
    auto context = command_context(call);
    if (!command) return refused_submission(std::move(context), unless_behind(call, command.error()));
    return commands::make_submission(*std::move(command), std::move(context));
}

/// The handler of a command whose input is the command itself.
template <class Command>
boost::asio::awaitable<Outcome> run_command(Call& call) {
    auto command = read_command<Command>(call);
    std::size_t const new_ids = command ? 1 : 0;
    return submit(call, submission_of(call, std::move(command)), new_ids);
}

}  // namespace workforce::operations
