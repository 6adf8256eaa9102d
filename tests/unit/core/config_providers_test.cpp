#include "core/config_providers.hpp"

#include <gtest/gtest.h>

namespace workforce::core {
namespace {

TEST(ProviderSettings, AppsAreNamedWithTheirAuthConfigs) {
    auto const apps = parse_composio_apps("github=ac_1,google_maps=ac-2");
    ASSERT_TRUE(apps) << apps.error();
    ASSERT_EQ(apps->size(), 2U);
    EXPECT_EQ(apps->back().app, "google_maps");
    EXPECT_EQ(apps->back().auth_config, "ac-2");
    EXPECT_TRUE(parse_composio_apps("")->empty());
    for (auto const* wrong : {"github", "github=", "=ac", "GitHub=ac", "github=ac,github=ad", "demo=ac", "a b=c",
                              "a=b/c", "a=b,,c=d", "a=b=c"}) {
        EXPECT_NE(composio_apps_fault(wrong), "") << wrong;
    }
}

TEST(ProviderSettings, ModelsAreNamedByTiers) {
    auto const models = parse_llm_models("standard=gpt-5-mini,advanced=local/llama:70b");
    ASSERT_TRUE(models) << models.error();
    EXPECT_EQ(models->at(1), std::pair(std::string("advanced"), std::string("local/llama:70b")));
    for (auto const* wrong :
         {"gpt", "fast=gpt", "standard=", "standard=a,standard=b", "standard=a b", "standard=a\"b"}) {
        EXPECT_NE(llm_models_fault(wrong), "") << wrong;
    }
}

TEST(ProviderSettings, GradesArePatternsOfModels) {
    auto const tiers = parse_model_tiers("advanced=x-*,basic=a,standard=b=c,advanced=local/y:70b");
    ASSERT_TRUE(tiers) << tiers.error();
    using Row = std::pair<std::string, std::vector<std::string>>;
    EXPECT_EQ(*tiers,
              (std::vector{Row{"basic", {"a"}}, Row{"standard", {"b=c"}}, Row{"advanced", {"x-*", "local/y:70b"}}}));
    EXPECT_EQ(model_tiers_fault(Config().model_tiers), "");
    EXPECT_EQ(model_tiers_fault("basic=a,advanced=c"), "names no models of the tier standard");
    std::string const others = ",standard=b,advanced=c";
    for (auto const* wrong : {"a", "fast=a", "basic=", "basic=a b", "basic=a\"b", "basic=a,basic=a", "basic=b",
                              "basic=a,", "basic=\xc3\xa9"}) {
        EXPECT_NE(model_tiers_fault(wrong + others), "") << wrong;
    }
    EXPECT_NE(model_tiers_fault("basic=" + std::string(201, 'x') + others), "");
    std::string many = "standard=b,advanced=c";
    for (int i = 0; i < 98; ++i) many += ",basic=m" + std::to_string(i);
    EXPECT_EQ(model_tiers_fault(many), "");
    EXPECT_NE(model_tiers_fault(many + ",basic=z"), "");
}

TEST(ProviderSettings, AddressesAreOfTlsOrOfThisMachine) {
    for (auto const* good :
         {"https://api.example/v1", "http://127.0.0.1:8080", "http://localhost:8080/v1", "https://[::1]:9"}) {
        EXPECT_EQ(provider_url_fault(good), "") << good;
    }
    for (auto const* wrong :
         {"", "api.example", "ftp://a", "http://api.example", "https://", "https:///x", "https://u:p@a.example",
          "https://a.example/", "https://a.example/?q", "https://a.example/#x", "https://a b"}) {
        EXPECT_NE(provider_url_fault(wrong), "") << wrong;
    }
}

TEST(ProviderSettings, AreThereWholeOrNotAtAll) {
    Config config;
    EXPECT_EQ(apps_fault(config), "");
    EXPECT_EQ(llm_fault(config), "");
    config.composio_apps = "github=ac_1";
    EXPECT_NE(apps_fault(config), "");
    config.composio_api_key_file = "key";
    EXPECT_EQ(apps_fault(config), "");
    config.composio_apps.clear();
    EXPECT_NE(apps_fault(config), "");
    config.llm_provider = "openai";
    EXPECT_NE(llm_fault(config).find("llm_base_url"), std::string::npos);
    config.llm_base_url = "https://a.example";
    EXPECT_NE(llm_fault(config).find("llm_models"), std::string::npos);
    config.llm_models = "basic=a";
    EXPECT_EQ(llm_fault(config), "");
}

}  // namespace
}  // namespace workforce::core
