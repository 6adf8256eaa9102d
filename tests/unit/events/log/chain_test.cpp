// The chain's rule: what is whole, and which record is named when it is not.
#include "events/log/chain.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace workforce::events {
namespace {

/// A log's entries, made as writers make them.
class Entries {
   public:
    Entries& claim(std::int64_t epoch) {
        epoch_ = epoch;
        all.push_back({.kind = LogEntry::Kind::claim,
                       .offset = 0,
                       .position = head_.position,
                       .epoch = epoch,
                       .text = "a test",
                       .fault = {}});
        return *this;
    }
    /// One command of `count` events.
    Entries& command(int count) {
        for (int i = 1; i <= count; ++i) event(i, count);
        return *this;
    }
    Entries& event(int index, int count) {
        auto text = body(head_, epoch_, index, count);
        head_ = {head_.position + 1, record_hash(text)};
        all.push_back({.kind = LogEntry::Kind::event,
                       .offset = head_.position,
                       .position = head_.position,
                       .epoch = 0,
                       .text = std::move(text),
                       .fault = {}});
        return *this;
    }
    /// What a writer of `epoch` wrote behind `head`, and does not count.
    Entries& voided(Head const& head, std::int64_t epoch, int index = 1, int count = 1) {
        all.push_back({.kind = LogEntry::Kind::voided,
                       .offset = 77,
                       .position = head.position + 1,
                       .epoch = epoch,
                       .text = body(head, epoch, index, count),
                       .fault = "fenced"});
        return *this;
    }
    Head const& head() const { return head_; }

    static std::string body(Head const& head, std::int64_t epoch, int index, int count) {
        return fmt::format(R"({{"specversion":"1.0","id":"{}","epoch":"{}","position":"{}","prevhash":"{}",)"
                           R"("cmdindex":{},"cmdcount":{},"data":{{"note":"original"}}}})",
                           head.position, epoch, head.position + 1, head.hash, index, count);
    }

    std::vector<LogEntry> all;

   private:
    Head head_;
    std::int64_t epoch_ = 0;
};

/// "5 was changed", "whole".
std::string verdict(std::vector<LogEntry> const& entries, std::vector<ExpectedHead> expected = {}) {
    ChainCheck check(std::move(expected));
    for (auto const& entry : entries) {
        check.take(entry);
        if (check.fault()) break;
    }
    check.finish();
    if (!check.fault()) return "whole";
    return fmt::format("{} {}", check.fault()->position, check.fault()->what);
}

/// Ten events, in commands of one to three and under three epochs; claim, event entries and positions differ.
Entries ten_events() {
    Entries log;
    log.claim(1).command(3).command(1).claim(2).claim(4).command(2).command(1).claim(5).command(1).command(2);
    return log;
}

std::string& body_at(Entries& log, std::int64_t position) {
    for (auto& entry : log.all) {
        if (entry.kind == LogEntry::Kind::event && entry.position == position) return entry.text;
    }
    throw std::out_of_range("no such event");
}

void replace(std::string& text, std::string const& from, std::string const& to) {
    auto const at = text.find(from);
    if (at == std::string::npos) throw std::out_of_range(from + " is not in " + text);
    text.replace(at, from.size(), to);
}

void erase_at(Entries& log, std::int64_t position) {
    std::erase_if(log.all, [&](LogEntry const& entry) {
        return entry.kind == LogEntry::Kind::event && entry.position == position;
    });
}

TEST(ChainCheck, AWholeLogIsWhole) {
    EXPECT_EQ(verdict({}), "whole");
    EXPECT_EQ(verdict(Entries().claim(3).all), "whole");
    auto const log = ten_events();
    EXPECT_EQ(verdict(log.all, {{log.head(), "its head"}}), "whole");
    ChainCheck check({});
    for (auto const& entry : log.all) {
        EXPECT_EQ(check.take(entry).has_value(), entry.kind == LogEntry::Kind::event);
    }
    check.finish();
    EXPECT_EQ(check.events(), 10);
    EXPECT_EQ(check.claims(), 4);
    EXPECT_EQ(check.epoch(), 5);
    EXPECT_EQ(check.head(), log.head());
}

TEST(ChainCheck, NamesTheRecordWhoseBytesWereChanged) {
    for (std::int64_t position = 0; position < 10; ++position) {
        auto const whole = ten_events();
        auto log = whole;
        replace(body_at(log, position), "original", "0riginal");
        EXPECT_TRUE(verdict(log.all, {{whole.head(), "its head"}}).starts_with(fmt::format("{} ", position)))
            << verdict(log.all, {{whole.head(), "its head"}});
        if (position < 8) EXPECT_TRUE(verdict(log.all).starts_with(fmt::format("{} was changed", position)));
        if (position == 8) EXPECT_TRUE(verdict(log.all).starts_with("8 or the record behind it was changed"));
    }
}

TEST(ChainCheck, NamesTheRecordWhoseOwnAttributesWereChanged) {
    auto const whole = ten_events();
    auto const changed = [&](std::int64_t position, std::string const& from, std::string const& to) {
        auto log = whole;
        replace(body_at(log, position), from, to);
        return verdict(log.all, {{whole.head(), "its head"}});
    };
    for (std::int64_t position = 0; position < 10; ++position) {
        auto const named = fmt::format("{} ", position);
        auto const digit = fmt::format(R"("position":"{}")", position);
        EXPECT_TRUE(changed(position, digit, R"("position":"77")").starts_with(named + "holds the record of 77"));
        EXPECT_TRUE(changed(position, R"("prevhash":")", R"("prevhash":"x)").starts_with(named));
        EXPECT_TRUE(
            changed(position, R"("epoch":")", R"("epoch":"9)").starts_with(named + "was written under epoch 9"));
        EXPECT_TRUE(changed(position, R"("cmdindex":)", R"("cmdindex":1)").starts_with(named + "is event 1"));
        EXPECT_TRUE(changed(position, "{", "[").starts_with(named)) << changed(position, "{", "[");
    }
    auto log = whole;
    auto const old_hash = record_hash(body_at(log, 4));
    replace(body_at(log, 5), old_hash, std::string(64, 'a'));
    EXPECT_TRUE(verdict(log.all).starts_with("5 is not as it was written")) << verdict(log.all);
    replace(body_at(log, 5), R"("epoch":"4")", R"("epoch":"1")");
    EXPECT_TRUE(verdict(log.all).starts_with("5 ")) << verdict(log.all);
}

TEST(ChainCheck, NamesWhatIsMissing) {
    for (std::int64_t position = 0; position < 10; ++position) {
        auto const whole = ten_events();
        auto log = whole;
        erase_at(log, position);
        auto const said = verdict(log.all, {{whole.head(), "its head"}});
        EXPECT_TRUE(said.starts_with(fmt::format("{} is missing", position))) << said;
    }
    auto log = ten_events();
    erase_at(log, 9);
    EXPECT_TRUE(verdict(log.all).starts_with("8 is event 1 of 2")) << verdict(log.all);
    erase_at(log, 8);
    EXPECT_EQ(verdict(log.all), "whole") << "only a head can tell";
    auto const head = ten_events().head();
    EXPECT_TRUE(verdict(log.all, {{head, "the head signed on Monday"}}).starts_with("8 is missing"));
}

TEST(ChainCheck, NamesSwappedRecords) {
    auto log = ten_events();
    std::swap(body_at(log, 4), body_at(log, 7));
    EXPECT_TRUE(verdict(log.all).starts_with("4 holds the record of 7")) << verdict(log.all);
}

TEST(ChainCheck, ARewrittenChainShowsAgainstAHead) {
    auto const whole = ten_events();
    Entries log;
    log.claim(1).command(3).command(1).claim(2).claim(4).command(2).command(1).claim(5).command(3);
    EXPECT_EQ(verdict(log.all), "whole");
    auto const said = verdict(log.all, {{whole.head(), "the head signed on Monday"}});
    EXPECT_TRUE(said.starts_with("9 is not the record that the head signed on Monday names")) << said;
}

TEST(ChainCheck, EpochsNeverFall) {
    Entries log;
    log.claim(2).command(1);
    EXPECT_TRUE(verdict(Entries(log).claim(2).all).starts_with("0 is followed by a claim of epoch 2"));
    EXPECT_TRUE(verdict(Entries(log).claim(1).all).starts_with("0 is followed by a claim of epoch 1"));
    EXPECT_TRUE(verdict(Entries(log).event(1, 2).claim(3).all).starts_with("1 is event 1 of 2"));
    EXPECT_TRUE(verdict(Entries().command(1).all).starts_with("whole")) << "an epoch of 0 needs no claim";
}

TEST(ChainCheck, VoidsOfLostWritersAreNoFault) {
    Entries log;
    log.claim(3).command(2);
    auto const before = log.head();
    log.claim(4).voided(before, 3).voided({9, before.hash}, 3).command(1).voided(log.head(), 3);
    EXPECT_EQ(verdict(log.all), "whole");
    log.voided({before.position - 1, before.hash}, 4);
    EXPECT_EQ(verdict(log.all), "whole") << "at or before the head: a repeat";
    // A command that was never finished, at the end or before a claim.
    Head const head = log.head();
    Head const first{head.position + 1, record_hash(Entries::body(head, 4, 1, 3))};
    log.voided(head, 4, 1, 3).voided(first, 4, 2, 3);
    EXPECT_EQ(verdict(log.all), "whole");
    EXPECT_EQ(verdict(Entries(log).claim(5).command(1).all), "whole");
}

TEST(ChainCheck, VoidsOfTheLivingWriterShowWhatIsBroken) {
    Entries log;
    log.claim(3).command(2);
    Head const lost{log.head().position + 1, std::string(64, 'b')};
    auto const said = verdict(Entries(log).voided(lost, 3).all);
    EXPECT_TRUE(said.starts_with("2 is missing or was changed")) << said;
    EXPECT_NE(said.find("offset 77"), std::string::npos) << said;
    EXPECT_TRUE(verdict(Entries(log).voided(log.head(), 3).all).starts_with("2 is missing")) << "whole, yet void";
    EXPECT_TRUE(verdict(Entries(log).voided(log.head(), 4).all).starts_with("2 is missing")) << "its claim is gone";
    EXPECT_TRUE(verdict(Entries(log).voided(log.head(), 3, 1, 2).voided(lost, 3, 2, 2).all)
                    .starts_with("2 or the record behind it was changed"));
}

// As an engine that applies the rule itself gives a damaged log: the record that was changed counts or not, and all
// that was chained to it does not.
TEST(ChainCheck, NamesTheRecordThatVoidsTheRest) {
    for (std::int64_t position = 0; position < 10; ++position) {
        auto log = ten_events();
        replace(body_at(log, position), "original", "0riginal");
        auto const changed = *standing_of(body_at(log, position));
        bool const whole = changed.command_index == changed.command_count;
        auto const head = whole ? position : position - changed.command_index;  // where the engine's head stays
        for (auto& entry : log.all) {
            if (entry.position <= head) continue;
            if (entry.kind == LogEntry::Kind::claim) {
                entry.position = head;
            } else {
                entry.kind = LogEntry::Kind::voided;
                entry.epoch = standing_of(entry.text)->epoch;
                entry.fault = "broken chain";
            }
        }
        auto const said = verdict(log.all);
        if (position == 9) {
            EXPECT_EQ(said, "whole") << "only a head can tell";
        } else if (position == 8) {
            EXPECT_TRUE(said.starts_with("8 or the record behind it was changed")) << said;
        } else {
            EXPECT_TRUE(said.starts_with(fmt::format("{} was changed", position))) << said;
        }
    }
}

TEST(ChainCheck, GoesOnFromAKnownPlace) {
    auto log = ten_events();
    ChainCheck check({{log.head(), "its head"}, {{2, "x"}, "one that stands before"}},
                     {5, record_hash(body_at(log, 5))}, 4);
    bool behind = false;
    for (auto const& entry : log.all) {
        if (behind) check.take(entry);
        behind = behind || (entry.kind == LogEntry::Kind::event && entry.position == 5);
    }
    check.finish();
    EXPECT_FALSE(check.fault()) << check.fault()->what;
    EXPECT_EQ(check.events(), 4);
}

}  // namespace
}  // namespace workforce::events
