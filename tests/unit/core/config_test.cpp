// Precedence, errors that name their source, masking, and the master key's file.
#include "core/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>

namespace workforce::core {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ConfigTest : public testing::Test {
   protected:
    ConfigTest() {
        std::string name = fs::temp_directory_path() / "config_test_XXXXXX";
        directory_ = ::mkdtemp(name.data());
    }
    ~ConfigTest() override { fs::remove_all(directory_); }

    std::string file(std::string_view content, fs::perms permissions = fs::perms::owner_read) const {
        fs::path const path = directory_ / "file";
        fs::remove(path);
        std::ofstream(path) << content;
        fs::permissions(path, permissions);
        return path;
    }

    tl::expected<LoadedConfig, std::string> load(std::string const& toml = "") {
        if (!toml.empty()) flags_.file = file(toml);
        return load_config(flags_, [this](char const* name) -> char const* {
            auto const found = environment_.find(name);
            return found == environment_.end() ? nullptr : found->second.c_str();
        });
    }
    /// The error of loading, with the file's directory taken out.
    std::string error(std::string const& toml = "") {
        auto const loaded = load(toml);
        if (loaded) return "no error";
        std::string text = loaded.error();
        if (auto const at = text.find(directory_.string()); at != std::string::npos) {
            text.erase(at, directory_.string().size() + 1);
        }
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        return text;
    }

    fs::path directory_;
    ConfigFlags flags_;
    std::map<std::string, std::string> environment_;
};

TEST_F(ConfigTest, Defaults) {
    auto const loaded = load();
    ASSERT_TRUE(loaded) << loaded.error();
    Config const& config = loaded->config;
    EXPECT_EQ(config.port, 8080);
    EXPECT_EQ(config.base_url, "http://127.0.0.1:8080");
    EXPECT_EQ(config.mcp_url, "http://127.0.0.1:8081");
    EXPECT_EQ(config.admin_url, "http://127.0.0.1:8090");
    EXPECT_EQ(config.partitions, 4);
    EXPECT_GE(config.http_threads, 1);
    EXPECT_EQ(config.log_level, Level::info);
    EXPECT_EQ(config.installation, "local");
    EXPECT_EQ(config.log, "postgres");
}

TEST_F(ConfigTest, AddressesFollowHostAndPort) {
    environment_ = {{"WORKFORCE_HOST", "0.0.0.0"}, {"WORKFORCE_PORT", "80"}};
    EXPECT_EQ(load()->config.base_url, "http://localhost:80");
    environment_["WORKFORCE_HOST"] = "::1";
    EXPECT_EQ(load()->config.base_url, "http://[::1]:80");
    environment_["WORKFORCE_BASE_URL"] = "https://api.example.com";
    EXPECT_EQ(load()->config.base_url, "https://api.example.com");
}

TEST_F(ConfigTest, TheAdminPortIsOfThisMachineUnlessItIsToldOtherwise) {
    environment_ = {{"WORKFORCE_HOST", "0.0.0.0"}};
    EXPECT_EQ(load()->config.admin_host, "127.0.0.1");
    EXPECT_EQ(load()->config.admin_url, "http://127.0.0.1:8090");
    environment_["WORKFORCE_ADMIN_URL"] = "http://api-1:8090";
    EXPECT_THAT(error(), testing::AllOf(HasSubstr("admin_url (WORKFORCE_ADMIN_URL): 'http://api-1:8090'"),
                                        HasSubstr("127.0.0.1"), HasSubstr("set admin_host")));
    for (auto const* local : {"http://127.0.0.2:1", "http://localhost:1", "http://[::1]:1"}) {
        environment_["WORKFORCE_ADMIN_URL"] = local;
        EXPECT_EQ(error(), "no error") << local;
    }
    environment_["WORKFORCE_ADMIN_URL"] = "http://api-1:8090";
    environment_["WORKFORCE_ADMIN_HOST"] = "0.0.0.0";
    EXPECT_EQ(load()->config.admin_host, "0.0.0.0");
    environment_.erase("WORKFORCE_ADMIN_URL");
    EXPECT_EQ(load()->config.admin_url, "http://localhost:8090");
}

TEST_F(ConfigTest, ProcessesSpeakPlainHttpToEachOther) {
    environment_ = {{"WORKFORCE_ADMIN_URL", "https://127.0.0.1:8090"}};
    EXPECT_EQ(error(),
              "admin_url (WORKFORCE_ADMIN_URL): 'https://127.0.0.1:8090' is not reached: processes speak plain HTTP to "
              "each other, so name an http:// address");
}

TEST_F(ConfigTest, FlagsBeatEnvironmentBeatsFileBeatsDefault) {
    std::string const toml = "# comment\npartitions = 8\nport = 1\nmcp_port = 2\n";
    flags_.values["port"] = "3";
    environment_ = {{"WORKFORCE_PORT", "4"}, {"WORKFORCE_MCP_PORT", "5"}};
    auto const loaded = load(toml);
    ASSERT_TRUE(loaded) << loaded.error();
    EXPECT_EQ(loaded->config.port, 3);
    EXPECT_EQ(loaded->config.mcp_port, 5);
    EXPECT_EQ(loaded->config.partitions, 8);
    auto const text = print(*loaded);
    EXPECT_THAT(text, HasSubstr("\nport = 3  # --port\n"));
    EXPECT_THAT(text, HasSubstr("\nmcp_port = 5  # WORKFORCE_MCP_PORT\n"));
    EXPECT_THAT(text, HasSubstr("\npartitions = 8  # " + flags_.file + ":2\n"));
    EXPECT_THAT(text, HasSubstr("\nadmin_port = 8090  # default\n"));
}

TEST_F(ConfigTest, TheFileMayBeNamedInTheEnvironment) {
    environment_["WORKFORCE_CONFIG"] = file("port = 9\n");
    EXPECT_EQ(load()->config.port, 9);
}

TEST_F(ConfigTest, WhatIsPrintedConfiguresTheSame) {
    environment_ = {{"WORKFORCE_DATABASE_URL", "host=/tmp dbname='a \\'b\\''"},
                    {"WORKFORCE_MASTER_KEY_FILE", "C:\\key \"1\""}};
    auto const loaded = load();
    ASSERT_TRUE(loaded) << loaded.error();
    environment_.clear();
    auto const again = load(print(*loaded));
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(again->config.database_url, loaded->config.database_url);
    EXPECT_EQ(again->config.master_key_file, loaded->config.master_key_file);
    EXPECT_EQ(again->config.http_threads, loaded->config.http_threads);
}

TEST_F(ConfigTest, DefaultsThatArePrintedConfigure) {
    auto const again = load(print(*load("")));
    EXPECT_TRUE(again) << again.error();
}

TEST_F(ConfigTest, ErrorsNameKeySourceAndReason) {
    EXPECT_EQ(error("port = 1\ncolour = 'red'\n"), "colour (file:2): there is no such key");
    EXPECT_EQ(error("\"a\\nb\" = 1\n"), "a b (file:1): there is no such key");
    EXPECT_EQ(error("log = \"a\\nb\"\n"), "log (file:1): 'a b' is not one of postgres, kafka");
    EXPECT_EQ(error("port = '80'\n"), "port (file:1): must be an integer, not string");
    EXPECT_EQ(error("port = 80.0\n"), "port (file:1): must be an integer, not floating-point");
    EXPECT_EQ(error("host = 1\n"), "host (file:1): must be a string, not integer");
    EXPECT_EQ(error("\n[host]\nname = 'x'\n"), "host (file:2): must be a string, not table");
    EXPECT_EQ(error("port = 65536\n"), "port (file:1): 65536 is not between 0 and 65535");
    EXPECT_EQ(error("partitions = 0\n"), "partitions (file:1): 0 is not between 1 and 1000");
    EXPECT_EQ(error("log_level = 'loud'\n"), "log_level (file:1): 'loud' is not one of debug, info, warn, error");
    EXPECT_THAT(error("port = \n"), testing::StartsWith("config (file:1): "));
    flags_.file = directory_ / "none";
    EXPECT_EQ(error(), "config (none): can't be read: No such file or directory");
    flags_.file.clear();
    environment_["WORKFORCE_PORT"] = "80 ";
    EXPECT_EQ(error(), "port (WORKFORCE_PORT): '80 ' is not an integer");
    environment_["WORKFORCE_PORT"] = "99999999999999999999";
    EXPECT_EQ(error(), "port (WORKFORCE_PORT): 99999999999999999999 is not between 0 and 65535");
    flags_.values["port"] = "-1";
    EXPECT_EQ(error(), "port (--port): -1 is not between 0 and 65535");
}

TEST_F(ConfigTest, TomlHasBooleansAndArraysWhereTheyFit) {
    auto const loaded = load(
        "webhooks_allow_insecure_targets = true\nmcp_diagnostics = 'true'\n"
        "trusted_proxies = ['10.0.0.0/8', '2001:db8::/32']\nmcp_origins = []\nkafka_brokers = ['a:1', 'b:2']\n"
        "personal_readers = 'root,nobody'\n");
    ASSERT_TRUE(loaded) << loaded.error();
    EXPECT_TRUE(loaded->config.webhooks_allow_insecure_targets);
    EXPECT_TRUE(loaded->config.mcp_diagnostics);
    EXPECT_EQ(loaded->config.trusted_proxies, "10.0.0.0/8,2001:db8::/32");
    EXPECT_EQ(loaded->config.mcp_origins, "");
    EXPECT_EQ(loaded->config.kafka_brokers, "a:1,b:2");
    EXPECT_EQ(loaded->config.personal_readers, "root,nobody");
    EXPECT_THAT(print(*loaded), HasSubstr("\nwebhooks_allow_insecure_targets = true  # "));

    EXPECT_EQ(error("mcp_diagnostics = 1\n"), "mcp_diagnostics (file:1): must be a boolean, not integer");
    EXPECT_EQ(error("host = true\n"), "host (file:1): must be a string, not boolean");
    EXPECT_EQ(error("host = ['x']\n"), "host (file:1): must be a string, not array");
    EXPECT_EQ(error("port = [1]\n"), "port (file:1): must be an integer, not array");
    EXPECT_EQ(error("kafka_brokers = []\n"), "kafka_brokers (file:1): must not be empty");
    for (auto const* list : {"[1]", "['a', ['b']]", "['a,b']", "[true]"}) {
        EXPECT_EQ(error("mcp_origins = " + std::string(list)),
                  "mcp_origins (file:1): must be a string or an array of strings without commas, not array");
    }
}

TEST_F(ConfigTest, ProxiesAreTrustedByTheirNetworks) {
    flags_.values = {{"trusted_proxies", " 10.0.0.0/8 ,::1"}};
    EXPECT_EQ(error(), "no error");
    flags_.values = {{"trusted_proxies", ""}};
    EXPECT_EQ(error(), "no error");
    flags_.values = {{"trusted_proxies", "10.0.0.0/8, the proxy"}};
    EXPECT_EQ(error(), "trusted_proxies (--trusted-proxies): 'the proxy' is no network, as 10.0.0.0/8 is");
    flags_.values = {{"trusted_proxies", "10.0.0.1/8\n"}};
    EXPECT_THAT(error(), testing::StartsWith("trusted_proxies (--trusted-proxies): "));
}

TEST_F(ConfigTest, ValuesAreChecked) {
    struct Case {
        std::string key, value;
    };
    for (auto const& [key, value] : {Case{"base_url", "ftp://x"},
                                     Case{"base_url", "http://"},
                                     Case{"base_url", "http://x/"},
                                     Case{"mcp_url", "http://x?y"},
                                     Case{"admin_url", "https:///x"},
                                     Case{"installation", "My Place"},
                                     Case{"installation", ""},
                                     Case{"log", "paper"},
                                     Case{"host", ""},
                                     Case{"host", "a\nb"},
                                     Case{"host", "a b"},
                                     Case{"host", "[::1]"},
                                     Case{"http_threads", "0"},
                                     Case{"database_connections", "0"},
                                     Case{"partitions", "1025"},
                                     Case{"mail_channel", "pigeon"},
                                     Case{"mail_from", "Ada <ada@example.test>"},
                                     Case{"mail_from", "ada"},
                                     Case{"mail_from", "ad\u00e9@example.test"},
                                     Case{"smtp_url", "http://x"},
                                     Case{"smtp_url", "smtp://"},
                                     Case{"smtp_url", "smtp://:25"},
                                     Case{"smtp_url", "smtp://x:0"},
                                     Case{"smtp_url", "smtp://x:smtp"},
                                     Case{"smtp_url", "smtp://me:secret@x"},
                                     Case{"smtp_url", "smtp://x/y"},
                                     Case{"smtp_tls", "maybe"},
                                     Case{"mail_http_url", "x"},
                                     Case{"mail_http_url", "https://me:secret@x"},
                                     Case{"payroll_provider", "bank"},
                                     Case{"model_tiers", ""},
                                     Case{"model_tiers", "basic=*-nano"},
                                     Case{"credential_registry", "board"},
                                     Case{"credential_registry_url", "https://x/"},
                                     Case{"credential_registry_url", "http://x/checks"},
                                     Case{"credential_registry_timeout_seconds", "0"},
                                     Case{"payroll_http_url", "x"},
                                     Case{"payroll_http_url", "https://"},
                                     Case{"payroll_http_url", "https:///runs"},
                                     Case{"payroll_http_url", "https://me:secret@x"},
                                     Case{"payroll_http_url", "https://x?y=z"},
                                     Case{"payroll_http_url", "https://x/"},
                                     Case{"payroll_http_url", "http://x/runs"},
                                     Case{"payroll_poll_seconds", "0"},
                                     Case{"payroll_simulated_delay_ms", "-1"}}) {
        flags_.values = {{key, value}};
        EXPECT_THAT(error(), testing::StartsWith(key + " (--")) << value;
    }
}

TEST_F(ConfigTest, MailNeedsToKnowHowItLeaves) {
    EXPECT_EQ(load()->config.mail_channel, "outbox");
    environment_ = {{"WORKFORCE_MAIL_CHANNEL", "smtp"}};
    EXPECT_EQ(error(), "mail_channel (WORKFORCE_MAIL_CHANNEL): 'smtp' needs mail_from");
    environment_["WORKFORCE_MAIL_FROM"] = "no-reply@example.test";
    EXPECT_EQ(error(), "mail_channel (WORKFORCE_MAIL_CHANNEL): 'smtp' needs smtp_url");
    environment_["WORKFORCE_SMTP_URL"] = "smtp://mail.example.test:587";
    EXPECT_EQ(load()->config.smtp_tls, "required");
    environment_["WORKFORCE_SMTP_USER"] = "workforce";
    EXPECT_THAT(error(), HasSubstr("smtp_user and smtp_password_file go together"));
    environment_["WORKFORCE_SMTP_PASSWORD_FILE"] = "a file";
    EXPECT_EQ(error(), "no error");
    environment_["WORKFORCE_SMTP_TLS"] = "none";
    EXPECT_THAT(error(), HasSubstr("a password would go out in clear"));
    environment_["WORKFORCE_SMTP_URL"] = "smtp://[::1]";
    EXPECT_EQ(error(), "no error");
    environment_["WORKFORCE_SMTP_URL"] = "smtps://127.0.0.1:465";
    EXPECT_THAT(error(), HasSubstr("smtp_tls is none, and smtp_url begins with smtps://"));
    environment_ = {{"WORKFORCE_MAIL_CHANNEL", "http"}};
    EXPECT_EQ(error(), "mail_channel (WORKFORCE_MAIL_CHANNEL): 'http' needs mail_http_url");
    environment_["WORKFORCE_MAIL_HTTP_URL"] = "https://mail.example.test/v1";
    EXPECT_EQ(error(), "mail_channel (WORKFORCE_MAIL_CHANNEL): 'http' needs mail_http_secret_file");
    environment_["WORKFORCE_MAIL_HTTP_SECRET_FILE"] = "a file";
    EXPECT_EQ(error(), "no error");
}

TEST_F(ConfigTest, PayrollNeedsToKnowWhoPays) {
    EXPECT_EQ(load()->config.payroll_provider, "simulated");
    environment_ = {{"WORKFORCE_PAYROLL_HTTP_URL", "https://pay.example.test/runs"}};
    EXPECT_EQ(error(), "payroll_provider (default): 'simulated' pays nobody, and payroll_http_url names a provider");
    environment_ = {{"WORKFORCE_PAYROLL_PROVIDER", "http"}};
    EXPECT_EQ(error(), "payroll_provider (WORKFORCE_PAYROLL_PROVIDER): 'http' needs payroll_http_url");
    for (auto const* url : {"http://127.0.0.1:9000/runs", "http://[::1]:9000", "https://pay.example.test/runs"}) {
        environment_.erase("WORKFORCE_PAYROLL_HTTP_SECRET_FILE");
        environment_["WORKFORCE_PAYROLL_HTTP_URL"] = url;
        EXPECT_EQ(error(), "payroll_provider (WORKFORCE_PAYROLL_PROVIDER): 'http' needs payroll_http_secret_file");
        environment_["WORKFORCE_PAYROLL_HTTP_SECRET_FILE"] = "a file";
        EXPECT_EQ(error(), "no error") << url;
    }
}

TEST_F(ConfigTest, ARegistryNeedsToBeNamed) {
    EXPECT_EQ(load()->config.credential_registry, "registry_sim");
    environment_ = {{"WORKFORCE_CREDENTIAL_REGISTRY_URL", "https://registry.example.test/checks"}};
    EXPECT_EQ(
        error(),
        "credential_registry (default): 'registry_sim' asks nobody, and credential_registry_url names a registry");
    environment_ = {{"WORKFORCE_CREDENTIAL_REGISTRY", "http"}};
    EXPECT_EQ(error(), "credential_registry (WORKFORCE_CREDENTIAL_REGISTRY): 'http' needs credential_registry_url");
    environment_["WORKFORCE_CREDENTIAL_REGISTRY_URL"] = "https://registry.example.test/checks";
    EXPECT_EQ(error(),
              "credential_registry (WORKFORCE_CREDENTIAL_REGISTRY): 'http' needs credential_registry_secret_file");
    environment_["WORKFORCE_CREDENTIAL_REGISTRY_SECRET_FILE"] = "a file";
    EXPECT_EQ(error(), "no error");
    environment_["WORKFORCE_CREDENTIAL_REGISTRY_URL"] = "http://10.0.0.1/checks";
    EXPECT_THAT(error(), HasSubstr("is not of this machine, and so needs TLS"));
}

TEST_F(ConfigTest, ServersOfThisMachineTakeMailsWithoutTls) {
    for (auto const* url : {"smtp://127.0.0.1:25", "smtp://localhost", "smtp://[::1]:25"}) {
        environment_["WORKFORCE_SMTP_URL"] = url;
        EXPECT_EQ(load()->config.smtp_tls, "none") << url;
    }
    for (auto const* url : {"smtps://127.0.0.1:465", "smtp://10.0.0.1:25", "smtp://localhost.example.test"}) {
        environment_["WORKFORCE_SMTP_URL"] = url;
        EXPECT_EQ(load()->config.smtp_tls, "required") << url;
    }
}

TEST_F(ConfigTest, PasswordsAreMasked) {
    struct Case {
        std::string_view url, shown;
    };
    for (auto const& [url, shown] : {
             Case{"postgresql://me:secret@db:5432/x", "postgresql://me:***@db:5432/x"},
             Case{"postgresql://me:se@cret@db/x", "postgresql://me:***@db/x"},
             Case{"postgresql://me@db:5432/x", "postgresql://me@db:5432/x"},
             Case{"postgresql://db:5432/x@y", "postgresql://db:5432/x@y"},
             Case{"postgresql:///x?user=me&password=secret&host=/tmp",
                  "postgresql:///x?user=me&password=***&host=/tmp"},
             Case{"host=db password=secret user=me", "host=db password=*** user=me"},
             Case{"host=db password='se cr\\'et' user=me", "host=db password=*** user=me"},
             Case{"host=db password=", "host=db password=***"},
         }) {
        EXPECT_EQ(mask_passwords(url), shown);
    }
    environment_["WORKFORCE_DATABASE_URL"] = "postgresql://me:geheim@db/x";
    auto const loaded = load();
    EXPECT_EQ(loaded->config.database_url, "postgresql://me:geheim@db/x");
    EXPECT_THAT(print(*loaded), HasSubstr("database_url = \"postgresql://me:***@db/x\"  # WORKFORCE_DATABASE_URL\n"));
    EXPECT_THAT(print(*loaded), Not(HasSubstr("geheim")));
}

TEST_F(ConfigTest, FlagsOfTheCommandLine) {
    CLI::App app;
    add_config_flags(app, flags_);
    app.parse("--database-url postgresql:///other --mcp-port=7 --config some.toml", false);
    EXPECT_EQ(flags_.file, "some.toml");
    EXPECT_EQ(flags_.values.at("database_url"), "postgresql:///other");
    EXPECT_EQ(flags_.values.at("mcp_port"), "7");
    EXPECT_EQ(flags_.values.size(), 2U);
    EXPECT_THROW(app.parse("--colour red", false), CLI::ParseError);
}

// Who starts a command in the checkout means what ./run left there, unless something else is named.
TEST_F(ConfigTest, FallbackFileIsTakenWhereNothingElseIsNamed) {
    auto const own = fs::perms::owner_read | fs::perms::owner_write;
    flags_.fallback_file = file("port = 4711\n", own);
    auto const port = [this] { return load()->config.port; };
    EXPECT_EQ(port(), 4711);
    auto const loaded = load();
    auto const& entries = loaded->entries;
    auto const entry =
        std::find_if(entries.begin(), entries.end(), [](auto const& each) { return each.key == "port"; });
    EXPECT_THAT(entry->source, HasSubstr("file:1"));

    environment_["WORKFORCE_DATABASE_URL"] = "postgresql:///other";
    EXPECT_EQ(port(), 8080) << "another installation";
    environment_.clear();
    flags_.values["database_url"] = "postgresql:///other";
    EXPECT_EQ(port(), 8080) << "another installation";
    flags_.values.clear();
    environment_["WORKFORCE_CONFIG"] = "";
    EXPECT_EQ(port(), 8080) << "no file";
    auto const named = directory_ / "named";
    std::ofstream(named) << "port = 4712\n";
    environment_["WORKFORCE_CONFIG"] = named;
    EXPECT_EQ(port(), 4712);
    environment_.clear();
    flags_.file = named;
    EXPECT_EQ(port(), 4712);
    flags_.file.clear();

    for (auto const others : {fs::perms::group_write, fs::perms::others_write}) {
        fs::permissions(flags_.fallback_file, own | others);
        EXPECT_EQ(port(), 8080) << "others may write it";
    }
    flags_.fallback_file = directory_ / "absent";
    EXPECT_EQ(port(), 8080);
}

TEST_F(ConfigTest, MasterKey) {
    std::string const hex = "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F";
    auto const key = load_master_key(file(hex + "\n"));
    ASSERT_TRUE(key) << key.error();
    ASSERT_EQ(key->size(), 32U);
    EXPECT_EQ((*key)[31], '\x1f');

    EXPECT_EQ(load_master_key("").error(), "master_key_file is not set");
    EXPECT_THAT(load_master_key(directory_ / "none").error(), HasSubstr("none): No such file"));
    EXPECT_THAT(load_master_key(directory_).error(), HasSubstr("not a readable file"));
    for (auto const& wrong : {hex.substr(2), hex + "00", hex + " ", std::string(64, 'g'), std::string()}) {
        EXPECT_THAT(load_master_key(file(wrong)).error(), HasSubstr("64 hexadecimal digits"));
    }
    auto const others = fs::perms::owner_read | fs::perms::others_read;
    EXPECT_THAT(load_master_key(file(hex, others)).error(), HasSubstr("chmod 600"));
    EXPECT_THAT(load_master_key(file(hex, fs::perms::owner_read | fs::perms::group_read)).error(),
                HasSubstr("chmod 600"));
}

TEST_F(ConfigTest, Token) {
    EXPECT_EQ(load_token("t", file("0123456789abcdef\n")), "0123456789abcdef");
    for (auto const* wrong : {"", "0123456789abcde", "0123456789 abcdef", "0123456789abcdef\n0"}) {
        EXPECT_THAT(load_token("t", file(wrong)).error(), HasSubstr("16 or more characters"));
    }
    auto const others = fs::perms::owner_read | fs::perms::others_read;
    EXPECT_THAT(load_token("t", file("0123456789abcdef", others)).error(), testing::StartsWith("t ("));
}

TEST_F(ConfigTest, Password) {
    EXPECT_EQ(load_password("p", file("pass word\n")), "pass word");
    for (auto const* wrong : {"", "\n", "a\tb", "a\nb"}) {
        EXPECT_THAT(load_password("p", file(wrong)).error(), HasSubstr("a password on one line"));
    }
    EXPECT_THAT(load_password("p", file("x", fs::perms::owner_read | fs::perms::group_read)).error(),
                testing::AllOf(testing::StartsWith("p ("), HasSubstr("chmod 600")));
}

TEST(UnknownVariables, AreNamedWithWhatMayHaveBeenMeant) {
    char const* const environment[] = {"PATH=/bin",
                                       "WORKFORCE_PROT=1",
                                       "WORKFORCE_PORT=1",
                                       "WORKFORCE_CONFIG=",
                                       "WORKFORCE_API_KEY=k",
                                       "WORKFORCE_SOMETHING_ELSE=1",
                                       nullptr};
    EXPECT_THAT(unknown_variables(environment),
                testing::ElementsAre("WORKFORCE_PROT; did you mean WORKFORCE_PORT?", "WORKFORCE_SOMETHING_ELSE"));
}

}  // namespace
}  // namespace workforce::core
