// Signatures of internal requests: for one request, one installation, and a short time.
#include "api/cluster/internal_signature.hpp"

#include <gtest/gtest.h>

namespace workforce::api {
namespace {

TEST(InternalSignature, HoldsForItsRequestAlone) {
    auto const signature = sign_internal("a key", "/internal/erase", "{}");
    EXPECT_TRUE(is_signed_internal("a key", signature, "/internal/erase", "{}"));
    EXPECT_FALSE(is_signed_internal("a key", signature, "/internal/api-keys", "{}"));
    EXPECT_FALSE(is_signed_internal("a key", signature, "/internal/erase", "{ }"));
    EXPECT_FALSE(is_signed_internal("another", signature, "/internal/erase", "{}"));
    EXPECT_FALSE(is_signed_internal("a key", std::nullopt, "/internal/erase", "{}"));
    for (std::string const& text : {std::string(), std::string(" "), signature.substr(1), signature + "0",
                                    signature.substr(signature.find(' ') + 1)}) {
        EXPECT_FALSE(is_signed_internal("a key", text, "/internal/erase", "{}")) << text;
    }
}

TEST(InternalSignature, HoldsForAShortTime) {
    auto const signed_at = [](std::int64_t offset_ms) {
        auto const signature = sign_internal("a key", "/p", "", {core::now().ms + offset_ms});
        return is_signed_internal("a key", signature, "/p", "");
    };
    EXPECT_TRUE(signed_at(-20'000));
    EXPECT_TRUE(signed_at(20'000)) << "another machine's clock";
    EXPECT_FALSE(signed_at(-31'000));
    EXPECT_FALSE(signed_at(60'000));
}

}  // namespace
}  // namespace workforce::api
