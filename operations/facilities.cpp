// Where shifts are worked.
#include "projections/facilities/facilities.hpp"

#include "commands/facility.hpp"
#include "operations/declare.hpp"
#include "operations/reads.hpp"

namespace workforce::operations {

struct FacilityListQuery : ListQuery {
    std::optional<bool> isActive;
};
BOOST_DESCRIBE_STRUCT(FacilityListQuery, (ListQuery), (isActive))

namespace {

using events::Kind;

boost::asio::awaitable<Outcome> get_facility(Call& call) {
    return get_one(call, "facility", projections::find_facility);
}

boost::asio::awaitable<Outcome> list_facilities(Call& call) {
    return get_list<FacilityListQuery>(
        call,
        [&call](auto const& scope, FacilityListQuery const& query,
                auto const& page) -> boost::asio::awaitable<core::Result<projections::Page>> {
            projections::FacilityFilter const filter{query.isActive, text_or_empty(query.q), query.updatedSince};
            co_return co_await projections::list_facilities(call.services.reads, scope, filter, page);
        });
}

}  // namespace

std::vector<Operation> facility_operations() {
    using enum net::Method;
    return {
        list<events::Facility, FacilityListQuery>("facilities.list", "List facilities", list_facilities,
                                                  projections::facility_sorts())
            .needs("facilities.view")
            .at(get, "/api/facilities"),
        one<events::Facility>("facilities.get", "Read a facility", get_facility)
            .needs("facilities.view")
            .at(get, "/api/facilities/{id}"),
        command<commands::CreateFacility>("facilities.create", "Add a facility")
            .needs("facilities.create")
            .creates(Kind::facility)
            .at(post, "/api/facilities"),
        command<commands::UpdateFacility>("facilities.update", "Change a facility")
            .needs("facilities.edit")
            .on(Kind::facility)
            .at(patch, "/api/facilities/{id}")
            .also_put("facilities.put"),
        command<commands::DeactivateFacility>("facilities.deactivate", "Deactivate a facility")
            .needs("facilities.deactivate")
            .on(Kind::facility)
            .destroys()
            .at(del, "/api/facilities/{id}"),
    };
}

}  // namespace workforce::operations
