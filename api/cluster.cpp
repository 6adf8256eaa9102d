// Finding the owner of a partition, and finding it once more.
#include "api/cluster.hpp"

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

bool says_not_owner(Reply const& reply) {
    return std::any_of(reply.headers.begin(), reply.headers.end(),
                       [](Header const& header) { return header.first == kNotOwnerField; });
}

}  // namespace

boost::asio::awaitable<core::Result<std::optional<Reply>>> Cluster::send_to_owner(
    int partition, Request const& request, ForwardedFrom const& from, std::function<bool()> const& here,
    std::chrono::milliseconds patience) const {
    auto const deadline = std::chrono::steady_clock::now() + patience;
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    std::string former;  // who does not serve it, any more or yet, and when that was said
    std::chrono::steady_clock::time_point said{};
    int unreached = 0;
    for (bool again = false;; again = true) {
        if (again) co_await owners.refresh();
        if (here()) co_return std::nullopt;
        auto const owner = owners.find(partition);
        auto const now = std::chrono::steady_clock::now();
        if (owner && owner->name != owners.self() && (owner->name != former || now - said >= kAskAgain)) {
            auto answer = co_await forwarder.forward(owner->admin_url, request, from);
            if (answer && !says_not_owner(*answer)) co_return std::optional(*std::move(answer));
            if (answer) {
                former = owner->name;
                said = std::chrono::steady_clock::now();
                continue;
            }
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
