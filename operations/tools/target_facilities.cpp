// A look-up for each kind whose resources are somewhere.
#include "operations/tools/target_facilities.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/sql_values.hpp"
#include "projections/engine/query.hpp"

namespace workforce::operations {
namespace {

struct PlaceOfKind {
    events::Kind kind;
    core::Statement statement;  // ($1 organization, $2 whether of its sandbox, $3 id) → a row a facility
};

constexpr std::array kPlaces{
    PlaceOfKind{events::Kind::shift,
                {"place_of_shift",
                 "SELECT facility_id FROM read.shift "
                 "WHERE organization_id = $1 AND is_sandbox = $2 AND id = $3"}},
    PlaceOfKind{events::Kind::lead,
                {"place_of_lead",
                 "SELECT facility_id FROM read.lead WHERE organization_id = $1 AND is_sandbox = $2 "
                 "AND id = $3 AND facility_id IS NOT NULL"}},
    PlaceOfKind{events::Kind::payroll_run,
                {"place_of_payroll_run",
                 "SELECT facility_id FROM read.payroll_run WHERE organization_id = $1 "
                 "AND is_sandbox = $2 AND id = $3 AND facility_id IS NOT NULL"}},
    PlaceOfKind{events::Kind::timesheet,
                {"place_of_timesheet",
                 "SELECT facility_id FROM read.timesheet "
                 "WHERE organization_id = $1 AND is_sandbox = $2 AND id = $3"}},
    PlaceOfKind{events::Kind::staff,
                {"place_of_staff",
                 "SELECT unnest(facility_ids) FROM read.staff "
                 "WHERE organization_id = $1 AND is_sandbox = $2 AND id = $3"}},
    PlaceOfKind{events::Kind::credential,
                {"place_of_credential",
                 "SELECT unnest(s.facility_ids) FROM read.credential c JOIN read.staff s "
                 "ON s.organization_id = c.organization_id AND s.is_sandbox = c.is_sandbox AND s.id = c.staff_id "
                 "WHERE c.organization_id = $1 AND c.is_sandbox = $2 AND c.id = $3"}},
};

/// The kind of what the call names by its path's id.
std::optional<events::Kind> target_kind(Call const& call) {
    auto const& operation = call.operation;
    if (operation.acts_on) return operation.acts_on;
    bool const reads_one = operation.effect == Effect::read && operation.versioned && !operation.reads.empty();
    return reads_one ? core::parse_enum<events::Kind>(operation.reads.front()) : std::nullopt;
}

}  // namespace

boost::asio::awaitable<std::optional<std::vector<Id>>> target_facilities(Call const& call) {
    auto const kind = target_kind(call);
    auto const place = std::ranges::find_if(kPlaces, [&](PlaceOfKind const& each) { return each.kind == kind; });
    auto const& path = call.input.path;
    bool const named = path.size() == 1 && path.begin()->id != 0;
    if (named && kind == events::Kind::facility) co_return std::vector<Id>{path.begin()->id};
    if (place == kPlaces.end() || !named || call.meta.organization == 0) co_return std::nullopt;
    projections::Scope const scope{call.meta.organization, call.meta.sandbox, false, {}};
    auto const rows = co_await call.services.reads.find(
        {place->statement,
         projections::tenant(scope),
         {core::to_parameter(call.meta.organization), core::to_parameter(call.meta.sandbox),
          core::to_parameter(path.begin()->id)}});
    std::vector<Id> facilities;
    for (auto const& row : rows) facilities.push_back(core::parse_integer(row.at(0).value()).value());
    co_return facilities;
}

}  // namespace workforce::operations
