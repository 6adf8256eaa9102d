// Commands of the command line run where their partition is written: in the live owner, else in this process.
#pragma once

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "api/runtime.hpp"

namespace workforce::api {

/// POSTs a signed request to the admin listener of the process that writes the organization's partition, which may be
/// starting or just gone: then again, until it answers or its lease has run out. Returns its answer, nothing when no
/// owner lives. Blocks.
/// Errors: std::runtime_error with the owner's refusal, or when the outcome is unknown.
std::optional<std::string> ask_owner(Runtime const& runtime, core::Id organization, std::string const& path,
                                     std::string const& body);

/// Asks the live owner, or runs `local` here where none lives, and prints the answer as JSON. The body's organizationId
/// tells whose partition it is about. `local` takes the runtime and gives an awaitable Result of a described struct.
/// Errors: as ask_owner, and the command's refusal.
template <class Body, class Local>
void run_where_served(core::Config const& config, std::string const& path, Body const& body, Local local) {
    Runtime runtime(config);
    if (auto const answer = ask_owner(runtime, body.organizationId, path, core::to_json(body))) {
        fmt::print("{}\n", *answer);
    } else {
        boost::asio::io_context context;
        auto done = boost::asio::co_spawn(context, local(runtime), boost::asio::use_future);
        context.run();
        auto result = done.get();
        if (!result) throw std::runtime_error(result.error().message);
        fmt::print("{}\n", core::to_json(*result));
    }
    runtime.stop();
}

}  // namespace workforce::api
