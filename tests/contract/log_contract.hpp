// What every engine of the log must do. An engine joins by a fixture class:
//
//   struct Engine {                                    // a new, empty log with kPartitions partitions
//       std::unique_ptr<events::EventLog> open();      // one more instance on it, as another process would have
//       void cut();                                    // breaks the connections of all instances that write
//   };
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <set>
#include <thread>

#include "events/log/each_partition.hpp"
#include "events/log/mend.hpp"
#include "events/log/verify.hpp"
#include "tests/contract/log_writer.hpp"
#include "tests/support/at_length.hpp"

namespace workforce::tests {

inline constexpr int kPartitions = 16;

template <class Engine>
class LogContract : public testing::Test {
   protected:
    Engine engine_;
    std::unique_ptr<events::EventLog> log_ = engine_.open();
};
TYPED_TEST_SUITE_P(LogContract);

TYPED_TEST_P(LogContract, NewLogIsEmpty) {
    EXPECT_EQ(this->log_->partitions(), kPartitions);
    EXPECT_EQ(this->log_->head(3), events::Head{});
    EXPECT_TRUE(this->log_->read(3, 0, 10, 1000).empty());
    LogWriter const writer(*this->log_, 3);
    EXPECT_EQ(writer.head, events::Head{});
}

TYPED_TEST_P(LogContract, KeepsBytesOrderAndHead) {
    LogWriter writer(*this->log_, 0);
    Bodies const data{R"({"text":"ä \"quoted\" \\ {curly} , tab\t"})", "1", R"({"a": 1,  "a":1.0})"};
    auto const first = make_command(writer.claim.epoch, writer.head, data);
    ASSERT_TRUE(writer.append_records(first));
    auto const second = make_command(writer.claim.epoch, writer.head, make_data("second", 200));
    ASSERT_TRUE(writer.append_records(second));
    Bodies expected = first;
    expected.insert(expected.end(), second.begin(), second.end());
    auto const other = this->engine_.open();
    EXPECT_EQ(read_bodies(*this->log_, 0), expected);
    EXPECT_EQ(read_bodies(*other, 0), expected);
    EXPECT_EQ(this->log_->head(0), writer.head);
    EXPECT_EQ(other->head(0).position, 202);
    EXPECT_TRUE(read_all(*this->log_, 1).empty());
}

TYPED_TEST_P(LogContract, ReadsFromAnywhereWithinLimits) {
    LogWriter writer(*this->log_, 0);
    ASSERT_TRUE(writer.append(make_data("x", 50)));
    // All but the two-digit positions and indexes are of one size.
    auto const size = read_bodies(*this->log_, 0)[0].size();
    auto const other = this->engine_.open();
    for (events::EventLog* log : {this->log_.get(), other.get()}) {
        auto const some = log->read(0, 7, 3, 1 << 20);
        ASSERT_EQ(some.size(), 3U);
        EXPECT_EQ(some[0].position, 7);
        EXPECT_EQ(data_of(some[2].body), make_data("x", 10)[9]);
        EXPECT_EQ(log->read(0, 0, 100, 1 << 20).size(), 50U);
        EXPECT_EQ(log->read(0, 0, 100, size * 4).size(), 4U) << "as many as fit";
        EXPECT_EQ(log->read(0, 0, 100, 1).size(), 1U) << "at least one";
        EXPECT_EQ(log->read(0, 49, 100, 1 << 20).size(), 1U);
        EXPECT_TRUE(log->read(0, 50, 100, 1 << 20).empty());
        EXPECT_TRUE(log->read(0, 1000, 100, 1 << 20).empty());
    }
}

TYPED_TEST_P(LogContract, ClaimFencesEarlierWriters) {
    auto const other = this->engine_.open();
    LogWriter old(*this->log_, 5, "old");
    ASSERT_TRUE(old.append(make_data("old", 2)));
    EXPECT_TRUE(old.confirm());
    LogWriter current(*other, 5, "new");
    EXPECT_GT(current.claim.epoch, old.claim.epoch);
    EXPECT_EQ(current.head, old.head);
    EXPECT_EQ(old.append(make_data("zombie", 1)), tl::unexpected(events::AppendFault::fenced));
    EXPECT_EQ(old.confirm(), tl::unexpected(events::AppendFault::fenced));
    ASSERT_TRUE(current.append(make_data("new", 1)));
    EXPECT_EQ(old.append(make_data("zombie", 1)), tl::unexpected(events::AppendFault::fenced));
    EXPECT_TRUE(current.confirm());
    // Nor when it has caught up: the epoch decides.
    old.head = current.head;
    EXPECT_EQ(old.append(make_data("zombie", 1)), tl::unexpected(events::AppendFault::fenced));
    for (events::EventLog* log : {this->log_.get(), other.get()}) {
        EXPECT_EQ(read_all(*log, 5), (Bodies{make_data("old", 2)[0], make_data("old", 2)[1], make_data("new", 1)[0]}));
    }
}

TYPED_TEST_P(LogContract, ClaimsOfOnePartitionNeverShareAnEpoch) {
    std::vector<std::future<std::int64_t>> claims;
    claims.reserve(8);
    for (int i = 0; i < 8; ++i) {
        claims.push_back(std::async(std::launch::async, [&] { return await(this->log_->claim(1, "many")).epoch; }));
    }
    std::set<std::int64_t> epochs;
    for (auto& claim : claims) epochs.insert(claim.get());
    EXPECT_EQ(epochs.size(), 8U);
}

TYPED_TEST_P(LogContract, AppendOnAnotherHeadIsFenced) {
    LogWriter writer(*this->log_, 0);
    ASSERT_TRUE(writer.append(make_data("x", 3)));
    auto const head = writer.head;
    for (events::Head const& wrong : {events::Head{}, events::Head{1, head.hash}, events::Head{3, head.hash},
                                      events::Head{2, std::string(64, 'f')}}) {
        writer.head = wrong;
        EXPECT_EQ(writer.append(make_data("wrong", 1)), tl::unexpected(events::AppendFault::fenced)) << wrong.position;
    }
    writer.head = head;
    EXPECT_TRUE(writer.append(make_data("right", 1)));
    EXPECT_EQ(read_all(*this->log_, 0).size(), 4U);
}

TYPED_TEST_P(LogContract, OneWriterWinsWhenManyShareAClaim) {
    LogWriter const owner(*this->log_, 0);
    std::vector<std::future<bool>> attempts;
    attempts.reserve(8);
    for (int i = 0; i < 8; ++i) {
        attempts.push_back(std::async(std::launch::async, [&, i] {
            LogWriter copy = owner;
            return copy.append(make_data(std::to_string(i), 3)).has_value();
        }));
    }
    int won = 0;
    for (auto& attempt : attempts) won += attempt.get() ? 1 : 0;
    EXPECT_EQ(won, 1);
    EXPECT_EQ(read_all(*this->log_, 0).size(), 3U);
}

TYPED_TEST_P(LogContract, SurvivesReopening) {
    auto const before = [&] {
        LogWriter writer(*this->log_, 2);
        EXPECT_TRUE(writer.append(make_data("x", 5)));
        return writer.head;
    }();
    this->log_.reset();
    this->log_ = this->engine_.open();
    EXPECT_EQ(this->log_->head(2), before);
    EXPECT_EQ(read_all(*this->log_, 2), make_data("x", 5));
    LogWriter writer(*this->log_, 2);
    EXPECT_EQ(writer.head, before);
    EXPECT_TRUE(writer.append(make_data("y", 1)));
}

TYPED_TEST_P(LogContract, LargeRecordsAndTooLargeOnes) {
    LogWriter writer(*this->log_, 0);
    // Data that fills a record which stands alone at a position of one digit.
    auto const frame = make_record(writer.claim.epoch, {}, 1, 1, "").size();
    std::string const large = '"' + std::string(events::kMaxRecordBytes - frame - 2, 'x') + '"';
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(writer.append({large}));
    EXPECT_EQ(writer.append({"1", large + " "}), tl::unexpected(events::AppendFault::too_large));
    EXPECT_TRUE(writer.append({"2"})) << "the refusal left the head where it was";
    auto const other = this->engine_.open();
    EXPECT_EQ(other->read(0, 0, 10, 1 << 20).size(), 1U);
    EXPECT_EQ(read_all(*other, 0), (Bodies{large, large, large, "2"}));
}

TYPED_TEST_P(LogContract, WaitEndsWhenTheLogGrows) {
    auto const other = this->engine_.open();
    LogWriter writer(*this->log_, 4);
    for (events::EventLog* reader : {this->log_.get(), other.get()}) {
        auto const next = writer.head.position + 1;
        auto waiting = std::async(std::launch::async, [&] {
            // Spurious returns are allowed, so only a record ends it.
            while (reader->read(4, next, 1, 1000).empty()) reader->wait(4, next, std::chrono::minutes(10));
        });
        ASSERT_TRUE(writer.append(make_data("x", 1)));
        waiting.get();
    }
    this->log_->wait(4, 0, std::chrono::minutes(10));  // there already
}

TYPED_TEST_P(LogContract, WaitEndsAtItsTimeoutAndWhenStopped) {
    this->log_->wait(4, 0, std::chrono::milliseconds(1));
    auto waiting = std::async(std::launch::async, [&] { this->log_->wait(4, 0, std::chrono::minutes(10)); });
    this->log_->stop();
    waiting.get();
    this->log_->wait(4, 0, std::chrono::minutes(10));
    this->log_->stop();
}

TYPED_TEST_P(LogContract, PartitionsAreIndependent) {
    constexpr int kThreads = 4;
    constexpr int kBatches = 25;
    auto const other = this->engine_.open();
    std::vector<std::future<void>> writers;
    writers.reserve(kThreads);
    for (int thread = 0; thread < kThreads; ++thread) {
        writers.push_back(std::async(std::launch::async, [&, thread] {
            std::vector<std::unique_ptr<LogWriter>> own;
            for (int p = thread; p < kPartitions; p += kThreads)
                own.push_back(std::make_unique<LogWriter>(*this->log_, p));
            for (int i = 0; i < kBatches; ++i) {
                for (auto& writer : own) ASSERT_TRUE(writer->append(make_data(std::to_string(i), i % 3 + 1)));
            }
        }));
    }
    Bodies expected;
    for (int i = 0; i < kBatches; ++i) {
        for (auto& body : make_data(std::to_string(i), i % 3 + 1)) expected.push_back(std::move(body));
    }
    // Readers in both processes, all the while.
    std::vector<std::future<Bodies>> readers;
    for (int p = 0; p < kPartitions; p += 5) {
        for (events::EventLog* log : {this->log_.get(), other.get()}) {
            readers.push_back(
                std::async(std::launch::async, [log, p, &expected] { return read_until(*log, p, expected.size()); }));
        }
    }
    for (auto& writer : writers) writer.get();
    for (auto& reader : readers) EXPECT_EQ(reader.get(), expected);
    for (int p = 0; p < kPartitions; ++p) EXPECT_EQ(read_all(*other, p), expected) << p;
    for (auto const& each :
         events::verify(*other, events::choose_partitions(kPartitions, -1), {}, [](std::int64_t) {})) {
        EXPECT_EQ(events::describe_fault(each), std::nullopt);
    }
}

TYPED_TEST_P(LogContract, ClaimsFromAnEpochOn) {
    EXPECT_EQ(await(this->log_->claim_from(2, "copier", 40)).epoch, 40);
    EXPECT_EQ(await(this->log_->claim_from(2, "copier", 7)).epoch, 41) << "above the current one in any case";
    LogWriter writer(*this->log_, 2);
    EXPECT_EQ(writer.claim.epoch, 42);
    EXPECT_TRUE(writer.append(make_data("x", 1)));
}

TYPED_TEST_P(LogContract, ScanShowsClaimsWhereTheyStand) {
    using Kind = events::LogEntry::Kind;
    LogWriter first(*this->log_, 1, "the \"first\"");
    ASSERT_TRUE(first.append(make_data("x", 3)));
    LogWriter const idle(*this->log_, 1, "idle");
    LogWriter second(*this->log_, 1, "second");
    ASSERT_TRUE(second.append(make_data("y", 2)));
    LogWriter const third(*this->log_, 1, "third");
    auto const other = this->engine_.open();
    auto const all = scan_all(*other, 1);
    struct Expected {
        Kind kind;
        std::int64_t position;
        std::int64_t epoch;
        std::string text;
    };
    auto const bodies = read_bodies(*other, 1);
    ASSERT_EQ(bodies.size(), 5U);
    std::vector<Expected> const expected{{Kind::claim, -1, first.claim.epoch, "the \"first\""},
                                         {Kind::event, 0, 0, bodies[0]},
                                         {Kind::event, 1, 0, bodies[1]},
                                         {Kind::event, 2, 0, bodies[2]},
                                         {Kind::claim, 2, idle.claim.epoch, "idle"},
                                         {Kind::claim, 2, second.claim.epoch, "second"},
                                         {Kind::event, 3, 0, bodies[3]},
                                         {Kind::event, 4, 0, bodies[4]},
                                         {Kind::claim, 4, third.claim.epoch, "third"}};
    ASSERT_EQ(all.size(), expected.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i].kind, expected[i].kind) << i;
        EXPECT_EQ(all[i].position, expected[i].position) << i;
        EXPECT_EQ(all[i].epoch, expected[i].epoch) << i;
        EXPECT_EQ(all[i].text, expected[i].text) << i;
        EXPECT_EQ(all[i].fault, "") << i;
        if (i > 0) EXPECT_GE(all[i].offset, all[i - 1].offset) << i;
    }
    // From an event on: with the claims that stand before it, and nothing before those.
    EXPECT_EQ(scan_all(*other, 1, 3).size(), 5U);
    EXPECT_EQ(scan_all(*other, 1, 3).front().text, "idle");
    EXPECT_EQ(scan_all(*other, 1, 2).size(), 6U);
    EXPECT_EQ(scan_all(*other, 1, 5).size(), 1U);
    EXPECT_TRUE(scan_all(*other, 1, 6).empty());
    EXPECT_TRUE(scan_all(*other, 2).empty());
    EXPECT_EQ(scan_all(*other, 1, 0, 1).size(), 9U) << "page by page";
}

TYPED_TEST_P(LogContract, ScanEndsWhereTheLogEndedWhenItBegan) {
    LogWriter writer(*this->log_, 1);
    ASSERT_TRUE(writer.append(make_data("x", 2)));
    auto const scan = this->log_->scan(1, 0);
    ASSERT_TRUE(writer.append(make_data("late", 2)));
    std::size_t events = 0;
    for (auto page = scan->next(1000); !page.empty(); page = scan->next(1000)) {
        for (auto const& entry : page) events += entry.kind == events::LogEntry::Kind::event ? 1U : 0U;
    }
    EXPECT_EQ(events, 2U);
}

// Connections break again and again under a writer that appends two commands at a time: each command is there whole or
// not at all, never the second without the first, and whatever was acknowledged is there whole.
TYPED_TEST_P(LogContract, KeepsAMendAndWhatItNames) {
    events::HeadSigner const signer("here", std::string(32, 'k'));
    LogWriter writer(*this->log_, 9);
    ASSERT_TRUE(writer.append_commands({{"1"}, {"2"}, {"3"}}));
    auto const named = chained({}, read_bodies(*this->log_, 9, 0));
    auto const sign = [&](std::int64_t first) { return events::sign_mend(signer, 9, first, named, "a test"); };
    ASSERT_TRUE(writer.append({"4"}));
    LogWriter operators(*this->log_, 9, "an operator");
    auto const put = [&](events::Mend const& mend) {
        auto const claim = events::Claim{9, operators.claim.epoch, operators.head};
        return operators.append_records({events::make_record(signer, claim, mend, core::now())});
    };
    ASSERT_TRUE(put(sign(1)));
    auto changed = sign(0);
    changed.last = 3;
    ASSERT_TRUE(put(changed));
    auto const other = this->engine_.open();
    other->set_key({"here", {signer.public_key()}});
    EXPECT_EQ(other->head(9), operators.head);
    for (auto const& [position, mended] : {std::pair(0, false), {1, true}, {2, true}, {3, false}, {4, false}}) {
        EXPECT_EQ(events::find_mend(*other, 9, position).has_value(), mended) << position;
    }
    EXPECT_FALSE(events::find_mend(*this->log_, 9, 1)) << "it does not know the key";
}

TYPED_TEST_P(LogContract, CommandsAreAtomicWhenConnectionsBreak) {
    int const appends = at_length() ? 400 : 150;
    std::atomic<bool> done = false;
    std::atomic<int> tried = 0;
    std::vector<int> acknowledged;
    int doubtful = 0;
    auto writing = std::async(std::launch::async, [&] {
        std::unique_ptr<LogWriter> writer;
        for (int i = 0; i < appends || doubtful == 0; ++i, ++tried) {
            try {
                if (!writer) writer = std::make_unique<LogWriter>(*this->log_, 6);
                auto const result = writer->append_commands(
                    {make_data(std::to_string(2 * i), 10), make_data(std::to_string(2 * i + 1), 10)});
                if (result) {
                    acknowledged.push_back(i);
                } else {
                    ++doubtful;
                    writer.reset();
                }
            } catch (events::LogUnavailable const&) {
                writer.reset();
            }
        }
        done = true;
    });
    while (!done) {
        this->engine_.cut();
        // However slow the writer is, it gets some appends through.
        for (int const before = tried; !done && tried < before + 5;)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    writing.get();
    auto const other = this->engine_.open();
    auto const bodies = read_all(*other, 6);
    ASSERT_EQ(bodies.size() % 10, 0U) << "a command is not whole";
    std::set<std::string> present(bodies.begin(), bodies.end());
    auto const has = [&](int command) { return present.contains(make_data(std::to_string(command), 1)[0]); };
    for (int const i : acknowledged) EXPECT_TRUE(has(2 * i) && has(2 * i + 1)) << i;
    for (std::size_t i = 0; i < bodies.size(); i += 10) {
        auto const name = bodies[i].substr(9, bodies[i].find('"', 9) - 9);
        EXPECT_EQ(Bodies(bodies.begin() + static_cast<std::ptrdiff_t>(i),
                         bodies.begin() + static_cast<std::ptrdiff_t>(i + 10)),
                  make_data(name, 10));
        auto const command = std::stoi(name);
        if (command % 2 == 1) EXPECT_TRUE(has(command - 1)) << "an append's second command without its first";
    }
    EXPECT_EQ(present.size(), bodies.size()) << "a command is there twice";
    LogWriter writer(*other, 6);
    EXPECT_EQ(writer.head.position + 1, static_cast<std::int64_t>(bodies.size()));
    EXPECT_TRUE(writer.append({"1"}));
}

REGISTER_TYPED_TEST_SUITE_P(LogContract, NewLogIsEmpty, KeepsBytesOrderAndHead, ReadsFromAnywhereWithinLimits,
                            ClaimFencesEarlierWriters, ClaimsOfOnePartitionNeverShareAnEpoch,
                            AppendOnAnotherHeadIsFenced, OneWriterWinsWhenManyShareAClaim, SurvivesReopening,
                            LargeRecordsAndTooLargeOnes, WaitEndsWhenTheLogGrows, WaitEndsAtItsTimeoutAndWhenStopped,
                            PartitionsAreIndependent, ClaimsFromAnEpochOn, ScanShowsClaimsWhereTheyStand,
                            ScanEndsWhereTheLogEndedWhenItBegan, KeepsAMendAndWhatItNames,
                            CommandsAreAtomicWhenConnectionsBreak);

}  // namespace workforce::tests
