// The handler of every command route: body, context, idempotency, submission, answer.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "api/problem_reply.hpp"
#include "api/rest/ids.hpp"
#include "api/rest/route.hpp"
#include "commands/engine/processor.hpp"

namespace workforce::api {

/// How a command's route differs from the common case.
struct CommandOptions {
    std::optional<events::Kind> creates{};  ///< the kind of what it makes; ids of it are taken beforehand
    std::optional<events::Kind> target{};   ///< the kind of what the path's {id} names
    std::uint16_t success = 200;
    std::string_view location{};  ///< prefix of the Location header of a create
};

/// A JSON body as parsed, or the reason why there is none. An absent body is an empty object.
core::Result<rapidjson::Document> parse_body(net::Request const& request);

/// The command context of a call: who, where, with which rights.
commands::Context command_context(Call const& call);

/// Fills in what a submission needs from the request (idempotency, If-Match, rendering) and, where the command creates
/// something, so many new ids; submits it and makes the reply.
boost::asio::awaitable<net::Reply> run_submission(Call& call, commands::Submission submission, CommandOptions options,
                                                  std::size_t new_ids);

/// Reads a command's fields from a JSON object; unknown members are named in Service-Warnings.
template <class Command>
core::Result<Command> read_command(Call& call, core::JsonValue const& body);

/// The submission that refuses a request which isn't valid: it goes through the partition so that a key that was used
/// before is noticed first (domain 5: idempotency comes before validation).
commands::Submission refused_submission(commands::Context context, core::Problem problem);

/// Adds names of unknown members to the answer's Service-Warnings header.
void warn_ignored(Call& call, std::string_view what, std::vector<std::string> const& names);

template <class Command>
core::Result<Command> read_command(Call& call, core::JsonValue const& body) {
    Command command;
    core::JsonReader reader;
    core::JsonType<Command>::read(body, command, reader);
    check_ids(command, reader);
    if (!reader.errors().empty()) return tl::unexpected(core::validation_problem(reader.errors()));
    warn_ignored(call, "fields", reader.unknown());
    if constexpr (requires { command.id; }) command.id = call.path_ids.at(0);
    return command;
}

/// The submission of a command, or of the refusal of what was no command. Ids of what it makes are still missing.
template <class Command>
commands::Submission submission_of(Call const& call, core::Result<Command> command) {
    auto context = command_context(call);
    if (!command) return refused_submission(std::move(context), command.error());
    return commands::make_submission(*std::move(command), std::move(context));
}

/// The handler of a command whose body is the command itself.
template <class Command>
Handler command_handler(CommandOptions options) {
    return [options](Call& call) {
        auto body = parse_body(call.request);
        auto command = body ? read_command<Command>(call, *body) : core::Result<Command>(tl::unexpected(body.error()));
        std::size_t const new_ids = command ? 1 : 0;
        return run_submission(call, submission_of(call, std::move(command)), options, new_ids);
    };
}

}  // namespace workforce::api
