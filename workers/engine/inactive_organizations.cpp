// Rows of reactor.inactive_organization.
#include "workers/engine/inactive_organizations.hpp"

#include "events/organization.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kInactive{"inactive_organizations", R"(
SELECT organization_id FROM reactor.inactive_organization WHERE reactor = $1 AND organization_id = ANY ($2::bigint[]))"};
constexpr core::Statement kAddInactive{"inactive_organization_add", R"(
INSERT INTO reactor.inactive_organization (reactor, organization_id) VALUES ($1, $2) ON CONFLICT DO NOTHING)"};
constexpr core::Statement kDropInactive{
    "inactive_organization_drop",
    "DELETE FROM reactor.inactive_organization WHERE reactor = $1 AND organization_id = $2"};

constexpr core::Statement kReconcile{"inactive_organizations_reconcile", R"(
WITH active_again AS (
    DELETE FROM reactor.inactive_organization i USING read.organization o
    WHERE o.organization_id = i.organization_id AND o.id = i.organization_id AND NOT o.is_sandbox AND o.is_active)
INSERT INTO reactor.inactive_organization (reactor, organization_id)
SELECT reactor, o.id FROM read.organization o, unnest(ARRAY['webhooks', 'shift_mail']) AS reactor
WHERE NOT o.is_sandbox AND NOT o.is_active
ON CONFLICT DO NOTHING)"};

}  // namespace

void reconcile_inactive_organizations(core::Connection& connection) { connection.execute(kReconcile); }

std::set<core::Id> inactive_organizations(core::Connection& connection, std::string_view reactor,
                                          std::set<core::Id> const& among) {
    std::set<core::Id> inactive;
    if (among.empty()) return inactive;
    for (auto const& row : connection.execute(kInactive, reactor, core::array_literal(among))) {
        inactive.insert(core::read<core::Id>(row[0]));
    }
    return inactive;
}

OrganizationChange change_of(events::Event const& event) {
    if (events::is<events::OrganizationDeactivated>(event.data)) return OrganizationChange::deactivated;
    if (events::is<events::OrganizationReactivated>(event.data)) return OrganizationChange::reactivated;
    return OrganizationChange::none;
}

void keep_organization(core::Connection& connection, std::string_view reactor, events::Event const& event) {
    auto const change = change_of(event);
    if (change == OrganizationChange::none) return;
    connection.execute(change == OrganizationChange::deactivated ? kAddInactive : kDropInactive, reactor,
                       event.meta.subject.id);
}

}  // namespace workforce::workers
