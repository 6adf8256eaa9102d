// The statements of staff with their parameters.
#include "projections/engine/search_text.hpp"
#include "projections/engine/sort_names.hpp"
#include "projections/engine/statements.hpp"
#include "projections/sql.hpp"
#include "projections/staff/staff.hpp"

namespace workforce::projections {
namespace {

constexpr std::array kSortKeys{SortKey{"lastName", "last_name_key", "text"},
                               SortKey{"createdAt", "created_at", "timestamptz"},
                               SortKey{"hourlyRate", "hourly_rate", "bigint"}};

std::vector<core::Parameter> parameters_of(StaffFilter const& filter) {
    std::vector<std::string_view> types;
    for (auto const type : filter.employment_type) types.push_back(core::enum_name(type));
    return {core::to_parameter(filter.is_active),
            unless_empty(fold_case(filter.specialty)),
            unless_empty(types),
            unless_empty(fold_case(filter.skill)),
            unless_empty(fold_case(filter.q)),
            core::to_parameter(filter.updated_since)};
}

}  // namespace

boost::asio::awaitable<std::optional<Document>> find_staff(core::Database& database, Scope const& scope, Id id) {
    static ScopedStatement const statement("staff_find", sql::staff_find);
    return find_document(database, statement, scope, id);
}

boost::asio::awaitable<core::Result<Page>> list_staff(core::Database& database, Scope const& scope,
                                                      StaffFilter const& filter, PageRequest const& page) {
    static ListStatements const statements("staff_list", sql::staff_list, kSortKeys);
    return statements.run(database, scope, page, parameters_of(filter));
}

std::vector<std::string> staff_sorts() { return sort_names(kSortKeys); }

}  // namespace workforce::projections
