// What a process remembers of credentials.
#include "api/credentials/credential_cache.hpp"

#include <gtest/gtest.h>

#include <string>

namespace workforce::api {
namespace {

using std::chrono::milliseconds;

CredentialCache::Clock::time_point cache_time{milliseconds(1000)};  // NOLINT(*-avoid-non-const-global-variables)
CredentialCache::Clock::time_point now_of_cache() { return cache_time; }

KnownCredential key_of(core::Id id, std::size_t name_bytes = 0) {
    auto caller = std::make_shared<operations::Caller>();
    caller->credential_id = id;
    caller->organization_record.name.value = std::string(name_bytes, 'x');
    return {.outcome = caller, .versions = "1 1 1"};
}

KnownCredential session_of(core::Id user) {
    auto caller = std::make_shared<operations::Caller>();
    caller->credential_type = events::ActorType::user;
    caller->user.id = user;
    return {.outcome = caller};
}

constexpr std::size_t kBudget = std::size_t{1} << 20;
constexpr std::size_t kName = 10'000;
constexpr std::size_t kBesideName = 4096;  // that an entry takes at most besides

class CredentialCacheTest : public ::testing::Test {
   protected:
    CredentialCacheTest() { cache_time = CredentialCache::Clock::time_point(milliseconds(1000)); }

    void keep(std::string const& digest, KnownCredential known) { cache_.keep(digest, std::move(known), cache_time); }
    bool trusts(std::string const& digest) { return cache_.find(digest).outcome.has_value(); }

    CredentialCache cache_{kBudget, now_of_cache};
};

TEST_F(CredentialCacheTest, WhatWasNotUsedForLongestLeaves) {
    keep("used", key_of(1, kName));
    for (int i = 0; i < 1000; ++i) {
        keep("key " + std::to_string(i), key_of(2 + i, kName));
        ASSERT_LE(cache_.used(), kBudget) << "after " << i;
        ASSERT_TRUE(trusts("used")) << "after " << i;
    }
    EXPECT_GT(cache_.used(), kBudget - kName - kBesideName) << "all of the budget is of use";
    int kept = 0;
    while (trusts("key " + std::to_string(999 - kept))) ++kept;
    EXPECT_GE(kept + 1, static_cast<int>(kBudget / (kName + kBesideName)));
    EXPECT_EQ(cache_.dropped(), static_cast<std::uint64_t>(1000 - kept));
    EXPECT_FALSE(trusts("key 0"));
}

TEST_F(CredentialCacheTest, CountsAllThatAnEntryHolds) {
    auto tools = std::make_shared<operations::Caller>();
    tools->scopes.assign(10, std::string(1000, 'x'));
    auto caller = std::make_shared<operations::Caller>();
    caller->for_tools = tools;
    keep("key", {.outcome = caller, .versions = std::string(5000, 'v')});
    EXPECT_GT(cache_.used(), 15'000U);
    EXPECT_LT(cache_.used(), 15'000 + 3 * kBesideName);
    cache_.drop("key");
    EXPECT_EQ(cache_.used(), 0U);
    keep("refused", {core::refuse(core::Code::unauthenticated, std::string(3000, 'm'))});
    EXPECT_GT(cache_.used(), 3000U);
}

TEST_F(CredentialCacheTest, CountsNothingForWhatLeft) {
    keep("key", key_of(1, 1000));
    auto const one = cache_.used();
    keep("key", key_of(1, 1000));
    EXPECT_EQ(cache_.used(), one) << "the same one twice counts once";
    keep("session", session_of(7));
    keep("another session", session_of(8));
    cache_.forget(7);
    EXPECT_FALSE(trusts("session"));
    EXPECT_TRUE(trusts("another session"));
    cache_.forget(8);
    EXPECT_EQ(cache_.used(), one);
    EXPECT_TRUE(trusts("key")) << "sessions alone are forgotten";
    keep("key", {core::refuse(core::Code::invalid_api_key, "The API key is not valid.")});
    EXPECT_FALSE(trusts("key"));
    EXPECT_EQ(cache_.used(), 0U);
    EXPECT_EQ(cache_.dropped(), 0U) << "none left for room";
}

TEST_F(CredentialCacheTest, WhatDoesNotFitIsNotKept) {
    keep("key", key_of(1));
    keep("huge", key_of(2, 2 * kBudget));
    EXPECT_FALSE(trusts("huge"));
    EXPECT_LE(cache_.used(), kBudget);
    CredentialCache none(0, now_of_cache);
    none.keep("key", key_of(1), cache_time);
    EXPECT_FALSE(none.find("key").outcome);
    EXPECT_EQ(none.used(), 0U);
}

TEST_F(CredentialCacheTest, AKeyIsTrustedWhileItIsLookedUpAgain) {
    keep("key", key_of(1));
    EXPECT_FALSE(cache_.find("key").begin_refresh) << "it is fresh";
    cache_time += milliseconds(500);
    auto const stale = cache_.find("key");
    EXPECT_TRUE(stale.outcome);
    EXPECT_TRUE(stale.begin_refresh);
    EXPECT_FALSE(cache_.find("key").begin_refresh) << "told once";
    auto const told = cache_.take_stale();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].first, "key");
    EXPECT_TRUE(cache_.take_stale().empty());
    cache_time += milliseconds(500);
    auto const over = cache_.find("key");
    EXPECT_FALSE(over.outcome) << "nobody looked it up in time";
    EXPECT_EQ(over.known.versions, "1 1 1");
}

TEST_F(CredentialCacheTest, ASessionIsLookedUpByOneRequestWhileOthersGoOn) {
    keep("session", session_of(7));
    cache_time += milliseconds(500);
    EXPECT_FALSE(trusts("session"));
    EXPECT_TRUE(trusts("session"));
    EXPECT_TRUE(cache_.take_stale().empty());
}

TEST_F(CredentialCacheTest, WhatAnybodyCanInventIsNotKept) {
    cache_.keep("token", {core::refuse(core::Code::invalid_api_key, "The API key is not valid.")}, cache_time);
    EXPECT_FALSE(trusts("token"));
    EXPECT_EQ(cache_.used(), 0U);
    cache_.keep("revoked", {core::refuse(core::Code::unauthenticated, "The API key was revoked.")}, cache_time);
    EXPECT_TRUE(trusts("revoked"));
}

TEST_F(CredentialCacheTest, WhatWasLookedUpBeforeASessionEndedIsNotKept) {
    auto const since = cache_time;
    cache_time += milliseconds(1);
    cache_.forget(9);
    cache_.keep("session", session_of(9), since);
    EXPECT_FALSE(trusts("session"));
}

}  // namespace
}  // namespace workforce::api
