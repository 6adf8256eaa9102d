// Keepers of leases beside each other: shares, moves, crashes, and what may not hold a renewal up.
#include <gmock/gmock.h>

#include "core/completion.hpp"
#include "tests/integration/workers/cluster/keeper_fixture.hpp"
#include "tests/support/await.hpp"

namespace workforce::tests {
namespace {

using workers::LeaseKind;
using workers::Role;

class ManyPartitionsTest : public KeepersTest {
   protected:
    static constexpr int kPartitions = 64;
    ManyPartitionsTest() : KeepersTest(kPartitions) {}
};

class FewPartitionsTest : public KeepersTest {
   protected:
    static constexpr int kPartitions = 4;
    FewPartitionsTest() : KeepersTest(kPartitions) {}
};

TEST_F(ManyPartitionsTest, SeveralThatStartAtOnceShare) {
    std::vector<std::unique_ptr<KeepingProcess>> processes(4);
    std::vector<std::thread> starts;
    for (std::size_t i = 0; i < processes.size(); ++i) {
        starts.emplace_back(
            [&, i] { processes[i] = join("p" + std::to_string(i), i < 3 ? Role::api : Role::workers); });
    }
    for (auto& start : starts) start.join();
    until(
        [&] {
            return processes[0]->count() + processes[1]->count() + processes[2]->count() == kPartitions &&
                   std::all_of(processes.begin(), processes.begin() + 3,
                               [](auto const& each) { return each->count() == 21 || each->count() == 22; }) &&
                   processes[3]->count(LeaseKind::projector) == kPartitions;
        },
        "even shares");
    EXPECT_EQ(processes[0]->count(LeaseKind::projector), 0);
    EXPECT_EQ(writers_.overlaps, 0);
    // What the table says is what they do, also as the others see it, epochs included.
    until([&] { return lease(63) && lease(63)->epoch == 163; }, "the epoch is shown");
    for (int i = 0; i < kPartitions; ++i) {
        auto const now = lease(i);
        ASSERT_TRUE(now) << i;
        auto const number = static_cast<std::size_t>(now->owner.at(1) - '0');
        EXPECT_TRUE(processes.at(number)->has(i)) << i;
        until([&] { return processes[0]->owners().find(i) && processes[0]->owners().find(i)->name == now->owner; },
              "the first knows the owner");
        EXPECT_EQ(processes[3]->owners().find(i, LeaseKind::projector)->admin_url, "http://p3");
    }
}

TEST_F(ManyPartitionsTest, WhatACrashLeavesIsTakenOver) {
    auto first = join("first");
    auto second = join("second");
    until([&] { return first->count() == 32 && second->count() == 32; }, "halves");
    first->crash();
    auto const begun = std::chrono::steady_clock::now();
    until([&] { return second->count() == kPartitions; }, "all");
    std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begun;
    RecordProperty("seconds", std::to_string(took.count()));
    EXPECT_FALSE(lease(0) && lease(0)->owner == "first");
    until([&] { return second->owners().alone(); }, "the first is known to be gone");
}

TEST_F(ManyPartitionsTest, AThirdGetsItsShareWhenTheWorkElsewhereHasEnded) {
    auto first = join("first");
    auto second = join("second");
    until([&] { return first->count() == 32 && second->count() == 32; }, "halves");
    EXPECT_FALSE(first->owners().alone());
    auto third = join("third");
    until([&] { return first->count() + second->count() + third->count() == kPartitions && third->count() == 21; },
          "thirds");
    EXPECT_EQ(writers_.overlaps, 0) << "taken up while another still had it";
    third->stop();
    until([&] { return first->count() + second->count() == kPartitions; }, "halves again");
    EXPECT_EQ(writers_.overlaps, 0);
    for (auto const& process : view().processes) EXPECT_NE(process.owner, "third") << "it ended in order";
}

TEST_F(FewPartitionsTest, ServeTakesEverythingAtOnceAndOnlyWhatIsFreeLater) {
    auto api = join("api");
    auto workers = join("workers", Role::workers);
    until([&] { return api->count() == 4 && workers->count(LeaseKind::projector) == 4; }, "all");
    auto serve = join("serve", Role::serve);
    serve->finish(serve->keeper().settled());
    EXPECT_EQ(serve->count(), 4);
    EXPECT_EQ(serve->count(LeaseKind::projector), 4);
    until([&] { return api->count() == 0 && workers->count(LeaseKind::projector) == 0; }, "the others let go");
    // A later one is in the right, and the first takes back what it leaves.
    auto later = join("later", Role::serve);
    until([&] { return serve->count() == 0 && later->count() == 4; }, "the later one has all");
    later->stop();
    until([&] { return serve->count() + api->count() == 4; }, "somebody has it");
}

TEST_F(FewPartitionsTest, PartitionsThatCameLaterAreLeftToWhoKnowsThem) {
    core::Connection connection({.url = database_.url(), .role = "workforce_writer"});
    workers::prepare_leases(connection, 6);
    for (auto const role : {Role::api, Role::serve}) {
        auto const process = join("old", role);
        process->finish(process->keeper().settled());
        until([&] { return process->count() == 4; }, "all that it knows");
        EXPECT_FALSE(lease(4) || lease(5));
        process->stop();
    }
}

TEST_F(FewPartitionsTest, WorkThatCanNotBeTakenUpIsTriedAgainAfterPauses) {
    std::atomic<int> tries = 0;
    std::atomic<bool> broken = true;
    auto process = join("one", Role::api, [&](int partition) -> boost::asio::awaitable<void> {
        if (partition == 2) {
            ++tries;
            if (broken) throw std::runtime_error("it is damaged");
        }
        co_return;
    });
    until([&] { return process->count() == 3 && tries >= 2; }, "the others are there");
    EXPECT_FALSE(process->has(2));
    until([&] { return lease(2) && lease(2)->owner == "one"; }, "it stays its own, and is not served");
    // Pauses double from half a second on: after 2 tries within a good second there are no hundreds.
    EXPECT_LE(tries, 5);
    broken = false;
    until([&] { return process->has(2); }, "it is taken up once it can be");
}

TEST_F(FewPartitionsTest, WorkThatCanNotBeTakenUpIsLeftToAnother) {
    auto const unable = [](int partition) -> boost::asio::awaitable<void> {
        if (partition == 0) throw std::runtime_error("not here");
        co_return;
    };
    auto first = join("first", Role::api, unable);
    until([&] { return first->count() == 3; }, "all but one");
    auto second = join("second");
    until([&] { return second->has(0); }, "the other takes what the first can't");
    until([&] { return first->count() == 1 && second->count() == 3; }, "the others are shared");
    EXPECT_FALSE(first->has(0));
    // And nothing moves from there.
    core::Connection connection({.url = database_.url(), .role = "workforce_reader"});
    auto const expiry = [&] {
        return std::string(
            connection.execute_sql("SELECT min(expires_at) FROM ops.lease WHERE kind = 'writer'")[0][0].c_str());
    };
    for (int renewals = 0; renewals < 3; ++renewals) {
        auto const before = expiry();
        until([&] { return expiry() > before; }, "a renewal");
        EXPECT_EQ(second->count(), 3);
    }
    EXPECT_EQ(lease(0)->given_up_by, "first");
    // With nobody else there it is the first's to try again.
    second->stop();
    until([&] { return lease(0) && lease(0)->owner == "first"; }, "it is alone");
}

TEST_F(FewPartitionsTest, WorkThatNobodyCanTakeUpMovesNothingElse) {
    std::atomic<int> tries = 0;
    std::atomic<int> healthy = 0;
    auto const unable = [&](int partition) -> boost::asio::awaitable<void> {
        if (partition == 0) {
            ++tries;
            throw std::runtime_error("nowhere");
        }
        ++healthy;
        co_return;
    };
    auto first = join("first", Role::api, unable);
    auto second = join("second", Role::api, unable);
    until([&] { return first->count() + second->count() == 3 && first->count() > 0 && second->count() > 0; }, "shared");
    until([&] { return lease(0) && !lease(0)->given_up_by.empty(); }, "one gave up, the other tries");
    int const before = healthy;
    int const tried = tries;
    until([&] { return tries > tried + 1; }, "it tries");
    EXPECT_EQ(healthy, before);
}

TEST_F(FewPartitionsTest, WhoseClockIsWrongLeavesWritingToTheOthers) {
    auto first = join("first");
    auto second = join("second");
    auto folding = join("folding", Role::workers);
    until([&] { return first->count() == 2 && second->count() == 2; }, "halves");
    auto const may_write = [&](std::string const& name) {
        auto const processes = view().processes;
        auto const found = std::find_if(processes.begin(), processes.end(),
                                        [&](workers::Process const& each) { return each.owner == name; });
        return found != processes.end() && found->may_write;
    };
    for (auto const jump : {std::chrono::milliseconds(std::chrono::hours(25)), -std::chrono::milliseconds(61'000)}) {
        first->set_clock(jump);
        until([&] { return first->count() == 0 && second->count() == kPartitions; }, "the other has all");
        EXPECT_FALSE(may_write("first"));
        EXPECT_EQ(trouble_of("first"), "clock");
        EXPECT_TRUE(may_write("second"));
        EXPECT_FALSE(second->owners().alone()) << "it still answers reads";
        second->set_clock(jump);
        until([&] { return second->count() == 0 && !lease(0); }, "nobody writes");
        second->set_clock({});
        until([&] { return second->count() == kPartitions; }, "all again");
        first->set_clock(std::chrono::seconds(30));
        until([&] { return first->count() == 2 && second->count() == 2; }, "halves again, on a clock a little off");
        EXPECT_TRUE(may_write("first"));
    }
    folding->set_clock(std::chrono::hours(25));
    for (int renewals = 0; renewals < 3; ++renewals) {
        await_renewal(0, LeaseKind::projector);
    }
    EXPECT_EQ(folding->count(LeaseKind::projector), kPartitions) << "folding asks no clock";
    EXPECT_EQ(writers_.overlaps, 0);
}

TEST_F(FewPartitionsTest, OneAloneWithAWrongClockWritesNothingUntilItIsRight) {
    auto process = join("alone", Role::serve);
    until([&] { return process->count() == kPartitions; }, "all");
    process->set_clock(std::chrono::hours(-25));
    until([&] { return process->count() == 0 && !lease(0); }, "it writes nothing");
    EXPECT_EQ(process->count(LeaseKind::projector), kPartitions);
    process->set_clock({});
    until([&] { return process->count() == kPartitions && lease(3); }, "all again");
}

/// Cannot claim or fold anything for as long as it does not hear the log.
class SilentLogTest : public FewPartitionsTest {
   protected:
    std::unique_ptr<KeepingProcess> hearing(std::string name, Role role, std::atomic<bool> const& hears,
                                            std::atomic<int>& tries) {
        return join(std::move(name), role, [&](int) -> boost::asio::awaitable<void> {
            ++tries;
            if (!hears) throw std::runtime_error("the log can't be reached");
            co_return;
        });
    }
    bool may_write(std::string const& name) {
        auto const processes = view().processes;
        return std::any_of(processes.begin(), processes.end(),
                           [&](workers::Process const& each) { return each.owner == name && each.may_write; });
    }
    /// Who holds each lease, in a line.
    std::string holders() {
        std::string all;
        for (auto const& each : view().leases) all += each.owner + "/" + each.given_up_by + " ";
        return all;
    }

    std::atomic<bool> there_ = true;
    std::atomic<int> tries_ = 0;
};

TEST_F(SilentLogTest, WhoAloneDoesNotHearItLeavesItsWorkToTheOthers) {
    std::atomic<bool> hears = true;
    auto first = hearing("first", Role::api, hears, tries_);
    auto second = hearing("second", Role::api, there_, tries_);
    auto folding = hearing("folding", Role::workers, hears, tries_);
    auto other = hearing("other", Role::workers, there_, tries_);
    auto const halves = [&] {
        return first->count() == 2 && second->count() == 2 && folding->count(LeaseKind::projector) == 2 &&
               other->count(LeaseKind::projector) == 2;
    };
    until(halves, "halves");
    hears = false;
    first->set_hears(false);
    folding->set_hears(false);
    until([&] { return second->count() == kPartitions && other->count(LeaseKind::projector) == kPartitions; },
          "the others have all");
    EXPECT_EQ(first->count() + folding->count(LeaseKind::projector), 0);
    EXPECT_FALSE(may_write("first"));
    EXPECT_EQ(trouble_of("first"), "log");
    EXPECT_FALSE(may_write("folding"));
    EXPECT_TRUE(may_write("second"));
    EXPECT_EQ(writers_.overlaps + projectors_.overlaps, 0);
    for (auto const& each : view().leases) EXPECT_EQ(each.given_up_by, "");
    hears = true;
    first->set_hears(true);
    folding->set_hears(true);
    until(halves, "halves again");
    EXPECT_EQ(writers_.overlaps + projectors_.overlaps, 0);
}

TEST_F(SilentLogTest, ASilenceForAllMovesNothing) {
    auto first = hearing("first", Role::api, there_, tries_);
    auto second = hearing("second", Role::api, there_, tries_);
    until([&] { return first->count() == 2 && second->count() == 2; }, "halves");
    there_ = false;
    first->set_hears(false);
    second->set_hears(false);
    until([&] { return !may_write("first") && !may_write("second"); }, "both say so");
    auto const before = holders();
    int const tried = tries_;
    core::Connection connection({.url = database_.url(), .role = "workforce_reader"});
    auto const expiry = [&] {
        return std::string(
            connection.execute_sql("SELECT min(expires_at) FROM ops.lease WHERE kind = 'writer'")[0][0].c_str());
    };
    auto const begun = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() < begun + 2 * workers::LogWatch::kSure) {
        auto const last = expiry();
        until([&] { return expiry() > last; }, "a renewal");
        ASSERT_EQ(holders(), before);
    }
    EXPECT_EQ(tries_, tried);
    there_ = true;
    first->set_hears(true);
    until([&] { return may_write("first"); }, "one hears it first");
    second->set_hears(true);
    until([&] { return may_write("second"); }, "then the other");
    EXPECT_EQ(holders(), before);
    EXPECT_EQ(tries_, tried);
}

TEST_F(SilentLogTest, OneAloneTriesNothingMeanwhileAndAllAtOnceThen) {
    there_ = false;
    auto alone = hearing("alone", Role::api, there_, tries_);
    alone->set_hears(false);
    until([&] { return !may_write("alone"); }, "it says so");
    EXPECT_TRUE(lease(0)) << "there is nobody to leave it to";
    auto const renewed = [&](int times) {
        for (int i = 0; i < times; ++i) await_renewal(0);
    };
    renewed(2);  // what was being tried has failed
    int const tried = tries_;
    renewed(6);
    EXPECT_EQ(tries_, tried);
    there_ = true;
    alone->set_hears(true);
    until([&] { return alone->count() == kPartitions; }, "all");
    EXPECT_EQ(tries_, tried + kPartitions);
}

TEST_F(FewPartitionsTest, OneThatIsAloneByItsRoleHeedsNoSilence) {
    auto serve = join("serve", Role::serve);
    until([&] { return serve->count() == kPartitions; }, "all");
    serve->set_hears(false);
    auto const begun = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() < begun + workers::LogWatch::kSilent + std::chrono::seconds(1)) {
        await_renewal(0);
        ASSERT_EQ(serve->count(), kPartitions);
        for (auto const& each : view().processes) ASSERT_TRUE(each.may_write);
    }
}

TEST_F(FewPartitionsTest, ALongTakeOverHoldsNoRenewalUp) {
    std::mutex mutex;
    std::vector<core::Completion<bool>> held;
    bool open = false;
    auto const release = [&] {
        std::lock_guard const lock(mutex);
        open = true;
        for (auto& each : held) each(true);
        held.clear();
    };
    auto process = join("slow", Role::api, [&](int) -> boost::asio::awaitable<void> {
        co_await core::await_completion<bool>([&](core::Completion<bool> done) {
            std::lock_guard const lock(mutex);
            if (open) return done(true);
            held.push_back(std::move(done));
        });
    });
    // Five times the life of a lease that nobody renews is not waited for: it is seen to be renewed instead.
    core::Connection connection({.url = database_.url(), .role = "workforce_reader"});
    auto const expiry = [&] {
        return std::string(
            connection.execute_sql("SELECT min(expires_at) FROM ops.lease WHERE owner = 'slow'")[0][0].c_str());
    };
    for (int renewals = 0; renewals < 3; ++renewals) {
        auto const before = expiry();
        until([&] { return expiry() > before; }, "a renewal");
    }
    EXPECT_EQ(process->count(), 0);
    release();
    until([&] { return process->count() == 4; }, "taken up");
    process->stop();
    EXPECT_FALSE(lease(0));
}

TEST_F(FewPartitionsTest, OwnersAreFoundBetweenRenewals) {
    auto process = join("one");
    EXPECT_EQ(process->owners().find(0)->name, "one");
    EXPECT_EQ(process->owners().find(0)->admin_url, "http://one");
    EXPECT_FALSE(process->owners().find(4));
    EXPECT_FALSE(process->owners().find(0, LeaseKind::projector));
    EXPECT_TRUE(process->owners().alone());
    core::Database database({{.url = database_.url(), .role = "workforce_writer"}, 1});
    workers::Owners onlooker(database, "onlooker");
    EXPECT_FALSE(onlooker.find(0));
    EXPECT_FALSE(onlooker.alone()) << "not known yet";
    await(onlooker.refresh());
    EXPECT_EQ(onlooker.find(0)->name, "one");
    EXPECT_FALSE(onlooker.alone());
    process->crash();
    until([&] { return !onlooker.find(0); }, "a lease runs out without being looked at");
    database.stop();
}

}  // namespace
}  // namespace workforce::tests
