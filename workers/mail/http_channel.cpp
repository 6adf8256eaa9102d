// A POST a mail.
#include "workers/mail/http_channel.hpp"

#include <fmt/format.h>

#include <boost/describe/class.hpp>

#include "core/crypto.hpp"
#include "core/json.hpp"
#include "core/json_io.hpp"

namespace workforce::workers {
namespace {

/// What the gateway is sent.
struct MailPost {
    std::string id;
    core::Id organizationId = 0;
    std::string to;
    std::string subject;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(MailPost, (), (id, organizationId, to, subject, text))

std::size_t drop_reply(char*, std::size_t size, std::size_t count, void*) { return size * count; }

}  // namespace

MailAttempt judge_http(Transfer::Result const& result) {
    if (result.code != CURLE_OK) return {Sending::unreachable, curl_easy_strerror(result.code)};
    if (result.status / 100 == 2) return {Sending::sent};
    bool const refused = result.status == 400 || result.status == 413 || result.status == 422;
    return {refused ? Sending::refused : Sending::unreachable, fmt::format("the gateway answered {}", result.status)};
}

Transfer& HttpChannel::transfer() {
    if (transfer_) return *transfer_;
    auto& transfer = transfer_.emplace(options_.url, "http,https", options_.ca_file);
    transfer.set(CURLOPT_USERAGENT, "workforce");
    transfer.set(CURLOPT_WRITEFUNCTION, &drop_reply);
    return transfer;
}

MailAttempt HttpChannel::send(Mail const& mail, core::Timestamp, std::stop_token const& stop) {
    auto const body =
        core::to_json(MailPost{mail.id, mail.organization, mail.text.to, mail.text.subject, mail.text.text});
    auto const signature = core::hex_encode(core::bytes(core::hmac_sha256(options_.secret, body)));
    auto headers = with_line(nullptr, "Content-Type: application/json");
    headers = with_line(std::move(headers), fmt::format("Idempotency-Key: {}", mail.id));
    headers = with_line(std::move(headers), fmt::format("X-Service-Signature: sha256={}", signature));
    headers = with_line(std::move(headers), "Expect:");  // no wait before the body
    auto& http = transfer();
    http.set(CURLOPT_HTTPHEADER, headers.get());
    http.set(CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    http.set(CURLOPT_POSTFIELDS, body.c_str());
    return judge_http(http.perform(stop));
}

}  // namespace workforce::workers
