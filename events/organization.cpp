// How events of organizations fold: the one definition, for the write side's memory and for read models.
#include "events/organization.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {

void evolve(Organization& organization, OrganizationEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](OrganizationCreated const& e) { static_cast<OrganizationDetails&>(organization) = e; },
                          [&](OrganizationUpdated const& e) {
                              merge(organization, static_cast<OrganizationChanges const&>(e));
                          },
                          [&](OrganizationDeactivated const&) { organization.isActive = false; },
                          [&](OrganizationReactivated const&) { organization.isActive = true; },
                          [&](OrganizationUsageExported const&) {}},
               event);
    // An export changes nothing of the organization itself.
    if (!std::holds_alternative<OrganizationUsageExported>(event)) stamp(organization, meta);
}

template struct DataCodec<OrganizationEvent>;

}  // namespace workforce::events
