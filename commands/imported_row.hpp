// The outcome of a row of an imported file.
#pragma once

#include <string>
#include <vector>

#include "core/json.hpp"
#include "core/text.hpp"

namespace workforce::commands {

enum class ImportStatus : std::uint8_t { created, updated, failed };
BOOST_DESCRIBE_ENUM(ImportStatus, created, updated, failed)

/// One thing that is wrong with a row.
struct ImportError {
    std::string code;                   ///< as a refusal has it
    core::Nullable<std::string> field;  ///< the column, with a place within it perhaps; null: no single one
    core::Nullable<std::string> rule;   ///< that the field breaks
    std::string message;
};
BOOST_DESCRIBE_STRUCT(ImportError, (), (code, field, rule, message))

struct ImportedRow {
    std::int64_t line = 0;  ///< where the row begins in the file, from 1
    ImportStatus status = ImportStatus::failed;
    core::Nullable<core::Id> id;      ///< null where it failed, or would be made
    std::vector<ImportError> errors;  ///< the first ones; empty unless it failed
};
BOOST_DESCRIBE_STRUCT(ImportedRow, (), (line, status, id, errors))

}  // namespace workforce::commands
