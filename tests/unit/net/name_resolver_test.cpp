// Names on a few threads: shared look-ups, and slow names that keep nobody waiting.
#include "net/name_resolver.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace workforce::net {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::make_address;
using Answer = std::optional<FoundAddresses>;

/// A DNS in which names hang until they are let go. Shared with look-ups, which outlive a resolver.
class GatedDns {
   public:
    /// From now on, names that begin with that letter hang.
    void hang(char letter) {
        std::lock_guard const lock(mutex_);
        hanging_.insert(letter);
    }
    void release() {
        {
            std::lock_guard const lock(mutex_);
            hanging_.clear();
        }
        changed_.notify_all();
    }
    FoundAddresses look_up(std::string const& host) {
        std::unique_lock lock(mutex_);
        ++asked_[host];
        ++running_[host[0]];
        most_[host[0]] = std::max(most_[host[0]], running_[host[0]]);
        changed_.notify_all();
        changed_.wait(lock, [&] { return !hanging_.contains(host[0]); });
        --running_[host[0]];
        if (host.ends_with(".bad")) return tl::unexpected(std::string("no such name"));
        return std::vector{make_address("192.0.2.1")};
    }
    /// Waits until so many names of the letter are looked up.
    void await_running(char letter, int count) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return running_[letter] >= count; });
    }
    int asked(std::string const& host) {
        std::lock_guard const lock(mutex_);
        return asked_[host];
    }
    int most(char letter) {
        std::lock_guard const lock(mutex_);
        return most_[letter];
    }

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::set<char> hanging_;
    std::map<std::string, int> asked_;
    std::map<char, int> running_;
    std::map<char, int> most_;
};

class NameResolverTest : public testing::Test {
   protected:
    ~NameResolverTest() override {
        dns_->release();
        resolver_->close();
        work_.reset();
        thread_.join();
    }
    void start(NameResolver::Limits limits) {
        resolver_.emplace([dns = dns_](std::string const& host) { return dns->look_up(host); }, limits);
    }
    /// Waits for the name as long as `patience`.
    std::future<Answer> ask(std::string host, std::chrono::milliseconds patience = 1h) {
        auto const wait = std::make_shared<NameWait>(context_.get_executor());
        wait->patience.expires_after(patience);
        return boost::asio::co_spawn(context_, resolver_->resolve(std::move(host), wait), boost::asio::use_future);
    }
    static std::string text_of(Answer const& answer) {
        if (!answer) return "no answer";
        return *answer ? (**answer).at(0).to_string() : answer->error();
    }

    std::shared_ptr<GatedDns> dns_ = std::make_shared<GatedDns>();
    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{context_.get_executor()};
    std::thread thread_{[this] { context_.run(); }};
    std::optional<NameResolver> resolver_;
};

TEST_F(NameResolverTest, Answers) {
    start({});
    EXPECT_EQ(text_of(ask("name").get()), "192.0.2.1");
    EXPECT_EQ(text_of(ask("name.bad").get()), "no such name");
    EXPECT_EQ(text_of(ask("name").get()), "192.0.2.1");
    EXPECT_EQ(dns_->asked("name"), 2) << "answers are not kept";
}

TEST_F(NameResolverTest, ManyShareALookUp) {
    start({});
    dns_->hang('a');
    std::vector<std::future<Answer>> answers;
    answers.push_back(ask("a"));
    dns_->await_running('a', 1);
    for (int i = 0; i < 100; ++i) answers.push_back(ask("a"));
    ask("a", 0ms).get();  // all of them have asked: they come in turn
    dns_->release();
    for (auto& answer : answers) EXPECT_EQ(text_of(answer.get()), "192.0.2.1");
    EXPECT_EQ(dns_->asked("a"), 1);
}

TEST_F(NameResolverTest, NamesThatHangLeaveThreadsToNamesThatAnswered) {
    start({.threads = 4, .waiting = 100, .slow = 1h});
    ask("good").get();
    dns_->hang('d');
    std::vector<std::future<Answer>> dead;
    for (int i = 0; i < 20; ++i) dead.push_back(ask("dead" + std::to_string(i)));
    dns_->await_running('d', 3);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(text_of(ask("good").get()), "192.0.2.1");
    EXPECT_EQ(dns_->most('d'), 3) << "three quarters of the threads";
    dns_->release();
    for (auto& answer : dead) EXPECT_EQ(text_of(answer.get()), "192.0.2.1");
}

TEST_F(NameResolverTest, NamesThatWereSlowLeaveThreadsToNewOnes) {
    start({.threads = 4, .waiting = 100, .slow = 0ms});  // all that was looked up once
    for (int i = 0; i < 5; ++i) ask("slow" + std::to_string(i)).get();
    dns_->hang('s');
    std::vector<std::future<Answer>> slow;
    auto const before = dns_->most('s');
    for (int i = 0; i < 5; ++i) slow.push_back(ask("slow" + std::to_string(i)));
    dns_->await_running('s', 1);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(text_of(ask("new" + std::to_string(i)).get()), "192.0.2.1");
    EXPECT_EQ(dns_->most('s'), std::max(before, 1)) << "a quarter of the threads";
    dns_->release();
    for (auto& answer : slow) EXPECT_EQ(text_of(answer.get()), "192.0.2.1");
}

TEST_F(NameResolverTest, PatienceEndsAndNobodysNamesAreNotLookedUp) {
    start({.threads = 4, .waiting = 100, .slow = 1h});
    dns_->hang('d');
    std::vector<std::future<Answer>> dead;
    for (int i = 0; i < 3; ++i) dead.push_back(ask("dead" + std::to_string(i), 50ms));
    dns_->await_running('d', 3);
    for (int i = 3; i < 6; ++i) dead.push_back(ask("dead" + std::to_string(i), 50ms));
    for (auto& answer : dead) EXPECT_EQ(text_of(answer.get()), "no answer");
    dns_->release();
    EXPECT_EQ(text_of(ask("dead6").get()), "192.0.2.1") << "it stood behind them";
    EXPECT_EQ(dns_->asked("dead3") + dns_->asked("dead4") + dns_->asked("dead5"), 0);
}

TEST_F(NameResolverTest, ABoundedNumberWaits) {
    start({.threads = 4, .waiting = 2, .slow = 1h});
    ask("good").get();
    dns_->hang('d');
    std::vector<std::future<Answer>> dead;
    for (int i = 0; i < 3; ++i) {
        dead.push_back(ask("dead" + std::to_string(i)));
        dns_->await_running('d', i + 1);
    }
    for (int i = 3; i < 5; ++i) dead.push_back(ask("dead" + std::to_string(i)));
    EXPECT_EQ(text_of(ask("dead5").get()), "too many names wait to be resolved");
    EXPECT_EQ(text_of(ask("good").get()), "192.0.2.1");
    dns_->release();
    for (auto& answer : dead) EXPECT_EQ(text_of(answer.get()), "192.0.2.1");
}

TEST_F(NameResolverTest, ALookUpMayOutliveTheResolver) {
    start({});
    dns_->hang('a');
    auto answer = ask("a", 200ms);
    dns_->await_running('a', 1);
    resolver_->close();
    dns_->release();
    EXPECT_EQ(text_of(answer.get()), "no answer");
    EXPECT_EQ(text_of(ask("b").get()), "the client is closed");
}

TEST(LookUpBySystem, KnowsThisMachine) {
    auto const found = look_up_by_system("localhost");
    ASSERT_TRUE(found) << found.error();
    ASSERT_FALSE(found->empty());
    for (auto const& address : *found) EXPECT_TRUE(address.is_loopback()) << address;
    EXPECT_FALSE(look_up_by_system("no such name"));
}

}  // namespace
}  // namespace workforce::net
