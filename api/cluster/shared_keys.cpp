// MACs under shared keys.
#include "api/cluster/shared_keys.hpp"

#include <algorithm>

#include "core/crypto.hpp"

namespace workforce::api {
namespace {

std::string mac_of(std::string_view key, std::string_view text) {
    return core::hex_encode(core::bytes(core::hmac_sha256(key, text)));
}

}  // namespace

std::string SharedKeys::mac(std::string_view text) const { return mac_of(all_().front(), text); }

bool SharedKeys::is_mac(std::string_view mac, std::string_view text) const {
    return std::ranges::any_of(
        all_(), [&](std::string const& key) { return core::constant_time_equal(mac, mac_of(key, text)); });
}

}  // namespace workforce::api
