// Entity tags as the API makes them: the version of a resource in quotes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace workforce::api {

/// The tag of a version, `"7"`.
std::string entity_tag(std::int64_t version);

/// The versions that an If-Match field (RFC 9110 13.1.1) names, or nothing for `*`, which takes any. Comparison is
/// strong: weak tags, tags that are none of ours, and a field that is no list of tags name no version.
std::optional<std::vector<std::int64_t>> expected_versions(std::string_view field);

}  // namespace workforce::api
