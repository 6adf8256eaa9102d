// Keys of answers end some days after their last day, and no other keys do.
#include <gtest/gtest.h>

#include "commands/engine/answer_key.hpp"
#include "core/database.hpp"
#include "core/session_pool.hpp"
#include "events/postgres_keyring.hpp"
#include "tests/support/await.hpp"
#include "tests/support/test_database.hpp"
#include "workers/store/erasures.hpp"

namespace workforce::tests {
namespace {

TEST(AnswerKeys, EndOnceNoRetryIsToldTheirAnswers) {
    TestDatabase database;
    core::Database writes({{.url = database.url(), .role = "workforce_writer"}, 1});
    auto const now = core::now();
    auto const days_ago = [&](int days) {
        return commands::answer_key(7, {now.ms - days * 86'400'000LL}, 0, {.days = 1});
    };
    std::string const person = "staff/1";
    std::string const former = "organization/7";
    events::PostgresKeyring keyring({database.url(), "workforce_writer", std::string(32, 'k'), 1});
    for (auto const& name : {person, former, days_ago(5), days_ago(2), days_ago(0)}) keyring.key_to_seal(name);
    keyring.persist();
    await(workers::end_answer_keys(writes));
    events::PostgresKeyring later({database.url(), "workforce_writer", std::string(32, 'k'), 1});
    EXPECT_EQ(later.key_to_open(days_ago(5)), std::nullopt);
    for (auto const& name : {person, former, days_ago(2), days_ago(0)}) {
        EXPECT_NE(later.key_to_open(name), std::nullopt) << name;
    }
    writes.stop();
}

}  // namespace
}  // namespace workforce::tests
