// The demo customer: people and shifts for a first look.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "api/admin/administration.hpp"

namespace workforce::cli {

/// What developers find in the file that seed writes.
struct DemoKeys {
    std::string live;      ///< every scope that a key can be given
    std::string readOnly;  ///< every read scope
};
BOOST_DESCRIBE_STRUCT(DemoKeys, (), (live, readOnly))

struct DemoFile {
    std::string baseUrl;
    std::string mcpUrl;
    std::string adminUrl;
    std::string databaseUrl;
    core::Id organizationId = 0;
    std::vector<core::Id> facilityIds;
    DemoKeys keys;
};
BOOST_DESCRIBE_STRUCT(DemoFile, (), (baseUrl, mcpUrl, adminUrl, databaseUrl, organizationId, facilityIds, keys))

/// Makes the demo customer. Errors: std::runtime_error naming the command that was refused.
boost::asio::awaitable<DemoFile> make_demo(workers::Runtime& runtime);

/// Makes the internal organization and its first administrator.
boost::asio::awaitable<void> make_internal_organization(workers::Runtime& runtime);

}  // namespace workforce::cli
