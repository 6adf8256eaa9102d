// Scope and freshness of reads.
#include "api/call.hpp"

#include <algorithm>

namespace workforce::api {
namespace {

constexpr auto kFreshnessLimit = std::chrono::seconds(2);  // domain 0, read-your-writes

}  // namespace

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
    // Before the start: finding that no other process's writes are known any more makes a new one.
    auto const last = co_await writes.find(call.principal->lineage());
    if (auto const start = writes.start(); !start->empty()) {
        for (auto const& [partition, position] : *start) {
            fresh = fresh && co_await progress.wait_for(partition, position, deadline);
        }
        if (fresh) writes.start_reached(start);
    }
    if (last && !last->folded && !progress.reached(last->partition, last->position)) {
        fresh = co_await progress.wait_for(last->partition, last->position, deadline) && fresh;
    }
    if (!fresh) call.headers.emplace_back("Service-Stale", "true");
}

}  // namespace workforce::api
