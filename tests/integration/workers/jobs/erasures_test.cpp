// What ends beside the log with a person's key.
#include "workers/store/erasures.hpp"

#include <gtest/gtest.h>

#include "core/connection.hpp"
#include "tests/support/await.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::tests {
namespace {

TEST(Erasures, EmptyTheAddressesOfTheUsersKeys) {
    TestDatabase database;
    core::Connection owner({.url = database.url()});
    auto const addresses = [&]() -> std::string {
        return owner
            .execute_sql("SELECT string_agg(coalesce(address, '-'), ' ' ORDER BY key_id) FROM auth.api_key_use")[0][0]
            .c_str();
    };
    owner.execute_sql(
        "INSERT INTO auth.api_key_use SELECT 7, key_id, user_id, now(), '192.0.2.' || key_id "
        "FROM (VALUES (1, 31), (2, 32), (3, 0), (4, 31)) AS v(key_id, user_id)");
    owner.execute_sql(
        "INSERT INTO auth.request_origin SELECT 7, 'req_' || user_id, user_id, '192.0.2.1', 'curl/8.5', now() "
        "FROM unnest(ARRAY[0, 31, 32]) AS user_id");
    core::Database writes({{.url = database.url(), .role = "workforce_writer"}, 1});
    events::PostgresKeyring keyring({database.url(), "workforce_writer", std::string(32, 'k'), 1});
    for (auto const* person : {"user/31", "staff/32"}) keyring.key_to_seal(person);
    keyring.persist();
    await(workers::finish_erasures(writes, keyring));
    EXPECT_EQ(addresses(), "192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.4");
    for (auto const* person : {"user/31", "staff/32"}) keyring.forget(person);
    await(workers::finish_erasures(writes, keyring));
    EXPECT_EQ(addresses(), "- 192.0.2.2 192.0.2.3 -") << "of the user, and not of staff with another's number";
    EXPECT_STREQ(
        owner.execute_sql("SELECT string_agg(request_id, ' ' ORDER BY request_id) FROM auth.request_origin")[0][0]
            .c_str(),
        "req_0 req_32");
    writes.stop();
}

}  // namespace
}  // namespace workforce::tests
