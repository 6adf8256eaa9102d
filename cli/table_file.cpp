// Rows through a cursor one way, through json_populate_recordset the other.
#include "cli/table_file.hpp"

#include <fmt/format.h>

#include <pqxx/transaction>
#include <stdexcept>

#include "cli/line_file.hpp"
#include "cli/line_source.hpp"
#include "core/crypto.hpp"
#include "projections/registry.hpp"

namespace workforce::cli {
namespace {

constexpr std::size_t kRows = 1000;

/// Sums lines up as BackupTable::digest says.
class Sum {
   public:
    void add(std::string_view line) {
        ++rows_;
        digest_ = core::hex_encode(core::bytes(core::sha256(digest_ + std::string(line))));
    }
    [[nodiscard]] std::int64_t rows() const { return rows_; }
    [[nodiscard]] std::string const& digest() const { return digest_; }

   private:
    std::int64_t rows_ = 0;
    std::string digest_;
};

/// The statement that inserts such rows, given as JSON: of the columns that they have, for the table may have more by
/// now, and some are generated.
std::string insert_of(core::Connection& connection, std::string const& table, std::string const& rows) {
    constexpr auto kColumns = R"(
SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
    AND attname IN (SELECT json_object_keys($2::json -> 0)))";
    auto const columns =
        core::read<std::string>(connection.open_transaction().exec_params(kColumns, table, rows).at(0)[0]);
    return fmt::format("INSERT INTO {0} ({1}) SELECT {1} FROM json_populate_recordset(NULL::{0}, $1::json)", table,
                       columns);
}

}  // namespace

std::vector<std::string> read_model_tables() {
    std::vector<std::string> names{"projection.checkpoint", "projection.poison", "projection.poison_decision"};
    for (auto const& type : projections::registry()) names.push_back(fmt::format("read.{}", type.table));
    return names;
}

BackupTable dump_table(core::Connection& connection, std::string_view table, std::string const& directory) {
    LineFile file(table_file(directory, table));
    Sum sum;
    connection.execute_sql(
        fmt::format("DECLARE backup_rows NO SCROLL CURSOR FOR SELECT row_to_json(t)::text FROM {} AS t", table));
    auto const fetch = fmt::format("FETCH {} FROM backup_rows", kRows);
    for (auto rows = connection.execute_sql(fetch); !rows.empty(); rows = connection.execute_sql(fetch)) {
        for (auto const& row : rows) {
            file.add(core::read_view(row[0]));
            sum.add(core::read_view(row[0]));
        }
    }
    connection.execute_sql("CLOSE backup_rows");
    file.finish();
    return {std::string(table), sum.rows(), sum.digest()};
}

void each_row(BackupTable const& table, std::string const& directory,
              std::function<void(std::string const& row)> const& work) {
    auto const path = table_file(directory, table.name);
    LineSource lines(path);
    Sum sum;
    while (auto const line = lines.next()) {
        sum.add(*line);
        work(*line);
    }
    if (sum.rows() != table.rows || sum.digest() != table.digest) {
        throw std::runtime_error(fmt::format("{}: its rows are not those that the manifest names", path));
    }
}

void load_table(core::Connection& connection, BackupTable const& table, std::string const& directory) {
    std::string insert;
    std::string rows = "[";
    std::size_t count = 0;
    auto const flush = [&] {
        if (count == 0) return;
        rows += ']';
        if (insert.empty()) insert = insert_of(connection, table.name, rows);
        connection.open_transaction().exec_params(insert, rows);
        rows = "[";
        count = 0;
    };
    each_row(table, directory, [&](std::string const& row) {
        if (count > 0) rows += ',';
        rows += row;
        if (++count == kRows) flush();
    });
    flush();
}

}  // namespace workforce::cli
