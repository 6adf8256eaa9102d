// Choosing an API version.
#include "api/versions.hpp"

#include "core/json.hpp"
#include "core/time.hpp"

namespace workforce::api {

core::Result<std::string_view> pick_version(std::optional<std::string_view> header) {
    if (!header) return kLatestVersion;
    for (auto const& version : kVersions) {
        if (version.date == *header) return version.date;
    }
    if (!core::parse_date(*header)) {
        return tl::unexpected(core::validation_problem({{"Service-Version", "date", "must be a date, YYYY-MM-DD"}}));
    }
    core::JsonWriter w;
    w.begin_object();
    w.key("supported");
    w.begin_array();
    for (auto const& version : kVersions) w.string(version.date);
    w.end_array();
    w.end_object();
    return core::refuse(core::Code::unsupported_version,
                        "Service-Version " + std::string(*header) + " is not a version.", w.take());
}

std::string versions_document() {
    core::JsonWriter w;
    w.begin_object();
    w.key("versions");
    w.begin_array();
    for (auto const& version : kVersions) {
        w.begin_object();
        w.member("date", version.date);
        w.member("label", version.label);
        w.key("sunset");
        if (version.sunset.empty()) {
            w.null();
        } else {
            w.string(version.sunset);
        }
        w.end_object();
    }
    w.end_array();
    w.member("latest", kLatestVersion);
    w.end_object();
    return w.take();
}

}  // namespace workforce::api
