// Digests of idempotency keys and requests, against vectors that another implementation made: stored answers of a
// program that was upgraded lie under them.
#include "api/rest/idempotency.hpp"

#include <gtest/gtest.h>

#include <array>

namespace workforce::api {
namespace {

constexpr std::string_view kSecret = "a secret of 32 bytes, for vectors";

struct Vector {
    net::Method method;
    char const* target;
    char const* header;
    char const* lineage;
    bool sandbox;
    char const* body;
    char const* key;
    char const* fingerprint;
};

// key = base64url(HMAC-SHA256(secret, lineage + " live " or " sandbox " + key))
// fingerprint = base64url(HMAC-SHA256(secret, METHOD + " " + target + "\n" + canonical body))
constexpr std::array kVectors{
    Vector{net::Method::post, "/api/staff", R"(k-1)", "key/55", false, R"({"lastName":"Zoë","firstName":"A"})",
           "51Ew9P39JMwCmLth2eZtEo6U9nmiEHGX2H2FDarS0Ic", "ZOKiGSCWlebvRLhpo1sOFTD-kyoTksIAUOHc4fx0i2g"},
    Vector{net::Method::post, "/api/staff", R"(k-1)", "key/55", false,
           R"( { "firstName" : "A" , "lastName" : "Zo\u00eb" } )", "51Ew9P39JMwCmLth2eZtEo6U9nmiEHGX2H2FDarS0Ic",
           "ZOKiGSCWlebvRLhpo1sOFTD-kyoTksIAUOHc4fx0i2g"},
    Vector{net::Method::post, "/api/shifts?x=1", R"("quoted key")", "key/55", true,
           R"({"shifts":[{"b":1.0,"a":[true,null,"x"]}]})", "5kncht1FZ7T0Vzb6pBVghYEPvwUbXIStTMJLIz9SCL0",
           "8lYEBvuYhZP6Fg5XDAvmWGt0_C_ouZlTWICI8FIedew"},
    Vector{net::Method::patch, "/api/shifts/12", R"(k-1)", "key/56", false, R"()",
           "Wv7K8gm94V2EA3S9jGparDJFWnUUBWZXPPvSB9jbhvQ", "HrtxpH4jo9QHTtrOGOT1jrnXwjER5WyTX6zdh93eJos"},
    Vector{net::Method::put, "/api/facilities/3", R"(ü)", "key/55", false, R"(no json {)",
           "GNIfQejRjvtYO9bMO4gH4MgcVt6pW10pLYCfVFvBJwk", "v4rNCBvEsiuAd3AXWHZ5NqiUQblI2rNW9UBf8O5Q01I"},
};

core::Result<std::optional<commands::Idempotency>> digests(Vector const& vector) {
    net::Request request;
    request.method = vector.method;
    request.target = vector.target;
    request.body = vector.body;
    if (vector.header) request.headers.emplace_back("Idempotency-Key", vector.header);
    return idempotency_of(request, {vector.lineage, vector.sandbox}, kSecret);
}

TEST(Idempotency, DigestsStayWhatTheyAre) {
    for (auto const& vector : kVectors) {
        auto const found = digests(vector);
        ASSERT_TRUE(found && *found) << vector.target;
        EXPECT_EQ((*found)->key, vector.key) << vector.target;
        EXPECT_EQ((*found)->fingerprint, vector.fingerprint) << vector.target;
    }
}

/// The fingerprint of a keyed request.
std::string fingerprint(char const* body, char const* target = "/api/staff", net::Method method = net::Method::post) {
    auto vector = kVectors.front();
    vector.method = method;
    vector.target = target;
    vector.body = body;
    return digests(vector)->value().fingerprint;
}

/// The digest of a key.
std::string key(char const* header, char const* lineage = "key/55", bool sandbox = false) {
    auto vector = kVectors.front();
    vector.header = header;
    vector.lineage = lineage;
    vector.sandbox = sandbox;
    return digests(vector)->value().key;
}

TEST(Idempotency, FormsOfOneBodyAreOneRequest) {
    auto const one = fingerprint(R"({"a":1,"b":{"c":0.5,"d":[100,null]},"e":"\u00eb/"})");
    for (auto const* same :
         {R"({"b":{"d":[100,null],"c":0.5},"e":"ë/","a":1})", R"({"a":1.0,"b":{"c":5e-1,"d":[1e2,null]},"e":"ë\/"})",
          "\xef\xbb\xbf { \"a\" : 10e-1, \"b\":{\"c\":0.50,\"d\":[100.00,null]},\n\"e\":\"ë/\"}"}) {
        EXPECT_EQ(fingerprint(same), one) << same;
    }
    for (auto const* other :
         {R"({"a":2,"b":{"c":0.5,"d":[100,null]},"e":"ë/"})", R"({"a":1,"b":{"c":0.5,"d":[null,100]},"e":"ë/"})",
          R"({"a":"1","b":{"c":0.5,"d":[100,null]},"e":"ë/"})", R"({"b":{"c":0.5,"d":[100,null]},"e":"ë/"})", "", "{}",
          "null"}) {
        EXPECT_NE(fingerprint(other), one) << other;
    }
}

TEST(Idempotency, WhatIsNoJsonCountsByItsBytes) {
    EXPECT_EQ(fingerprint(R"({"a":1)"), fingerprint(R"({"a":1)"));
    EXPECT_NE(fingerprint(R"({"a":1)"), fingerprint(R"({"a":1 )"));
    EXPECT_NE(fingerprint(R"({"a":1)"), fingerprint(R"({"a":1})"));
}

TEST(Idempotency, MethodPathAndQueryAreOfTheRequest) {
    auto const one = fingerprint("{}");
    EXPECT_NE(fingerprint("{}", "/api/staff?orgUnitId=1"), one);
    EXPECT_NE(fingerprint("{}", "/api/staff?orgUnitId=1"), fingerprint("{}", "/api/staff?orgUnitId=2"));
    EXPECT_NE(fingerprint("{}", "/api/shifts"), one);
    EXPECT_NE(fingerprint("{}", "/api/staff", net::Method::put), fingerprint("{}", "/api/staff", net::Method::patch));
}

TEST(Idempotency, ASpaceIsACredentialsOwn) {
    EXPECT_EQ(key("k"), key("k"));
    EXPECT_NE(key("k"), key("k", "key/56"));
    EXPECT_NE(key("k"), key("k", "user/55"));
    EXPECT_NE(key("k"), key("k", "key/55", true));
}

TEST(Idempotency, AQuotedKeyIsWhatTheStringHolds) {
    EXPECT_EQ(key(R"("k 1")"), key("k 1"));
    EXPECT_EQ(key(R"("a\"b\\c")"), key(R"(a"b\c)"));
    EXPECT_NE(key(R"("a"b")"), key(R"(a"b)")) << "no string of a structured field, so the text itself";
    EXPECT_NE(key(R"("a\b")"), key(R"(a\b)"));
    EXPECT_NE(key(R"("a\")"), key(R"(a\)"));
}

TEST(Idempotency, NoKeyWithoutAHeaderOrForAMethodThatIsIdempotentByItself) {
    auto vector = kVectors.front();
    for (auto const method : {net::Method::get, net::Method::head, net::Method::del}) {
        vector.method = method;
        EXPECT_FALSE(digests(vector)->has_value());
    }
    vector = kVectors.front();
    vector.header = nullptr;
    EXPECT_FALSE(digests(vector)->has_value());
}

TEST(Idempotency, AKeyHasOneTo255Characters) {
    auto vector = kVectors.front();
    std::string const longest(255, 'k');
    auto const longer = longest + "k";
    for (auto const* refused : {"", "\"\"", longer.c_str()}) {
        vector.header = refused;
        auto const found = digests(vector);
        ASSERT_FALSE(found) << refused;
        EXPECT_EQ(found.error().code, core::Code::validation_error);
    }
    vector.header = longest.c_str();
    EXPECT_TRUE(digests(vector)->has_value());
}

}  // namespace
}  // namespace workforce::api
