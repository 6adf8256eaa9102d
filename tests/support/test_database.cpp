// Creates and drops databases for tests.
#include "tests/support/test_database.hpp"

#include <cstdlib>
#include <iostream>
#include <pqxx/connection>
#include <pqxx/except>
#include <pqxx/nontransaction>
#include <stdexcept>
#include <utility>

#include "core/crypto.hpp"
#include "schemas/migrations.hpp"

namespace workforce::tests {
namespace {

/// On the server that all tests share by one session, for a new one costs about as much as the copy of a database.
void execute(std::string const& url, std::string const& sql) {
    auto const run = [&](pqxx::connection& connection) { pqxx::nontransaction(connection).exec(sql); };
    if (url == server_url()) {
        static thread_local pqxx::connection shared(url);
        return run(shared);
    }
    pqxx::connection connection(url);
    run(connection);
}

/// The name of a migrated database on the server, which is there then and has nobody connected. Copying it takes a
/// third of what migrating takes.
std::string template_on(std::string const& server) {
    std::string all;
    for (auto const& file : schemas::sql::kFiles) all += file.text;
    auto const name = "template_" + core::hex_encode(core::bytes(core::sha256(all))).substr(0, 16);
    pqxx::connection connection(server);
    pqxx::nontransaction work(connection);
    work.exec("SELECT pg_advisory_lock(1)");  // of this session: other suites wait here while one makes it
    if (work.exec("SELECT FROM pg_database WHERE datname = '" + name + "'").empty()) {
        auto const unfinished = name + "_new";
        work.exec("DROP DATABASE IF EXISTS " + unfinished + " WITH (FORCE)");
        work.exec("CREATE DATABASE " + unfinished);
        schemas::migrate(with_database(server, unfinished));
        work.exec("ALTER DATABASE " + unfinished + " RENAME TO " + name);
    }
    return name;
}

/// As template_on(), of the server that all tests share. Looked for once a process.
std::string const& shared_template() {
    static std::string const name = template_on(server_url());
    return name;
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
    if (schema == Schema::migrated && server_ == server_url()) {
        // As files, for the other way writes all of them to the log that precedes writes, too.
        execute(server_, "CREATE DATABASE " + name_ + " TEMPLATE " + shared_template() + " STRATEGY FILE_COPY");
        return;
    }
    execute(server_, "CREATE DATABASE " + name_);
    if (schema == Schema::migrated) schemas::migrate(url_);
}

pqxx::result TestDatabase::query(std::string const& sql) {
    std::lock_guard const lock(mutex_);
    for (bool const kept = session_ != nullptr;;) {
        try {
            if (!session_) session_ = std::make_unique<pqxx::connection>(url_);
            return pqxx::nontransaction(*session_).exec(sql);
        } catch (pqxx::broken_connection const&) {
            // A test may have ended it since the last statement.
            if (!std::exchange(session_, nullptr) || !kept) throw;
        }
    }
}

std::string TestDatabase::ask(std::string const& sql) {
    auto const rows = query(sql);
    return rows.empty() || rows[0].empty() ? "" : rows[0][0].c_str();
}

TestDatabase::~TestDatabase() {
    session_.reset();
    try {
        execute(server_, "DROP DATABASE " + name_ + " WITH (FORCE)");
    } catch (std::exception const& e) {
        std::cerr << "test database " << name_ << " is left behind: " << e.what() << '\n';
    }
}

}  // namespace workforce::tests
