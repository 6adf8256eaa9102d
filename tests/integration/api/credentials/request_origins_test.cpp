// Origins of audited requests: durable at once, and gone where they left no entry, with the person and with time.
#include "api/credentials/request_origins.hpp"

#include <gtest/gtest.h>

#include "core/connection.hpp"
#include "core/session_pool.hpp"
#include "tests/support/await.hpp"
#include "tests/support/test_database.hpp"
#include "workers/jobs/request_origins.hpp"

namespace workforce::tests {
namespace {

class RequestOriginsTest : public testing::Test {
   protected:
    static api::RequestOrigin origin(std::string request, core::Id user = 0) {
        return {.organization = 7,
                .request_id = std::move(request),
                .user = user,
                .address = "192.0.2.1",
                .agent = "curl/8.5",
                .at = core::now()};
    }
    std::string ask(std::string const& sql) {
        auto const rows = owner_.execute_sql(sql);
        return rows.empty() || rows[0][0].is_null() ? "" : rows[0][0].c_str();
    }
    std::string rows() {
        return ask("SELECT string_agg(request_id, ' ' ORDER BY request_id) FROM auth.request_origin");
    }

    TestDatabase test_database_;
    core::Connection owner_{{.url = test_database_.url()}};
    core::Database writes_{{.connection = {.url = test_database_.url(), .role = "workforce_writer"}, .threads = 1}};
    api::RequestOrigins origins_{writes_};
};

TEST_F(RequestOriginsTest, AreThereOnceTheyAreStored) {
    for (auto const* request : {"req_a", "req_b", "req_a"}) await(origins_.store(origin(request)));
    EXPECT_EQ(rows(), "req_a req_b");
    EXPECT_EQ(ask("SELECT address || ' ' || agent FROM auth.request_origin LIMIT 1"), "192.0.2.1 curl/8.5");
}

TEST_F(RequestOriginsTest, WhatCanNotBeStoredIsAnError) {
    ask("ALTER TABLE auth.request_origin RENAME TO away");
    EXPECT_ANY_THROW(await(origins_.store(origin("req_a"))));
    ask("ALTER TABLE auth.away RENAME TO request_origin");
    await(origins_.store(origin("req_b")));
    EXPECT_EQ(rows(), "req_b");
}

TEST_F(RequestOriginsTest, ThoseOfNoEntryAreRemoved) {
    for (auto const* request : {"req_a", "req_b", "req_c"}) await(origins_.store(origin(request)));
    origins_.unused(7, "req_a");
    origins_.unused(8, "req_b");
    EXPECT_EQ(rows(), "req_a req_b req_c");
    await(origins_.remove_unused());
    EXPECT_EQ(rows(), "req_b req_c") << "of another organization";
}

TEST_F(RequestOriginsTest, WhatCouldNotBeRemovedIsRemovedLater) {
    await(origins_.store(origin("req_a")));
    origins_.unused(7, "req_a");
    ask("ALTER TABLE auth.request_origin RENAME TO away");
    EXPECT_ANY_THROW(await(origins_.remove_unused()));
    ask("ALTER TABLE auth.away RENAME TO request_origin");
    await(origins_.remove_rest());
    EXPECT_EQ(rows(), "");
}

TEST_F(RequestOriginsTest, NoneOfAUserWhoseKeyIsDestroyed) {
    ask("INSERT INTO vault.person_key (person, destroyed_at) VALUES ('user/31', now())");
    await(origins_.store(origin("req_a", 31)));
    await(origins_.store(origin("req_b", 32)));
    EXPECT_EQ(rows(), "req_b");
}

TEST_F(RequestOriginsTest, OldOnesAreDeleted) {
    auto old = origin("req_old");
    old.at.ms -= std::int64_t{401} * 86'400'000;
    auto young = origin("req_young");
    young.at.ms -= std::int64_t{399} * 86'400'000;
    await(origins_.store(old));
    await(origins_.store(young));
    core::SessionPool sessions({.url = test_database_.url(), .role = "workforce_writer"}, 1);
    workers::prune_request_origins(sessions);
    EXPECT_EQ(rows(), "req_young");
}

TEST(UserAgents, AreShortAndPrintable) {
    EXPECT_EQ(api::printable("curl/8.5 (x)"), "curl/8.5 (x)");
    EXPECT_EQ(api::printable("a\tb\x7f\xc3\xa4z"), "abz");
    EXPECT_EQ(api::printable(std::string(300, 'a')).size(), 256u);
}

}  // namespace
}  // namespace workforce::tests
