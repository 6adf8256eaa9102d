// Signatures of deliveries, against values that another implementation made.
#include "workers/webhooks/signature.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/crypto.hpp"

namespace workforce::workers {
namespace {

// hmac.new(secret.encode(), body, sha256).hexdigest() of Python, and base64 of
// hmac.new(b64decode(secret[6:]), f"{id}.{time}.".encode() + body, sha256).digest().
constexpr char const* kCurrent = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
constexpr char const* kNext = "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
constexpr char const* kEvent = "018f3c5e-7a10-7cc1-b1ba-2ad1d9f0a001";
constexpr char const* kBody =
    R"({"id":"018f3c5e-7a10-7cc1-b1ba-2ad1d9f0a001","type":"test","data":{"message":"Grüße"},"occurredAt":"2026-07-24T10:00:00.000Z"})";
constexpr core::Timestamp kNow{1'784'887'200'999};

std::map<std::string, std::string> headers_of(SigningSecrets const& secrets) {
    auto const headers = signature_headers(secrets, kEvent, kNow, kBody);
    std::map<std::string, std::string> all(headers.begin(), headers.end());
    EXPECT_EQ(all.size(), headers.size()) << "each once";
    return all;
}

using Headers = std::map<std::string, std::string>;

TEST(WebhookSignature, IsAsOthersComputeIt) {
    EXPECT_EQ(
        headers_of({.current = kCurrent}),
        (Headers{{"X-Service-Signature", "sha256=aac62ce990f9830d779feb9c94939054a34d189f83ac75933fdf572941f0928d"},
                 {"X-Service-Timestamp", "1784887200"},
                 {"webhook-id", kEvent},
                 {"webhook-timestamp", "1784887200"},
                 {"webhook-signature", "v1,YN1wqEctV4yDQhbq/5TE4FtiP+yQXl65BcINWtohffc="}}));
}

TEST(WebhookSignature, BothSecretsSignWhileOneWaits) {
    EXPECT_EQ(
        headers_of({.current = kCurrent, .next = kNext}),
        (Headers{
            {"X-Service-Signature", "sha256=aac62ce990f9830d779feb9c94939054a34d189f83ac75933fdf572941f0928d"},
            {"X-Service-Signature-Next", "sha256=242684b440d50c0da0e9662b58b0a8e4be89f53a34d7c095d11b8d974146a74a"},
            {"X-Service-Timestamp", "1784887200"},
            {"webhook-id", kEvent},
            {"webhook-timestamp", "1784887200"},
            {"webhook-signature",
             "v1,YN1wqEctV4yDQhbq/5TE4FtiP+yQXl65BcINWtohffc= "
             "v1,3v8d7Zixalyh+A2tubf4l5Z+8zXwc41q/HOiLwOpI5A="}}));
}

TEST(WebhookSignature, SecretsAreOf32RandomBytes) {
    std::set<std::string> made;
    for (int i = 0; i < 20; ++i) {
        auto const secret = make_signing_secret();
        ASSERT_TRUE(secret.starts_with("whsec_"));
        EXPECT_EQ(core::base64_decode(secret.substr(6)).value().size(), 32U);
        made.insert(secret);
    }
    EXPECT_EQ(made.size(), 20U);
}

std::string standard_of(std::string_view id, std::int64_t seconds, std::string_view body,
                        std::string const& secret = kCurrent) {
    for (auto const& [name, value] : signature_headers({.current = secret}, id, {seconds * 1000}, body)) {
        if (name == "webhook-signature") return value;
    }
    return {};
}

TEST(ReceivedSignature, IsGoodWhereOneOfThemIsOurs) {
    auto const seconds = kNow.ms / 1000;
    auto const good = standard_of("msg_1", seconds, kBody);
    auto const time = std::to_string(seconds);
    auto const check = [&](std::string_view id, std::string_view at, std::string_view signatures,
                           std::string_view body) {
        return check_signature(kCurrent, {id, at, signatures}, body, kNow);
    };
    EXPECT_EQ(check("msg_1", time, good, kBody), SignatureCheck::good);
    EXPECT_EQ(check("msg_1", time, "v1,AAAA v1a,xyz " + good, kBody), SignatureCheck::good);
    EXPECT_EQ(check("msg_2", time, good, kBody), SignatureCheck::forged);
    EXPECT_EQ(check("msg_1", time, good, "{}"), SignatureCheck::forged);
    EXPECT_EQ(check("msg_1", std::to_string(seconds + 1), good, kBody), SignatureCheck::forged);
    EXPECT_EQ(check("msg_1", time, standard_of("msg_1", seconds, kBody, kNext), kBody), SignatureCheck::forged);
    for (auto const* signatures : {"", " ", "v1,", "v1"}) {
        EXPECT_EQ(check("msg_1", time, signatures, kBody), SignatureCheck::forged) << signatures;
    }
    for (auto const* at : {"", "soon", "1784887200.5", " 1784887200", "1784887200 ", "99999999999999999999"}) {
        EXPECT_EQ(check("msg_1", at, good, kBody), SignatureCheck::forged) << at;
    }
    auto const dotted = standard_of("a b", seconds, kBody);
    EXPECT_EQ(check("a b", time, dotted, kBody), SignatureCheck::forged) << "no id has blanks";
}

TEST(ReceivedSignature, IsStaleAfterFiveMinutesEitherWay) {
    auto const own = kNow.ms / 1000;
    auto const check = [&](std::int64_t seconds) {
        return check_signature(kCurrent, {"m", std::to_string(seconds), standard_of("m", seconds, "")}, "", kNow);
    };
    EXPECT_EQ(check(own - 300), SignatureCheck::good);
    EXPECT_EQ(check(own + 300), SignatureCheck::good);
    EXPECT_EQ(check(own - 301), SignatureCheck::stale);
    EXPECT_EQ(check(own + 301), SignatureCheck::stale);
}

TEST(WebhookSignature, SecretsOfOthersHaveTheSameForm) {
    EXPECT_TRUE(is_signing_secret(make_signing_secret()));
    for (auto const* text : {"", "whsec_", "whsec_AAEC", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "whsec_***"}) {
        EXPECT_FALSE(is_signing_secret(text)) << text;
    }
}

}  // namespace
}  // namespace workforce::workers
