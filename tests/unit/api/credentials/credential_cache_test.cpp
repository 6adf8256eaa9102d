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
    auto const takes = [this](std::string const& digest, KnownCredential known) {
        keep(digest, std::move(known));
        auto const bytes = cache_.used();
        cache_.drop(digest);
        EXPECT_EQ(cache_.used(), 0U);
        return bytes;
    };
    auto const empty = std::make_shared<operations::Caller>();
    auto const least = takes("key", {.outcome = empty});
    EXPECT_GE(least, sizeof(operations::Caller));
    EXPECT_LT(least, kBesideName);
    EXPECT_GE(takes(std::string(1000, 'd'), {.outcome = empty}), least + 1000);
    EXPECT_GE(takes("key", {.outcome = empty, .versions = std::string(1000, 'v')}), least + 1000);
    auto with = [&](auto const& change) {
        auto caller = std::make_shared<operations::Caller>();
        change(*caller);
        return takes("key", {.outcome = caller}) - least;
    };
    EXPECT_GE(with([](auto& caller) { caller.facilities.resize(1000); }), 1000 * sizeof(core::Id));
    EXPECT_GE(with([](auto& caller) { caller.scopes.assign(10, std::string(1000, 's')); }), 10'000U);
    EXPECT_GE(with([](auto& caller) { caller.organization_record.name.value = std::string(1000, 'n'); }), 1000U);
    EXPECT_GE(with([](auto& caller) { caller.user.facilityIds.resize(1000); }), 1000 * sizeof(core::Id));
    EXPECT_GE(with([&](auto& caller) { caller.for_tools = empty; }), sizeof(operations::Caller));
    std::string const long_text(1000, 'm');
    EXPECT_GE(takes("refused", {core::refuse(core::Code::unauthenticated, long_text, long_text)}), 2000U);
}

TEST_F(CredentialCacheTest, CountsNothingForWhatLeft) {
    keep("revoked", {core::refuse(core::Code::unauthenticated, "The API key was revoked.")});
    auto key = std::make_shared<operations::Caller>();
    key->user.id = 7;
    keep("key", {.outcome = key});
    auto const two = cache_.used();
    keep("key", {.outcome = key});
    EXPECT_EQ(cache_.used(), two) << "the same one twice counts once";
    keep("session", session_of(7));
    keep("another session", session_of(8));
    cache_.forget(7);
    EXPECT_FALSE(trusts("session"));
    EXPECT_TRUE(trusts("another session"));
    cache_.forget(8);
    EXPECT_EQ(cache_.used(), two);
    EXPECT_TRUE(trusts("key")) << "a key of the user is no session of theirs";
    EXPECT_TRUE(trusts("revoked"));
    keep("key", {core::refuse(core::Code::invalid_api_key, "The API key is not valid.")});
    EXPECT_FALSE(trusts("key"));
    cache_.drop("revoked");
    EXPECT_EQ(cache_.used(), 0U);
    EXPECT_EQ(cache_.dropped(), 0U) << "none left for room";
}

TEST_F(CredentialCacheTest, WhatDoesNotFitIsNotKept) {
    keep("key", key_of(1));
    keep("huge", key_of(2, 2 * kBudget));
    EXPECT_FALSE(trusts("huge"));
    EXPECT_TRUE(trusts("key")) << "nobody makes room in vain";
    EXPECT_EQ(cache_.dropped(), 1U);
    CredentialCache none(0, now_of_cache);
    none.keep("key", key_of(1), cache_time);
    EXPECT_FALSE(none.find("key").outcome);
    EXPECT_EQ(none.used(), 0U);
}

TEST_F(CredentialCacheTest, TellsOfNoneThatWasNotInUse) {
    for (int i = 0; i < 1000; ++i) {
        keep("session " + std::to_string(i), key_of(1, kName));
        cache_time += milliseconds(50);
    }
    EXPECT_EQ(cache_.dropped(), 0U) << "each was looked up seconds before it left";
    EXPECT_FALSE(trusts("session 0"));
}

TEST_F(CredentialCacheTest, AKeyIsTrustedWhileItIsLookedUpAgain) {
    keep("key", key_of(1));
    keep("another key", key_of(2));
    EXPECT_FALSE(cache_.find("key").begin_refresh) << "it is fresh";
    cache_time += milliseconds(500);
    auto const stale = cache_.find("key");
    EXPECT_TRUE(stale.outcome);
    EXPECT_TRUE(stale.begin_refresh);
    EXPECT_FALSE(cache_.find("key").begin_refresh) << "told once";
    EXPECT_TRUE(cache_.find("another key").outcome);
    EXPECT_FALSE(cache_.find("another key").begin_refresh) << "who was told takes it along";
    auto const told = cache_.take_stale();
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0].first, "key");
    EXPECT_EQ(told[1].first, "another key");
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
