// Warnings, scope and freshness.
#include "operations/call.hpp"

#include <algorithm>

namespace workforce::operations {
namespace {

constexpr auto kFreshnessLimit = std::chrono::seconds(2);  // domain 0, read-your-writes

tl::unexpected<core::Problem> refuse_facility() {
    return core::refuse(core::Code::facility_scope_violation, "facilityId is outside the credential's facilities.");
}

}  // namespace

void warn_ignored(Call& call, std::string_view what, std::vector<std::string> const& names) {
    if (names.empty()) return;
    std::string list;
    for (auto const& name : names) {
        if (!list.empty()) list += ", ";
        // Names come from outside: only what a header may hold is repeated.
        for (char const c : name) list += c >= 0x20 && c < 0x7F ? c : '?';
        if (list.size() > 500) break;
    }
    call.warnings.push_back("ignored " + std::string(what) + ": " + list);
}

core::Result<projections::Scope> read_scope(Call const& call, std::optional<Id> facility,
                                            std::optional<Id> organization) {
    auto const& caller = *call.caller;
    if (organization && *organization != caller.organization) {
        return core::refuse(core::Code::org_scope_violation, "orgUnitId is not the credential's organization.");
    }
    projections::Scope scope{caller.organization, caller.sandbox, false, caller.facilities};
    if (!facility) return scope;
    bool const reached = caller.facilities.empty() || std::find(caller.facilities.begin(), caller.facilities.end(),
                                                                *facility) != caller.facilities.end();
    if (!reached) return refuse_facility();
    scope.facilities = {*facility};
    return scope;
}

boost::asio::awaitable<core::Result<void>> check_facility(Call& call, std::optional<Id> facility) {
    auto const& caller = *call.caller;
    if (!facility || !caller.facilities.empty()) co_return core::Result<void>{};
    projections::Scope const scope{caller.organization, caller.sandbox, false, {}};
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
    auto const last = co_await writes.find(call.caller->lineage());
    auto const home = co_await call.services.processor.homes().find(call.caller->organization);
    if (home >= 0 && !known(home)) fresh = false;
    if (home >= 0 && known(home)) {
        auto const floor = co_await writes.floor(home, deadline);
        fresh = floor && (*floor < 0 || co_await reach(home, *floor));
        if (fresh) writes.floor_reached(home, *floor);
    }
    if (last && !last->folded) fresh = co_await reach(last->partition, last->position) && fresh;
    call.stale = !fresh;
}

}  // namespace workforce::operations
