// The view of owners and its refreshing.
#include "workers/cluster/owners.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/logging.hpp"

namespace workforce::workers {
namespace {

constexpr std::chrono::milliseconds kAtMostEvery{100};

}  // namespace

std::shared_ptr<Owners::Shown const> Owners::shown() const {
    std::lock_guard const lock(mutex_);
    return shown_;
}

void Owners::show(ClusterView view) {
    auto shown = std::make_shared<Shown const>(Shown{std::move(view), Clock::now()});
    std::vector<std::function<void()>> changed;
    {
        std::lock_guard const lock(mutex_);
        shown_ = shown;
        changed = changes(shown->cluster);
    }
    for (auto const& call : changed) call();
}

std::vector<std::function<void()>> Owners::changes(ClusterView const& view) {
    std::vector<std::function<void()>> changed;
    if (watched_.empty()) return changed;
    std::unordered_map<int, std::string_view> writers;
    for (auto const& lease : view.leases) {
        bool const held = lease.kind == LeaseKind::writer && !lease.owner.empty() && lease.left.count() > 0;
        if (held) writers.emplace(lease.partition, lease.owner);
    }
    for (auto& watched : watched_) {
        auto const writer = writers.find(watched.partition);
        if (!watched.changed || writer == writers.end() || writer->second == watched.owner) continue;
        changed.push_back(std::exchange(watched.changed, nullptr));
    }
    return changed;
}

Owners::Watch::Watch(Owners& owners, int partition, std::string owner, std::function<void()> changed)
    : owners_(owners) {
    std::lock_guard const lock(owners_.mutex_);
    self_ = owners_.watched_.insert(owners_.watched_.end(), {partition, std::move(owner), std::move(changed)});
}

Owners::Watch::~Watch() {
    std::lock_guard const lock(owners_.mutex_);
    owners_.watched_.erase(self_);
}

std::optional<Owner> Owners::find(int partition, LeaseKind kind) const {
    auto const now = shown();
    if (!now) return std::nullopt;
    auto const age = Clock::now() - now->at;
    for (auto const& lease : now->cluster.leases) {
        if (lease.kind != kind || lease.partition != partition) continue;
        if (lease.owner.empty() || lease.left <= age) return std::nullopt;
        auto const process = std::ranges::find(now->cluster.processes, lease.owner, &Process::owner);
        return Owner{lease.owner, lease.admin_url, process == now->cluster.processes.end() ? 0 : process->calls};
    }
    return std::nullopt;
}

std::vector<Process> Owners::processes() const {
    auto const now = shown();
    if (!now) return {};
    auto live = now->cluster.processes;
    std::erase_if(live, [](Process const& process) { return process.left.count() <= 0; });
    return live;
}

bool Owners::alone() const {
    auto const now = shown();
    if (!now || Clock::now() - now->at > kLeaseLife) return false;
    return std::none_of(now->cluster.processes.begin(), now->cluster.processes.end(), [&](Process const& process) {
        return process.owner != self_ && process.role != Role::workers && process.left.count() > 0;
    });
}

boost::asio::awaitable<void> Owners::refresh() {
    {
        std::lock_guard const lock(mutex_);
        auto const now = Clock::now();
        if (now - asked_ < kAtMostEvery || (shown_ && now - shown_->at < kAtMostEvery)) co_return;
        asked_ = now;
    }
    try {
        auto view = co_await database_.run([](core::Connection& connection) { return read_cluster(connection); });
        bool const free = std::any_of(view.leases.begin(), view.leases.end(), [](Lease const& lease) {
            return lease.kind == LeaseKind::writer && (lease.owner.empty() || lease.left.count() <= 0);
        });
        show(std::move(view));
        if (free && wake_) wake_();
    } catch (std::exception const& error) {
        core::log(core::Level::debug, "the leases could not be read", {{"error", error.what()}});
    }
}

}  // namespace workforce::workers
