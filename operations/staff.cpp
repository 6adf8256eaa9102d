// The people who work.
#include "commands/staff.hpp"

#include "operations/declare.hpp"
#include "operations/reads.hpp"
#include "projections/staff/staff.hpp"

namespace workforce::operations {

struct StaffListQuery : ListQuery {
    std::optional<core::ShortText> specialty;
    std::optional<std::vector<events::EmploymentType>> employmentType;
    std::optional<bool> isActive;  ///< default true
    std::optional<core::ShortText> skill;
};
BOOST_DESCRIBE_STRUCT(StaffListQuery, (ListQuery), (specialty, employmentType, isActive, skill))

namespace {

using events::Kind;

struct ForceQuery {
    std::optional<bool> force;
};
BOOST_DESCRIBE_STRUCT(ForceQuery, (), (force))

boost::asio::awaitable<Outcome> get_staff(Call& call) { return get_one(call, "staff member", projections::find_staff); }

boost::asio::awaitable<Outcome> list_staff(Call& call) {
    return get_list<StaffListQuery>(
        call,
        [&call](auto const& scope, StaffListQuery const& query,
                auto const& page) -> boost::asio::awaitable<core::Result<projections::Page>> {
            projections::StaffFilter filter;
            filter.q = text_or_empty(query.q);
            filter.specialty = text_or_empty(query.specialty);
            filter.employment_type = query.employmentType.value_or(std::vector<events::EmploymentType>{});
            filter.is_active = query.isActive.value_or(true);
            filter.skill = text_or_empty(query.skill);
            filter.updated_since = query.updatedSince;
            co_return co_await projections::list_staff(call.services.reads, scope, filter, page);
        });
}

/// DELETE /api/staff/{id} takes `force` as a parameter, for bodies of DELETE mean nothing (RFC 9110 9.3.5).
boost::asio::awaitable<Outcome> deactivate_staff(Call& call) {
    auto command = read_query<ForceQuery>(call.input.parameters).map([&](ForceQuery const& query) {
        commands::DeactivateStaff deactivate;
        deactivate.id = call.input.ids.at(0);
        deactivate.force = query.force;
        return deactivate;
    });
    return submit(call, submission_of(call, std::move(command)), 0);
}

Operation staff_deactivation() {
    auto row = command<commands::DeactivateStaff>("staff.deactivate", "Deactivate a staff member");
    row.body = nullptr;
    row.body_example = nullptr;
    row.parameters = parameters_of<ForceQuery>();
    row.handler = deactivate_staff;
    return row;
}

}  // namespace

std::vector<Operation> staff_operations() {
    using enum net::Method;
    return {
        list<events::Staff, StaffListQuery>("staff.list", "List staff", list_staff, projections::staff_sorts())
            .needs("staff.view")
            .at(get, "/api/staff"),
        one<events::Staff>("staff.get", "Read a staff member", get_staff)
            .needs("staff.view")
            .at(get, "/api/staff/{id}"),
        command<commands::CreateStaff>("staff.create", "Onboard a staff member")
            .needs("staff.create")
            .creates(Kind::staff)
            .at(post, "/api/staff"),
        command<commands::UpdateStaff>("staff.update", "Change a staff member")
            .needs("staff.edit")
            .on(Kind::staff)
            .at(patch, "/api/staff/{id}")
            .also_put("staff.put"),
        staff_deactivation().needs("staff.deactivate").on(Kind::staff).destroys().at(del, "/api/staff/{id}"),
        command<commands::ReactivateStaff>("staff.reactivate", "Reactivate a staff member")
            .needs("staff.edit")
            .on(Kind::staff)
            .at(post, "/api/staff/{id}/reactivate"),
    };
}

}  // namespace workforce::operations
