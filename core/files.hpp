// Files as lists of lines that only grow.
#pragma once

#include <string>
#include <string_view>

namespace workforce::core {

/// Appends the text with one write, so that lines of several processes do not mix, and has it on disk when it returns;
/// makes the file (0644) where there is none. Errors: std::runtime_error that names the file.
void append_to_file(std::string const& path, std::string_view text);

}  // namespace workforce::core
