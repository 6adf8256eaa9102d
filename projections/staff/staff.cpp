// The declaration of read.staff.
#include "projections/staff/staff.hpp"

#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

std::vector<std::string> skill_keys(events::Staff const& person) {
    std::vector<std::string> keys;
    for (auto const& skill : person.skills) keys.push_back(core::fold_case(skill.value));
    return keys;
}

std::string searched(events::Staff const& person) {
    return search_text(full_name(person.firstName.value, person.lastName.value), person.email.value.value);
}

constexpr std::string_view kHolding =
    "EXISTS (SELECT FROM read.credential c WHERE c.organization_id = t.organization_id "
    "AND c.is_sandbox = t.is_sandbox AND c.staff_id = t.id AND c.status = ANY ($credentialStatus) AND NOT c.deleted)";

}  // namespace

StaffRows const& staff() {
    static StaffRows const model =
        StaffRows::declare("staff")
            .called("staff member")
            .revision(2)
            .shown_as(kStaffDocument)
            .seen_at("t.facility_ids && $facilities OR t.facility_ids = '{}'")
            .own_if("t.id = $staff")
            .shown_if("NOT t.deleted")
            .column("facility_ids", [](auto const& person) -> auto const& { return person.facilityIds; })
            .column("deleted", [](auto const& person) { return person.deleted; })
            .column("is_active", [](auto const& person) { return person.isActive; })
            .column("employment_type", [](auto const& person) { return person.employmentType; })
            .column("hourly_rate", [](auto const& person) { return person.hourlyRate; })
            .column("last_name_key", [](auto const& person) { return core::fold_case(person.lastName.value.value); })
            .column("specialty_key", [](auto const& person) { return core::fold_case(person.specialty.value); })
            .column("skill_keys", [](auto const& person) { return skill_keys(person); })
            .json("internals", [](auto const& person) -> auto const& { return person.internals; })
            .filter<&StaffFilter::isActive>("t.is_active = $isActive")
            .filter<&StaffFilter::specialty>("t.specialty_key = $specialty", folded)
            .filter<&StaffFilter::employmentType>("t.employment_type = ANY ($employmentType)")
            .filter<&StaffFilter::skill>("$skill = ANY (t.skill_keys)", folded)
            .filter<&StaffFilter::credentialStatus>(kHolding)
            .search([](auto const& person) { return searched(person); })
            .stamped()
            .sort("lastName", "last_name_key")
            .sort("createdAt", "created_at")
            .sort("hourlyRate", "hourly_rate");
    return model;
}

ScopedStatement const& availability_by_person() {
    static ScopedStatement const statement("staff_find_availability", sql::staff_find_availability,
                                           find_own_text(staff().spec()));
    return statement;
}

boost::asio::awaitable<std::vector<Id>> active_staff_at(core::Database& database, Scope scope, Id facility,
                                                        std::int64_t most) {
    static ScopedStatement const statement("active_staff_at", sql::staff_active_at);
    auto const chosen = statement.of(scope);
    auto const context = tenant(scope);
    co_return co_await database.run(
        [chosen, context, facility, most](core::Connection& connection) {
            std::vector<Id> ids;
            auto const rows = connection.execute(chosen, context.organization, context.sandbox, facility, most);
            for (auto const& row : rows) ids.push_back(core::read<Id>(row[0]));
            return ids;
        },
        context);
}

}  // namespace workforce::projections
