// Whether the read models of a backup may be used.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "cli/backup_files.hpp"
#include "cli/restored_ids.hpp"

namespace workforce::cli {

/// Read models hold personal data in clear. They may be loaded only if whoever is known to be erased (`destroyed`, and
/// whom the log tells of) was so in every one of them when they were taken. Returns why they may not, or nothing; the
/// backup has some. Blocks. Errors: std::runtime_error when a file is not what the manifest says.
std::optional<std::string> unfolded_erasure(KeysManifest const& keys, std::string const& keys_directory,
                                            std::set<std::string> const& destroyed, LogFacts const& facts);

}  // namespace workforce::cli
