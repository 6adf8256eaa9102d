// The request to the owner's admin listener.
#include "cli/owner_request.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <thread>
#include <utility>

#include "api/cluster/internal_requests.hpp"
#include "api/cluster/internal_signature.hpp"
#include "net/http_client.hpp"
#include "workers/cluster/leases.hpp"

namespace workforce::cli {
namespace {

/// What an error envelope tells people; the whole text where it is none.
std::string reason_of(std::string const& text) {
    auto const document = core::parse_json(text);
    if (!document || !document->IsObject() || !document->HasMember("error")) return text;
    auto const& error = (*document)["error"];
    return error.IsObject() && error.HasMember("message") ? error["message"].GetString() : text;
}

constexpr core::Statement kHome{"home_of_organization",
                                "SELECT partition FROM ops.organization_home WHERE organization_id = $1"};
constexpr auto kOwnerPatience = std::chrono::seconds(15);  // past a start and past a dead owner's lease
constexpr auto kAnswerPatience = std::chrono::seconds(60);
constexpr auto kOwnerPause = std::chrono::milliseconds(200);

struct InternalAnswer {
    unsigned status = 0;  ///< 0: it can't be reached, so nothing began
    std::string text;
};

/// Whether nothing was begun, so that asking again can't make a second key. An unknown outcome is not of these.
bool nothing_began(InternalAnswer const& answer) {
    return answer.status == 0 || (answer.status == 503 && answer.text.find("SERVICE_UNAVAILABLE") != std::string::npos);
}

/// POSTs a signed body to a live owner's admin listener. Errors: std::runtime_error when the outcome is unknown.
InternalAnswer post_internal(workers::Runtime const& runtime, workers::Lease const& owner, core::Id organization,
                             std::string const& path, std::string const& body) {
    api::SharedKeys const keys(runtime.master_keys, api::kInternalPurpose);
    net::ClientRequest request{"POST", path, {{"Content-Type", "application/json"}}, body};
    request.headers.push_back(
        api::InternalSigner(keys).sign({owner.owner, {organization, false}}, request.method, path, body));
    request.headers.emplace_back("Workforce-Signature", api::sign_internal(keys, path, body));
    boost::asio::io_context context{1};
    net::HttpClient client;
    auto answer = boost::asio::co_spawn(
        context, client.send(owner.admin_url, std::move(request), net::within_installation(kAnswerPatience)),
        boost::asio::use_future);
    context.run();
    auto reply = answer.get();
    client.close();
    if (reply) return {reply->status, std::move(reply->body)};
    if (!reply.error().sent) return {0, reply.error().reason};
    throw std::runtime_error("the running service did not answer: look whether it was done before you repeat it");
}

}  // namespace

std::optional<std::string> ask_owner(workers::Runtime const& runtime, core::Id organization, std::string const& path,
                                     std::string const& body) {
    core::Connection connection(workers::session(runtime.config, "workforce_writer", "workforce command"));
    auto const home = connection.execute(kHome, organization);
    if (home.empty()) return std::nullopt;  // the command will say so
    auto const partition = core::read<int>(home[0][0]);
    auto const deadline = std::chrono::steady_clock::now() + kOwnerPatience;
    while (auto const lease = workers::live_lease(connection, partition)) {
        auto const answer = post_internal(runtime, *lease, organization, path, body);
        if (answer.status == 200) return answer.text;
        if (!nothing_began(answer)) throw std::runtime_error(reason_of(answer.text));
        if (std::chrono::steady_clock::now() > deadline) {
            throw std::runtime_error(fmt::format("{} serves this organization but does not answer: {}", lease->owner,
                                                 reason_of(answer.text)));
        }
        std::this_thread::sleep_for(kOwnerPause);
    }
    return std::nullopt;
}

}  // namespace workforce::cli
