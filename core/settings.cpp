// The table of settings.
#include "core/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <type_traits>

#include "core/config_mail.hpp"
#include "core/config_payroll.hpp"
#include "core/config_providers.hpp"
#include "core/logging.hpp"
#include "core/networks.hpp"

namespace workforce::core {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;

template <auto Member, std::int64_t First, std::int64_t Last>
std::string set_integer(Config& config, std::string const& text) {
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool const whole = end == text.data() + text.size();
    if (error == std::errc::invalid_argument || !whole) return fmt::format("'{}' is not an integer", text);
    if (error != std::errc{} || value < First || value > Last) {
        return fmt::format("{} is not between {} and {}", text, First, Last);
    }
    config.*Member = static_cast<std::remove_reference_t<decltype(config.*Member)>>(value);
    return "";
}

template <auto Member>
std::string get_integer(Config const& config) {
    return std::to_string(config.*Member);
}

template <auto Member>
std::string set_text(Config& config, std::string const& text) {
    if (text.empty()) return "must not be empty";
    if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; })) {
        return "must not hold control characters";
    }
    config.*Member = text;
    return "";
}

/// A text that may be empty: nothing is chosen.
template <auto Member>
std::string set_optional_text(Config& config, std::string const& text) {
    if (!text.empty()) return set_text<Member>(config, text);
    (config.*Member).clear();
    return "";
}

template <auto Member>
std::string get_text(Config const& config) {
    return config.*Member;
}

template <auto Member>
std::string set_flag(Config& config, std::string const& text) {
    if (text != "true" && text != "false") return fmt::format("'{}' is neither true nor false", text);
    config.*Member = text == "true";
    return "";
}

template <auto Member>
std::string get_flag(Config const& config) {
    return config.*Member ? "true" : "false";
}

template <auto Member>
std::string set_url(Config& config, std::string const& text) {
    std::string_view rest = text;
    if (rest.starts_with("http://")) {
        rest.remove_prefix(7);
    } else if (rest.starts_with("https://")) {
        rest.remove_prefix(8);
    } else {
        return fmt::format("'{}' does not begin with http:// or https://", text);
    }
    if (rest.empty() || rest.front() == '/') return fmt::format("'{}' names no host", text);
    if (rest.back() == '/') return fmt::format("'{}' ends with a slash", text);
    if (rest.find_first_of(" ?#") != std::string_view::npos) return fmt::format("'{}' is more than an address", text);
    return set_text<Member>(config, text);
}

/// An address at which the processes of an installation reach one another.
template <auto Member>
std::string set_internal_url(Config& config, std::string const& text) {
    if (text.starts_with("https://")) {
        return fmt::format("'{}' is not reached: processes speak plain HTTP to each other, so name an http:// address",
                           text);
    }
    return set_url<Member>(config, text);
}

/// An address or the name of a machine: both become part of URLs.
template <auto Member>
std::string set_host(Config& config, std::string const& text) {
    bool const plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || std::string_view(".:-_%").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (text.empty() || !plain) return fmt::format("'{}' is neither an address nor the name of a machine", text);
    config.*Member = text;
    return "";
}

std::string set_installation(Config& config, std::string const& text) {
    bool const plain = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
    if (text.empty() || text.size() > 63 || !plain) {
        return fmt::format("'{}' is not made of 1 to 63 lower-case letters, digits and hyphens", text);
    }
    config.installation = text;
    return "";
}

std::string set_level(Config& config, std::string const& text) {
    auto const level = parse_level(text);
    if (!level) return fmt::format("'{}' is not one of debug, info, warn, error", text);
    config.log_level = *level;
    return "";
}

template <auto Member, std::size_t Count>
std::string set_choice(Config& config, std::string const& text, std::array<std::string_view, Count> const& choices) {
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
        return fmt::format("'{}' is not one of {}", text, fmt::join(choices, ", "));
    }
    config.*Member = text;
    return "";
}

std::string set_log(Config& config, std::string const& text) {
    return set_choice<&Config::log>(config, text, std::to_array<std::string_view>({"postgres", "kafka"}));
}

std::string set_compression(Config& config, std::string const& text) {
    return set_choice<&Config::kafka_compression>(
        config, text, std::to_array<std::string_view>({"none", "gzip", "snappy", "lz4", "zstd"}));
}

std::string set_mail_channel(Config& config, std::string const& text) {
    return set_choice<&Config::mail_channel>(config, text, std::to_array<std::string_view>({"outbox", "smtp", "http"}));
}

std::string set_payroll_provider(Config& config, std::string const& text) {
    return set_choice<&Config::payroll_provider>(config, text, std::to_array<std::string_view>({"simulated", "http"}));
}

std::string set_credential_registry(Config& config, std::string const& text) {
    return set_choice<&Config::credential_registry>(config, text,
                                                    std::to_array<std::string_view>({"registry_sim", "http"}));
}

std::string set_llm_provider(Config& config, std::string const& text) {
    return set_choice<&Config::llm_provider>(config, text,
                                             std::to_array<std::string_view>({"none", "openai", "anthropic"}));
}

std::string set_model_tiers(Config& config, std::string const& text) {
    auto fault = model_tiers_fault(text);
    if (fault.empty()) config.model_tiers = text;
    return fault;
}

std::string set_mcp_dedupe(Config& config, std::string const& text) {
    return set_choice<&Config::mcp_dedupe>(config, text, std::to_array<std::string_view>({"arguments", "id_tool"}));
}

std::string set_smtp_tls(Config& config, std::string const& text) {
    return set_choice<&Config::smtp_tls>(config, text, std::to_array<std::string_view>({"required", "none"}));
}

template <auto Member, std::string (*FaultOf)(std::string_view)>
std::string set_sound(Config& config, std::string const& text) {
    auto fault = text.empty() ? std::string() : FaultOf(text);
    if (fault.empty()) config.*Member = text;
    return fault;
}

std::string networks_fault(std::string_view text) {
    auto const networks = Networks::parse(text);
    return networks ? std::string() : networks.error();
}

std::string set_mail_http_url(Config& config, std::string const& text) {
    if (text.find('@') != std::string::npos) return "must not name who signs in: mail_http_secret_file tells who sends";
    if (!text.empty()) return set_url<&Config::mail_http_url>(config, text);
    config.mail_http_url.clear();
    return "";
}

std::string set_billing_meter(Config& config, std::string const& text) {
    return set_choice<&Config::billing_meter>(
        config, text, std::to_array<std::string_view>({"none", "stripe", "cloudevents", "lago"}));
}

std::string set_billing_url(Config& config, std::string const& text) {
    if (text.find('@') != std::string::npos) return "must not name who signs in: billing_secret_file does";
    if (!text.empty()) return set_url<&Config::billing_url>(config, text);
    config.billing_url.clear();
    return "";
}

constexpr Setting kSettings[] = {
    {"database_url", "PostgreSQL, as a libpq URI or keywords", true, false, set_text<&Config::database_url>,
     get_text<&Config::database_url>},
    {"host", "Address to listen on for the API and the MCP server", false, false, set_host<&Config::host>,
     get_text<&Config::host>},
    {"port", "Port of the API", false, true, set_integer<&Config::port, 0, 65535>, get_integer<&Config::port>},
    {"mcp_port", "Port of the MCP server", false, true, set_integer<&Config::mcp_port, 0, 65535>,
     get_integer<&Config::mcp_port>},
    {"admin_host", "Address to listen on for the admin port; other machines need it to be more than the loopback one",
     false, false, set_host<&Config::admin_host>, get_text<&Config::admin_host>},
    {"admin_port", "Port of health, metrics and forwarded requests", false, true,
     set_integer<&Config::admin_port, 0, 65535>, get_integer<&Config::admin_port>},
    {"base_url", "Public address of the API (default: from host and port)", false, false, set_url<&Config::base_url>,
     get_text<&Config::base_url>},
    {"mcp_url", "Public address of the MCP server (default: from host and mcp_port)", false, false,
     set_url<&Config::mcp_url>, get_text<&Config::mcp_url>},
    {"admin_url", "Address at which other processes reach the admin port (default: from admin_host and admin_port)",
     false, false, set_internal_url<&Config::admin_url>, get_text<&Config::admin_url>},
    {"admin_token_file",
     "File with the token for which /readyz tells details where admin_host is not loopback (default: none)", false,
     false, set_optional_text<&Config::admin_token_file>, get_text<&Config::admin_token_file>},
    {"master_key_file", "File with the key that seals all other keys: 64 hexadecimal digits", false, false,
     set_optional_text<&Config::master_key_file>, get_text<&Config::master_key_file>},
    {"answer_key_days", "Days for which one key of an organization seals the answers that retries are told", false,
     true, set_integer<&Config::answer_key_days, 1, 3650>, get_integer<&Config::answer_key_days>},
    {"other_master_key_file", "File with a second master key, while one replaces the other (default: none)", false,
     false, set_optional_text<&Config::other_master_key_file>, get_text<&Config::other_master_key_file>},
    {"partitions", "Partitions of a new log, 1 to 1000", false, true, set_integer<&Config::partitions, 1, 1000>,
     get_integer<&Config::partitions>},
    {"http_threads", "Threads that serve HTTP (default: one a processor, and no more than database_connections)", false,
     true, set_integer<&Config::http_threads, 1, 256>, get_integer<&Config::http_threads>},
    {"database_connections",
     "Reads of lists at a time; a process has at most 16 database sessions more (docs/operating.md, Database sessions)",
     false, true, set_integer<&Config::database_connections, 1, 1000>, get_integer<&Config::database_connections>},
    {"memory_bytes", "Bytes of resources that the write side keeps in memory, over all partitions of a process", false,
     true, set_integer<&Config::memory_bytes, 0, kMostBytes>, get_integer<&Config::memory_bytes>},
    {"projection_bytes", "Bytes of rows that projections keep in memory, over all partitions of a process", false, true,
     set_integer<&Config::projection_bytes, 0, kMostBytes>, get_integer<&Config::projection_bytes>},
    {"credential_bytes", "Bytes of what a process remembers of the credentials that it met last", false, true,
     set_integer<&Config::credential_bytes, 0, kMostBytes>, get_integer<&Config::credential_bytes>},
    {"reply_bytes", "Bytes of answers at a time that clients have not read; more get 503, an organization's first",
     false, true, set_integer<&Config::reply_bytes, 4 << 20, kMostBytes>, get_integer<&Config::reply_bytes>},
    {"page_bytes", "Bytes that the rows of a page may have; a page with more ends early", false, true,
     set_integer<&Config::page_bytes, 1 << 10, 1 << 30>, get_integer<&Config::page_bytes>},
    {"queue_limit", "Commands that may wait for a partition; more get 503, an organization's before others'", false,
     true, set_integer<&Config::queue_limit, 8, 1'000'000>, get_integer<&Config::queue_limit>},
    {"database_queue", "Queries that may wait for a database session; more get 503, an organization's before others'",
     false, true, set_integer<&Config::database_queue, 4, 1'000'000>, get_integer<&Config::database_queue>},
    {"organization_requests", "Requests of one organization at a time, live and sandbox each; more get 503", false,
     true, set_integer<&Config::organization_requests, 1, 1'000'000>, get_integer<&Config::organization_requests>},
    {"streams", "Streams that a process has open at a time; more get 503", false, true,
     set_integer<&Config::streams, 1, 1'000'000>, get_integer<&Config::streams>},
    {"credential_streams", "Streams of one credential at a time in a process; more get 429", false, true,
     set_integer<&Config::credential_streams, 1, 1'000'000>, get_integer<&Config::credential_streams>},
    {"rate_window_seconds",
     "Seconds of the window that limits of API keys are for; the API promises 60; 0: their requests are not counted",
     false, true, set_integer<&Config::rate_window_seconds, 0, 3600>, get_integer<&Config::rate_window_seconds>},
    {"least_rate_limit", "Requests a window of every API key, whatever its own limit; for load tests", false, true,
     set_integer<&Config::least_rate_limit, 0, 100'000'000>, get_integer<&Config::least_rate_limit>},
    {"pat_max_rate_limit", "Requests a minute that a personal access token may be given", false, true,
     set_integer<&Config::pat_max_rate_limit, 60, 6000>, get_integer<&Config::pat_max_rate_limit>},
    {"address_rate_limit", "Requests a minute of an address without a valid credential, in a process; 0: no limit",
     false, true, set_integer<&Config::address_rate_limit, 0, 100'000'000>, get_integer<&Config::address_rate_limit>},
    {"login_rate_limit", "Attempts to sign in a minute of an address, in a process; more get 429; 0: no limit", false,
     true, set_integer<&Config::login_rate_limit, 0, 100'000'000>, get_integer<&Config::login_rate_limit>},
    {"oauth_refresh_grace", "Seconds in which a client that lost its new refresh token gets it again for the spent one",
     false, true, set_integer<&Config::oauth_refresh_grace, 0, 300>, get_integer<&Config::oauth_refresh_grace>},
    {"oauth_token_limit", "Requests for tokens a minute of an OAuth client, in a process; 0: no limit", false, true,
     set_integer<&Config::oauth_token_limit, 0, 100'000'000>, get_integer<&Config::oauth_token_limit>},
    {"oauth_state_limit", "Introspections and revocations a minute of an OAuth client, in a process; 0: no limit",
     false, true, set_integer<&Config::oauth_state_limit, 0, 100'000'000>, get_integer<&Config::oauth_state_limit>},
    {"user_rate_limit", "Requests a minute of a person, in a process; more get 429; 0: no limit", false, true,
     set_integer<&Config::user_rate_limit, 0, 100'000'000>, get_integer<&Config::user_rate_limit>},
    {"staff_rate_limit", "Requests a minute of a person with the role staff, in a process; 0: no limit", false, true,
     set_integer<&Config::staff_rate_limit, 0, 100'000'000>, get_integer<&Config::staff_rate_limit>},
    {"mcp_rate_limit",
     "MCP requests a minute of a key without a limit of its own, of a person and of an address; 0: none is counted",
     false, true, set_integer<&Config::mcp_rate_limit, 0, 100'000'000>, get_integer<&Config::mcp_rate_limit>},
    {"mcp_origins", "Web origins, between commas, whose scripts may use MCP besides base_url and mcp_url", false, false,
     set_optional_text<&Config::mcp_origins>, get_text<&Config::mcp_origins>, TomlForm::list},
    {"mcp_dedupe",
     "What tells a call of a tool from a repeated one, for billing: arguments (with id and tool) or id_tool", false,
     false, set_mcp_dedupe, get_text<&Config::mcp_dedupe>},
    {"mcp_diagnostics", "Whether MCP has the tools of the conformance suite, which do nothing of use", false, false,
     set_flag<&Config::mcp_diagnostics>, get_flag<&Config::mcp_diagnostics>, TomlForm::flag},
    {"max_connections", "Connections that a listener takes; more get 503", false, true,
     set_integer<&Config::max_connections, 1, 1'000'000>, get_integer<&Config::max_connections>},
    {"connections_per_address",
     "Connections of one client's address to a listener; more are closed; 0: no limit, and trusted proxies have none",
     false, true, set_integer<&Config::connections_per_address, 0, 1'000'000>,
     get_integer<&Config::connections_per_address>},
    {"trusted_proxies",
     "Networks, separated by commas, as 10.0.0.0/8, of proxies that tell a client's address in Forwarded or "
     "X-Forwarded-For (default: none)",
     false, false, set_sound<&Config::trusted_proxies, networks_fault>, get_text<&Config::trusted_proxies>,
     TomlForm::list},
    {"drain_seconds", "Seconds for which a stop says not ready on /readyz and still serves, so that balancers notice",
     false, true, set_integer<&Config::drain_seconds, 0, 600>, get_integer<&Config::drain_seconds>},
    {"log_level", "Least level that is logged: debug, info, warn or error", false, false, set_level,
     [](Config const& config) { return std::string(to_string(config.log_level)); }},
    {"installation", "Name of this installation, part of every event's source", false, false, set_installation,
     get_text<&Config::installation>},
    {"log", "Engine of the event log: postgres or kafka", false, false, set_log, get_text<&Config::log>},
    {"kafka_brokers", "Kafka brokers to begin with: host:port, separated by commas", false, false,
     set_text<&Config::kafka_brokers>, get_text<&Config::kafka_brokers>, TomlForm::list},
    {"kafka_topic", "Topic of the events", false, false, set_text<&Config::kafka_topic>,
     get_text<&Config::kafka_topic>},
    {"kafka_usage_topic", "Topic that usage rows are sent to, where the log is in Kafka; empty: none", false, false,
     set_optional_text<&Config::kafka_usage_topic>, get_text<&Config::kafka_usage_topic>},
    {"kafka_replication", "Replicas of a new topic; 0: as many as there are brokers, at most 3", false, true,
     set_integer<&Config::kafka_replication, 0, 32>, get_integer<&Config::kafka_replication>},
    {"kafka_compression", "Compression of what is appended: none, gzip, snappy, lz4 or zstd", false, false,
     set_compression, get_text<&Config::kafka_compression>},
    {"kafka_properties_file", "File of further librdkafka properties (TLS, SASL), a name=value a line", false, false,
     set_optional_text<&Config::kafka_properties_file>, get_text<&Config::kafka_properties_file>},
    {"heads_file", "File to append signed heads of the log to, best on another machine's disk (default: none)", false,
     false, set_optional_text<&Config::heads_file>, get_text<&Config::heads_file>},
    {"heads_interval_minutes", "Minutes between signed heads, and between tombstones where nothing ends", false, true,
     set_integer<&Config::heads_interval_minutes, 1, 10080>, get_integer<&Config::heads_interval_minutes>},
    {"tombstones_file",
     "File to append signed names of erased persons and revoked API keys to, for restores (default: none)", false,
     false, set_optional_text<&Config::tombstones_file>, get_text<&Config::tombstones_file>},
    {"mail_channel", "How mails leave: outbox (they stay, for `workforce outbox` to show), smtp or http", false, false,
     set_mail_channel, get_text<&Config::mail_channel>},
    {"mail_from", "Address that mails by SMTP are from", false, false, set_sound<&Config::mail_from, mail_from_fault>,
     get_text<&Config::mail_from>},
    {"smtp_url", "Mail server: smtp://host:port, or smtps://host:port where TLS comes first", false, false,
     set_sound<&Config::smtp_url, smtp_url_fault>, get_text<&Config::smtp_url>},
    {"smtp_tls", "TLS to the mail server: required or none (default: required; none for smtp:// on loopback)", false,
     false, set_smtp_tls, get_text<&Config::smtp_tls>},
    {"smtp_user", "Who signs in at the mail server (default: nobody)", false, false,
     set_optional_text<&Config::smtp_user>, get_text<&Config::smtp_user>},
    {"smtp_password_file", "File with the password of smtp_user", false, false,
     set_optional_text<&Config::smtp_password_file>, get_text<&Config::smtp_password_file>},
    {"mail_http_url", "Gateway that mails are posted to", false, false, set_mail_http_url,
     get_text<&Config::mail_http_url>},
    {"mail_http_secret_file", "File with the secret that signs what the gateway is sent: 16 or more characters", false,
     false, set_optional_text<&Config::mail_http_secret_file>, get_text<&Config::mail_http_secret_file>},
    {"mail_ca_file", "File of certificates (PEM) that vouch for mail server or gateway (default: the system's)", false,
     false, set_optional_text<&Config::mail_ca_file>, get_text<&Config::mail_ca_file>},
    {"outbox_days", "Days for which mails of the channel outbox are kept", false, true,
     set_integer<&Config::outbox_days, 1, 3650>, get_integer<&Config::outbox_days>},
    {"event_tap_days", "Days for which GET /api/events has events", false, true,
     set_integer<&Config::event_tap_days, 1, 90>, get_integer<&Config::event_tap_days>},
    {"billing_meter", "Who hears of billed outcomes: none, stripe, cloudevents (as OpenMeter takes them) or lago",
     false, false, set_billing_meter, get_text<&Config::billing_meter>},
    {"billing_url", "Where the billing meter takes events (default: its own address; cloudevents has none)", false,
     false, set_billing_url, get_text<&Config::billing_url>},
    {"billing_secret_file", "File with the secret that the billing meter is asked with: 16 or more characters", false,
     false, set_optional_text<&Config::billing_secret_file>, get_text<&Config::billing_secret_file>},
    {"personal_readers", "Users of this machine who may open personal data with tap and replay, separated by commas",
     false, false, set_optional_text<&Config::personal_readers>, get_text<&Config::personal_readers>, TomlForm::list},
    {"webhooks_allow_insecure_targets",
     "Whether webhooks may go to http:// and to addresses of this machine, for development: true or false", false,
     false, set_flag<&Config::webhooks_allow_insecure_targets>, get_flag<&Config::webhooks_allow_insecure_targets>,
     TomlForm::flag},
    {"webhook_subscriptions", "Webhook subscriptions that an organization may have; more get 409", false, true,
     set_integer<&Config::webhook_subscriptions, 1, 100'000>, get_integer<&Config::webhook_subscriptions>},
    {"creator_webhook_subscriptions", "Webhook subscriptions that one creator may have; more get 409", false, true,
     set_integer<&Config::creator_webhook_subscriptions, 1, 100'000>,
     get_integer<&Config::creator_webhook_subscriptions>},
    {"webhooks_ca_file", "File of certificate authorities of webhook receivers, besides the system's (default: none)",
     false, false, set_optional_text<&Config::webhooks_ca_file>, get_text<&Config::webhooks_ca_file>},
    {"payroll_provider", "Who pays live payroll runs: simulated (nobody is paid) or http", false, false,
     set_payroll_provider, get_text<&Config::payroll_provider>},
    {"payroll_http_url", "Provider that payroll runs are posted to: https://, or http:// on this machine", false, false,
     set_sound<&Config::payroll_http_url, provider_url_fault>, get_text<&Config::payroll_http_url>},
    {"payroll_http_secret_file",
     "File with the secret that signs what the provider is sent and sends: whsec_ and base64 of 24 or more bytes",
     false, false, set_optional_text<&Config::payroll_http_secret_file>, get_text<&Config::payroll_http_secret_file>},
    {"payroll_poll_seconds", "Seconds after which the provider is asked about a run that it has not called back about",
     false, true, set_integer<&Config::payroll_poll_seconds, 1, 86'400>, get_integer<&Config::payroll_poll_seconds>},
    {"payroll_simulated_delay_ms", "Milliseconds after which the simulated provider settles a run", false, true,
     set_integer<&Config::payroll_simulated_delay_ms, 0, 86'400'000>, get_integer<&Config::payroll_simulated_delay_ms>},
    {"credential_registry", "Who is asked about live credentials: registry_sim (a number's end decides) or http", false,
     false, set_credential_registry, get_text<&Config::credential_registry>},
    {"credential_registry_url", "Registry that credentials are posted to: https://, or http:// on this machine", false,
     false, set_sound<&Config::credential_registry_url, provider_url_fault>,
     get_text<&Config::credential_registry_url>},
    {"credential_registry_secret_file", "File with the secret that the registry is asked with: 16 or more characters",
     false, false, set_optional_text<&Config::credential_registry_secret_file>,
     get_text<&Config::credential_registry_secret_file>},
    {"credential_registry_timeout_seconds", "Seconds that the registry has for an answer", false, true,
     set_integer<&Config::credential_registry_timeout_seconds, 1, 20>,
     get_integer<&Config::credential_registry_timeout_seconds>},
    {"composio_url", "Where Composio is, which connects apps: https://, or http:// on this machine", false, false,
     set_sound<&Config::composio_url, provider_url_fault>, get_text<&Config::composio_url>},
    {"composio_api_key_file", "File with the key by which Composio is asked; without it the app `demo` is the only one",
     false, false, set_optional_text<&Config::composio_api_key_file>, get_text<&Config::composio_api_key_file>},
    {"composio_apps",
     "Apps that Composio connects, separated by commas, each as SLUG=ID, the id of its auth config there", false, false,
     set_sound<&Config::composio_apps, composio_apps_fault>, get_text<&Config::composio_apps>, TomlForm::list},
    {"llm_provider", "Format in which agents' models are asked: none (no agent has a model), openai or anthropic",
     false, false, set_llm_provider, get_text<&Config::llm_provider>},
    {"llm_base_url",
     "Where models are: https://, or http:// on this machine; /chat/completions or /v1/messages follows", false, false,
     set_sound<&Config::llm_base_url, provider_url_fault>, get_text<&Config::llm_base_url>},
    {"llm_api_key_file", "File with the key by which models are asked", false, false,
     set_optional_text<&Config::llm_api_key_file>, get_text<&Config::llm_api_key_file>},
    {"llm_models", "Models by the tiers of agents, separated by commas, each as TIER=MODEL", false, false,
     set_sound<&Config::llm_models, llm_models_fault>, get_text<&Config::llm_models>, TomlForm::list},
    {"llm_timeout_seconds", "Seconds that a model has for an answer", false, true,
     set_integer<&Config::llm_timeout_seconds, 1, 600>, get_integer<&Config::llm_timeout_seconds>},
    {"llm_max_output_tokens", "Tokens that an answer of a model may have", false, true,
     set_integer<&Config::llm_max_output_tokens, 16, 1'000'000>, get_integer<&Config::llm_max_output_tokens>},
    {"model_tiers",
     "Which models have which grade, by patterns of their names with * for any text, separated by commas, each as "
     "TIER=PATTERN, at least one of each tier",
     false, false, set_model_tiers, get_text<&Config::model_tiers>, TomlForm::list},
    {"version_deprecations",
     "API versions that are deprecated, separated by commas, each as VERSION DEPRECATED-ON [SUNSET-ON], three dates",
     false, false, set_optional_text<&Config::version_deprecations>, get_text<&Config::version_deprecations>,
     TomlForm::list},
};

}  // namespace

std::span<Setting const> settings() { return kSettings; }

}  // namespace workforce::core
