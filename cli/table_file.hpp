// Tables to files of JSON rows and back.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/backup_files.hpp"
#include "core/connection.hpp"

namespace workforce::cli {

/// The read models, and how far each has come.
std::vector<std::string> read_model_tables();

/// Writes all rows of the table, as the open transaction sees them. Blocks. Errors: pqxx's; std::runtime_error naming
/// the file.
BackupTable dump_table(core::Connection& connection, std::string_view table, std::string const& directory);

/// Adds the file's rows to the table, in the open transaction. Blocks. Errors: std::runtime_error when the file is not
/// what the manifest says; pqxx's.
void load_table(core::Connection& connection, BackupTable const& table, std::string const& directory);

/// Reads the file's lines one after another, checked at the end. Errors: as load_table.
void each_row(BackupTable const& table, std::string const& directory,
              std::function<void(std::string const& row)> const& work);

}  // namespace workforce::cli
