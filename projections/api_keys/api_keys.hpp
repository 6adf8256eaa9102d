// API keys as queries see them.
#pragma once

#include "events/api_key.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of keys is narrowed to (domain 3.8).
struct ApiKeyFilter : ListFilter {
    std::optional<std::vector<events::ApiKeyType>> type{};
    std::optional<std::vector<events::ApiKeyStatus>> status{};
    std::optional<Id> userId{};
};
BOOST_DESCRIBE_STRUCT(ApiKeyFilter, (ListFilter), (type, status, userId))

using ApiKeyRows = ReadModel<events::ApiKey, ApiKeyFilter>;

/// read.api_key.
ApiKeyRows const& api_keys();

}  // namespace workforce::projections
