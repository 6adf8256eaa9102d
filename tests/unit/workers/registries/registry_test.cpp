// Questions to registries, and the meaning of their answers.
#include <gtest/gtest.h>

#include "workers/registries/http_registry.hpp"
#include "workers/registries/simulated.hpp"

namespace workforce::workers {
namespace {

using commands::RegistryOutcome;

net::Reply registry_reply(unsigned status, std::string body) {
    net::Reply reply;
    reply.status = status;
    reply.body = std::move(body);
    return reply;
}

RegistryAnswer finding_in(std::string body) { return judge_finding(registry_reply(200, std::move(body))); }

TEST(SimulatedRegistry, TheEndOfTheNumberDecides) {
    EXPECT_EQ(simulate_finding(5, "RN-0000")->outcome, RegistryOutcome::no_match);
    EXPECT_FALSE(simulate_finding(5, "RN-0000")->reference.value);
    EXPECT_EQ(simulate_finding(5, "RN-9998")->outcome, RegistryOutcome::expired);
    EXPECT_FALSE(simulate_finding(5, "RN-9999"));
    auto const good = simulate_finding(5, "");
    ASSERT_TRUE(good);
    EXPECT_EQ(good->outcome, RegistryOutcome::match);
    EXPECT_EQ(good->provider + " " + *good->reference.value, "registry_sim sim_cr_5");
}

TEST(HttpRegistry, IsToldTheCredentialAndWhoseItIs) {
    RegistryCall call{.question = {}, .organization = 3, .key = "cv_1"};
    call.question.credential = 12;
    call.question.name = "Registered Nurse";
    call.question.number = "RN-\"1\"";
    call.question.issuing_authority = "Board";
    call.question.jurisdiction = "NY";
    call.question.expires_on.value = core::parse_date("2027-09-01");
    call.question.first_name = "Ada";
    call.question.last_name = "Byron";
    EXPECT_EQ(registry_body(call, "local"),
              R"({"key":"cv_1","installation":"local","organizationId":3,"credentialId":12,"type":"license",)"
              R"("name":"Registered Nurse","number":"RN-\"1\"","issuingAuthority":"Board","jurisdiction":"NY",)"
              R"("issuedOn":null,"expiresOn":"2027-09-01","holder":{"firstName":"Ada","lastName":"Byron"}})");
}

TEST(HttpRegistry, AFindingHasAnOutcome) {
    auto const whole = finding_in(R"({"outcome":"expired","reference":"L-7","details":"Ended in May.","more":[1]})");
    ASSERT_TRUE(whole) << whole.error().reason;
    EXPECT_EQ(whole->outcome, RegistryOutcome::expired);
    EXPECT_EQ(whole->provider + " " + *whole->reference.value + " " + whole->details, "http L-7 Ended in May.");
    EXPECT_TRUE(judge_finding(registry_reply(201, R"({"outcome":"match"})")));
    for (auto const* bare : {R"({"outcome":"no_match"})", R"({"outcome":"no_match","reference":null,"details":null})",
                             R"({"outcome":"no_match","reference":"","details":""})"}) {
        auto const finding = finding_in(bare);
        ASSERT_TRUE(finding) << bare;
        EXPECT_FALSE(finding->reference.value) << bare;
        EXPECT_EQ(finding->details, "The registry knows no such credential.") << bare;
    }
}

TEST(HttpRegistry, WhateverElseIsNoAnswer) {
    auto const good = std::string(R"({"outcome":"match"})");
    for (auto const* garbage : {"", "<html>", "[]", "5", "{}", R"({"outcome":"yes"})", R"({"outcome":null})",
                                R"({"outcome":["match"]})", R"({"outcome":"match","reference":5})",
                                R"({"outcome":"match","outcome":"no_match"})", R"({"outcome":"match")"}) {
        EXPECT_FALSE(finding_in(garbage)) << garbage;
    }
    EXPECT_FALSE(finding_in(R"({"outcome":"match","details":")" + std::string(201, 'x') + "\"}"));
    EXPECT_FALSE(finding_in("{\"outcome\":\"match\",\"reference\":\"a\\u0007b\"}"));
    for (unsigned const status : {301U, 302U, 307U, 400U, 401U, 404U, 408U, 422U, 429U, 500U, 503U}) {
        EXPECT_FALSE(judge_finding(registry_reply(status, good))) << status;
    }
    auto cut = registry_reply(200, good);
    cut.truncated = true;
    EXPECT_FALSE(judge_finding(cut));
}

TEST(CredentialRegistries, TheSandboxIsSimulated) {
    net::HttpClient client;
    core::Config config;
    auto all = open_registries(config, client);
    EXPECT_EQ(all.of(false).name(), "registry_sim");
    all.live = std::make_unique<HttpRegistry>(client, HttpRegistryOptions{});
    EXPECT_EQ(all.of(false).name(), "http");
    EXPECT_EQ(all.of(true).name(), "registry_sim");
}

}  // namespace
}  // namespace workforce::workers
