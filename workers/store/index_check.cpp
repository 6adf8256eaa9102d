// One statement over the columns of all declared indexes.
#include "workers/store/index_check.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "events/catalogue.hpp"
#include "workers/sql.hpp"
#include "workers/store/index_statements.hpp"

namespace workforce::workers {
namespace {

struct WantedColumns {
    projections::ArrayColumn table, column, leads;

    void add(std::string_view of, std::string_view name, bool leading) {
        table.add(of);
        column.add(name);
        leads.add(leading);
    }
};

template <class I>
void add_columns_of(WantedColumns& wanted) {
    auto const table = projections::table_of(I::kKind);
    auto const parts = part_columns<I>();
    if (parts.empty()) wanted.add(table, "organization_id", true);
    for (auto const& part : parts) wanted.add(table, part, &part == &parts.front());
    if constexpr (!I::kDeleted) wanted.add(table, "deleted", false);
    boost::mp11::mp_for_each<typename I::Where>([&]<class Condition>(Condition) {
        wanted.add(table, column_name(events::detail::member_name<Condition::kMember>()), false);
    });
    if constexpr (commands::kHasTime<I>) {
        wanted.add(table, column_name(events::detail::member_name<I::Time::kStarts>()), false);
        wanted.add(table, column_name(events::detail::member_name<I::Time::kEnds>()), false);
    }
}

}  // namespace

void require_indexes(core::Connection& connection) {
    WantedColumns wanted;
    boost::mp11::mp_for_each<events::Indexes>([&]<class I>(I) { add_columns_of<I>(wanted); });
    std::array<core::Parameter, 3> const parameters{wanted.table.take(), wanted.column.take(), wanted.leads.take()};
    std::string lacking;
    for (auto const& row : connection.execute_prepared({"index_check", sql::store_index_check}, parameters)) {
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
