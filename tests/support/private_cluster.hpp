// A Postgres server of its own, for tests that take it away.
#pragma once

#include <string>

namespace workforce::tests {

/// Starts a server on a socket in a new directory, and removes both at the end. Its binaries are found in the directory
/// that WORKFORCE_TEST_POSTGRES_BIN names, else where Debian installs them. Root becomes the user `postgres` for it.
class PrivateCluster {
   public:
    PrivateCluster();
    PrivateCluster(PrivateCluster const&) = delete;
    PrivateCluster& operator=(PrivateCluster const&) = delete;
    ~PrivateCluster();

    /// Returns once the server takes connections. Throws std::runtime_error when it does not start.
    void start();
    /// As a crash would: no shutdown checkpoint, connections broken. Returns once it is gone.
    void crash();

    /// The superuser's URL.
    [[nodiscard]] std::string url() const { return "postgresql:///postgres?user=postgres&host=" + directory_; }

   private:
    /// Runs one of Postgres' programs; false when it fails.
    bool command(std::string const& program_and_arguments) const;

    std::string directory_;
    std::string bin_;
};

}  // namespace workforce::tests
