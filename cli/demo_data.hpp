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

/// Somebody who signs in.
struct DemoUser {
    core::Id id = 0;
    core::Id organizationId = 0;
    std::string email;
    std::string password;

    static constexpr std::array<std::string_view, 0> kRequired{};
};
BOOST_DESCRIBE_STRUCT(DemoUser, (), (id, organizationId, email, password))

/// People of each kind, by what they are to developers.
struct DemoUsers {
    DemoUser superAdmin;
    DemoUser internalManager;
    DemoUser customerAdmin;
    DemoUser facilityAdmin;  ///< of the first facility
    DemoUser scheduler;
    DemoUser viewer;
    DemoUser staff;  ///< linked to a staff record

    static constexpr std::array<std::string_view, 0> kRequired{};
};
BOOST_DESCRIBE_STRUCT(DemoUsers, (),
                      (superAdmin, internalManager, customerAdmin, facilityAdmin, scheduler, viewer, staff))

struct DemoFile {
    std::string baseUrl;
    std::string mcpUrl;
    std::string adminUrl;
    std::string databaseUrl;
    core::Id organizationId = 0;
    std::vector<core::Id> facilityIds;
    DemoKeys keys;
    DemoUsers users;

    static constexpr std::array<std::string_view, 7> kRequired{
        "baseUrl", "mcpUrl", "adminUrl", "databaseUrl", "organizationId", "facilityIds", "keys"};
};
BOOST_DESCRIBE_STRUCT(DemoFile, (), (baseUrl, mcpUrl, adminUrl, databaseUrl, organizationId, facilityIds, keys, users))

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

/// A user who belongs into the file, and their place there.
struct DemoPerson {
    DemoUser DemoUsers::* place = nullptr;
    core::Id organization = 0;
    events::UserDetails details;
};

/// All users of the file. `internal`: the organization that runs the installation; `staff`: whom the last is linked to.
std::vector<DemoPerson> demo_people(DemoFile const& file, core::Id internal, core::Nullable<core::Id> staff);

/// The addresses of the first administrators, of the installation and of the demo customer.
inline constexpr std::string_view kSuperAdmin = "super.admin@platform.example.com";
inline constexpr std::string_view kDemoAdmin = "admin@demo.example.com";

/// What makes a user of the file able to sign in, with a new password.
api::SetUpUserRequest request_of(DemoPerson const& person);
/// Puts the user into the file as that made them. One who had a password before keeps it, which nobody can tell.
void put_user(DemoFile& file, DemoPerson const& person, api::SetUpUserRequest const& request,
              api::SetUpUser const& made);

/// Makes the demo customer, and passwords of people of the `internal` organization besides. Errors: std::runtime_error
/// naming the command that was refused.
boost::asio::awaitable<DemoFile> make_demo(workers::Runtime& runtime, core::Id internal);

/// Makes the internal organization and its first administrator. Returns its id.
boost::asio::awaitable<core::Id> make_internal_organization(workers::Runtime& runtime);

}  // namespace workforce::cli
