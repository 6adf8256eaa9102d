// Sealing of mails.
#include "workers/mail/sealed_mail.hpp"

#include <stdexcept>
#include <utility>

#include "core/crypto.hpp"
#include "core/json.hpp"
#include "workers/engine/sealing.hpp"

namespace workforce::workers {
namespace {

constexpr std::string_view kSaidPlace = "ops.outbox/said";

/// What a mail says apart from whom it goes to.
struct MailContent {
    std::string subject;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(MailContent, (), (subject, text))

/// A mail's text; of one that is about somebody, `text` is its content, sealed.
struct StoredMail : MailText {
    std::optional<std::string> about;
};
BOOST_DESCRIBE_STRUCT(StoredMail, (MailText), (about))

}  // namespace

std::optional<std::string> seal_mail(events::Keyring& keyring, Mail const& mail) {
    StoredMail stored{mail.text, {}};
    if (!mail.about.empty()) {
        auto const content = core::to_json(MailContent{mail.text.subject, mail.text.text});
        auto const sealed = seal_for(keyring, mail.about, kSaidPlace, content);
        if (!sealed) return std::nullopt;
        stored = {{mail.text.to, {}, core::base64_encode(*sealed)}, mail.about};
    }
    return seal_for(keyring, mail.person, kOutboxPlace, core::to_json(stored));
}

std::optional<MailText> open_mail(events::Keyring& keyring, std::string_view person, std::string_view sealed) {
    auto const json = open_for(keyring, person, kOutboxPlace, sealed);
    if (!json) return std::nullopt;
    auto stored = core::from_stored_json<StoredMail>(*json);
    if (!stored.about) return std::move(stored);
    auto const content = core::base64_decode(stored.text);
    if (!content) throw std::runtime_error("a mail's content is no base64");
    auto const said = open_for(keyring, *stored.about, kSaidPlace, *content);
    if (!said) return std::nullopt;
    auto [subject, text] = core::from_stored_json<MailContent>(*said);
    return MailText{std::move(stored.to), std::move(subject), std::move(text)};
}

}  // namespace workforce::workers
