// Mends: what they pass over, for whom they count, and where readers find them.
#include "events/mended.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/log/mend.hpp"
#include "events/shift.hpp"
#include "events/subject_records.hpp"
#include "tests/support/memory_keyring.hpp"
#include "tests/support/memory_log.hpp"

namespace workforce::tests {
namespace {

using events::Mend;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

events::HeadSigner const& mend_signer() {
    static events::HeadSigner const one("here", std::string(32, 'k'));
    return one;
}

class MendedTest : public testing::Test {
   protected:
    MendedTest() { log_.set_key({"here", {mend_signer().public_key()}}); }

    /// An event that every build knows.
    void post(std::string const& title) { log_.put(body_of(title)); }
    /// The same, but of a type that no build knows.
    void forge() {
        constexpr std::string_view kKnown = R"("type":"shift.posted")";
        auto body = body_of("forged");
        log_.put(body.replace(body.find(kKnown), kKnown.size(), R"("type":"shift.teleported")"));
    }
    std::string body_of(std::string const& title) {
        auto const claim = log_.claim();
        events::Envelope meta;
        meta.id = title;
        meta.subject = {events::Kind::shift, 42};
        meta.time = kTime;
        meta.epoch = claim.epoch;
        meta.position = claim.head.position + 1;
        meta.previous_hash = claim.head.hash;
        meta.command_index = meta.command_count = 1;
        events::ShiftPosted posted;
        posted.facilityId = 7;
        posted.title = title;
        posted.timezone = "UTC";
        return encoder_.encode(meta, events::ShiftEvent(posted));
    }
    events::Head at(std::int64_t position) {
        return {position, events::record_hash(log_.read(0, position, 1, 1).at(0).body)};
    }
    Mend sign(std::int64_t first, std::int64_t last) {
        return events::sign_mend(mend_signer(), 0, first, at(last), "why");
    }
    void put(Mend const& mend) { log_.put(events::make_record(mend_signer(), log_.claim(), mend, kTime)); }
    /// What the record at the end is for those who read it.
    bool last_counts() {
        return events::counting_mend(log_, 0, log_.read(0, log_.head(0).position, 1, 1)[0].body).has_value();
    }

    /// Titles of the shifts in pages of so many records, or the fault that stops the reader.
    std::vector<std::string> read(std::size_t page_records, std::int64_t from = 0) {
        std::vector<std::string> titles;
        while (from <= log_.head(0).position) {
            auto records = log_.read(0, from, page_records, 1);
            auto const page = events::decode_mended(log_, 0, records, [&](std::vector<events::Record> const& some) {
                return events::decode_all(some, keyring_);
            });
            for (auto const& event : page.events) titles.push_back(event.meta.id);
            if (page.fault) {
                titles.push_back(fmt::format("stops behind {}", page.last));
                break;
            }
            EXPECT_EQ(page.last, records.back().position);
            from = page.last + 1;
        }
        return titles;
    }

    static constexpr core::Timestamp kTime{1'784'880'000'000};
    MemoryLog log_;
    MemoryKeyring keyring_;
    events::Encoder encoder_{"urn:workforce:here", keyring_};
};

TEST_F(MendedTest, RecordsThatNobodyCanReadStopTheirReader) {
    post("a");
    forge();
    post("b");
    for (std::size_t page = 1; page < 4; ++page) EXPECT_THAT(read(page), ElementsAre("a", "stops behind 0")) << page;
    auto records = log_.read(0, 0, 3, 1);
    try {
        events::decode_all(log_, 0, records, keyring_);
        FAIL() << "it was read";
    } catch (events::UnknownEvent const& error) {
        EXPECT_THAT(error.what(), HasSubstr("position 1: event type shift.teleported"));
        EXPECT_THAT(error.what(), HasSubstr("workforce log mend"));
    }
}

TEST_F(MendedTest, AMendPassesOverThemWhereverPagesEnd) {
    post("a");
    forge();
    forge();
    log_.put("damaged");
    put(sign(1, 3));
    ASSERT_TRUE(last_counts());
    post("b");
    forge();
    post("c");
    put(sign(6, 6));
    ASSERT_TRUE(last_counts()) << "it may stand anywhere behind";
    post("d");
    for (std::size_t page = 1; page < 11; ++page) EXPECT_THAT(read(page), ElementsAre("a", "b", "c", "d")) << page;
    EXPECT_THAT(read(100, 2), ElementsAre("b", "c", "d")) << "for one who begins amid them, too";
}

TEST_F(MendedTest, WhatIsNotNamedStops) {
    forge();
    forge();
    put(sign(0, 0));
    EXPECT_THAT(read(100), ElementsAre("stops behind 0"));
    put(sign(1, 1));
    EXPECT_THAT(read(100), IsEmpty());
    forge();
    EXPECT_THAT(read(100), ElementsAre("stops behind 3"));
}

TEST_F(MendedTest, OnlyWhatTheLogsKeySignedForThatPlaceCounts) {
    post("a");
    forge();
    auto const good = sign(1, 1);
    std::vector<std::pair<std::string, Mend>> forged(7, {"", good});
    forged[0] = {"another why", good};
    forged[0].second.why = "why not";
    forged[1] = {"more", good};
    forged[1].second.first = 0;
    forged[2] = {"another key",
                 events::sign_mend(events::HeadSigner("here", std::string(32, 'x')), 0, 1, at(1), "why")};
    forged[3] = {"another installation",
                 events::sign_mend(events::HeadSigner("there", std::string(32, 'k')), 0, 1, at(1), "why")};
    forged[4] = {"another partition", events::sign_mend(mend_signer(), 1, 1, at(1), "why")};
    forged[5] = {"records that were there once",
                 events::sign_mend(mend_signer(), 0, 1, {1, std::string(64, 'a')}, "why")};
    forged[6] = {"no signature", good};
    forged[6].second.signature = "";
    for (auto const& [what, mend] : forged) {
        EXPECT_FALSE(events::counting_mend(log_, 0, events::make_record(mend_signer(), log_.claim(), mend, kTime)))
            << what;
    }
    put(forged[0].second);
    EXPECT_THAT(read(100), ElementsAre("a", "stops behind 0")) << "one that does not count mends nothing";
    put(sign(1, 2));
    EXPECT_THAT(read(100), ElementsAre("a")) << "and is passed over like other records";

    auto const body = log_.read(0, 3, 1, 1)[0].body;
    ASSERT_TRUE(events::counting_mend(log_, 0, body));
    log_.set_key({"here", {}});
    EXPECT_FALSE(events::counting_mend(log_, 0, body)) << "for whom no key is known";
}

TEST_F(MendedTest, AMendBeforeWhatItNamesDoesNotCount) {
    forge();
    forge();
    auto const later = sign(0, 1);
    auto const claim = events::Claim{.partition = 0, .epoch = 1, .head = at(0)};
    EXPECT_FALSE(events::counting_mend(log_, 0, events::make_record(mend_signer(), claim, later, kTime)));
}

TEST_F(MendedTest, ARecordThatOnlyLooksLikeAMendIsNone) {
    for (auto const* body : {"", "{", R"({"specversion":"1.0","id":"x","type":"log.mended",)",
                             R"({"specversion":"1.0","id":"x","type":"log.mended","data":7})",
                             R"({"specversion":"1.0","id":"x","type":"log.mended","data":{"first":"x"}})"}) {
        EXPECT_FALSE(events::mend_of(body)) << body;
    }
    forge();
    auto body = events::make_record(mend_signer(), log_.claim(), sign(0, 0), kTime);
    ASSERT_TRUE(events::mend_of(body));
    EXPECT_FALSE(events::mend_of(' ' + body));
    EXPECT_FALSE(body.starts_with(R"({"specversion":"1.0","type":"log.)")) << "for other readers it has to count";
}

TEST_F(MendedTest, WhatIsSignedIsThis) {
    forge();
    auto const mend = sign(0, 0);
    EXPECT_EQ(events::signed_text("here", 0, mend), "workforce log mend 1\nhere\n0\n0\n0\n" + at(0).hash + "\nwhy\n");
}

TEST_F(MendedTest, TheFirstObstacleIsFound) {
    post("a");
    EXPECT_FALSE(events::find_obstacle(log_, 0, 0, keyring_));
    forge();
    forge();
    post("b");
    forge();
    auto obstacle = events::find_obstacle(log_, 0, 0, keyring_).value();
    EXPECT_EQ(obstacle.first, 1);
    EXPECT_EQ(obstacle.last, at(2));
    EXPECT_EQ(obstacle.type, "shift.teleported");
    EXPECT_THAT(obstacle.why, HasSubstr("not known to this build"));
    put(sign(1, 2));
    obstacle = events::find_obstacle(log_, 0, 0, keyring_).value();
    EXPECT_EQ(obstacle.first, 4);
    EXPECT_EQ(obstacle.last, at(4)) << "a mend ends it";
    put(sign(4, 4));
    EXPECT_FALSE(events::find_obstacle(log_, 0, 0, keyring_));
    EXPECT_FALSE(events::find_obstacle(log_, 0, 100, keyring_));
}

TEST_F(MendedTest, AnAggregatesRecordsAreWithoutThem) {
    post("a");
    forge();  // says that it is of the same shift
    auto const find = [&] {
        return events::records_of(log_, 0, {"shift/42"}, 100, [](std::int64_t) { return true; }).size();
    };
    EXPECT_EQ(find(), 2U);
    put(sign(1, 1));
    EXPECT_EQ(find(), 1U);
}

}  // namespace
}  // namespace workforce::tests
