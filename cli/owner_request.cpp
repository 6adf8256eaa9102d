// The request to the owner's admin listener.
#include "cli/owner_request.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "api/cluster/internal_signature.hpp"
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
constexpr auto kOwnerPause = std::chrono::milliseconds(200);

struct InternalAnswer {
    int status = 0;  ///< 0: it can't be reached, so nothing began
    std::string text;
};

/// Whether nothing was begun, so that asking again can't make a second key. An unknown outcome is not of these.
bool nothing_began(InternalAnswer const& answer) {
    return answer.status == 0 || (answer.status == 503 && answer.text.find("SERVICE_UNAVAILABLE") != std::string::npos);
}

/// POSTs a signed body to a live owner's admin listener. A request this small needs no HTTP library: it closes after
/// the answer, which is read to its end.
InternalAnswer post_internal(workers::Runtime const& runtime, std::string const& admin_url, std::string const& path,
                             std::string const& body) {
    auto authority = admin_url.substr(admin_url.find("://") + 3);
    authority = authority.substr(0, authority.find('/'));
    auto const colon = authority.rfind(':');
    boost::asio::io_context context;
    boost::asio::ip::tcp::socket socket(context);
    boost::asio::ip::tcp::resolver resolver(context);
    boost::system::error_code unreachable;
    boost::asio::connect(socket, resolver.resolve(authority.substr(0, colon), authority.substr(colon + 1)),
                         unreachable);
    if (unreachable) return {0, unreachable.message()};
    auto const request = fmt::format(
        "POST {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n"
        "Workforce-Signature: {}\r\nContent-Length: {}\r\n\r\n{}",
        path, authority, api::sign_internal(runtime.derived_key(api::kInternalPurpose), path, body), body.size(), body);
    boost::asio::write(socket, boost::asio::buffer(request));
    std::string answer;
    boost::system::error_code end;
    boost::asio::read(socket, boost::asio::dynamic_buffer(answer), end);
    auto const head = answer.find("\r\n\r\n");
    if (head == std::string::npos) {
        throw std::runtime_error(
            "the running service died before it answered: look whether it was done before you repeat it");
    }
    return {std::atoi(answer.substr(9, 3).c_str()), answer.substr(head + 4)};
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
        auto const answer = post_internal(runtime, lease->admin_url, path, body);
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
