#include "events/master_keys.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "core/crypto.hpp"
#include "events/log/heads.hpp"

namespace workforce::tests {
namespace {

using events::MasterKeys;

std::string const kOld(32, 'o');
std::string const kNew(32, 'n');

std::string derived(std::string const& key, std::string_view purpose) {
    return std::string(core::bytes(core::hmac_sha256(key, purpose)));
}

TEST(MasterKeys, SealUnderTheOneInUseAndOpenByAll) {
    MasterKeys const keys({kOld, kNew});
    auto const before = keys.seal("a purpose", "text", "aad");
    auto const copy = keys;
    ASSERT_TRUE(copy.use(events::master_key_id(kNew)));
    EXPECT_EQ(keys.in_use(), kNew) << "copies share what is in use";
    auto const after = keys.seal("a purpose", "text", "aad");
    EXPECT_EQ(keys.open("a purpose", before, "aad"), "text");
    EXPECT_EQ(keys.open("a purpose", after, "aad"), "text");
    EXPECT_EQ(MasterKeys(kNew).open("a purpose", after, "aad"), "text");
    EXPECT_EQ(MasterKeys(kNew).open("a purpose", before, "aad"), std::nullopt);
    EXPECT_EQ(MasterKeys(kOld).open("a purpose", after, "aad"), std::nullopt);
    EXPECT_EQ(keys.open("another", after, "aad"), std::nullopt);
    EXPECT_EQ(keys.open("a purpose", after, "other"), std::nullopt);
}

TEST(MasterKeys, DeriveAsEver) {
    MasterKeys const keys(kOld);
    EXPECT_EQ(keys.derive_all("forwarded requests").front(), derived(kOld, "forwarded requests"));
    EXPECT_EQ(keys.kept("cursors"), derived(kOld, "cursors"));
    EXPECT_EQ(core::aes_gcm_open(kOld, keys.seal(events::kMasterItself, "key", "staff/1"), "staff/1"), "key");
}

TEST(MasterKeys, KeepWhatWasDerivedFromTheFormerOne) {
    MasterKeys const keys({kOld, kNew});
    ASSERT_TRUE(keys.use(events::master_key_id(kNew)));
    for (auto const purpose : events::kKeptPurposes) EXPECT_EQ(keys.kept(purpose), derived(kOld, purpose)) << purpose;
    MasterKeys const later(kNew);
    later.keep("idempotency", keys.kept("idempotency"));
    EXPECT_EQ(later.kept("idempotency"), derived(kOld, "idempotency"));
    EXPECT_THROW(std::ignore = later.kept("forwarded requests"), std::logic_error);
}

TEST(MasterKeys, KnowFormerSigners) {
    MasterKeys const keys(kNew);
    auto const own = events::HeadSigner("here", kNew).public_key();
    EXPECT_EQ(keys.public_keys(), std::vector{own});
    keys.keep(events::kFormerPublicKeys, "aa " + own + " bb");
    EXPECT_EQ(keys.public_keys(), (std::vector<std::string>{own, "aa", "bb"}));
}

TEST(MasterKeys, AreOf32BytesAndKnownByIds) {
    EXPECT_THROW(MasterKeys(std::string("short")), std::invalid_argument);
    EXPECT_THROW(MasterKeys(std::vector<std::string>{}), std::invalid_argument);
    MasterKeys const keys({kOld, kNew, kOld});
    EXPECT_EQ(keys.ids(), (std::vector{events::master_key_id(kOld), events::master_key_id(kNew)}));
    EXPECT_FALSE(keys.use("0123456789abcdef"));
    EXPECT_EQ(keys.in_use(), kOld);
}

}  // namespace
}  // namespace workforce::tests
