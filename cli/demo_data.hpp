// The demo customer: people and shifts for a first look.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>

#include "api/admin/administration.hpp"

namespace workforce::cli {

/// What developers find in the file that seed writes.
struct DemoKeys {
    std::string live;      ///< every scope that a key can be given
    std::string readOnly;  ///< every read scope
    std::string test;      ///< as live, in the sandbox of the first facility
    std::string pat;       ///< as live, the administrator's personal token

    static constexpr std::array<std::string_view, 0> kRequired{};  // files of before lack some
};
BOOST_DESCRIBE_STRUCT(DemoKeys, (), (live, readOnly, test, pat))

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

/// The file at `path`; nothing where there is none. Errors: std::runtime_error for one that is no such file.
std::optional<DemoFile> read_demo(std::string const& path);

/// A key that belongs into the file, and its place there.
struct DemoKey {
    std::string DemoKeys::* place = nullptr;
    events::ApiKeyDetails details;
};

/// All keys of the file. `admin`: the demo customer's administrator; `facility`: its first; `pat_max_rate_limit`: the
/// requests a minute that a personal token may be given.
std::vector<DemoKey> demo_keys(core::Id admin, core::Id facility, int pat_max_rate_limit);

/// The address of the demo customer's administrator.
inline constexpr std::string_view kDemoAdmin = "admin@demo.example.test";

/// Makes the demo customer. Errors: std::runtime_error naming the command that was refused.
boost::asio::awaitable<DemoFile> make_demo(workers::Runtime& runtime);

/// Makes the internal organization and its first administrator.
boost::asio::awaitable<void> make_internal_organization(workers::Runtime& runtime);

}  // namespace workforce::cli
