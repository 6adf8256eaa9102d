// The rule that says which Kafka records count.
#include "events/log/kafka/arbiter.hpp"

#include <gtest/gtest.h>

#include "events/attributes.hpp"
#include "events/log/kafka/ownership.hpp"
#include "tests/contract/log_writer.hpp"

namespace workforce::events::kafka {
namespace {

using tests::Bodies;
using tests::chained;
using tests::make_command;
using tests::make_record;

std::string claim_body(std::int64_t epoch) {
    return fmt::format(R"({{"specversion":"1.0","type":"log.claimed","epoch":"{}","id":"n","source":"s","owner":"o"}})",
                       epoch);
}
std::string confirmation_body(std::int64_t epoch) {
    return fmt::format(R"({{"specversion":"1.0","type":"log.confirmed","epoch":"{}","id":"n","source":"s"}})", epoch);
}

/// Folds, and writes each ruling as one word: "3:counts 4:claims 5:confirms 6:old epoch".
class ArbiterTest : public testing::Test {
   protected:
    std::string fold(Bodies const& bodies) {
        std::vector<Ruling> rulings;
        for (auto const& body : bodies) arbiter_.fold(offset_++, body, rulings);
        return words(rulings);
    }
    static std::string words(std::vector<Ruling> const& rulings) {
        std::string text;
        for (auto const& ruling : rulings) {
            auto const kind = static_cast<std::size_t>(ruling.kind);
            constexpr std::array<std::string_view, 5> kNames{"counts", "claims", "confirms", "", "owns"};
            bool const voided = ruling.kind == Ruling::Kind::voided;
            EXPECT_EQ(voided, !ruling.fault.empty());
            text += fmt::format("{}{}:{}", text.empty() ? "" : " ", ruling.offset,
                                voided ? to_string(ruling.reason) : kNames.at(kind));
        }
        return text;
    }
    /// One command's records after the arbiter's head.
    [[nodiscard]] Bodies command(std::int64_t epoch, int count) const {
        return make_command(epoch, arbiter_.head(), tests::make_data("x", count));
    }

    Arbiter arbiter_;
    std::int64_t offset_ = 0;
};

TEST_F(ArbiterTest, CommandsOfTheClaimantCountWhenTheyAreWhole) {
    EXPECT_EQ(fold({claim_body(1)}), "0:claims");
    auto const first = command(1, 3);
    EXPECT_EQ(fold({first[0], first[1]}), "");
    EXPECT_TRUE(arbiter_.incomplete());
    EXPECT_EQ(arbiter_.head(), Head{}) << "not yet";
    EXPECT_EQ(fold({first[2]}), "1:counts 2:counts 3:counts");
    EXPECT_EQ(arbiter_.head(), chained({}, first));
    EXPECT_EQ(fold(command(1, 1)), "4:counts");
    EXPECT_EQ(arbiter_.head().position, 3);
}

TEST_F(ArbiterTest, ARulingTellsWhatStands) {
    std::vector<Ruling> rulings;
    arbiter_.fold(7, claim_body(5), rulings);
    auto const body = command(5, 1)[0];
    arbiter_.fold(9, body, rulings);
    ASSERT_EQ(rulings.size(), 2U);
    EXPECT_EQ(rulings[0].epoch, 5);
    EXPECT_EQ(rulings[0].position, -1);
    EXPECT_EQ(rulings[0].body, claim_body(5));
    EXPECT_EQ(rulings[1].epoch, 5);
    EXPECT_EQ(rulings[1].position, 0);
    EXPECT_EQ(rulings[1].body, body);
    EXPECT_EQ(rulings[1].hash, arbiter_.head().hash);
}

TEST_F(ArbiterTest, OnlyTheCurrentEpochAppends) {
    EXPECT_EQ(fold(command(0, 1)), "0:counts") << "epoch 0 is current before any claim";
    EXPECT_EQ(fold({claim_body(3)}), "1:claims");
    EXPECT_EQ(fold(command(2, 1)), "2:old epoch");
    EXPECT_EQ(fold(command(4, 1)), "3:unclaimed epoch");
    EXPECT_EQ(fold(command(3, 1)), "4:counts");
}

TEST_F(ArbiterTest, ClaimsHaveToRise) {
    EXPECT_EQ(fold({claim_body(3), claim_body(3), claim_body(2), claim_body(7)}),
              "0:claims 1:lost claim 2:lost claim 3:claims");
    EXPECT_EQ(arbiter_.epoch(), 7);
}

TEST_F(ArbiterTest, NoClaimIsTheLastOne) {
    EXPECT_EQ(fold({claim_body(3), claim_body(999'999'999'999'999'999), claim_body(4 + kMostEpochStep)}),
              "0:claims 1:far claim 2:far claim");
    EXPECT_EQ(fold(command(3, 1)), "3:counts") << "nobody has lost the partition";
    EXPECT_EQ(fold({claim_body(3 + kMostEpochStep), claim_body(4 + kMostEpochStep)}), "4:claims 5:claims");
}

TEST_F(ArbiterTest, OwnerRecordsChangeNothing) {
    auto const owner = make_owner_record({.incarnation = "i", .formerly = {}, .source = "s", .signature = {}});
    EXPECT_EQ(fold({owner, claim_body(1)}), "0:owns 1:claims");
    auto const records = command(1, 2);
    EXPECT_EQ(fold({records[0], owner, records[1]}), "3:owns 2:counts 4:counts");
}

TEST_F(ArbiterTest, AClaimVoidsWhatIsIncomplete) {
    fold({claim_body(1)});
    auto const cut = command(1, 3);
    fold({cut[0], cut[1]});
    EXPECT_EQ(fold({claim_body(1)}), "3:lost claim") << "a lost claim voids nothing";
    EXPECT_EQ(fold({claim_body(2)}), "1:incomplete 2:incomplete 4:claims");
    EXPECT_FALSE(arbiter_.incomplete());
    EXPECT_EQ(fold({cut[2]}), "5:old epoch");
    EXPECT_EQ(arbiter_.head(), Head{});
    EXPECT_EQ(fold(command(2, 2)), "6:counts 7:counts");
}

TEST_F(ArbiterTest, PositionsAndHashesChain) {
    fold({claim_body(1)});
    fold(command(1, 2));
    auto const head = arbiter_.head();
    EXPECT_EQ(fold({make_record(1, {0, head.hash}, 1, 1, "1")}), "3:other position");
    EXPECT_EQ(fold({make_record(1, {2, head.hash}, 1, 1, "1")}), "4:other position");
    EXPECT_EQ(fold({make_record(1, {1, std::string(64, 'f')}, 1, 1, "1")}), "5:broken chain");
    auto const next = make_record(1, head, 1, 1, "1");
    EXPECT_EQ(fold({next, next}), "6:counts 7:other position") << "twice is once";
}

TEST_F(ArbiterTest, TheHashOfARecordWithinACommandIsItsPredecessors) {
    fold({claim_body(1)});
    auto const records = command(1, 2);
    fold({records[0]});
    EXPECT_EQ(fold({make_record(1, {0, std::string(64, '0')}, 2, 2, "1")}), "2:broken chain");
    EXPECT_EQ(fold({records[1]}), "1:counts 3:counts");
}

TEST_F(ArbiterTest, CommandsAreNotMixed) {
    fold({claim_body(1)});
    Head const start;
    EXPECT_EQ(fold({make_record(1, start, 2, 2, "1")}), "1:broken command");
    EXPECT_EQ(fold({make_record(1, start, 0, 1, "1")}), "2:broken command");
    EXPECT_EQ(fold({make_record(1, start, 1, 0, "1")}), "3:broken command");
    auto const first = make_record(1, start, 1, 2, "1");
    auto const after = chained(start, {first});
    EXPECT_EQ(fold({first}), "");
    EXPECT_EQ(fold({make_record(1, after, 2, 3, "1")}), "5:broken command");
    EXPECT_EQ(fold({make_record(1, after, 1, 2, "1")}), "6:broken command");
    EXPECT_EQ(fold({make_record(1, after, 2, 2, "1")}), "4:counts 7:counts");
}

TEST_F(ArbiterTest, WhatIsForeignIsVoidAndStopsNothing) {
    fold({claim_body(1)});
    auto const records = command(1, 2);
    auto damaged = records[1];
    damaged.erase(damaged.find("position"), 3);
    EXPECT_EQ(fold({"", "hello", std::string(3, '\0'), records[0], damaged, "{}", records[1]}),
              "1:foreign 2:foreign 3:foreign 5:foreign 6:foreign 4:counts 7:counts");
}

TEST_F(ArbiterTest, ClaimsHaveOneFormOnly) {
    for (std::string const& body :
         {std::string(R"({"specversion":"1.0","type":"log.claimed","epoch":"","id":"n"})"),
          std::string(R"({"specversion":"1.0","type":"log.claimed","epoch":"-1","id":"n"})"),
          std::string(R"({"specversion":"1.0","type":"log.claimed","epoch":"1234567890123456789","id":"n"})"),
          std::string(R"({"specversion":"1.0","type":"log.claimed","epoch":"12)"),
          std::string(R"({"specversion":"1.0","type":"log.claimed","epoch":12,"id":"n"})"),
          std::string(R"({"type":"log.claimed","epoch":"1","id":"n"})")}) {
        EXPECT_EQ(words_of(body).type, RecordType::foreign) << body;
    }
    EXPECT_EQ(words_of(claim_body(123456789012345678)).epoch, 123456789012345678);
}

// Readers in other languages know them by how they begin, whatever else they hold.
TEST_F(ArbiterTest, NoEventBeginsAsTheLogsOwnRecords) {
    fold({claim_body(1)});
    auto body = command(1, 1)[0];
    auto const type = body.find(R"("type":)");
    ASSERT_NE(type, std::string::npos);
    body.replace(0, type, R"({"specversion":"1.0","type":"log.invented","id":"x","was)");
    ASSERT_TRUE(standing_of(body));
    EXPECT_EQ(fold({body}), "1:foreign");
}

TEST_F(ArbiterTest, ConfirmationsChangeNothing) {
    fold({claim_body(2)});
    auto const records = command(2, 2);
    EXPECT_EQ(fold({records[0], confirmation_body(1), confirmation_body(9), records[1]}),
              "2:confirms 3:confirms 1:counts 4:counts");
    EXPECT_EQ(arbiter_.epoch(), 2);
}

TEST_F(ArbiterTest, TheEndVoidsWhatIsIncomplete) {
    fold({claim_body(1)});
    fold({command(1, 2)[0]});
    std::vector<Ruling> rulings;
    arbiter_.end(rulings);
    EXPECT_EQ(words(rulings), "1:incomplete");
    EXPECT_FALSE(arbiter_.incomplete());
}

TEST_F(ArbiterTest, GoesOnInTheMiddle) {
    fold({claim_body(4)});
    fold(command(4, 2));
    Arbiter later(arbiter_.epoch(), arbiter_.head());
    std::vector<Ruling> rulings;
    for (auto const& body : command(4, 1)) later.fold(99, body, rulings);
    EXPECT_EQ(words(rulings), "99:counts");
    EXPECT_EQ(later.head().position, 2);
}

}  // namespace
}  // namespace workforce::events::kafka
