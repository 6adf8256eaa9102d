// Statements over a table of rows by id. They name it without a schema, as a fold does.
#include "workers/engine/folded_rows.hpp"

#include <fmt/format.h>

namespace workforce::workers {
namespace {

constexpr std::string_view kLoadRows = "SELECT {1}, {2} FROM {0} WHERE {1} = ANY ($1::bigint[])";
constexpr std::string_view kKeepRows = R"(
INSERT INTO {0} ({1}, organization_id, {2}) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::{3}[])
ON CONFLICT ({1}) DO UPDATE SET {2} = excluded.{2})";
constexpr std::string_view kDropRows = "DELETE FROM {0} WHERE {1} = ANY ($1::bigint[])";

}  // namespace

FoldedTable::FoldedTable(std::string_view table, std::string_view id, std::string_view column, std::string_view type)
    : place_(fmt::format("reactor.{}", table)),
      load_name_(fmt::format("{}_load", table)),
      load_(fmt::format(kLoadRows, table, id, column)),
      keep_name_(fmt::format("{}_keep", table)),
      keep_(fmt::format(kKeepRows, table, id, column, type)),
      drop_name_(fmt::format("{}_drop", table)),
      drop_(fmt::format(kDropRows, table, id)) {}

}  // namespace workforce::workers
