// The media types.
#include "operations/http_binding.hpp"

#include <array>

namespace workforce::operations {

MediaTypeInfo const& info(MediaType type) {
    static constexpr std::array<MediaTypeInfo, 7> kTable{{
        {"application/json", "application/json", ""},
        {"application/x-www-form-urlencoded", "application/x-www-form-urlencoded", ""},
        {"text/csv", "text/csv; charset=utf-8", ""},
        {"application/x-ndjson", "application/x-ndjson", "\n"},
        {"text/event-stream", "text/event-stream", ":\n\n"},
        {"text/html", "text/html; charset=utf-8", ""},
        {"text/calendar", "text/calendar; charset=utf-8", ""},
    }};
    return kTable.at(static_cast<std::size_t>(type));
}

}  // namespace workforce::operations
