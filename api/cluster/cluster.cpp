// Finding the owner of a partition, and finding it once more.
#include "api/cluster/cluster.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <string>

namespace workforce::api {
namespace {

constexpr std::chrono::milliseconds kGlance{20};
constexpr std::chrono::milliseconds kAskAgain{100};  // who has the lease, but does not serve it yet
constexpr int kTries = 2;                            // at owners that can't be reached

bool says_not_owner(net::Reply const& reply) {
    return std::any_of(reply.headers.begin(), reply.headers.end(),
                       [](net::Header const& header) { return header.first == kNotOwnerField; });
}

/// Whether what may have been done already can be sent once more: the partition's next writer finds the answer there.
bool is_repeatable(net::Request const& request) {
    bool const keyed = request.method == net::Method::post || request.method == net::Method::put ||
                       request.method == net::Method::patch;
    return keyed && request.header("Idempotency-Key").has_value();
}

core::Problem unknown_outcome() {
    return {
        core::Code::log_unavailable,
        "The outcome is unknown: another process took over the request's partition meanwhile, and the request had no "
        "Idempotency-Key by which it could be sent again."};
}

}  // namespace

boost::asio::awaitable<core::Result<std::optional<net::Reply>>> Cluster::send_to_owner(
    int partition, net::Request const& request, ForwardedFrom const& from, std::function<bool()> const& here,
    std::chrono::milliseconds patience) const {
    auto deadline = std::chrono::steady_clock::now() + patience;
    auto const executor = co_await boost::asio::this_coro::executor;
    boost::asio::steady_timer timer(executor);
    std::string former;  // who does not serve it, any more or yet, and when that was said
    std::chrono::steady_clock::time_point said{};
    int unreached = 0;
    for (bool again = false;; again = true) {
        if (again) co_await owners.refresh();
        if (here()) co_return std::nullopt;
        auto const owner = owners.find(partition);
        auto const now = std::chrono::steady_clock::now();
        if (owner && owner->name != owners.self() && (owner->name != former || now - said >= kAskAgain)) {
            // An owner that hangs is waited for until the partition has another one.
            auto const stop = std::make_shared<net::ClientStop>(executor);
            workers::Owners::Watch const watch(owners, partition, owner->name,
                                               [stop] { net::ClientStop::request(stop); });
            auto answer = co_await forwarder.forward(owner->admin_url, request, from, stop);
            if (answer && !says_not_owner(*answer)) co_return std::optional(*std::move(answer));
            if (answer) {
                former = owner->name;
                said = std::chrono::steady_clock::now();
                continue;
            }
            bool const moved = stop->requested();
            if (moved) deadline = std::chrono::steady_clock::now() + patience;
            if (moved && is_repeatable(request)) continue;
            if (moved && answer.error().code != core::Code::service_unavailable)
                co_return tl::unexpected(unknown_outcome());
            // It may have got there, or nobody is there.
            if (answer.error().code != core::Code::service_unavailable || ++unreached == kTries) {
                co_return tl::unexpected(answer.error());
            }
            continue;
        }
        if (!again) continue;
        if (now >= deadline) {
            co_return core::refuse(core::Code::service_unavailable,
                                   "No process serves this organization at the moment.");
        }
        timer.expires_after(kGlance);
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

}  // namespace workforce::api
