// Header and body of a message: seven bits a byte, lines of limited length, and nothing that a value could add.
#include "workers/mail/message.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/crypto.hpp"
#include "net/reply_writer.hpp"

namespace workforce::workers {
namespace {

constexpr std::size_t kPlainSubject = 60;  // characters of one that needs no encoding
constexpr std::size_t kEncodedWord = 45;   // bytes that an encoded word of RFC 2047 (75 characters) has room for
constexpr std::size_t kLongestLine = 998;  // of RFC 5322 2.1.1
constexpr std::size_t kBase64Line = 76;    // of RFC 2045 6.8

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }
bool is_printable(unsigned char c) { return c >= 0x20 && c < 0x7f; }
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// Beyond what an address may hold anyway, RFC 5322 gives `:` and brackets a meaning in a header.
bool fits_header(std::string_view address) {
    return core::is_email(address) && address.find_first_of(":[]\x7f") == std::string_view::npos;
}

std::string encode_subject(std::string_view subject) {
    bool const plain = subject.size() <= kPlainSubject && std::all_of(subject.begin(), subject.end(), is_printable) &&
                       subject.find("=?") == std::string_view::npos;
    if (plain) return std::string(subject);
    std::string words;
    while (!subject.empty()) {
        auto size = std::min(subject.size(), kEncodedWord);
        // No word ends within a character.
        while (size > 1 && size < subject.size() && continues_character(subject[size])) --size;
        words +=
            fmt::format("{}=?utf-8?B?{}?=", words.empty() ? "" : "\r\n ", core::base64_encode(subject.substr(0, size)));
        subject.remove_prefix(size);
    }
    return words;
}

/// With CRLF at each line's end, also the last one's.
std::string with_line_ends(std::string_view text) {
    std::string lines;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
        if (text[i] == '\r' || text[i] == '\n') {
            lines += "\r\n";
        } else {
            lines += text[i];
        }
    }
    if (!lines.ends_with("\r\n")) lines += "\r\n";
    return lines;
}

/// Whether a body may go as it is.
bool is_seven_bit(std::string_view lines) {
    std::size_t length = 0;
    for (char const c : lines) {
        length = c == '\n' ? 0 : length + 1;
        if (length > kLongestLine ||
            !(is_printable(static_cast<unsigned char>(c)) || c == '\t' || c == '\r' || c == '\n'))
            return false;
    }
    return true;
}

std::string encode_body(std::string_view lines) {
    auto const encoded = core::base64_encode(lines);
    std::string body;
    for (std::size_t i = 0; i < encoded.size(); i += kBase64Line) body += encoded.substr(i, kBase64Line) + "\r\n";
    return body;
}

}  // namespace

std::string_view domain_of(std::string_view address) { return address.substr(address.rfind('@') + 1); }

std::optional<std::string> compose(Mail const& mail, std::string_view from, core::Timestamp written) {
    auto const& [to, subject, text] = mail.text;
    if (!fits_header(to) || std::any_of(subject.begin(), subject.end(), is_control)) return std::nullopt;
    auto date = net::http_date(static_cast<std::time_t>(written.ms / 1000));
    date.replace(date.rfind("GMT"), 3, "+0000");
    auto const lines = with_line_ends(text);
    bool const plain = is_seven_bit(lines);
    return fmt::format(
        "Date: {}\r\nFrom: <{}>\r\nTo: <{}>\r\nSubject: {}\r\nMessage-ID: <{}@{}>\r\nAuto-Submitted: auto-generated\r\n"
        "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: {}\r\n\r\n{}",
        date, from, to, encode_subject(subject), mail.id, domain_of(from), plain ? "7bit" : "base64",
        plain ? lines : encode_body(lines));
}

}  // namespace workforce::workers
