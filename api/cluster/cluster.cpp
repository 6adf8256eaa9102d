// Finding the owner of a partition, and finding it once more.
#include "api/cluster/cluster.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <string>
#include <utility>

#include "api/problem_reply.hpp"

namespace workforce::api {
namespace {

constexpr std::chrono::milliseconds kGlance{20};
constexpr std::chrono::milliseconds kAskAgain{100};  // who has the lease, but does not serve it, or can't be reached

bool says_not_owner(net::Reply const& reply) {
    return std::any_of(reply.headers.begin(), reply.headers.end(),
                       [](net::Header const& header) { return header.first == kNotOwnerField; });
}

core::Result<std::optional<OwnerAnswer>> owner_answer(net::Reply reply, workers::Owner const& owner) {
    if (owner.calls < workers::kOldestCallRevision) return OwnerAnswer{.reply = std::move(reply)};
    auto answer = read_reply(reply);
    if (!answer) return tl::unexpected(answer.error());
    return OwnerAnswer{.answer = *std::move(answer)};
}

core::Problem unknown_outcome() {
    return {
        core::Code::log_unavailable,
        "The outcome is unknown: another process took over the request's partition meanwhile, and the request had no "
        "Idempotency-Key by which it could be sent again."};
}

}  // namespace

net::Reply not_owner_reply(std::string_view request_id, std::string_view base_url) {
    auto reply =
        problem_reply({core::Code::service_unavailable, "Another process serves this organization's partition."},
                      request_id, base_url);
    reply.headers.emplace_back(kNotOwnerField, "true");
    return reply;
}

bool fails_here(commands::Processor const& processor, int partition) {
    return processor.has(partition) &&
           processor.partitions().at(static_cast<std::size_t>(partition))->fault().has_value();
}

boost::asio::awaitable<core::Result<net::Reply>> Cluster::send(workers::Owner const& owner, ForwardedCall const& call,
                                                               std::shared_ptr<net::ClientStop> stop) const {
    if (owner.calls >= workers::kOldestCallRevision) {
        co_return co_await forwarder.send(owner, call.message, call.body, call.limit, std::move(stop));
    }
    // Owners of before know no people who act on the sandbox: they would write live rows.
    bool const person_in_sandbox = call.message.sandbox && call.message.credential == events::ActorType::user;
    if (call.request != nullptr && !person_in_sandbox) {
        co_return co_await forwarder.forward(owner.admin_url, *call.request, call.from, std::move(stop));
    }
    co_return core::refuse(core::Code::service_unavailable,
                           "The process that serves this organization is of an older release.");
}

boost::asio::awaitable<core::Result<std::optional<OwnerAnswer>>> Cluster::send_to_owner(
    int partition, ForwardedCall const& call, std::function<bool()> const& here,
    std::chrono::milliseconds patience) const {
    auto deadline = std::chrono::steady_clock::now() + patience;
    auto const executor = co_await boost::asio::this_coro::executor;
    boost::asio::steady_timer timer(executor);
    std::string former;  // who does not serve it, any more or yet, or can't be reached, and when that was seen
    std::chrono::steady_clock::time_point seen{};
    core::Problem nobody{core::Code::service_unavailable, "No process serves this organization at the moment."};
    for (bool again = false;; again = true) {
        if (again) co_await owners.refresh();
        if (here()) co_return std::nullopt;
        auto const owner = owners.find(partition);
        auto const now = std::chrono::steady_clock::now();
        if (owner && owner->name != owners.self() && (owner->name != former || now - seen >= kAskAgain)) {
            // An owner that hangs is waited for until the partition has another one.
            auto const stop = std::make_shared<net::ClientStop>(executor);
            workers::Owners::Watch const watch(owners, partition, owner->name,
                                               [stop] { net::ClientStop::request(stop); });
            auto answer = co_await send(*owner, call, stop);
            if (answer && !says_not_owner(*answer)) co_return owner_answer(*std::move(answer), *owner);
            bool const moved = !answer && stop->requested();
            if (moved) deadline = std::chrono::steady_clock::now() + patience;
            if (moved && call.sent_before != nullptr) *call.sent_before = true;
            if (moved && call.message.idempotency) continue;  // the next writer finds the answer there
            bool const unsent = answer || answer.error().code == core::Code::service_unavailable;
            if (!unsent) co_return tl::unexpected(moved ? unknown_outcome() : answer.error());
            // Nothing was done. A process that stops is still looked for where it was, until another has its partition.
            if (!answer) nobody = answer.error();
            former = owner->name;
            seen = std::chrono::steady_clock::now();
            continue;
        }
        if (!again) continue;
        if (now >= deadline) co_return tl::unexpected(nobody);
        timer.expires_after(kGlance);
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

}  // namespace workforce::api
