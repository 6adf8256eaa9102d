// Creates and drops databases for tests.
#include "tests/support/test_database.hpp"

#include <cstdlib>
#include <iostream>
#include <pqxx/connection>
#include <pqxx/nontransaction>
#include <stdexcept>
#include <utility>

#include "core/crypto.hpp"
#include "schemas/migrations.hpp"

namespace workforce::tests {
namespace {

void execute(std::string const& url, std::string const& sql) {
    pqxx::connection connection(url);
    pqxx::nontransaction(connection).exec(sql);
}

}  // namespace

std::string server_url() {
    char const* const url = std::getenv("WORKFORCE_TEST_DATABASE_URL");
    if (!url) throw std::runtime_error("WORKFORCE_TEST_DATABASE_URL must name a Postgres server, as a superuser");
    return url;
}

std::string with_database(std::string const& url, std::string const& name) {
    auto const scheme = url.find("://");
    if (scheme == std::string::npos) return url + " dbname=" + name;  // of repeated keywords the last one counts
    auto const query = url.find('?');
    auto const end = query == std::string::npos ? url.size() : query;
    auto const slash = url.find('/', scheme + 3);
    auto const path = slash == std::string::npos || slash > end ? end : slash;
    return url.substr(0, path) + "/" + name + url.substr(end);
}

TestDatabase::TestDatabase(std::string server, Schema schema)
    : server_(std::move(server)),
      name_("test_" + core::hex_encode(core::random_bytes(8))),
      url_(with_database(server_, name_)) {
    execute(server_, "CREATE DATABASE " + name_);
    if (schema == Schema::migrated) schemas::migrate(url_);
}

TestDatabase::~TestDatabase() {
    try {
        execute(server_, "DROP DATABASE " + name_ + " WITH (FORCE)");
    } catch (std::exception const& e) {
        std::cerr << "test database " << name_ << " is left behind: " << e.what() << '\n';
    }
}

}  // namespace workforce::tests
