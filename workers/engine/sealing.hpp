// What workers keep of a person, sealed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/keyring.hpp"

namespace workforce::workers {

/// JSON sealed under the person's key, for a column; nothing when the person was erased. `place` names the column,
/// which is authenticated with the person: what was sealed for one opens in no other. Errors: those of
/// Keyring::key_to_open.
std::optional<std::string> seal_for(events::Keyring& keyring, std::string_view person, std::string_view place,
                                    std::string_view json);
/// The inverse. Errors: further, std::runtime_error when it does not open though the person has a key.
std::optional<std::string> open_for(events::Keyring& keyring, std::string_view person, std::string_view place,
                                    std::string_view sealed);

}  // namespace workforce::workers
