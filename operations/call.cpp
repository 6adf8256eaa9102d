// Warnings, scope and freshness.
#include "operations/call.hpp"

#include <algorithm>
#include <utility>

#include "events/key_secret.hpp"

namespace workforce::operations {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kWarnedBytes = 500;     // of names in a warning; it ends with how many more there are
constexpr std::size_t kWarnedNameBytes = 64;  // of one of them
/// Longer than another process takes to fold on where one was killed: a lease's life and a tail (domain 16).
constexpr auto kFreshnessLimit = std::chrono::seconds(5);

tl::unexpected<core::Problem> refuse_facility() {
    return core::refuse(core::Code::facility_scope_violation, "facilityId is not among the credential's facilities.");
}

/// Whether a refusal with this code says that the rows lack something.
bool tells_of_absence(core::Code code) {
    using enum core::Code;
    return code == not_found || code == facility_scope_violation || code == org_scope_violation ||
           code == facility_required;
}

/// Whether the partition's rows show what stands at the position, of all read models that the operation names.
bool shows(Call const& call, int partition, std::int64_t position) {
    auto const& progress = call.services.progress;
    auto const& models = call.operation.reads;
    if (models.empty()) return progress.reached(partition, position);
    return std::all_of(models.begin(), models.end(),
                       [&](std::string_view model) { return progress.reached(partition, position, model); });
}

/// Waits until shows() holds: true, or until the deadline or a read model that stands still: false.
boost::asio::awaitable<bool> wait_until_shown(Call& call, int partition, std::int64_t position,
                                              Clock::time_point deadline) {
    auto& progress = call.services.progress;
    auto const& models = call.operation.reads;
    if (models.empty()) co_return co_await progress.wait_for(partition, position, deadline);
    for (auto const model : models) {
        if (progress.reached(partition, position, model)) continue;
        if (!co_await progress.wait_for(partition, position, deadline, model)) co_return false;
    }
    co_return true;
}

/// Whether `permits` says so of the operation's permission, or of the one that will do instead.
template <class Permits>
bool is_granted(Operation const& operation, Permits permits) {
    return !operation.permission || permits(*operation.permission) ||
           (operation.other_permission && permits(*operation.other_permission)) ||
           (operation.further_permission && permits(*operation.further_permission));
}

}  // namespace

core::Problem without(Caller const& caller, core::Permission const& permission) {
    core::JsonWriter w;
    w.begin_object();
    w.member("permission", permission.name());
    w.end_object();
    auto const code = caller.refused_with(permission);
    bool const by_user = code == core::Code::forbidden && !caller.is_person();
    return {code,
            by_user ? "The role of the user behind the credential does not allow this."
                    : "The credential lacks the permission " + std::string(permission.name()) + ".",
            w.take()};
}

bool is_granted_to(Caller const& caller, Operation const& operation) {
    return is_granted(operation, [&](core::Permission permission) { return caller.permits(permission); });
}

bool reaches_own_alone(Caller const& caller, Operation const& operation) {
    return operation.own_by != OwnBy::nobody && !is_granted_to(caller, operation);
}

core::Problem unless_behind(Call const& call, core::Problem problem) {
    if (!call.stale || !tells_of_absence(problem.code)) return problem;
    return {core::Code::read_model_behind, "What you wrote last can't be read yet, and may be what was not found."};
}

Outcome refuse(Call const& call, core::Problem const& problem) {
    return refusal(unless_behind(call, problem), call.meta.request_id, call.operation.http.errors);
}

void note_caller(Facts& facts, Caller const& caller, std::string_view channel) {
    facts.channel = channel;
    facts.credential_type = caller.credential_type;
    facts.credential_kind = credential_type_of(caller);
    facts.credential = caller.credential_id;
    facts.user = caller.user.id;
    facts.organization = caller.organization;
    facts.sandbox = caller.sandbox;
    facts.client = ShortName<64>(caller.client_name);
    if (caller.facilities.size() == 1) facts.facility = caller.facilities.front();
}

std::optional<core::Problem> lacking(Caller const& caller, Operation const& operation) {
    if (operation.access == Access::installation && caller.credential_type != events::ActorType::system) {
        return core::Problem{core::Code::forbidden, "Only the installation itself does this."};
    }
    if (operation.people_only && !caller.is_person()) {
        return core::Problem{
            core::Code::forbidden, "No API key may do this, whatever its scopes.", {}, "Sign in to do it."};
    }
    if (operation.clients_never && caller.is_client()) {
        return core::Problem{
            core::Code::forbidden, "No OAuth client may do this.", {}, "Sign in, or use an API key, to do it."};
    }
    if (operation.live_only && caller.sandbox && caller.is_person()) {
        return core::Problem{
            core::Code::forbidden, "The sandbox has none of this.", {}, "Ask without Service-Sandbox, for live data."};
    }
    bool const own = operation.own_by != OwnBy::nobody;
    auto const of_own = [&](core::Permission permission) { return caller.permits_own(permission); };
    bool const of_them =
        own && (is_granted(operation, of_own) || (operation.own_permission && of_own(*operation.own_permission)));
    if (!is_granted_to(caller, operation) && !of_them) {
        return without(caller, operation.own_permission.value_or(*operation.permission));
    }
    auto const& also = operation.also_permission;
    bool const holds = !also || caller.permits(*also) || (reaches_own_alone(caller, operation) && of_own(*also));
    if (!holds) return without(caller, *also);
    return std::nullopt;
}

std::vector<std::string> unknown_parameters(Call const& call) {
    std::vector<std::string> unknown;
    for (auto const& [name, value] : call.input.parameters) {
        bool const known =
            events::begins_as_key(name) ||  // which nobody repeats
            std::ranges::find(call.operation.parameters, name, &Parameter::name) != call.operation.parameters.end();
        if (!known) unknown.push_back(name);
    }
    return unknown;
}

core::Result<void> refuse_unknown_parameters(Call const& call) {
    std::vector<core::FieldError> faults;
    for (auto& name : unknown_parameters(call)) faults.push_back({std::move(name), "unknown", "is no parameter here"});
    if (!faults.empty()) return tl::unexpected(core::validation_problem(faults));
    return {};
}

void warn_ignored(Call& call, std::string_view what, std::vector<std::string> const& names) {
    std::string list;
    std::size_t unnamed = 0;
    for (auto const& name : names) {
        if (name == "orgUnitId") continue;  // read by target.hpp
        if (list.size() > kWarnedBytes) {
            ++unnamed;
            continue;
        }
        if (!list.empty()) list += ", ";
        // Names come from outside: only what a header may hold is repeated, and not more than names it.
        for (char const c : std::string_view(name).substr(0, kWarnedNameBytes)) list += c >= 0x20 && c < 0x7F ? c : '?';
        if (name.size() > kWarnedNameBytes) list += "...";
    }
    if (list.empty()) return;
    if (unnamed > 0) list += " and " + std::to_string(unnamed) + " more";
    call.warnings.push_back("ignored " + std::string(what) + ": " + list);
}

core::Result<projections::Scope> read_scope(Call const& call, std::optional<Id> facility) {
    return read_scope_of(call, call.operation, facility);
}

core::Result<projections::Scope> read_scope_of(Call const& call, Operation const& operation,
                                               std::optional<Id> facility) {
    auto const& caller = *call.caller;
    bool const across = call.meta.organization == 0 && caller.across_organizations;
    projections::Scope scope{call.meta.organization, call.meta.sandbox, across, caller.facilities};
    if (reaches_own_alone(caller, operation)) {
        // Facilities bind what nobody has yet, and not what is one's own.
        projections::OwnRows own{caller.user.staffId.value.value_or(0), std::exchange(scope.facilities, {})};
        if (operation.own_by == OwnBy::staff_member) scope.own = std::move(own);
    }
    if (!facility) return scope;
    bool const reached = caller.facilities.empty() || std::find(caller.facilities.begin(), caller.facilities.end(),
                                                                *facility) != caller.facilities.end();
    if (!reached) return refuse_facility();
    scope.facilities = {*facility};
    return scope;
}

boost::asio::awaitable<core::Result<void>> check_facility(Call& call, std::optional<Id> facility) {
    if (!facility || !call.caller->facilities.empty()) co_return core::Result<void>{};
    auto const tenant = co_await call.services.tenants.of(events::Kind::facility, call.meta.sandbox, *facility);
    if (tenant != call.meta.organization) co_return refuse_facility();
    co_return core::Result<void>{};
}

void note_late_uses(Call& call) {
    auto const& late = call.services.uses_are_late;
    if (call.operation.shows_uses && late && late()) call.stale = true;
}

boost::asio::awaitable<void> await_own_writes(Call& call) {
    // A read made of several queries waits once; a write looks at what it has just written.
    if (std::exchange(call.awaited, true) && call.operation.effect == Effect::read) co_return;
    auto& services = call.services;
    auto& writes = services.last_writes;
    auto const deadline = Clock::now() + kFreshnessLimit;
    bool const across = call.meta.organization == 0;
    auto const home = across ? 0 : co_await services.processor.homes().find(call.meta.organization);
    auto const end = across ? static_cast<int>(services.processor.partitions().size()) : home + 1;
    std::vector<std::optional<LastWrite>> last;
    if (across) {
        std::vector<std::string> spaces;
        for (int partition = 0; partition < end; ++partition) spaces.push_back(call.caller->write_space(partition));
        last = co_await writes.find_each(std::move(spaces));
    }
    bool fresh = true;
    for (int partition = home; partition < end && partition >= 0; ++partition) {
        auto own = across ? last.at(static_cast<std::size_t>(partition))
                          : co_await writes.find(call.caller->write_space(partition));
        bool const saw_more = !across && call.meta.seen > (own ? own->position : -1);
        if (saw_more) own = LastWrite{{partition, call.meta.seen}, false};
        // A log that grew: its new partitions are known to processes that started since.
        if (!services.processor.has(partition)) {
            fresh = false;
            continue;
        }
        auto const floor = co_await writes.floor(partition, deadline);
        bool const old = floor && (*floor < 0 || shows(call, partition, *floor) ||
                                   co_await wait_until_shown(call, partition, *floor, deadline));
        if (old && *floor >= 0 && services.progress.reached(partition, *floor)) writes.floor_reached(partition, *floor);
        bool const ours = !own || own->folded || shows(call, partition, own->position) ||
                          co_await wait_until_shown(call, partition, own->position, deadline);
        fresh = fresh && old && ours;
    }
    call.stale = !fresh;
}

}  // namespace workforce::operations
