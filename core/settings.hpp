// The settings there are: their names, what they are for, and how texts become their values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/config.hpp"

namespace workforce::core {

/// What TOML may give a setting besides a string that holds the same.
enum class TomlForm : std::uint8_t {
    text,  ///< nothing
    flag,  ///< a boolean
    list,  ///< an array of strings, of what else stands between commas
};

/// A setting, as a member of Config. Its name is that in a TOML file, the flag and the variable derive from it.
struct Setting {
    std::string_view name;
    std::string_view help;
    bool secret;   ///< masked when shown
    bool integer;  ///< an integer in TOML, else a string
    /// Sets it from a text; gives what is wrong with that, or "".
    std::string (*set)(Config& config, std::string const& text);
    std::string (*get)(Config const& config);
    TomlForm form = TomlForm::text;  ///< of one that is no integer
};

/// All of them, in the order in which they are shown.
std::span<Setting const> settings();

}  // namespace workforce::core
