// Access tokens: what comes back of them, and all that is none.
#include "api/credentials/access_tokens.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>

#include "core/crypto.hpp"

namespace workforce::api {
namespace {

struct KeyPair {
    TokenKey key;
    std::string public_key;
};

std::string text_of(BIO* bio) {
    char* data = nullptr;
    auto const size = BIO_get_mem_data(bio, &data);
    return {data, static_cast<std::size_t>(size)};
}

KeyPair make_pair() {
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> const key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    std::unique_ptr<BIO, decltype(&BIO_free)> const own(BIO_new(BIO_s_mem()), &BIO_free);
    std::unique_ptr<BIO, decltype(&BIO_free)> const open(BIO_new(BIO_s_mem()), &BIO_free);
    PEM_write_bio_PrivateKey(own.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    PEM_write_bio_PUBKEY(open.get(), key.get());
    return {token_key({"k1", text_of(own.get())}), text_of(open.get())};
}

TokenIssuer const kIssuer{"https://a.test", {"https://a.test", "https://m.test/mcp"}};

AccessClaims claims() {
    return {.user = 31,
            .organization = 7,
            .chain = 12,
            .client_id = "svc_client_x",
            .scope = "staff:read shifts:read",
            .audience = {"https://m.test/mcp"},
            .issued_at = {1'784'887'200'000},
            .ends_at = {1'784'890'800'000}};
}

TEST(AccessToken, TextsOfItsFormAloneAreRead) {
    EXPECT_TRUE(is_token_text("YQ.YQ.YQ"));
    for (std::string_view const text : {"", "YQ", "YQ.YQ", "YQ.YQ.", ".YQ.YQ", "YQ..YQ", "YQ.YQ.YQ.YQ", "YQ.YQ.Y+",
                                        "YQ.YQ.YQ==", "YQ.YQ.\x87\x99", "YQ.\xff.YQ", "YQ.YQ.Y"}) {
        EXPECT_FALSE(is_token_text(text)) << text;
        EXPECT_FALSE(read_access_token(text, make_pair().public_key, kIssuer)) << text;
    }
}

TEST(AccessToken, ComesBack) {
    auto const pair = make_pair();
    auto const token = sign_access_token(pair.key, "https://a.test", claims());
    auto const header = core::base64url_decode(token.substr(0, token.find('.')));
    EXPECT_NE(header->find(R"("typ":"at+jwt")"), std::string::npos) << *header;
    EXPECT_NE(header->find(R"("kid":"k1")"), std::string::npos) << *header;
    auto const read = read_access_token(token, pair.public_key, kIssuer);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->user, 31);
    EXPECT_EQ(read->organization, 7);
    EXPECT_EQ(read->chain, 12);
    EXPECT_EQ(read->client_id, "svc_client_x");
    EXPECT_EQ(read->scope, "staff:read shifts:read");
    EXPECT_EQ(read->ends_at.ms, claims().ends_at.ms);
    auto several = claims();
    several.audience = {"https://elsewhere.test", "https://a.test"};
    EXPECT_TRUE(read_access_token(sign_access_token(pair.key, "https://a.test", several), pair.public_key, kIssuer));
}

TEST(AccessToken, IsOfThisServiceAndForIt) {
    auto const pair = make_pair();
    EXPECT_FALSE(read_access_token(sign_access_token(pair.key, "https://b.test", claims()), pair.public_key, kIssuer));
    auto other = claims();
    other.audience = {"https://elsewhere.test"};
    EXPECT_FALSE(read_access_token(sign_access_token(pair.key, "https://a.test", other), pair.public_key, kIssuer));
    other.audience = {};
    EXPECT_FALSE(read_access_token(sign_access_token(pair.key, "https://a.test", other), pair.public_key, kIssuer));
}

TEST(AccessToken, IsSignedByKeysOfItsAlgorithmAlone) {
    EXPECT_THROW(token_key({"k1", "no key"}), std::runtime_error);
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> const other(EVP_EC_gen("P-384"), &EVP_PKEY_free);
    std::unique_ptr<BIO, decltype(&BIO_free)> const text(BIO_new(BIO_s_mem()), &BIO_free);
    PEM_write_bio_PrivateKey(text.get(), other.get(), nullptr, nullptr, 0, nullptr, nullptr);
    EXPECT_THROW(token_key({"k1", text_of(text.get())}), std::runtime_error);
}

TEST(AccessToken, IsWholeWhereANumberOfTheSignatureIsShort) {
    auto const pair = make_pair();
    int shorter = 0;
    while (shorter < 4) {  // one of some hundred
        auto const token = sign_access_token(pair.key, "https://a.test", claims());
        auto const signature = core::base64url_decode(token.substr(token.rfind('.') + 1)).value();
        ASSERT_EQ(signature.size(), 64U);
        if (signature[0] != 0 && signature[32] != 0) continue;
        EXPECT_TRUE(read_access_token(token, pair.public_key, kIssuer));
        ++shorter;
    }
}

TEST(AccessToken, IsSignedByTheKey) {
    auto const pair = make_pair();
    auto const token = sign_access_token(pair.key, "https://a.test", claims());
    EXPECT_FALSE(read_access_token(token, make_pair().public_key, kIssuer));
    for (std::size_t i = 0; i < token.size(); i += 7) {
        auto changed = token;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        if (changed == token) continue;
        EXPECT_FALSE(read_access_token(changed, pair.public_key, kIssuer)) << i;
    }
    for (auto const* text : {"", ".", "..", "a.b", "a.b.c", "eyJ..", "...."}) {
        EXPECT_FALSE(read_access_token(text, pair.public_key, kIssuer)) << text;
    }
}

}  // namespace
}  // namespace workforce::api
