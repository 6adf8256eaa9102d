// Choosing an API version.
#include "api/versions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "core/json.hpp"
#include "net/reply_writer.hpp"

namespace workforce::api {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t kSecondMs = 1000;

year_month_day calendar(core::Date date) { return {sys_days(std::chrono::days(date.days))}; }

core::Timestamp begin_of(core::Date date) { return {std::int64_t{date.days} * kDayMs}; }
core::Timestamp end_of(core::Date date) { return {begin_of(date).ms + kDayMs}; }

/// Twelve months by the calendar; those of a 29 February end on 1 March.
bool is_a_year_later(core::Date before, core::Date after) {
    auto const from = calendar(before);
    return calendar(after) >= year_month_day(from.year() + std::chrono::years(1), from.month(), from.day());
}

std::vector<std::string_view> split(std::string_view text, char between) {
    std::vector<std::string_view> parts;
    while (true) {
        auto const end = text.find(between);
        if (auto const part = text.substr(0, end); !part.empty()) parts.push_back(part);
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

tl::unexpected<std::string> wrong(std::string_view entry, std::string_view what) {
    return tl::unexpected(fmt::format("'{}': {}", entry, what));
}

tl::expected<Deprecation, std::string> read_deprecation(std::string_view entry) {
    auto const words = split(entry, ' ');
    if (words.size() < 2 || words.size() > 3) {
        return wrong(entry, "must be a version, the date of its deprecation and maybe that of its sunset");
    }
    auto const* const version = std::ranges::find(kVersions, words[0], &ApiVersion::date);
    if (version == kVersions.end()) return wrong(entry, fmt::format("there is no version {}", words[0]));
    if (version->date == kLatestVersion) return wrong(entry, "the latest version can't be deprecated");
    Deprecation deprecation{.version = version->date, .since = {}};
    for (std::size_t i = 1; i < words.size(); ++i) {
        auto const date = core::parse_date(words[i]);
        if (!date) return wrong(entry, fmt::format("{} is no date, YYYY-MM-DD", words[i]));
        if (i == 1) {
            deprecation.since = *date;
        } else {
            deprecation.sunset = date;
        }
    }
    if (deprecation.sunset && !is_a_year_later(deprecation.since, *deprecation.sunset)) {
        return wrong(entry, "the sunset must be at least 12 months after the deprecation");
    }
    return deprecation;
}

core::Problem no_date() {
    return core::validation_problem({{"Service-Version", "date", "must be a date, YYYY-MM-DD"}});
}

core::Problem unsupported(std::string_view asked) {
    core::JsonWriter w;
    w.begin_object();
    w.key("supported");
    w.begin_array();
    for (auto const& version : kVersions) w.string(version.date);
    w.end_array();
    w.end_object();
    return {core::Code::unsupported_version, "Service-Version " + std::string(asked) + " is not a version.", w.take()};
}

core::Problem gone(ServedVersion const& version) {
    return {core::Code::version_sunset,
            fmt::format("Version {} ended on {}.", version.date, core::to_string(*version.sunset)),
            fmt::format(R"({{"latest":"{}"}})", kLatestVersion)};
}

}  // namespace

tl::expected<std::vector<Deprecation>, std::string> read_deprecations(std::string_view setting) {
    std::vector<Deprecation> all;
    for (auto const entry : split(setting, ',')) {
        auto deprecation = read_deprecation(entry);
        if (!deprecation) return tl::unexpected(deprecation.error());
        if (std::ranges::count(all, deprecation->version, &Deprecation::version) > 0) {
            return wrong(entry, "the version stands there twice");
        }
        all.push_back(*deprecation);
    }
    return all;
}

Versions::Versions(std::span<Deprecation const> deprecations, std::span<VersionChange const> changes,
                   std::string const& notes)
    : changes_(changes) {
    if (!std::ranges::is_sorted(changes, {}, &VersionChange::version)) {
        throw std::logic_error("changes of versions are not in the order of their dates");
    }
    for (auto const& change : changes) {
        if (std::ranges::count(kVersions, change.version, &ApiVersion::date) == 0 ||
            change.version == kVersions.front().date) {
            throw std::logic_error(fmt::format("no version {} can have brought a change", change.version));
        }
    }
    for (auto const& version : kVersions) {
        auto const newer = std::ranges::upper_bound(changes, version.date, {}, &VersionChange::version);
        auto& served = served_.emplace_back(ServedVersion{.date = version.date, .label = version.label});
        served.newer = changes.subspan(static_cast<std::size_t>(newer - changes.begin()));
        auto const found = std::ranges::find(deprecations, version.date, &Deprecation::version);
        if (found == deprecations.end()) continue;
        served.deprecated = found->since;
        served.sunset = found->sunset;
        served.headers.emplace_back("Deprecation", net::http_date(begin_of(found->since).ms / kSecondMs));
        if (found->sunset) {
            served.headers.emplace_back("Sunset", net::http_date(end_of(*found->sunset).ms / kSecondMs - 1));
        }
        served.headers.emplace_back("Link", "<" + notes + ">; rel=\"deprecation\"");
    }
}

PickedVersion Versions::pick(std::optional<std::string_view> header, core::Timestamp (*now)()) const {
    if (!header) return {&latest()};
    auto const found = std::ranges::find(served_, *header, &ServedVersion::date);
    if (found == served_.end()) {
        return {&latest(), core::parse_date(*header) ? unsupported(*header) : no_date()};
    }
    if (found->sunset && now() >= end_of(*found->sunset)) return {&*found, gone(*found)};
    return {&*found};
}

std::string Versions::document() const {
    VersionList list;
    for (auto const& version : served_) {
        VersionRow row{*core::parse_date(version.date), std::string(version.label), {}, {}, {}};
        row.deprecated.value = version.deprecated;
        row.sunset.value = version.sunset;
        for (auto const& change : changes_) {
            if (change.version == version.date) row.changes.emplace_back(change.note);
        }
        list.versions.push_back(std::move(row));
    }
    list.latest = list.versions.back().date;
    return core::to_json(list);
}

}  // namespace workforce::api
