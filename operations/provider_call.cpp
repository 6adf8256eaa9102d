// Keys and time of questions to somebody outside.
#include "operations/provider_call.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/crypto.hpp"
#include "operations/commands.hpp"

namespace workforce::operations {
namespace {

/// An answer needs so long to get to whoever waits for it.
constexpr std::chrono::milliseconds kTimeForRecord{1'000};

}  // namespace

std::string provider_key(Call const& call, std::string_view prefix, std::string_view what) {
    auto const& known = call.meta.idempotency;
    auto source = known ? known->key + '\n' + known->fingerprint : call.meta.request_id;
    if (!call.meta.provider_key.empty()) source = call.meta.provider_key;
    if (!what.empty()) source.append("\n").append(what);
    return std::string(prefix) + core::hex_encode(core::bytes(core::sha256(source)));
}

core::Problem provider_in_progress() {
    return {core::Code::idempotency_in_progress, "The first request with this key is still under way."};
}

std::chrono::milliseconds provider_patience(Call const& call, std::chrono::milliseconds most) {
    using Clock = std::chrono::steady_clock;
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(call.meta.deadline - Clock::now());
    return std::min(most, std::max(left - kTimeForRecord, std::chrono::milliseconds(1)));
}

core::Problem unanswered_problem(std::string_view whom, workers::Unanswered const& why) {
    if (why.timed_out) return {core::Code::upstream_timeout, fmt::format("{} did not answer in time.", whom)};
    return {core::Code::upstream_error, fmt::format("{} did not answer as it should.", whom)};
}

boost::asio::awaitable<Outcome> refuse_asked(Call& call, core::Problem problem) {
    return submit(call, refused_submission(command_context(call), std::move(problem)), 0);
}

}  // namespace workforce::operations
