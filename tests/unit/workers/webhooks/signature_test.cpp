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

}  // namespace
}  // namespace workforce::workers
