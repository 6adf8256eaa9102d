// The statements of facilities with their parameters.
#include "projections/engine/search_text.hpp"
#include "projections/engine/sort_names.hpp"
#include "projections/engine/statements.hpp"
#include "projections/facilities/facilities.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

constexpr std::array kSortKeys{SortKey{"name", "name_key", "text"}, SortKey{"createdAt", "created_at", "timestamptz"}};

}  // namespace

boost::asio::awaitable<std::optional<Document>> find_facility(core::Database& database, Scope const& scope, Id id) {
    static ScopedStatement const statement("facilities_find", sql::facilities_find);
    return find_document(database, statement, scope, id);
}

boost::asio::awaitable<core::Result<Page>> list_facilities(core::Database& database, Scope const& scope,
                                                           FacilityFilter const& filter, PageRequest const& page) {
    static ListStatements const statements("facilities_list", sql::facilities_list, kSortKeys);
    return statements.run(database, scope, page,
                          {core::to_parameter(filter.is_active), unless_empty(fold_case(filter.q)),
                           core::to_parameter(filter.updated_since)});
}

std::vector<std::string> facility_sorts() { return sort_names(kSortKeys); }

}  // namespace workforce::projections
