// The keys by which the processes of one installation know each other.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/master_keys.hpp"

namespace workforce::api {

/// The purposes of the keys that sign internal requests, and requests that were sent on as they came.
inline constexpr std::string_view kInternalPurpose = "internal requests";
inline constexpr std::string_view kHopPurpose = "forwarded requests";

/// What the processes of an installation sign for each other with. While one master key replaces another some have
/// both: MACs are made with the key in use, and known by any. Thread-safe.
class SharedKeys {
   public:
    /// One key, as it is.
    SharedKeys(std::string key)  // NOLINT(google-explicit-constructor): a key is a set of one
        : all_([key = std::move(key)] { return std::vector{key}; }) {}
    SharedKeys(char const* key) : SharedKeys(std::string(key)) {}  // NOLINT(google-explicit-constructor)
    /// Those that are derived from the master keys for the purpose, a static text.
    SharedKeys(events::MasterKeys keys, std::string_view purpose)
        : all_([keys = std::move(keys), purpose] { return keys.derive_all(purpose); }) {}

    /// HMAC-SHA256 in hex.
    [[nodiscard]] std::string mac(std::string_view text) const;
    [[nodiscard]] bool is_mac(std::string_view mac, std::string_view text) const;

   private:
    std::function<std::vector<std::string>()> all_;
};

}  // namespace workforce::api
