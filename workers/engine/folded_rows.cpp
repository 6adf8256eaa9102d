// Statements over a table of documents. They name it without a schema, as a fold does.
#include "workers/engine/folded_rows.hpp"

#include <fmt/format.h>

namespace workforce::workers {
namespace {

constexpr std::string_view kLoadDocs = "SELECT {1}, doc FROM {0} WHERE {1} = ANY ($1::bigint[])";
constexpr std::string_view kKeepDocs = R"(
INSERT INTO {0} ({1}, organization_id, doc) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[])
ON CONFLICT ({1}) DO UPDATE SET doc = excluded.doc)";
constexpr std::string_view kDropDocs = "DELETE FROM {0} WHERE {1} = ANY ($1::bigint[])";

}  // namespace

DocTable::DocTable(std::string_view table, std::string_view id)
    : load_{fmt::format("{}_load", table), fmt::format(kLoadDocs, table, id)},
      keep_{fmt::format("{}_keep", table), fmt::format(kKeepDocs, table, id)},
      drop_{fmt::format("{}_drop", table), fmt::format(kDropDocs, table, id)} {}

void DocTable::write(core::Connection& connection, Changes const& changes) const {
    if (!changes.ids.empty()) {
        connection.execute(keep_.statement(), changes.ids, changes.organizations, changes.docs);
    }
    if (!changes.dropped.empty()) connection.execute(drop_.statement(), changes.dropped);
}

}  // namespace workforce::workers
