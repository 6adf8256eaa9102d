// Files that are whole or not there, and files of lines that only grow.
#pragma once

#include <string>
#include <string_view>

namespace workforce::core {

/// Appends lines of JSON (each ended by a line feed) with one write, one process at a time, and has them on disk when
/// it returns; makes the file (0644) where there is none. What could not be written whole is taken back, and a last
/// line that was torn before, by a crash or a full disk, is cut off first (one that lacks its line feed alone gets it).
/// Blocks. Errors: std::runtime_error that names the file.
void append_to_file(std::string const& path, std::string_view lines);

/// The file's content. Blocks. Errors: std::runtime_error that names the file.
std::string read_file(std::string const& path);

/// Writes the file (0644, less the umask) with that content, or leaves what is there as it is: it gets its name last,
/// and is on disk when this returns. Blocks. Errors: std::runtime_error that names the file.
void write_whole_file(std::string const& path, std::string_view content);

/// Gives a file that is on disk its final name, on disk too when this returns. Blocks. Errors: std::runtime_error that
/// names the file.
void rename_durably(std::string const& from, std::string const& to);

/// Whether the file is there, this user's, and nobody else may write it.
bool is_own_file(std::string const& path);

/// Returns once the name of the file or directory is on disk. Blocks. Errors: std::runtime_error that names a file.
void store_name(std::string const& path);

}  // namespace workforce::core
