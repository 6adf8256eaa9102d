// Sealing of what is kept of a person.
#include "workers/engine/sealing.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "core/crypto.hpp"

namespace workforce::workers {
namespace {

std::string bound_to(std::string_view person, std::string_view place) { return fmt::format("{}/{}", place, person); }

}  // namespace

std::optional<std::string> seal_for(events::Keyring& keyring, std::string_view person, std::string_view place,
                                    std::string_view json) {
    auto const key = keyring.key_to_open(std::string(person));
    if (!key) return std::nullopt;
    return core::aes_gcm_seal(*key, json, bound_to(person, place));
}

std::optional<std::string> open_for(events::Keyring& keyring, std::string_view person, std::string_view place,
                                    std::string_view sealed) {
    auto const key = keyring.key_to_open(std::string(person));
    if (!key) return std::nullopt;
    auto json = core::aes_gcm_open(*key, sealed, bound_to(person, place));
    if (!json) throw std::runtime_error(fmt::format("{} of {} does not open under that person's key", place, person));
    return json;
}

}  // namespace workforce::workers
