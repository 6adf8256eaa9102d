// The statements of shifts with their parameters.
#include "projections/engine/search_text.hpp"
#include "projections/engine/sort_names.hpp"
#include "projections/engine/statements.hpp"
#include "projections/shifts/shifts.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

constexpr std::array kSortKeys{SortKey{"startsAt", "starts_at", "timestamptz"},
                               SortKey{"createdAt", "created_at", "timestamptz"},
                               SortKey{"urgency", "urgency_rank", "smallint"}};

std::vector<core::Parameter> parameters_of(ShiftFilter const& filter) {
    std::vector<std::string_view> statuses;
    for (auto const status : filter.status) statuses.push_back(core::enum_name(status));
    std::vector<int> urgencies;
    for (auto const urgency : filter.urgency) urgencies.push_back(static_cast<int>(urgency));
    return {unless_empty(statuses),
            core::to_parameter(filter.from),
            core::to_parameter(filter.to),
            unless_empty(urgencies),
            unless_empty(fold_case(filter.specialty)),
            unless_empty(fold_case(filter.department)),
            core::to_parameter(filter.staff_id),
            core::to_parameter(filter.open_at),
            unless_empty(fold_case(filter.q)),
            core::to_parameter(filter.updated_since)};
}

}  // namespace

boost::asio::awaitable<std::optional<Document>> find_shift(core::Database& database, Scope const& scope, Id id) {
    static ScopedStatement const statement("shifts_find", sql::shifts_find);
    return find_document(database, statement, scope, id);
}

boost::asio::awaitable<std::optional<Document>> find_assignments(core::Database& database, Scope const& scope,
                                                                 Id shift) {
    static ScopedStatement const statement("shifts_find_assignments", sql::shifts_find_assignments);
    return find_document(database, statement, scope, shift);
}

boost::asio::awaitable<core::Result<Page>> list_shifts(core::Database& database, Scope const& scope,
                                                       ShiftFilter const& filter, PageRequest const& page) {
    static ListStatements const statements("shifts_list", sql::shifts_list, kSortKeys);
    return statements.run(database, scope, page, parameters_of(filter));
}

std::vector<std::string> shift_sorts() { return sort_names(kSortKeys); }

}  // namespace workforce::projections
