// A database of its own for a test, on the server that the environment names.
#pragma once

#include <memory>
#include <mutex>
#include <pqxx/connection>
#include <pqxx/result>
#include <string>

namespace workforce::tests {

/// The superuser's URL of the server to test on, from WORKFORCE_TEST_DATABASE_URL. Throws std::runtime_error without
/// it.
std::string server_url();

/// `url` (a libpq URI or keyword string) with another database in it.
std::string with_database(std::string const& url, std::string const& name);

/// Creates a database of a random name, and drops it, with whoever is still connected, when it goes out of scope.
class TestDatabase {
   public:
    enum class Schema { migrated, empty };

    /// On the server of server_url(), or of the superuser's `server`.
    explicit TestDatabase(Schema schema = Schema::migrated) : TestDatabase(server_url(), schema) {}
    TestDatabase(std::string server, Schema schema);
    TestDatabase(TestDatabase const&) = delete;
    TestDatabase& operator=(TestDatabase const&) = delete;
    ~TestDatabase();

    /// The superuser's URL of this database.
    [[nodiscard]] std::string const& url() const { return url_; }
    [[nodiscard]] std::string const& name() const { return name_; }

    /// What the superuser's statement gives, by a session that stays until it is lost: a new one costs the server ten
    /// times what such a statement does. Thread-safe; a statement must leave the session as it was. Throws as libpqxx.
    pqxx::result query(std::string const& sql);
    /// The first field of its first row; "" where there is none.
    std::string ask(std::string const& sql);

   private:
    std::string server_;
    std::string name_;
    std::string url_;
    std::mutex mutex_;
    std::unique_ptr<pqxx::connection> session_;  // guarded by the mutex
};

}  // namespace workforce::tests
