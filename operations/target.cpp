// What a request says about its organization, in the order in which it counts.
#include "operations/target.hpp"

#include <fmt/format.h>

#include "core/json_values.hpp"

namespace workforce::operations {
namespace {

using core::Code;
using core::JsonValue;
using core::refuse;

std::optional<Id> as_id(JsonValue const& value) {
    if (!value.IsInt64() || value.GetInt64() < 1) return std::nullopt;
    return value.GetInt64();
}

/// The member of that name, or null where there is none or it says nothing.
JsonValue const* said_member(JsonValue const& object, std::string_view name) {
    auto const* const found = core::find_member(&object, name);
    return found == nullptr || found->IsNull() ? nullptr : found;
}

JsonValue const* body_of(RawInput const& input) { return input.body && *input.body ? &**input.body : nullptr; }

/// `orgUnitId` of the query, else of the body, where that says which organization a request is about.
core::Result<std::optional<Id>> named_organization(RawInput const& input, bool by_body = true) {
    if (input.parameters.contains("orgUnitId")) {
        auto const query = read_query<TargetQuery>(input.parameters);
        if (!query) return tl::unexpected(query.error());
        if (query->orgUnitId) return query->orgUnitId;
    }
    auto const* body = by_body ? body_of(input) : nullptr;
    auto const* said = body == nullptr ? nullptr : said_member(*body, "orgUnitId");
    if (said == nullptr) return std::nullopt;
    auto const id = as_id(*said);
    if (!id) return tl::unexpected(core::validation_problem({{"orgUnitId", "type", "must be a positive integer"}}));
    return id;
}

/// The first facility that an object names, as what it is at or as one of those that it belongs to.
std::optional<Id> facility_in(JsonValue const& object) {
    if (auto const* one = said_member(object, "facilityId")) return as_id(*one);
    auto const* several = said_member(object, "facilityIds");
    if (several == nullptr || !several->IsArray() || several->Empty()) return std::nullopt;
    return as_id((*several)[0]);
}

/// A facility that the request names: a parameter, a field, or a field of the first of many in a list. What is
/// malformed names none, and is refused by whoever reads it.
std::optional<Id> named_facility(RawInput const& input) {
    auto const parameter = input.parameters.find("facilityId");
    if (parameter != input.parameters.end()) return core::parse_integer(parameter->second);
    auto const* body = body_of(input);
    if (body == nullptr || !body->IsObject()) return std::nullopt;
    if (auto const own = facility_in(*body)) return own;
    for (auto const& each : body->GetObject()) {
        if (!each.value.IsArray() || each.value.Empty()) continue;
        if (auto const found = facility_in(each.value[0])) return found;
    }
    return std::nullopt;
}

/// The resource that the request names, where its operation is about one that it does not change.
std::optional<std::pair<events::Kind, Id>> named_resource(Call const& call) {
    auto const& about = call.operation.about;
    if (!about) return std::nullopt;
    std::optional<Id> id;
    auto const parameter = call.input.parameters.find(std::string(about->member));
    if (about->member == "id") {
        id = call.input.path.id();
    } else if (parameter != call.input.parameters.end()) {
        id = core::parse_integer(parameter->second);
    } else if (auto const* body = body_of(call.input); body != nullptr && body->IsObject()) {
        if (auto const* member = said_member(*body, about->member)) id = as_id(*member);
    }
    return id ? std::optional(std::pair(about->kind, *id)) : std::nullopt;
}

/// Whether the call is about an organization that it makes.
bool makes_organization(Operation const& operation) { return operation.makes == events::Kind::organization; }

/// The resource's organization; looks once more when the caller's own writes are folded, of which one may have made it.
boost::asio::awaitable<std::optional<Id>> tenant_of(Call& call, events::Kind kind, Id id) {
    auto& tenants = call.services.tenants;
    if (auto const found = co_await tenants.of(kind, call.meta.sandbox, id)) co_return found;
    co_await await_own_writes(call);
    co_return co_await tenants.of(kind, call.meta.sandbox, id);
}

}  // namespace

bool names_organization(RawInput const& input) {
    auto const named = named_organization(input);
    return !named || *named;
}

core::Result<bool> pick_target(Call& call) {
    auto const& caller = *call.caller;
    call.meta.organization = caller.organization;
    call.meta.sandbox = is_about_sandbox(caller, call.operation);
    if (call.operation.access != Access::permission && !call.operation.any_organization) return true;
    if (makes_organization(call.operation)) {
        if (caller.across_organizations) return false;
        return refuse(Code::org_scope_violation, "Only a credential that acts on all organizations creates one.");
    }
    auto const named = named_organization(call.input, !call.operation.names_own_organization);
    if (!named) return tl::unexpected(named.error());
    if (!caller.across_organizations) {
        if (*named && **named != caller.organization) {
            return refuse(Code::org_scope_violation, "orgUnitId is not the credential's organization.");
        }
        return true;
    }
    bool const names_nothing = !*named && !named_facility(call.input) && !named_resource(call);
    if (call.operation.at_home && names_nothing) return true;
    call.meta.organization = 0;
    return call.operation.effect == Effect::read && names_nothing;
}

boost::asio::awaitable<core::Result<void>> find_target(Call& call) {
    auto& target = call.meta.organization;
    auto const found = [&](Id organization) {
        target = organization;
        return core::Result<void>{};
    };
    if (makes_organization(call.operation)) {
        auto const& idempotency = call.meta.idempotency;
        auto request = idempotency ? std::optional(idempotency->key) : std::nullopt;
        co_return found(co_await call.services.processor.homes().take_new(std::move(request)));
    }
    bool const by_body = !call.operation.names_own_organization;
    if (auto const named = named_organization(call.input, by_body); named && *named) {
        if (auto const known = co_await tenant_of(call, events::Kind::organization, **named)) co_return found(*known);
        co_return refuse(Code::org_scope_violation, fmt::format("There is no organization {}.", **named));
    }
    auto resource = named_resource(call);
    if (call.operation.acts_on) resource = std::pair(*call.operation.acts_on, call.input.path.id());
    if (resource) {
        auto const [kind, id] = *resource;
        if (auto const known = co_await tenant_of(call, kind, id)) co_return found(*known);
        co_return refuse(Code::not_found, fmt::format("There is no {} {}.", core::enum_name(kind), id));
    }
    if (auto const facility = named_facility(call.input)) {
        if (auto const known = co_await tenant_of(call, events::Kind::facility, *facility)) co_return found(*known);
        co_return refuse(Code::facility_scope_violation, fmt::format("There is no facility {}.", *facility));
    }
    co_return refuse(Code::org_required, "The request does not say which organization it is about.");
}

boost::asio::awaitable<core::Result<void>> resolve_target(Call& call) {
    auto const picked = pick_target(call);
    if (!picked) co_return tl::unexpected(picked.error());
    if (*picked) co_return core::Result<void>{};
    co_return co_await find_target(call);
}

}  // namespace workforce::operations
