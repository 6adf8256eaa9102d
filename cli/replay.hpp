// The ways of `workforce replay`.
#pragma once

#include <string>
#include <vector>

#include "core/config.hpp"

namespace workforce::cli {

/// What the command line said.
struct ReplayArguments {
    bool verify = false;
    std::string against;                   ///< file of signed heads, or empty
    std::vector<std::string> public_keys;  ///< hexadecimal; none: the installation's own
    bool json = false;
    int partition = -1;  ///< -1: all
    std::string as_of;   ///< RFC 3339, or empty: now
    std::string aggregate;
    bool sandbox = false;
    bool personal = false;
    std::string export_to;  ///< a file, or "-"
    std::string from;
    std::string to;
};

/// Checks the chain of every partition and prints what it found. Returns 0: whole, 1: broken, 2: can't tell.
int replay_verify(core::Config const& config, ReplayArguments const& arguments);

/// Prints an aggregate as it was. Returns 1 when there never was such a one.
int replay_as_of(core::LoadedConfig const& loaded, ReplayArguments const& arguments);

/// Writes the log's events to a file.
int replay_export(core::Config const& config, ReplayArguments const& arguments);

}  // namespace workforce::cli
