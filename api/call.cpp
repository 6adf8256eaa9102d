// Scope and freshness of reads.
#include "api/call.hpp"

#include <algorithm>

namespace workforce::api {
namespace {

constexpr auto kFreshnessLimit = std::chrono::seconds(2);  // domain 0, read-your-writes
constexpr std::size_t kMaxRemembered = 100'000;

}  // namespace

void LastWrites::note(std::string const& lineage, Position position) {
    std::lock_guard const lock(mutex_);
    if (positions_.size() >= kMaxRemembered) positions_.clear();
    auto& last = positions_[lineage];
    if (last.partition != position.partition || last.position < position.position) last = position;
}

std::optional<LastWrites::Position> LastWrites::find(std::string const& lineage) {
    std::lock_guard const lock(mutex_);
    auto const found = positions_.find(lineage);
    return found == positions_.end() ? std::nullopt : std::optional(found->second);
}

core::Result<projections::Scope> read_scope(Call const& call, std::optional<Id> facility,
                                            std::optional<Id> organization) {
    auto const& principal = *call.principal;
    if (organization && *organization != principal.organization) {
        return core::refuse(core::Code::org_scope_violation, "orgUnitId is not the credential's organization.");
    }
    projections::Scope scope{principal.organization, principal.sandbox, false, principal.facilities};
    if (!facility) return scope;
    bool const reached =
        principal.facilities.empty() ||
        std::find(principal.facilities.begin(), principal.facilities.end(), *facility) != principal.facilities.end();
    if (!reached) {
        return core::refuse(core::Code::facility_scope_violation, "facilityId is outside the credential's facilities.");
    }
    scope.facilities = {*facility};
    return scope;
}

boost::asio::awaitable<void> await_own_writes(Call& call) {
    auto& writes = call.services.last_writes;
    auto& progress = call.services.progress;
    auto const deadline = std::chrono::steady_clock::now() + kFreshnessLimit;
    bool fresh = true;
    if (!writes.start_reached) {
        for (auto const& [partition, position] : writes.start()) {
            fresh = fresh && co_await progress.wait_for(partition, position, deadline);
        }
        if (fresh) writes.start_reached = true;
    }
    auto const last = writes.find(call.principal->lineage());
    if (last && !progress.reached(last->partition, last->position)) {
        fresh = co_await progress.wait_for(last->partition, last->position, deadline) && fresh;
    }
    if (!fresh) call.headers.emplace_back("Service-Stale", "true");
}

}  // namespace workforce::api
