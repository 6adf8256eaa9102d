// Commands of the command line run where their partition is written: in the live owner, else in this process.
#pragma once

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/crypto.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {

/// A command of the command line, as the process that writes the organization's partition gets it.
struct OwnerRequest {
    core::Id organization = 0;
    std::string path;  ///< of its admin listener
    std::string body;
    std::string request_key;  ///< what retries have in common
};

/// Does what is asked for once and returns its answer: by the process that writes the organization's partition, which
/// may be starting or just gone, else by `here`. Where the outcome is unknown, and where nothing was begun, it is asked
/// for again, of whoever writes the partition then, for a bounded time. Blocks.
/// Errors: std::runtime_error with the refusal, or when the outcome is still unknown.
std::string ask_until_known(workers::Runtime const& runtime, OwnerRequest const& request,
                            std::function<core::Result<std::string>()> const& here);

/// Runs `local(runtime)`, an awaitable Result, to its end and returns the Result. Blocks.
template <class Local>
auto result_here(workers::Runtime& runtime, Local local) {
    boost::asio::io_context context;
    auto done = boost::asio::co_spawn(context, local(runtime), boost::asio::use_future);
    context.run();
    return done.get();
}

/// As result_here(), and returns the value. Errors: std::runtime_error with the refusal.
template <class Local>
auto run_here(workers::Runtime& runtime, Local local) {
    auto result = result_here(runtime, std::move(local));
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
/// organizationId tells whose partition it is about. `local` takes the runtime and what retries have in common, and
/// gives an awaitable Result of a described struct, or of JSON. Errors: as ask_until_known().
template <class Body, class Local>
std::string ask_where_served(core::Config const& config, std::string const& path, Body const& body, Local local) {
    workers::Runtime runtime(config);
    std::shared_ptr<void> const stopping(nullptr, [&](void*) { runtime.stop(); });
    OwnerRequest const request{body.organizationId, path, core::to_json(body), core::random_base62(22)};
    return ask_until_known(runtime, request, [&] {
        return result_here(runtime, [&](auto& here) { return local(here, request.request_key); })
            .map([](auto const& value) { return as_json(value); });
    });
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
