// Choosing an API version.
#include "api/versions.hpp"

#include "core/json.hpp"

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
    VersionList list;
    for (auto const& version : kVersions) {
        VersionRow row{*core::parse_date(version.date), std::string(version.label), {}};
        row.sunset.value = core::parse_date(version.sunset);
        list.versions.push_back(std::move(row));
    }
    list.latest = list.versions.back().date;
    return core::to_json(list);
}

}  // namespace workforce::api
