// What folds of reactors keep: rows that a batch of events reads and changes, and tables of them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/connection.hpp"
#include "core/json_io.hpp"

namespace workforce::workers {

/// Rows of one sort, of which a batch of events reads some and changes some; nothing: the row is to leave, or there is
/// none.
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
};

/// A table of schema `reactor` whose rows are JSON: the id, organization_id, doc. One object a table, which lives as
/// long as the program. Thread-safe; all functions block. Errors: pqxx's.
class DocTable {
   public:
    /// `id` is that column's name.
    explicit DocTable(std::string_view table, std::string_view id = "id");

    /// Adds the rows with these ids.
    template <class Row>
    void load(core::Connection& connection, std::set<core::Id> const& ids, FoldedRows<Row>& into) const {
        if (ids.empty()) return;
        for (auto const& row : connection.execute(load_.statement(), core::array_literal(ids))) {
            into.rows[core::read<core::Id>(row[0])] = core::from_stored_json<Row>(core::read_view(row[1]));
        }
    }

    /// Writes what was changed.
    template <class Row>
    void keep(core::Connection& connection, FoldedRows<Row> const& changed) const {
        Changes changes;
        for (auto const& [id, organization] : changed.changed) {
            auto const& row = changed.rows.at(id);
            if (!row) {
                changes.dropped.push_back(id);
                continue;
            }
            changes.ids.push_back(id);
            changes.organizations.push_back(organization);
            changes.docs.push_back(core::to_json(*row));
        }
        write(connection, changes);
    }

   private:
    struct Text {
        std::string name;
        std::string sql;
        [[nodiscard]] core::Statement statement() const { return {name, sql}; }
    };
    struct Changes {
        std::vector<core::Id> dropped;
        std::vector<core::Id> ids;
        std::vector<core::Id> organizations;
        std::vector<std::string> docs;
    };
    void write(core::Connection& connection, Changes const& changes) const;

    Text const load_, keep_, drop_;
};

}  // namespace workforce::workers
