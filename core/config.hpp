// Configuration: one table of keys, set by flags, environment variables and one TOML file, in that order of precedence.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "core/logging.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): a library's
class App;
}

namespace workforce::core {

/// What is configured. The table in settings.cpp describes each key.
struct Config {
    std::string database_url = "postgresql:///workforce";
    std::string host = "127.0.0.1";
    std::uint16_t port = 8080;
    std::uint16_t mcp_port = 8081;
    std::string admin_host = "127.0.0.1";
    std::uint16_t admin_port = 8090;
    std::string base_url;          ///< never empty once loaded, as the next two; without a final slash
    std::string mcp_url;           ///< the MCP server's public address
    std::string admin_url;         ///< the admin listener's address for other processes
    std::string admin_token_file;  ///< empty: nobody has a token
    std::string master_key_file;
    int answer_key_days = 90;
    std::string other_master_key_file;  ///< known beside it, while one replaces the other; empty: none
    int partitions = 4;
    int http_threads = 0;  ///< at least 1 once loaded
    int database_connections = 8;
    std::size_t memory_bytes = 64 << 20;      ///< of aggregates that writers keep in memory
    std::size_t projection_bytes = 32 << 20;  ///< of rows that projections keep in memory
    std::size_t credential_bytes = 32 << 20;  ///< of callers that are remembered
    std::size_t reply_bytes = 128 << 20;      ///< of pages and replies that are not sent yet
    std::size_t page_bytes = 2 << 20;         ///< of the rows of a page
    int queue_limit = 4096;                   ///< commands that wait for a partition
    int database_queue = 1000;                ///< jobs that wait for these
    int organization_requests = 500;          ///< of one organization at a time
    int streams = 1000;                       ///< open at a time
    int credential_streams = 20;              ///< of one credential at a time
    int rate_window_seconds = 60;   ///< that the limits of API keys are for; 0: their requests are not counted
    int least_rate_limit = 0;       ///< requests a window of every API key, whatever its own limit
    int pat_max_rate_limit = 6000;  ///< that a personal access token may be given, requests a minute
    int address_rate_limit = 120;   ///< requests a minute of an address without a valid credential; 0: none
    int login_rate_limit = 10;      ///< attempts to sign in a minute of an address; 0: any number
    int oauth_refresh_grace = 0;    ///< seconds in which a spent refresh token brings its successor once more
    int oauth_token_limit = 600;    ///< requests for tokens a minute of an OAuth client; 0: none
    int oauth_state_limit = 6000;   ///< introspections and revocations a minute of a client; 0: none
    int user_rate_limit = 600;      ///< requests a minute of a user; 0: none
    int staff_rate_limit = 240;     ///< of a user whose role is staff; 0: none
    int mcp_rate_limit = 120;       ///< MCP requests a minute of who has no limit of their own; 0: none is counted
    std::string mcp_origins;        ///< web origins, between commas, whose scripts may use MCP besides our own
    std::string mcp_dedupe = "arguments";  ///< or "id_tool": what tells one call of a tool from the next
    bool mcp_diagnostics = false;          ///< the tools of the conformance suite are there
    int max_connections = 10000;           ///< of a listener, as far as file descriptors reach
    int connections_per_address = 1000;    ///< of one client's address to a listener; 0: none is counted
    std::string trusted_proxies;           ///< networks (CIDR), between commas, whose word on a client's address counts
    int drain_seconds = 0;                 ///< between "not ready" and the end of serving
    Level log_level = Level::info;
    std::string installation = "local";
    std::string log = "postgres";  ///< or "kafka"
    std::string kafka_brokers = "127.0.0.1:9092";
    std::string kafka_topic = "workforce.events";
    std::string kafka_usage_topic = "workforce.usage";  ///< of usage rows; empty: none
    int kafka_replication = 0;                          ///< of a new topic; 0: as the brokers allow, at most 3
    std::string kafka_compression = "lz4";              ///< of what is appended
    std::string kafka_properties_file;  ///< further librdkafka properties (TLS, SASL), a `name=value` a line
    std::string heads_file;             ///< to append signed heads to; empty: none are exported
    int heads_interval_minutes = 60;
    std::string tombstones_file;          ///< to append signed tombstones to; empty: none are exported
    std::string mail_channel = "outbox";  ///< or "smtp" or "http"
    std::string mail_from;                ///< address of whoever mails by SMTP are from
    std::string smtp_url;                 ///< smtp:// or smtps://, host and port
    std::string smtp_tls;                 ///< "required" or "none"; never empty once loaded
    std::string smtp_user;                ///< empty: nobody signs in
    std::string smtp_password_file;
    std::string mail_http_url;           ///< of the operator's own gateway
    std::string mail_http_secret_file;   ///< that signs what is sent there
    std::string mail_ca_file;            ///< who vouches for the mail server or gateway; empty: whom the system trusts
    int outbox_days = 30;                ///< for which mails of the channel "outbox" are kept
    int event_tap_days = 30;             ///< for which GET /api/events has events
    std::string billing_meter = "none";  ///< or "stripe", "cloudevents" or "lago": who hears of billed outcomes
    std::string billing_url;             ///< where the meter is; empty: at its own address
    std::string billing_secret_file;     ///< what it is asked with
    std::string personal_readers;        ///< users of the operating system, separated by commas; empty: nobody
    bool webhooks_allow_insecure_targets = false;  ///< http and loopback addresses may receive, for development
    int webhook_subscriptions = 100;               ///< that an organization may have
    int creator_webhook_subscriptions = 20;        ///< of one creator among them
    std::string webhooks_ca_file;  ///< authorities that subscribers' certificates may be of besides the system's
    std::string payroll_provider = "simulated";        ///< who pays live runs; or "http"
    std::string payroll_http_url;                      ///< of the operator's provider
    std::string payroll_http_secret_file;              ///< that signs what is sent there, and what comes back
    int payroll_poll_seconds = 60;                     ///< after which a provider that does not call back is asked
    int payroll_simulated_delay_ms = 2000;             ///< after which the simulated provider settles a run
    std::string credential_registry = "registry_sim";  ///< who knows live credentials; or "http"
    std::string credential_registry_url;               ///< of the operator's registry
    std::string credential_registry_secret_file;       ///< that it is asked with
    int credential_registry_timeout_seconds = 10;      ///< for its answer
    std::string composio_url = "https://backend.composio.dev";  ///< who connects apps
    std::string composio_api_key_file;  ///< that Composio is asked with; empty: nobody outside is asked
    std::string composio_apps;          ///< parse_composio_apps() says what is in it
    std::string llm_provider = "none";  ///< or "openai" or "anthropic": the format in which models are asked
    std::string llm_base_url;           ///< of who has them
    std::string llm_api_key_file;       ///< empty: nobody asks for a key
    std::string llm_models;             ///< parse_llm_models() says what is in it
    int llm_timeout_seconds = 60;       ///< for an answer of a model
    int llm_max_output_tokens = 4096;   ///< of such an answer
    /// Grades of models, as parse_model_tiers() reads them.
    std::string model_tiers =
        "basic=*-nano,basic=*-lite,standard=*-mini,standard=*-flash,standard=*-haiku*,"
        "advanced=*-pro,advanced=*-sonnet*,advanced=*-opus*,advanced=gpt-*";
    std::string version_deprecations;  ///< api::read_deprecations() says what is in it; empty: none is deprecated
};

/// What the command line gave: values by key name, and the file.
struct ConfigFlags {
    std::string file;  ///< of --config; empty for none
    /// Taken where nothing names a file or a database, if it is there and only this user may write it; empty: none.
    std::string fallback_file;
    std::map<std::string, std::string, std::less<>> values;
};

/// A value in force, for people.
struct ConfigEntry {
    std::string_view key;
    std::string value;   ///< as TOML writes it, secrets masked
    std::string source;  ///< "default", "--port", "WORKFORCE_PORT" or "workforce.toml:3"
};

/// A configuration and where each value came from, in the table's order.
struct LoadedConfig {
    Config config;
    std::vector<ConfigEntry> entries;
};

/// Reads one environment variable; null when it is not set.
using Environment = std::function<char const*(char const* name)>;

/// Adds `--config` and a flag for every key. `flags` is filled when the application parses and must live till then.
void add_config_flags(CLI::App& app, ConfigFlags& flags);

/// Merges flags, environment (`WORKFORCE_<KEY>`, and `WORKFORCE_CONFIG` for the file, empty for none) and file over the
/// defaults. The error is one line that names the key, where its value came from, and what is wrong with it.
tl::expected<LoadedConfig, std::string> load_config(ConfigFlags const& flags, Environment const& environment);

/// The variables of the environment (`NAME=value` each, null at the end) that begin with WORKFORCE_ and that nothing
/// reads, each with what may have been meant.
std::vector<std::string> unknown_variables(char const* const* environment);

/// `key = value  # source`, a line a key: a TOML file that configures the same, but for masked secrets.
std::string print(LoadedConfig const& loaded);

/// A database URL, as URI or as keywords, with the passwords in it replaced by `***`.
std::string mask_passwords(std::string_view url);

/// Reads a secret of at least 16 characters: a file of one line, which only its owner may read. `key` names the setting
/// in the error, which is one line.
tl::expected<std::string, std::string> load_token(std::string_view key, std::string const& path);

/// Reads a password: a file of one line, which only its owner may read. The error is as load_token()'s.
tl::expected<std::string, std::string> load_password(std::string_view key, std::string const& path);

/// The host of "scheme://host:port", an IPv6 address without its brackets. A view of the URL.
std::string_view host_of(std::string_view url);

/// Whether a host of the configuration is of this machine alone: localhost, 127.0.0.0/8 or ::1.
bool is_loopback(std::string_view host);

/// Reads a 32-byte key that seals all other keys: a file of 64 hexadecimal digits, which only its owner may read. The
/// error is one line, which names the setting.
tl::expected<std::string, std::string> load_master_key(std::string const& path,
                                                       std::string_view setting = "master_key_file");

}  // namespace workforce::core
