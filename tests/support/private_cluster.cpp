// Drives initdb and pg_ctl.
#include "tests/support/private_cluster.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace workforce::tests {
namespace {

std::string find_binaries() {
    if (char const* const named = std::getenv("WORKFORCE_TEST_POSTGRES_BIN")) return named;
    std::vector<std::string> found;
    std::error_code ignored;
    for (auto const& version : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
        if (std::filesystem::exists(version.path() / "bin/initdb")) found.push_back(version.path() / "bin");
    }
    if (found.empty()) throw std::runtime_error("no Postgres server is installed; set WORKFORCE_TEST_POSTGRES_BIN");
    return *std::max_element(found.begin(), found.end());
}

std::string make_directory() {
    std::string path = std::filesystem::temp_directory_path() / "workforce-test-XXXXXX";
    if (!::mkdtemp(path.data())) throw std::runtime_error("no temporary directory");
    passwd const* const postgres = ::geteuid() == 0 ? ::getpwnam("postgres") : nullptr;
    if (postgres && ::chown(path.c_str(), postgres->pw_uid, postgres->pw_gid) != 0) {
        throw std::runtime_error("the temporary directory can't be given to postgres");
    }
    return path;
}

}  // namespace

PrivateCluster::PrivateCluster() : directory_(make_directory()), bin_(find_binaries()) {
    if (!command("initdb -D data -A trust -U postgres --no-sync")) throw std::runtime_error("initdb failed");
    start();
}

PrivateCluster::~PrivateCluster() {
    command("pg_ctl -D data -m immediate stop");
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
}

void PrivateCluster::start() {
    if (!command("pg_ctl -D data -w -l server.log -o '-c listen_addresses= -k " + directory_ + "' start")) {
        throw std::runtime_error("the server in " + directory_ + " does not start");
    }
}

void PrivateCluster::crash() { command("pg_ctl -D data -m immediate stop"); }

bool PrivateCluster::command(std::string const& program_and_arguments) const {
    std::string const user = ::geteuid() == 0 ? "setpriv --reuid postgres --regid postgres --init-groups " : "";
    std::string const line =
        "cd " + directory_ + " && " + user + bin_ + "/" + program_and_arguments + " >/dev/null 2>&1";
    return std::system(line.c_str()) == 0;  // NOLINT(concurrency-mt-unsafe): called by one thread
}

}  // namespace workforce::tests
