// Upcasters: how the data of an older event version becomes the next one's. What was written is never changed.
#pragma once

#include <rapidjson/document.h>
#include <array>
#include <string_view>

namespace workforce::events {

/// Turns `data` of `type` at `from` into version from + 1, in place.
struct Upcaster {
    std::string_view type;
    int from = 1;
    void (*apply)(rapidjson::Value& data, rapidjson::Document::AllocatorType& allocator) = nullptr;
};

inline void add_no_reason(rapidjson::Value& data, rapidjson::Document::AllocatorType& allocator) {
    if (!data.IsObject()) return;  // which reading it says
    data.AddMember("reason", rapidjson::Value(), allocator);
}

/// All of them; a new version of an event adds its row here and a sample of the old one stays under schemas/events/.
inline constexpr std::array kUpcasters{Upcaster{"api_key.revoked", 1, &add_no_reason}};

}  // namespace workforce::events
