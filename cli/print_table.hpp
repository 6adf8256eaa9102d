// Tables for people.
#pragma once

#include <string>
#include <vector>

namespace workforce::cli {

/// Prints rows under their heads (the first row), each column as wide as it has to be. All rows are of one length.
void print_table(std::vector<std::vector<std::string>> const& rows);

}  // namespace workforce::cli
