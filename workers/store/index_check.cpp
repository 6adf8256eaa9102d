// One statement over the columns of all declared indexes.
#include "workers/store/index_check.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "core/row_columns.hpp"
#include "events/catalogue.hpp"
#include "workers/sql.hpp"
#include "workers/store/index_statements.hpp"

namespace workforce::workers {
namespace {

/// The table, the column, and whether a database index begins with it.
using WantedColumns = std::vector<std::tuple<std::string_view, std::string, bool>>;

template <class I>
void add_columns_of(WantedColumns& wanted) {
    auto const table = projections::table_of(I::kKind);
    auto const parts = part_columns<I>();
    if (parts.empty()) wanted.emplace_back(table, "organization_id", true);
    for (auto const& part : parts) wanted.emplace_back(table, part, &part == &parts.front());
    if constexpr (!I::kDeleted) wanted.emplace_back(table, "deleted", false);
    boost::mp11::mp_for_each<typename I::Where>([&]<class Condition>(Condition) {
        wanted.emplace_back(table, column_name(events::detail::member_name<Condition::kMember>()), false);
    });
    if constexpr (commands::kHasTime<I>) {
        wanted.emplace_back(table, column_name(events::detail::member_name<I::Time::kStarts>()), false);
        wanted.emplace_back(table, column_name(events::detail::member_name<I::Time::kEnds>()), false);
    }
}

}  // namespace

void require_indexes(core::Connection& connection) {
    WantedColumns wanted;
    boost::mp11::mp_for_each<events::Indexes>([&]<class I>(I) { add_columns_of<I>(wanted); });
    std::string lacking;
    core::Statement const check{"index_check", sql::store_index_check};
    for (auto const& row : core::execute_rows(connection, check, wanted, std::identity())) {
        auto const column = fmt::format("read.{}.{}", core::read<std::string>(row["table_name"]),
                                        core::read<std::string>(row["column_name"]));
        bool const lacks_column = core::read<bool>(row["lacks_column"]);
        lacking += fmt::format("{}{} {}", lacking.empty() ? "" : "; ",
                               lacks_column ? "no column" : "no database index over", column);
    }
    if (!lacking.empty()) {
        throw std::runtime_error("decisions could not look up what they need: " + lacking +
                                 "; make what is missing, or run `workforce migrate`");
    }
}

}  // namespace workforce::workers
