// The request to the owner's admin listener.
#include "cli/owner_request.hpp"

#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <thread>
#include <utility>

#include "api/admin/admin_listener.hpp"
#include "api/cluster/internal_requests.hpp"
#include "api/cluster/internal_signature.hpp"
#include "net/http_client.hpp"
#include "workers/cluster/leases.hpp"

namespace workforce::cli {
namespace {

constexpr core::Statement kHome{"home_of_organization",
                                "SELECT partition FROM ops.organization_home WHERE organization_id = $1"};
constexpr core::Statement kCalls{"calls_of_process", "SELECT calls FROM ops.process WHERE owner = $1"};
constexpr auto kAskingPatience = std::chrono::seconds(15);  // past a start and past a dead owner's lease
constexpr auto kLongestAsking = std::chrono::seconds(120);  // from the first attempt to the last
constexpr auto kAnswerPatience = std::chrono::seconds(60);
constexpr auto kAskingPause = std::chrono::milliseconds(200);

/// The refusal that an error envelope tells; the whole text where it is none.
core::Problem problem_of(std::string const& text) {
    core::Problem problem{core::Code::internal_error, text};
    auto const document = core::parse_json(text);
    if (!document || !document->IsObject() || !document->HasMember("error")) return problem;
    auto const& error = (*document)["error"];
    if (!error.IsObject()) return problem;
    if (error.HasMember("message")) problem.message = error["message"].GetString();
    if (error.HasMember("code"))
        problem.code = core::parse_code(error["code"].GetString()).value_or(core::Code::internal_error);
    return problem;
}

/// POSTs a signed request to a live owner's admin listener, once.
core::Result<std::string> ask_owner(workers::Runtime const& runtime, workers::Lease const& owner,
                                    OwnerRequest const& asked) {
    api::SharedKeys const keys(runtime.master_keys, api::kInternalPurpose);
    auto const target = fmt::format("{}?{}{}", asked.path, api::kRequestKey, asked.request_key);
    net::ClientRequest request{"POST", target, {{"Content-Type", "application/json"}}, asked.body};
    request.headers.push_back(
        api::InternalSigner(keys).sign({owner.owner, {asked.organization, false}}, request.method, target, asked.body));
    request.headers.emplace_back("Workforce-Signature", api::sign_internal(keys, asked.path, asked.body));
    boost::asio::io_context context{1};
    net::HttpClient client;
    auto answer = boost::asio::co_spawn(
        context, client.send(owner.admin_url, std::move(request), net::within_installation(kAnswerPatience)),
        boost::asio::use_future);
    context.run();
    auto reply = answer.get();
    client.close();
    if (!reply && !reply.error().sent) {
        return core::refuse(
            core::Code::service_unavailable,
            fmt::format("{} serves this organization but does not answer: {}", owner.owner, reply.error().reason));
    }
    if (!reply) return core::refuse(core::Code::log_unavailable, "The running service did not answer.");
    if (reply->status == 200) return std::move(reply->body);
    return tl::unexpected(problem_of(reply->body));
}

/// Whether what was refused may be asked for again: nothing was begun, or a retry is known as one.
bool may_ask_again(core::Code code, bool knows_retries) {
    if (code == core::Code::service_unavailable) return true;
    return knows_retries && (code == core::Code::log_unavailable || code == core::Code::idempotency_in_progress);
}

/// What the command's user is told in the end.
std::string told(core::Problem const& last, bool begun) {
    if (!begun) return last.message;
    return "The outcome is unknown: look whether it was done before you repeat it. The last answer was: " +
           last.message;
}

/// Whether the process knows retries of a request.
bool knows_retries(core::Connection& connection, workers::Lease const& owner) {
    auto const calls = connection.execute(kCalls, owner.owner);
    return !calls.empty() && core::read<int>(calls[0][0]) >= workers::kRequestKeysSince;
}

}  // namespace

std::string ask_until_known(workers::Runtime const& runtime, OwnerRequest const& request,
                            std::function<core::Result<std::string>()> const& here) {
    core::Connection connection(workers::session(runtime.config, "workforce_writer", "workforce command"));
    auto const home = connection.execute(kHome, request.organization);
    using Clock = std::chrono::steady_clock;
    auto deadline = Clock::now() + kAskingPatience;
    auto const end = Clock::now() + kLongestAsking;
    std::optional<core::Problem> unknown;  // of an attempt of which nobody knows how it ended
    for (;;) {
        std::optional<workers::Lease> owner;
        if (!home.empty()) owner = workers::live_lease(connection, core::read<int>(home[0][0]));
        bool const retries = !owner || knows_retries(connection, *owner);
        if (unknown && !retries) throw std::runtime_error(told(*unknown, true));  // it would be done twice
        auto const asked = Clock::now();
        auto answer = owner ? ask_owner(runtime, *owner, request) : here();
        if (answer) return *std::move(answer);
        if (answer.error().code == core::Code::log_unavailable) {
            unknown = answer.error();
            // After a process that hung, whoever writes the partition next has as long as anybody.
            if (Clock::now() - asked > kAskingPatience) deadline = std::min(Clock::now() + kAskingPatience, end);
        }
        bool const again = may_ask_again(answer.error().code, retries);
        if (!again || Clock::now() > deadline) throw std::runtime_error(told(answer.error(), unknown.has_value()));
        std::this_thread::sleep_for(kAskingPause);
    }
}

}  // namespace workforce::cli
