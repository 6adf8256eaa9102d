// Commands of the command line run where their partition is written: in the live owner, else in this process.
#pragma once

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <concepts>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "workers/runtime.hpp"

namespace workforce::cli {

/// POSTs a signed request to the admin listener of the process that writes the organization's partition, which may be
/// starting or just gone: then again, until it answers or its lease has run out. Returns its answer, nothing when no
/// owner lives. Blocks.
/// Errors: std::runtime_error with the owner's refusal, or when the outcome is unknown.
std::optional<std::string> ask_owner(workers::Runtime const& runtime, core::Id organization, std::string const& path,
                                     std::string const& body);

/// Runs `local(runtime)`, an awaitable Result, to its end and returns its value. Blocks.
/// Errors: std::runtime_error with the refusal.
template <class Local>
auto run_here(workers::Runtime& runtime, Local local) {
    boost::asio::io_context context;
    auto done = boost::asio::co_spawn(context, local(runtime), boost::asio::use_future);
    context.run();
    auto result = done.get();
    if (!result) throw std::runtime_error(result.error().message);
    return *std::move(result);
}

/// What a command gave, as JSON: a text is that already.
template <class Value>
std::string as_json(Value const& value) {
    if constexpr (std::same_as<Value, std::string>)
        return value;
    else
        return core::to_json(value);
}

/// Asks the live owner, or runs `local` here where none lives, and returns the answer as JSON. The body's
/// organizationId tells whose partition it is about. `local` takes the runtime and gives an awaitable Result of a
/// described struct, or of JSON. Errors: as ask_owner, and the command's refusal.
template <class Body, class Local>
std::string ask_where_served(core::Config const& config, std::string const& path, Body const& body, Local local) {
    workers::Runtime runtime(config);
    std::shared_ptr<void> const stopping(nullptr, [&](void*) { runtime.stop(); });
    auto answer = ask_owner(runtime, body.organizationId, path, core::to_json(body));
    if (!answer) answer = as_json(run_here(runtime, local));
    return *std::move(answer);
}

/// As ask_where_served(), and prints the answer; only after `settling`, where what was done holds everywhere by then.
template <class Body, class Local>
std::string run_where_served(core::Config const& config, std::string const& path, Body const& body, Local local,
                             std::chrono::milliseconds settling = {}) {
    auto const answer = ask_where_served(config, path, body, std::move(local));
    std::this_thread::sleep_for(settling);
    fmt::print("{}\n", answer);
    return answer;
}

}  // namespace workforce::cli
