// API versions by date (spec 9).
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/text.hpp"

namespace workforce::api {

/// One version; `sunset` is empty while none is set.
struct ApiVersion {
    std::string_view date;
    std::string_view label;
    std::string_view sunset;
};

inline constexpr std::array kVersions{
    ApiVersion{"2026-05-10", "Initial public API", ""},
    ApiVersion{"2026-07-22", "Agent runs and the approval loop", ""},
    ApiVersion{"2026-07-23", "Agent automations", ""},
    ApiVersion{"2026-07-24",
               "Broader event triggers, automatic disabling by run outcome, streamable MCP, resumable streams", ""},
};
inline constexpr std::string_view kLatestVersion = kVersions.back().date;

/// The version that a Service-Version header pins; the latest without one. Errors: VALIDATION_ERROR for what is no
/// date, UNSUPPORTED_VERSION (details.supported) for a date not listed.
core::Result<std::string_view> pick_version(std::optional<std::string_view> header);

struct VersionRow {
    core::Date date;
    std::string label;
    core::Nullable<core::Date> sunset;
};
BOOST_DESCRIBE_STRUCT(VersionRow, (), (date, label, sunset))

struct VersionList {
    std::vector<VersionRow> versions;
    core::Date latest;
};
BOOST_DESCRIBE_STRUCT(VersionList, (), (versions, latest))

/// The body of /.well-known/api-versions.
std::string versions_document();

}  // namespace workforce::api
