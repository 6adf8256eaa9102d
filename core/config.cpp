// The merge of the three sources of settings.
#include "core/config.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <toml++/toml.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "core/ascii.hpp"
#include "core/config_billing.hpp"
#include "core/config_mail.hpp"
#include "core/config_payroll.hpp"
#include "core/config_providers.hpp"
#include "core/files.hpp"
#include "core/nearest.hpp"
#include "core/settings.hpp"
#include "core/web_origin.hpp"

namespace workforce::core {
namespace {

Setting const* find_setting(std::string_view name) {
    auto const all = settings();
    auto const found = std::ranges::find(all, name, &Setting::name);
    return found == all.end() ? nullptr : &*found;
}

std::string flag_name(Setting const& key) {
    std::string name = fmt::format("--{}", key.name);
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

std::string variable_name(std::string_view key) {
    std::string name = fmt::format("WORKFORCE_{}", key);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
    return name;
}

/// Values as text, by key, each with where it came from.
struct Given {
    std::string text;
    std::string source;
};
using GivenValues = std::map<std::string_view, Given>;

/// The text that stands for a value of the file; nothing where its type is not the setting's.
std::optional<std::string> text_in(toml::node const& node, Setting const& key) {
    if (key.integer) {
        auto const value = node.value_exact<std::int64_t>();
        return value ? std::optional(std::to_string(*value)) : std::nullopt;
    }
    auto const flag = key.form == TomlForm::flag ? node.value_exact<bool>() : std::nullopt;
    if (flag) return *flag ? "true" : "false";
    auto const* const list = key.form == TomlForm::list ? node.as_array() : nullptr;
    if (list == nullptr) return node.value_exact<std::string>();
    std::string text;
    for (auto const& each : *list) {
        auto const one = each.value_exact<std::string>();
        if (!one || one->find(',') != std::string::npos) return std::nullopt;
        text.append(text.empty() ? "" : ",").append(*one);
    }
    return text;
}

/// The types that text_in() takes of the setting.
std::string_view types_of(Setting const& key) {
    if (key.integer) return "an integer";
    switch (key.form) {
        case TomlForm::flag:
            return "a boolean";
        case TomlForm::list:
            return "a string or an array of strings without commas";
        case TomlForm::text:
            break;
    }
    return "a string";
}

/// Adds one member of the file; gives what is wrong with it, or "".
std::string add_member(GivenValues& given, std::string const& path, toml::key const& name, toml::node const& node) {
    std::string const source = fmt::format("{}:{}", path, name.source().begin.line);
    Setting const* const key = find_setting(name.str());
    if (key == nullptr) return fmt::format("{} ({}): there is no such key", name.str(), source);
    auto text = text_in(node, *key);
    if (!text) {
        std::ostringstream type;
        type << node.type();
        return fmt::format("{} ({}): must be {}, not {}", key->name, source, types_of(*key), type.str());
    }
    given[key->name] = {*std::move(text), source};
    return "";
}

/// Adds the values of a TOML file; gives what is wrong with it, or "".
std::string add_file(GivenValues& given, std::string const& path) {
    std::ifstream file(path);
    std::ostringstream content;
    if (!file || !(content << file.rdbuf())) {
        return fmt::format("config ({}): can't be read: {}", path, std::strerror(errno));
    }
    try {
        for (auto const& [name, node] : toml::parse(content.str(), path)) {
            if (auto problem = add_member(given, path, name, node); !problem.empty()) return problem;
        }
    } catch (toml::parse_error const& error) {
        return fmt::format("config ({}:{}): {}", path, error.source().begin.line, error.description());
    }
    return "";
}

/// A fault is one line, whatever it quotes.
std::string one_line(std::string text) {
    std::replace_if(text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
    return text;
}

std::string address(std::string const& host, std::uint16_t port) {
    bool const any = host == "0.0.0.0" || host == "::";
    bool const v6 = host.find(':') != std::string::npos;
    return fmt::format("http://{}:{}", any ? "localhost" : v6 ? "[" + host + "]" : host, port);
}

void fill_derived(Config& config) {
    if (config.base_url.empty()) config.base_url = address(config.host, config.port);
    if (config.mcp_url.empty()) config.mcp_url = address(config.host, config.mcp_port);
    if (config.admin_url.empty()) config.admin_url = address(config.admin_host, config.admin_port);
    if (config.smtp_tls.empty()) config.smtp_tls = default_smtp_tls(config);
    if (config.http_threads == 0) {
        // Each has a session of its own for short reads, as far as there are connections.
        auto const processors = static_cast<int>(std::min(std::thread::hardware_concurrency(), 256U));
        config.http_threads = std::clamp(processors, 1, config.database_connections);
    }
}

/// What is wrong with settings that are good each on its own, or "". An address that nobody can reach would show only
/// once a request has to be forwarded.
std::string contradiction(Config const& config, GivenValues const& given) {
    if (auto const fault = mail_fault(config); !fault.empty()) {
        auto const channel = given.find("mail_channel");
        return fmt::format("mail_channel ({}): {}", channel->second.source, fault);
    }
    if (auto const fault = payroll_fault(config); !fault.empty()) {
        auto const provider = given.find("payroll_provider");
        return fmt::format("payroll_provider ({}): {}", provider == given.end() ? "default" : provider->second.source,
                           fault);
    }
    if (auto const fault = registry_fault(config); !fault.empty()) {
        auto const registry = given.find("credential_registry");
        return fmt::format("credential_registry ({}): {}",
                           registry == given.end() ? "default" : registry->second.source, fault);
    }
    if (auto const fault = billing_fault(config); !fault.empty()) {
        return fmt::format("billing_meter ({}): {}", given.find("billing_meter")->second.source, fault);
    }
    if (auto const fault = apps_fault(config); !fault.empty()) {
        auto const key = config.composio_apps.empty() ? "composio_api_key_file" : "composio_apps";
        return fmt::format("{} ({}): {}", key, given.find(key)->second.source, fault);
    }
    if (auto const fault = llm_fault(config); !fault.empty()) {
        return fmt::format("llm_provider ({}): {}", given.find("llm_provider")->second.source, fault);
    }
    if (authority_of(config.base_url) == authority_of(config.mcp_url)) {
        return fmt::format("base_url and mcp_url are both {}: the Host of a request tells REST and MCP apart",
                           authority_of(config.base_url));
    }
    auto const url = given.find("admin_url");
    if (url == given.end() || given.contains("admin_host") || is_loopback(host_of(config.admin_url))) return "";
    return fmt::format(
        "admin_url ({}): '{}' is not reached by others while the admin port listens on {} alone; set admin_host, e.g. "
        "to "
        "0.0.0.0",
        url->second.source, config.admin_url, config.admin_host);
}

/// A TOML string (its basic form).
std::string toml_string(std::string_view text) {
    std::string result = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + '"';
}

}  // namespace

void add_config_flags(CLI::App& app, ConfigFlags& flags) {
    std::string help = "TOML file with any of these settings";
    if (!flags.fallback_file.empty()) {
        help += fmt::format(
            " (default: {}, where it is there and yours, unless WORKFORCE_CONFIG or a database_url is given)",
            flags.fallback_file);
    }
    app.add_option("--config", flags.file, help);
    for (auto const& key : settings()) {
        auto const keep = [&flags, name = std::string(key.name)](std::string const& value) {
            flags.values[name] = value;
        };
        app.add_option_function<std::string>(flag_name(key), keep, std::string(key.help))
            ->type_name(key.integer ? "INT" : "TEXT");
    }
}

namespace {

/// The file to read; empty for none. Who names a database means another installation than the one whose file lies here.
std::string choose_file(ConfigFlags const& flags, Environment const& environment) {
    if (!flags.file.empty()) return flags.file;
    if (char const* const named = environment("WORKFORCE_CONFIG")) return named;
    bool const other = flags.values.contains("database_url") || environment("WORKFORCE_DATABASE_URL") != nullptr;
    return other || flags.fallback_file.empty() || !is_own_file(flags.fallback_file) ? "" : flags.fallback_file;
}

}  // namespace

tl::expected<LoadedConfig, std::string> load_config(ConfigFlags const& flags, Environment const& environment) {
    GivenValues given;
    if (auto const file = choose_file(flags, environment); !file.empty()) {
        if (auto problem = add_file(given, file); !problem.empty()) return tl::unexpected(one_line(problem));
    }
    for (auto const& key : settings()) {
        std::string const variable = variable_name(key.name);
        if (char const* const value = environment(variable.c_str())) given[key.name] = {value, variable};
        if (auto const flag = flags.values.find(key.name); flag != flags.values.end()) {
            given[key.name] = {flag->second, flag_name(key)};
        }
    }

    LoadedConfig loaded;
    for (auto const& [name, value] : given) {
        if (auto problem = find_setting(name)->set(loaded.config, value.text); !problem.empty()) {
            return tl::unexpected(one_line(fmt::format("{} ({}): {}", name, value.source, problem)));
        }
    }
    fill_derived(loaded.config);
    if (auto const problem = contradiction(loaded.config, given); !problem.empty()) {
        return tl::unexpected(one_line(problem));
    }
    for (auto const& key : settings()) {
        std::string value = key.get(loaded.config);
        if (key.secret) value = mask_passwords(value);
        auto const found = given.find(key.name);
        bool const bare = key.integer || key.form == TomlForm::flag;
        loaded.entries.push_back({key.name, bare ? std::move(value) : toml_string(value),
                                  found == given.end() ? "default" : found->second.source});
    }
    return loaded;
}

std::vector<std::string> unknown_variables(char const* const* environment) {
    constexpr std::string_view kPrefix = "WORKFORCE_";
    // The second and third are of the roster loader.
    std::vector<std::string_view> known{"config", "api_key", "roster_data"};
    for (auto const& key : settings()) known.push_back(key.name);
    std::vector<std::string> unknown;
    for (; *environment != nullptr; ++environment) {
        std::string_view const entry(*environment);
        auto const variable = entry.substr(0, entry.find('='));
        if (!variable.starts_with(kPrefix)) continue;
        auto const name = ascii_lower(variable.substr(kPrefix.size()));
        bool const upper = variable.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
        if (upper && std::find(known.begin(), known.end(), name) != known.end()) continue;
        unknown.push_back(std::string(variable) + suggest(name, known, &variable_name));
    }
    return unknown;
}

std::string print(LoadedConfig const& loaded) {
    std::string text;
    for (auto const& [key, value, source] : loaded.entries) text += fmt::format("{} = {}  # {}\n", key, value, source);
    return text;
}

std::string_view host_of(std::string_view url) {
    url.remove_prefix(url.find("://") + 3);
    url = url.substr(0, url.find('/'));
    if (url.starts_with('[')) return url.substr(1, url.find(']') - 1);
    return url.substr(0, url.find(':'));
}

bool is_loopback(std::string_view host) {
    in_addr v4{};
    in6_addr v6{};
    std::string const text(host);
    if (::inet_pton(AF_INET, text.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == IN_LOOPBACKNET;
    if (::inet_pton(AF_INET6, text.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
    return text == "localhost";
}

}  // namespace workforce::core
