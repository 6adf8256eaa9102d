// `workforce seed`: the bootstrap of an installation, through ordinary commands, once.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <memory>

#include "api/admin/admin_listener.hpp"
#include "cli/command_line.hpp"
#include "cli/demo_data.hpp"
#include "cli/demo_sandbox.hpp"
#include "cli/owner_request.hpp"
#include "core/pretty_json.hpp"
#include "schemas/migrations.hpp"
#include "workers/cluster/leases.hpp"

namespace workforce::cli {
namespace {

bool is_seeded(core::Connection& connection) {
    return !connection.execute_sql("SELECT 1 FROM ops.organization_home LIMIT 1").empty();
}

std::string pretty(DemoFile const& file) {
    auto const document = core::parse_json(core::to_json(file));
    return core::pretty_json(*document);
}

/// Replaces the file at once, readable by its owner alone from its first byte: it holds keys.
void write_private(std::string const& path, std::string const& text) {
    auto const temporary = path + ".new";
    int const file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) throw std::runtime_error(fmt::format("{} can't be written", path));
    auto const written = ::write(file, text.data(), text.size());
    ::close(file);
    if (written != static_cast<ssize_t>(text.size()) || ::rename(temporary.c_str(), path.c_str()) != 0) {
        throw std::runtime_error(fmt::format("{} can't be written", path));
    }
}

/// Whether somebody said what the key is.
bool is_given(core::LoadedConfig const& loaded, std::string_view key) {
    return std::any_of(loaded.entries.begin(), loaded.entries.end(),
                       [&](core::ConfigEntry const& entry) { return entry.key == key && entry.source != "default"; });
}

/// The address, if it was told, or follows from a port that was.
std::string told(core::LoadedConfig const& loaded, std::string_view url, std::string_view port,
                 std::string const& address) {
    return is_given(loaded, url) || is_given(loaded, port) ? address : "";
}

/// The processes that will serve have ports of their own, which this command does not know.
void set_addresses(DemoFile& file, core::LoadedConfig const& loaded) {
    auto const& config = loaded.config;
    file.baseUrl = told(loaded, "base_url", "port", config.base_url);
    file.mcpUrl = told(loaded, "mcp_url", "mcp_port", config.mcp_url);
    file.adminUrl = told(loaded, "admin_url", "admin_port", config.admin_url);
    file.databaseUrl = config.database_url;
}

/// Makes keys that the file lacks, as one of before does, through the running service where there is one. Each is in
/// the file at `path` before the next is made, since a key is shown once. The personal one is of the administrator whom
/// the file names: none is made while it names nobody.
void add_missing_keys(core::Config const& config, DemoFile& file, std::string const& path) {
    auto const admin_id = file.users.customerAdmin.id;
    if (file.facilityIds.empty() || admin_id == 0) return;
    for (auto const& [place, details] : demo_keys(admin_id, file.facilityIds.front(), config.pat_max_rate_limit)) {
        if (!(file.keys.*place).empty()) continue;
        api::CreateKeyRequest const request{file.organizationId, details};
        auto const made = ask_where_served(
            config, "/internal/api-keys", request, [&](workers::Runtime& runtime, std::string const& request_key) {
                return api::create_api_key(runtime, request.organizationId, request.key, request_key);
            });
        file.keys.*place = core::from_stored_json<api::CreatedKey>(made).key;
        write_private(path, pretty(file));
    }
}

/// Makes users that the file lacks, with passwords, as add_missing_keys does. None is made while read models lack what
/// they are linked to, as they may before anything was served: the next call makes them.
void add_missing_users(core::Config const& config, DemoFile& file, std::string const& path) {
    constexpr core::Statement kFindInternal{"seed_find_internal", R"(
SELECT organization_id FROM read.organization WHERE doc::jsonb ->> 'type' = 'internal' ORDER BY organization_id LIMIT 1)"};
    constexpr core::Statement kFindStaff{"seed_find_staff", R"(
SELECT id FROM read.staff WHERE organization_id = $1 AND NOT is_sandbox AND NOT erased ORDER BY id LIMIT 1)"};
    if (file.facilityIds.empty()) return;
    core::Connection readers(workers::session(config, "workforce_projector", "workforce seed"));
    auto const internal = readers.execute(kFindInternal);
    auto const staff = readers.execute(kFindStaff, file.organizationId);
    if (internal.empty() || staff.empty()) return;
    auto const people = demo_people(file, core::read<core::Id>(internal[0][0]), core::read<core::Id>(staff[0][0]));
    for (auto const& person : people) {
        if ((file.users.*person.place).id != 0) continue;
        auto const request = request_of(person);
        auto const answer = ask_where_served(config, "/internal/users", request,
                                             [&](workers::Runtime& runtime, std::string const& request_key) {
                                                 return api::set_up_user(runtime, request, request_key);
                                             });
        put_user(file, person, request, core::from_stored_json<api::SetUpUser>(answer));
        write_private(path, pretty(file));
    }
}

/// Brings the file of an installation that is there up to date.
void update_file(core::LoadedConfig const& loaded, std::string const& path) {
    auto file = read_demo(path);
    if (!file) {
        fmt::print("{} is gone and its keys can't be shown again; make new ones with `workforce keys create`\n", path);
        return;
    }
    set_addresses(*file, loaded);
    write_private(path, pretty(*file));
    add_missing_users(loaded.config, *file, path);
    add_missing_keys(loaded.config, *file, path);  // of one of these
}

boost::asio::awaitable<DemoFile> make_all(workers::Runtime& runtime, bool demo) {
    auto const internal = co_await make_internal_organization(runtime);
    if (!demo) co_return DemoFile{};
    co_return co_await make_demo(runtime, internal);
}

/// Makes the internal organization with its first administrator; with `demo` also a customer with facilities, staff and
/// shifts, and keys for it. Writes what developers need to `out` (mode 0600) when given. Repeated, it makes nothing,
/// and brings `out` up to date: its addresses, and keys that it lacks. Errors: UsageError when `out` is given and the
/// API's address is not.
void seed(core::LoadedConfig const& loaded, bool demo, std::string const& out) {
    auto const& config = loaded.config;
    if (demo && !out.empty() && !is_given(loaded, "base_url") && !is_given(loaded, "port")) {
        throw UsageError(
            "--out writes the API's public address: say it by --base-url, or by the --port of the service");
    }
    auto const state = schemas::schema_state(config.database_url);
    if (state.state != schemas::SchemaState::current) throw std::runtime_error(schemas::describe(state));
    core::Connection connection(workers::session(config, "workforce_writer", "workforce seed"));
    if (is_seeded(connection)) {
        if (!out.empty() && demo) update_file(loaded, out);
        return;
    }
    if (auto const lease = workers::live_lease(connection)) {
        throw std::runtime_error(fmt::format("{} serves this database; stop it to seed", lease->owner));
    }
    boost::asio::io_context context;
    workers::Runtime runtime(config);
    auto made = boost::asio::co_spawn(context, make_all(runtime, demo), boost::asio::use_future);
    context.run();
    auto file = made.get();
    runtime.stop();
    if (demo && !out.empty()) {
        set_addresses(file, loaded);
        write_private(out, pretty(file));
    }
}

struct SeedArguments {
    bool demo = false;
    std::string out;
};

}  // namespace

void add_seed(CommandLine& line) {
    auto const arguments = std::make_shared<SeedArguments>();
    auto* command =
        line.app.add_subcommand("seed", "Make the internal organization, once; with --demo also a demo customer");
    command->add_flag("--demo", arguments->demo, "Also make a demo customer with keys");
    command->add_option(
        "--out", arguments->out,
        "File for addresses and keys of the demo customer; an address is empty unless it or its port is configured");
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) {
            seed(loaded, arguments->demo, arguments->out);
            if (arguments->demo && !arguments->out.empty()) fill_demo_sandbox(loaded.config, arguments->out);
            return 0;
        };
    });
}

}  // namespace workforce::cli
