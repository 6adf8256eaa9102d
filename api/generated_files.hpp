// `workforce schemas`: files of the repository that are generated from the code.
#pragma once

#include <string>

namespace workforce::api {

/// Writes OpenAPI and the event schemas below `root` (empty: here); with `check` only compares. Returns the exit code:
/// 1 when a file is not current, after naming it.
int generated_files_command(bool check, std::string const& root);

}  // namespace workforce::api
