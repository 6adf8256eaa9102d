// SMTP by libcurl, which stuffs dots and chooses how to sign in.
#include "workers/mail/smtp_channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "workers/mail/message.hpp"

namespace workforce::workers {
namespace {

constexpr long kGoingAway = 421;  // of the server as a whole, whatever it answers with it

/// Gives libcurl the rest of a message.
std::size_t read_message(char* buffer, std::size_t size, std::size_t count, void* rest) {
    auto& text = *static_cast<std::string_view*>(rest);
    auto const taken = text.copy(buffer, size * count);
    text.remove_prefix(taken);
    return taken;
}

}  // namespace

MailAttempt judge_smtp(Transfer::Result const& result) {
    if (result.code == CURLE_OK) return {Sending::sent};
    bool const answered = result.code == CURLE_SEND_ERROR || result.code == CURLE_WEIRD_SERVER_REPLY;
    if (!answered || result.status < 400) {
        // The server may have the message: the mail is tried again later and later, since nobody knows.
        auto const sending = result.command == "DATA" ? Sending::deferred : Sending::unreachable;
        return {sending, curl_easy_strerror(result.code)};
    }
    bool const of_mail = result.command == "RCPT" || result.command == "DATA";
    auto why = fmt::format("{} was answered with {}", result.command.empty() ? "the connection" : result.command,
                           result.status);
    if (!of_mail || result.status == kGoingAway) return {Sending::unreachable, std::move(why)};
    return {result.status >= 500 ? Sending::refused : Sending::deferred, std::move(why)};
}

Transfer& SmtpChannel::transfer() {
    if (transfer_) return *transfer_;
    auto& transfer =
        transfer_.emplace(fmt::format("{}/{}", options_.url, domain_of(options_.from)), "smtp,smtps", options_.ca_file);
    transfer.set(CURLOPT_USE_SSL, static_cast<long>(options_.tls ? CURLUSESSL_ALL : CURLUSESSL_NONE));
    if (!options_.user.empty()) {
        transfer.set(CURLOPT_USERNAME, options_.user.c_str());
        transfer.set(CURLOPT_PASSWORD, options_.password.c_str());
    }
    transfer.set(CURLOPT_MAIL_FROM, fmt::format("<{}>", options_.from).c_str());
    transfer.set(CURLOPT_UPLOAD, 1L);
    transfer.set(CURLOPT_READFUNCTION, &read_message);
    return transfer;
}

MailAttempt SmtpChannel::send(Mail const& mail, core::Timestamp written, std::stop_token const& stop) {
    auto const message = compose(mail, options_.from, written);
    if (!message) return {Sending::refused, "its address or its subject does not fit into a header"};
    auto& smtp = transfer();
    auto const recipients = with_line(nullptr, fmt::format("<{}>", mail.text.to));
    std::string_view rest = *message;
    smtp.set(CURLOPT_MAIL_RCPT, recipients.get());
    smtp.set(CURLOPT_READDATA, static_cast<void*>(&rest));
    return judge_smtp(smtp.perform(stop));
}

}  // namespace workforce::workers
