// The audit of a log in Postgres: what a change by hand looks like to it, and to heads signed before.
#include "events/log/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pqxx/connection>
#include <pqxx/nontransaction>

#include "core/crypto.hpp"
#include "events/log/each_partition.hpp"
#include "events/log/heads.hpp"
#include "events/log/postgres/postgres_log.hpp"
#include "tests/support/memory_keyring.hpp"
#include "tests/support/past.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr int kPartitionCount = 3;

class VerifyTest : public testing::Test {
   protected:
    VerifyTest() {
        events::PostgresLog::initialize(database_.url(), kPartitionCount);
        events::PostgresLogOptions options;
        options.database_url = database_.url();
        log_ = std::make_unique<events::PostgresLog>(options);
        events_ = write_past(*log_, keyring_, kPartitionCount, 2);
    }

    /// Changes the log as its owner could.
    void tamper(std::string const& sql) { database_.query(sql); }
    std::vector<events::PartitionAudit> audit(events::ExpectedHeads const& expected = {}) {
        return events::verify(*log_, events::choose_partitions(kPartitionCount, -1), expected, [](std::int64_t) {});
    }
    /// "partition 1, position 5 was changed …"; "" when all is whole. Only one partition may be broken.
    std::string fault(events::ExpectedHeads const& expected = {}) {
        std::string all;
        for (auto const& each : audit(expected)) {
            EXPECT_TRUE(all.empty() || !events::describe_fault(each)) << all;
            all += events::describe_fault(each).value_or("");
        }
        return all;
    }
    /// What the signed heads of now are to a later audit, by way of the file's lines.
    events::ExpectedHeads signed_heads() {
        events::HeadSigner const signer("here", std::string(32, 'k'));
        events::ExpectedHeads expected;
        auto const heads = events::read_signed_heads(events::sign_heads(*log_, signer), "here", {signer.public_key()});
        if (!heads) throw std::runtime_error(heads.error());
        for (auto const& head : *heads) {
            expected.emplace(head.partition, events::ExpectedHead{{head.position, head.hash}, "the signed head"});
        }
        return expected;
    }
    /// Writes a partition anew from `position` on, with the chain and heads made to fit.
    void rewrite(int partition, std::int64_t position, std::string const& from, std::string const& to) {
        pqxx::connection connection(database_.url());
        pqxx::nontransaction session(connection);
        std::string old_hash;
        std::string new_hash;
        for (auto const& row :
             session.exec("SELECT position, body FROM log.event WHERE partition = " + std::to_string(partition) +
                          " AND position >= " + std::to_string(position) + " ORDER BY position")) {
            std::string body = row[1].c_str();
            auto const hash = events::record_hash(body);
            auto const replace = [&](std::string const& what, std::string const& by) {
                if (auto const at = body.find(what); !what.empty() && at != std::string::npos) {
                    body.replace(at, what.size(), by);
                }
            };
            replace(old_hash, new_hash);
            if (old_hash.empty()) replace(from, to);
            old_hash = hash;
            new_hash = events::record_hash(body);
            session.exec("UPDATE log.event SET body = " + session.quote(body) +
                         " WHERE partition = " + std::to_string(partition) + " AND position = " + row[0].c_str());
        }
        session.exec("UPDATE log.partition SET head_hash = " + session.quote(new_hash) +
                     " WHERE partition = " + std::to_string(partition));
    }

    TestDatabase database_;
    MemoryKeyring keyring_;
    std::unique_ptr<events::PostgresLog> log_;
    std::int64_t events_ = 0;
};

TEST_F(VerifyTest, AWholeLogIsWhole) {
    std::int64_t counted = 0;
    std::int64_t claims = 0;
    for (auto const& each : audit(signed_heads())) {
        EXPECT_EQ(events::describe_fault(each), std::nullopt) << each.fault;
        EXPECT_EQ((events::Head{each.position, each.hash}), log_->head(each.partition));
        EXPECT_EQ(each.events, each.position + 1);
        EXPECT_EQ(each.voided, 0);
        counted += each.events;
        claims += each.claims;
    }
    EXPECT_EQ(counted, events_);
    EXPECT_EQ(claims, 2 * (2 + 3 + 4) + 1);
    EXPECT_EQ(fault(signed_heads()), "");
    // It grows, and still passes through the heads that were signed before.
    auto const heads = signed_heads();
    write_past(*log_, keyring_, kPartitionCount, 1);
    EXPECT_EQ(fault(heads), "");
}

TEST_F(VerifyTest, AChangedByteIsFound) {
    tamper("UPDATE log.event SET body = replace(body, 'Europe', 'Eur0pe') WHERE partition = 1 AND position = 5");
    EXPECT_THAT(fault(), StartsWith("partition 1, position 5 was changed"));
}

TEST_F(VerifyTest, AChangedLastRecordIsFound) {
    auto const last = log_->head(2).position;
    tamper("UPDATE log.event SET body = replace(body, 'Europe', 'Eur0pe') WHERE partition = 2 AND position = " +
           std::to_string(last));
    EXPECT_THAT(fault(), StartsWith("partition 2, position " + std::to_string(last) + " is not the record"));
}

TEST_F(VerifyTest, ARemovedRecordIsFound) {
    tamper("DELETE FROM log.event WHERE partition = 1 AND position = 7");
    EXPECT_THAT(fault(), StartsWith("partition 1, position 7 is missing"));
}

TEST_F(VerifyTest, TwoSwappedRecordsAreFound) {
    tamper(
        "UPDATE log.event SET position = -1 WHERE partition = 0 AND position = 4;"
        "UPDATE log.event SET position = 4 WHERE partition = 0 AND position = 5;"
        "UPDATE log.event SET position = 5 WHERE partition = 0 AND position = -1");
    EXPECT_THAT(fault(), StartsWith("partition 0, position 4 holds the record of 5"));
}

TEST_F(VerifyTest, ACutTailShowsByItself) {
    tamper("DELETE FROM log.event WHERE partition = 2 AND position > 8");
    EXPECT_THAT(fault(), StartsWith("partition 2, position 9 is missing"));
}

TEST_F(VerifyTest, ACutTailWhoseTracesAreGoneShowsAgainstSignedHeads) {
    auto const heads = signed_heads();
    auto const body = log_->read(0, 5, 1, 1).front().body;
    tamper(
        "DELETE FROM log.event WHERE partition = 0 AND position > 5;"
        "DELETE FROM log.claim WHERE partition = 0 AND position >= 5;"
        "UPDATE log.partition SET head = 5, head_hash = '" +
        events::record_hash(body) + "' WHERE partition = 0");
    EXPECT_EQ(fault(), "") << "by itself it is a shorter log";
    EXPECT_THAT(fault(heads),
                testing::AllOf(StartsWith("partition 0, position 6 is missing"), HasSubstr("signed head")));
}

TEST_F(VerifyTest, AClaimBehindTheCutShowsIt) {
    auto const body = log_->read(0, 5, 1, 1).front().body;
    tamper(
        "DELETE FROM log.event WHERE partition = 0 AND position > 5;"
        "UPDATE log.partition SET head = 5, head_hash = '" +
        events::record_hash(body) + "' WHERE partition = 0");
    EXPECT_THAT(fault(), StartsWith("partition 0, position 6 is missing: the claim"));
}

TEST_F(VerifyTest, ARewrittenChainShowsAgainstSignedHeads) {
    auto const heads = signed_heads();
    rewrite(1, 3, "Europe", "Eur0pe");
    EXPECT_EQ(fault(), "") << "by itself it is another log";
    EXPECT_THAT(fault(heads), HasSubstr("is not the record that the signed head names"));
}

TEST_F(VerifyTest, ARecordPastTheHeadIsFound) {
    auto const next = std::to_string(log_->head(1).position + 1);
    tamper("INSERT INTO log.event SELECT 1, " + next + ", body FROM log.event WHERE partition = 1 AND position = 0");
    EXPECT_THAT(fault(), StartsWith("partition 1, position " + next + " stands past the log's own head"));
}

TEST_F(VerifyTest, SignedHeadsThatAreNotOursAreRefused) {
    events::HeadSigner const signer("here", std::string(32, 'k'));
    auto const lines = events::sign_heads(*log_, signer);
    events::HeadSigner const other("here", std::string(32, 'x'));
    EXPECT_NE(signer.public_key(), other.public_key());
    EXPECT_EQ(signer.public_key().size(), 64U);
    EXPECT_EQ(events::read_signed_heads(lines, "here", {signer.public_key()})->size(), 3U);
    EXPECT_THAT(events::read_signed_heads(lines, "here", {other.public_key()}).error(),
                StartsWith("line 1 was not signed"));
    EXPECT_THAT(events::read_signed_heads(lines, "there", {signer.public_key()}).error(),
                StartsWith("line 1 is of installation 'here'"));
    auto changed = lines;
    changed.replace(changed.rfind("\"position\":") + 11, 1, "9");
    EXPECT_THAT(events::read_signed_heads(changed, "here", {signer.public_key()}).error(), StartsWith("line 3 "));
    EXPECT_THAT(events::read_signed_heads("{}\n", "here", {signer.public_key()}).error(), StartsWith("line 1 "));
    EXPECT_THAT(events::read_signed_heads("\n\nx\n", "here", {signer.public_key()}).error(),
                StartsWith("line 3 is no JSON"));
    // A writer that died amid a line spoils neither those before it nor the file.
    auto const torn = lines + lines.substr(0, lines.find('\n') / 2);
    EXPECT_EQ(events::read_signed_heads(torn, "here", {signer.public_key()})->size(), 3U);
}

}  // namespace
}  // namespace workforce::tests
