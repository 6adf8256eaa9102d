// The channel of a configuration.
#include "workers/mail/channel.hpp"

#include <stdexcept>
#include <utility>

#include "core/files.hpp"
#include "workers/mail/http_channel.hpp"
#include "workers/mail/smtp_channel.hpp"

namespace workforce::workers {
namespace {

std::string mail_secret(tl::expected<std::string, std::string> loaded) {
    if (!loaded) throw std::runtime_error(loaded.error());
    return *std::move(loaded);
}

}  // namespace

std::unique_ptr<MailChannel> open_channel(core::Config const& config) {
    if (config.mail_channel == "outbox") return nullptr;
    if (!config.mail_ca_file.empty()) core::read_file(config.mail_ca_file);  // it can be read
    if (config.mail_channel == "http") {
        return std::make_unique<HttpChannel>(
            HttpOptions{.url = config.mail_http_url,
                        .secret = mail_secret(core::load_token("mail_http_secret_file", config.mail_http_secret_file)),
                        .ca_file = config.mail_ca_file});
    }
    SmtpOptions options{.url = config.smtp_url,
                        .from = config.mail_from,
                        .tls = config.smtp_tls != "none",
                        .user = config.smtp_user,
                        .ca_file = config.mail_ca_file};
    if (!config.smtp_password_file.empty()) {
        options.password = mail_secret(core::load_password("smtp_password_file", config.smtp_password_file));
    }
    return std::make_unique<SmtpChannel>(std::move(options));
}

}  // namespace workforce::workers
