// Where mails go, and what must not go there in clear.
#include "core/config_mail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/text.hpp"

namespace workforce::core {
namespace {

bool is_port(std::string_view text) {
    int value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && value > 0 && value <= 65535;
}

/// Whether the mail server is this machine's, and takes mails without TLS.
bool is_own_smtp(Config const& config) {
    return config.smtp_url.starts_with("smtp://") && is_loopback(host_of(config.smtp_url));
}

bool is_one_of(unsigned char c, std::string_view others) {
    return std::isalnum(c) != 0 || others.find(static_cast<char>(c)) != std::string_view::npos;
}

}  // namespace

std::string mail_from_fault(std::string_view text) {
    bool const plain = std::all_of(text.begin(), text.end(), [](unsigned char c) { return is_one_of(c, "@.+-_="); });
    return plain && is_email(text) ? "" : fmt::format("'{}' is no plain address", text);
}

std::string smtp_url_fault(std::string_view text) {
    auto rest = text;
    if (rest.starts_with("smtp://")) {
        rest.remove_prefix(7);
    } else if (rest.starts_with("smtps://")) {
        rest.remove_prefix(8);
    } else {
        return fmt::format("'{}' does not begin with smtp:// or smtps://", text);
    }
    bool const plain = std::all_of(rest.begin(), rest.end(), [](unsigned char c) { return is_one_of(c, ".-_:[]"); });
    auto const colon = rest.ends_with(']') ? std::string_view::npos : rest.rfind(':');
    bool const sound = plain && !rest.empty() && rest.front() != ':' &&
                       (colon == std::string_view::npos || is_port(rest.substr(colon + 1)));
    return sound ? "" : fmt::format("'{}' does not name a host and a port", text);
}

std::string default_smtp_tls(Config const& config) { return is_own_smtp(config) ? "none" : "required"; }

std::string mail_fault(Config const& config) {
    auto const lacks = [&](std::string_view key) { return fmt::format("'{}' needs {}", config.mail_channel, key); };
    if (config.mail_channel == "http") {
        if (config.mail_http_url.empty()) return lacks("mail_http_url");
        if (config.mail_http_secret_file.empty()) return lacks("mail_http_secret_file");
    }
    if (config.mail_channel != "smtp") return "";
    if (config.mail_from.empty()) return lacks("mail_from");
    if (config.smtp_url.empty()) return lacks("smtp_url");
    if (config.smtp_user.empty() != config.smtp_password_file.empty()) {
        return "smtp_user and smtp_password_file go together";
    }
    if (config.smtp_tls != "none") return "";
    if (!config.smtp_url.starts_with("smtp://")) return "smtp_tls is none, and smtp_url begins with smtps://";
    if (!config.smtp_user.empty() && !is_own_smtp(config))
        return "smtp_tls is none, so a password would go out in clear";
    return "";
}

}  // namespace workforce::core
