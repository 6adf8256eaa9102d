// Scope and freshness of reads.
#include "api/call.hpp"

#include <algorithm>

namespace workforce::api {
namespace {

constexpr auto kFreshnessLimit = std::chrono::seconds(2);  // domain 0, read-your-writes

tl::unexpected<core::Problem> refuse_facility() {
    return core::refuse(core::Code::facility_scope_violation, "facilityId is outside the credential's facilities.");
}

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
    if (!reached) return refuse_facility();
    scope.facilities = {*facility};
    return scope;
}

boost::asio::awaitable<core::Result<void>> check_facility(Call& call, std::optional<Id> facility) {
    auto const& principal = *call.principal;
    if (!facility || !principal.facilities.empty()) co_return core::Result<void>{};
    projections::Scope const scope{principal.organization, principal.sandbox, false, {}};
    if (!co_await call.services.facilities.has(scope, *facility)) co_return refuse_facility();
    co_return core::Result<void>{};
}

boost::asio::awaitable<void> await_own_writes(Call& call) {
    auto& writes = call.services.last_writes;
    auto& progress = call.services.progress;
    auto const deadline = std::chrono::steady_clock::now() + kFreshnessLimit;
    // A log that grew: its new partitions are known to processes that started since.
    auto const known = [&](int partition) { return call.services.processor.has(partition); };
    auto const reach = [&](int partition, std::int64_t position) -> boost::asio::awaitable<bool> {
        if (!known(partition)) co_return false;
        if (progress.reached(partition, position)) co_return true;
        co_return co_await progress.wait_for(partition, position, deadline);
    };
    bool fresh = true;
    auto const last = co_await writes.find(call.principal->lineage());
    auto const home = co_await call.services.processor.homes().find(call.principal->organization);
    if (home >= 0 && !known(home)) fresh = false;
    if (home >= 0 && known(home)) {
        auto const floor = co_await writes.floor(home, deadline);
        fresh = floor && (*floor < 0 || co_await reach(home, *floor));
        if (fresh) writes.floor_reached(home, *floor);
    }
    if (last && !last->folded) fresh = co_await reach(last->partition, last->position) && fresh;
    if (!fresh) call.headers.emplace_back("Service-Stale", "true");
}

}  // namespace workforce::api
