// Files to be imported: cells that are read come back when they are written again, and each row is read as the commands
// that may come of it, or refused.
#include "core/csv.hpp"

#include <array>
#include <string>
#include <vector>

#include "commands/shift.hpp"
#include "commands/staff.hpp"
#include "operations/commands.hpp"
#include "operations/import_file.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
namespace {

using Cells = std::vector<std::vector<std::string>>;

constexpr std::size_t kMany = 64;  // cells of a record that are kept

/// The records of a text, and whether all of it is CSV.
bool read_cells(std::string_view text, Cells& records) {
    core::CsvReader reader(text);
    std::int64_t line = 0;
    while (true) {
        auto record = reader.next(kMany);
        if (!record) {
            require(record.error().line >= line, "a fault follows what was read");
            return false;
        }
        if (!*record) return true;
        require((*record)->line > line, "records begin on lines of their own");
        require((*record)->cells.size() == std::min((*record)->count, kMany), "cells are kept as asked");
        line = (*record)->line;
        records.push_back(std::move((*record)->cells));
    }
}

std::string written(Cells const& records) {
    std::string text;
    for (auto const& cells : records) {
        std::string line;
        for (auto const& cell : cells) {
            line += line.empty() ? "\"" : ",\"";
            for (char const c : cell) line.append(c == '"' ? 2 : 1, c);
            line += '"';
        }
        text += line + "\r\n";
    }
    return text;
}

operations::ImportHeader const& staff_columns() {
    static operations::ImportHeader const header{operations::columns_of<commands::CreateStaff>(), {}};
    return header;
}
operations::ImportHeader const& shift_columns() {
    static operations::ImportHeader const header{operations::columns_of<events::ShiftDetails>(), {}};
    return header;
}

template <class Command>
void read_as(core::JsonValue const& object) {
    Command command;
    core::JsonReader reader;
    auto const fault = operations::read_fields(object, command, reader);
    if (!fault) (void)core::to_json(command);
    if (fault) require(core::parse_json(fault->details).has_value(), "a refusal's details are JSON");
}

template <class Create, class Update>
void read_file(std::string_view text, operations::ImportHeader const& header) {
    auto const file = operations::read_import_file(text, header);
    if (!file) return require(core::parse_json(file.error().details).has_value(), "a refusal's details are JSON");
    require(file->rows.size() <= operations::kMostImportRows, "a file has so many rows at most");
    for (auto const& row : file->rows) {
        if (row.fault) continue;
        auto const object = operations::object_of_row(row.cells, file->columns);
        read_as<Create>(object);
        read_as<Update>(object);
    }
}

}  // namespace

void fuzz(std::string_view input) {
    Cells records;
    if (read_cells(input, records)) {
        Cells again;
        require(read_cells(written(records), again) && again == records, "cells that are written come back");
    }
    read_file<commands::CreateStaff, commands::UpdateStaff>(input, staff_columns());
    read_file<commands::CreateShift, commands::UpdateShift>(input, shift_columns());
}

}  // namespace workforce::tests
