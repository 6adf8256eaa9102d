// What folds of reactors keep: rows that a batch of events reads and changes, and the tables that they stand in.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/json_io.hpp"
#include "core/row_columns.hpp"
#include "events/aggregate.hpp"
#include "workers/engine/sealing.hpp"

namespace workforce::workers {

/// A table of schema `reactor` with a row for each id: the id, organization_id, and `column`. One object a table, which
/// lives as long as the program.
class FoldedTable {
   public:
    /// `id` is that column's name, `type` that of `column`.
    FoldedTable(std::string_view table, std::string_view id, std::string_view column, std::string_view type);

    /// ($1 ids) → id and column.
    [[nodiscard]] core::Statement load() const { return {load_name_, load_}; }
    /// ($1 ids, $2 organizations, $3 column) adds them, or replaces the column.
    [[nodiscard]] core::Statement keep() const { return {keep_name_, keep_}; }
    /// ($1 ids)
    [[nodiscard]] core::Statement drop() const { return {drop_name_, drop_}; }
    /// As seal_for() takes it.
    [[nodiscard]] std::string_view place() const { return place_; }

   private:
    std::string const place_, load_name_, load_, keep_name_, keep_, drop_name_, drop_;
};

/// The table of rows that are stored as JSON. They say its name as kTable, and as kId that of the ids where it is not
/// `id`. Rows about persons, which have their ids, are sealed, each under its person's key: these say the persons' kind
/// as kPerson.
template <class Row>
FoldedTable const& table_of() {
    static FoldedTable const table = [] {
        std::string_view id = "id";
        if constexpr (requires { Row::kId; }) id = Row::kId;
        constexpr bool kSealed = requires { Row::kPerson; };
        return FoldedTable(Row::kTable, id, kSealed ? "sealed" : "doc", kSealed ? "bytea" : "text");
    }();
    return table;
}
template <class Row>
std::string person_of(core::Id id) {
    return to_string(events::AggregateRef{Row::kPerson, id});
}

/// Rows of one sort, of which a batch of events reads some and changes some; nothing: the row is to leave, or there is
/// none. Functions with a connection block. Errors: pqxx's; with a keyring, those of seal_for() and open_for() as well.
template <class Row>
struct FoldedRows {
    std::map<core::Id, std::optional<Row>> rows{};
    std::map<core::Id, core::Id> changed{};  ///< with their organizations

    void put(core::Id id, core::Id organization, std::optional<Row> row) {
        rows[id] = std::move(row);
        changed[id] = organization;
    }
    /// Changes the row by `change`, where there is one.
    template <class Change>
    void change(core::Id id, core::Id organization, Change change) {
        auto& row = rows[id];
        if (!row) return;
        change(*row);
        changed[id] = organization;
    }

    /// Adds the rows with these ids, of table_of().
    void load(core::Connection& connection, std::set<core::Id> const& ids) {
        if (ids.empty()) return;
        for (auto const& row : connection.execute(table_of<Row>().load(), core::array_literal(ids))) {
            rows[core::read<core::Id>(row[0])] = core::from_stored_json<Row>(core::read_view(row[1]));
        }
    }
    /// The same of sealed rows. Those of who was erased are not there.
    void load(core::Connection& connection, events::Keyring& keyring, std::set<core::Id> const& ids) {
        if (ids.empty()) return;
        auto const& table = table_of<Row>();
        auto const found = connection.execute(table.load(), core::array_literal(ids));
        std::vector<std::string> persons;
        for (auto const& row : found) persons.push_back(person_of<Row>(core::read<core::Id>(row[0])));
        keyring.prefetch(persons);
        for (auto const& row : found) {
            auto const id = core::read<core::Id>(row[0]);
            auto const json = open_for(keyring, person_of<Row>(id), table.place(), core::read_bytes(row[1]));
            if (json) rows[id] = core::from_stored_json<Row>(*json);
        }
    }

    /// Writes what was changed to table_of().
    void keep(core::Connection& connection) const {
        auto const& table = table_of<Row>();
        keep(connection, table.keep(), table.drop(), [](core::Id id, core::Id organization, Row const& row) {
            return std::optional(std::tuple(id, organization, core::to_json(row)));
        });
    }
    /// The same of sealed rows. Those of who was erased leave.
    void keep(core::Connection& connection, events::Keyring& keyring) const {
        using Values = std::tuple<core::Id, core::Id, core::Blob>;
        auto const& table = table_of<Row>();
        keep(connection, table.keep(), table.drop(),
             [&](core::Id id, core::Id organization, Row const& row) -> std::optional<Values> {
                 auto text = seal_for(keyring, person_of<Row>(id), table.place(), core::to_json(row));
                 if (!text) return std::nullopt;
                 return Values{id, organization, {*std::move(text)}};
             });
    }
    /// The same by other statements: `values_of(id, organization, row)` gives what `keep` takes of a row, as
    /// execute_rows() has it; nothing: the row leaves.
    template <class ValuesOf>
    void keep(core::Connection& connection, core::Statement const& keep, core::Statement const& drop,
              ValuesOf values_of) const {
        using Values = typename std::invoke_result_t<ValuesOf&, core::Id, core::Id, Row const&>::value_type;
        std::vector<Values> kept;
        std::vector<core::Id> dropped;
        for (auto const& [id, organization] : changed) {
            auto const& row = rows.at(id);
            auto values = row ? values_of(id, organization, *row) : std::nullopt;
            if (values) {
                kept.push_back(*std::move(values));
            } else {
                dropped.push_back(id);
            }
        }
        core::execute_rows(connection, keep, kept, std::identity());
        if (!dropped.empty()) connection.execute(drop, dropped);
    }
};

}  // namespace workforce::workers
