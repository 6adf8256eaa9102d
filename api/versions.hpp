// API versions by date (spec 9): which there are, and what an operator says of their end.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "api/version_changes.hpp"
#include "core/text.hpp"
#include "net/http.hpp"

namespace workforce::api {

/// One version.
struct ApiVersion {
    std::string_view date;
    std::string_view label;
};

inline constexpr std::array kVersions{
    ApiVersion{"2026-05-10", "Initial public API"},
    ApiVersion{"2026-07-22", "Agent runs and the approval loop"},
    ApiVersion{"2026-07-23", "Agent automations"},
    ApiVersion{"2026-07-24",
               "Broader event triggers, automatic disabling by run outcome, streamable MCP, resumable streams"},
};
inline constexpr std::string_view kLatestVersion = kVersions.back().date;

/// What an operator says of a version.
struct Deprecation {
    std::string_view version;  ///< a date of kVersions
    core::Date since;
    std::optional<core::Date> sunset{};  ///< the last day, in UTC, on which the version is answered
};

/// Reads the setting `version_deprecations`: for each version its date, since when it is deprecated, and its last day
/// if that is known, with spaces between them and commas between versions. Errors, a line each: what is no
/// date, no version, the latest one or there twice, and a last day less than 12 months after.
tl::expected<std::vector<Deprecation>, std::string> read_deprecations(std::string_view setting);

/// A version as an installation answers it.
struct ServedVersion {
    std::string_view date;
    std::string_view label;
    std::optional<core::Date> deprecated{};
    std::optional<core::Date> sunset{};
    std::span<VersionChange const> newer{};  ///< the breaking changes after it, the oldest first
    std::vector<net::Header> headers{};      ///< of its answers, once a deprecation is configured
};

/// What became of a Service-Version header.
struct PickedVersion {
    ServedVersion const* version = nullptr;  ///< that the answer is in: the latest where what is asked for is none
    std::optional<core::Problem> refusal{};
};

/// All versions of an installation. Immutable, so thread-safe.
class Versions {
   public:
    /// `changes` are in the order of their dates, and outlive this. `notes` is the address that clients of deprecated
    /// versions are sent to. Throws std::logic_error for a change whose date is no version or out of order.
    Versions(std::span<Deprecation const> deprecations, std::span<VersionChange const> changes,
             std::string const& notes);

    /// The version that a Service-Version header pins; the latest without one. Refusals: VALIDATION_ERROR for what is
    /// no date, UNSUPPORTED_VERSION (details.supported) for a date not listed, VERSION_SUNSET (details.latest) past a
    /// version's last day; `now` is asked for a version that has one.
    [[nodiscard]] PickedVersion pick(std::optional<std::string_view> header, core::Timestamp (*now)()) const;
    [[nodiscard]] ServedVersion const& latest() const { return served_.back(); }
    [[nodiscard]] std::span<VersionChange const> changes() const { return changes_; }

    /// The body of /.well-known/api-versions.
    [[nodiscard]] std::string document() const;

   private:
    std::span<VersionChange const> changes_;
    std::vector<ServedVersion> served_;  // as kVersions
};

/// A version as /.well-known/api-versions has it.
struct VersionRow {
    core::Date date;
    std::string label;
    core::Nullable<core::Date> deprecated;
    core::Nullable<core::Date> sunset;
    std::vector<std::string> changes;  ///< what the version broke
};
BOOST_DESCRIBE_STRUCT(VersionRow, (), (date, label, deprecated, sunset, changes))

struct VersionList {
    std::vector<VersionRow> versions;
    core::Date latest;
};
BOOST_DESCRIBE_STRUCT(VersionList, (), (versions, latest))

}  // namespace workforce::api
