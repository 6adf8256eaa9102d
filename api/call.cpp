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
    auto const reach = [&](int partition, std::int64_t position) -> boost::asio::awaitable<bool> {
        if (progress.reached(partition, position)) co_return true;
        co_return co_await progress.wait_for(partition, position, deadline);
    };
    bool fresh = true;
    auto const last = co_await writes.find(call.principal->lineage());
    auto const home = co_await call.services.processor.homes().find(call.principal->organization);
    if (home >= 0) {
        auto const floor = co_await writes.floor(home, deadline);
        fresh = floor && (*floor < 0 || co_await reach(home, *floor));
        if (fresh) writes.floor_reached(home, *floor);
    }
    if (last && !last->folded) fresh = co_await reach(last->partition, last->position) && fresh;
    if (!fresh) call.headers.emplace_back("Service-Stale", "true");
}

}  // namespace workforce::api
