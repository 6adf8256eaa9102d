// What an SMTP server is given, and what its answers mean.
#include "workers/mail/message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/crypto.hpp"
#include "workers/mail/http_channel.hpp"
#include "workers/mail/smtp_channel.hpp"

namespace workforce::workers {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr core::Timestamp kWritten{1'795'573'280'941};  // 2026-11-25T02:21:20.941Z

std::optional<std::string> compose(std::string const& to, std::string const& subject, std::string const& text) {
    return workers::compose({.id = "0190e0c2-0000-7000-8000-000000000001",
                             .organization = 7,
                             .person = "staff/1",
                             .text = {to, subject, text}},
                            "no-reply@mail.example.test", kWritten);
}

std::string body_of(std::string const& message) { return message.substr(message.find("\r\n\r\n") + 4); }

/// The value of a header, unfolded.
std::string header(std::string const& message, std::string const& name) {
    auto const from = message.find("\r\n" + name + ": ") + name.size() + 4;
    auto value = message.substr(from, message.find("\r\n", from) - from);
    for (auto at = from + value.size() + 2; message[at] == ' '; at = message.find("\r\n", at) + 2) {
        value += message.substr(at, message.find("\r\n", at) - at);
    }
    return value;
}

TEST(MailMessage, SaysAllThatItHasTo) {
    EXPECT_EQ(compose("ada@example.test", "You are assigned", "Hello Ada,\n\n.hidden\n"),
              "Date: Wed, 25 Nov 2026 02:21:20 +0000\r\n"
              "From: <no-reply@mail.example.test>\r\n"
              "To: <ada@example.test>\r\n"
              "Subject: You are assigned\r\n"
              "Message-ID: <0190e0c2-0000-7000-8000-000000000001@mail.example.test>\r\n"
              "Auto-Submitted: auto-generated\r\n"
              "MIME-Version: 1.0\r\n"
              "Content-Type: text/plain; charset=utf-8\r\n"
              "Content-Transfer-Encoding: 7bit\r\n"
              "\r\n"
              "Hello Ada,\r\n\r\n.hidden\r\n");
}

TEST(MailMessage, ARepetitionIsTheSame) {
    EXPECT_EQ(compose("ada@example.test", "é", "é"), compose("ada@example.test", "é", "é"));
}

TEST(MailMessage, SubjectsOfOtherScriptsAreEncodedWords) {
    std::string subject;
    for (int i = 0; i < 40; ++i) subject += "Nachtwäche ☾ ";
    auto const message = *compose("ada@example.test", subject, "x");
    std::istringstream words(header(message, "Subject"));
    std::string decoded;
    for (std::string word; words >> word;) {
        ASSERT_THAT(word, testing::AllOf(StartsWith("=?utf-8?B?"), EndsWith("?=")));
        EXPECT_LE(word.size(), 75U);
        auto const part = core::base64_decode(word.substr(10, word.size() - 12));
        ASSERT_TRUE(part) << word;
        EXPECT_FALSE(part->empty());
        EXPECT_NE(static_cast<unsigned char>(part->front()) & 0xc0U, 0x80U) << "a word begins within a character";
        decoded += *part;
    }
    EXPECT_EQ(decoded, subject);
}

TEST(MailMessage, ASubjectThatLooksEncodedIsNoOtherOne) {
    for (auto const& subject : {std::string("=?utf-8?B?aGE=?="), std::string(200, 'x')}) {
        auto const value = header(*compose("ada@example.test", subject, "x"), "Subject");
        EXPECT_THAT(value, StartsWith("=?utf-8?B?")) << subject;
        EXPECT_THAT(value, testing::Not(HasSubstr(subject)));
    }
}

TEST(MailMessage, ABodyIsOfSevenBitsAndShortLines) {
    for (auto const& text : {std::string("Grüße, ☾"), std::string(2000, 'x'), std::string("a\0b", 3)}) {
        auto const message = *compose("ada@example.test", "x", text);
        EXPECT_THAT(message, HasSubstr("\r\nContent-Transfer-Encoding: base64\r\n"));
        std::string encoded;
        std::istringstream lines(body_of(message));
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(line.size(), 77U);
            EXPECT_THAT(line, EndsWith("\r"));
            encoded += line.substr(0, line.size() - 1);
        }
        EXPECT_EQ(core::base64_decode(encoded), text + "\r\n");
    }
}

TEST(MailMessage, LinesEndInOneWay) {
    EXPECT_EQ(body_of(*compose("ada@example.test", "x", "a\r\nb\rc\nd\r\n")), "a\r\nb\r\nc\r\nd\r\n");
    EXPECT_EQ(body_of(*compose("ada@example.test", "x", "")), "\r\n");
}

TEST(MailMessage, NothingAddsAHeader) {
    for (std::string const to : {"ada@example.test\r\nBcc: eve@example.test", "ada@example.test\n", "a\rb@example.test",
                                 "ada", "ada@example.test>", "ada@example.test, eve@example.test",
                                 "team:ada@example.test", "ada @example.test", ""}) {
        EXPECT_FALSE(compose(to, "x", "x")) << to;
    }
    for (auto const& subject : {std::string("x\r\nBcc: eve@example.test"), std::string("x\ny"), std::string("x\ry"),
                                std::string("x\0y", 3), std::string("é\n")}) {
        EXPECT_FALSE(compose("ada@example.test", subject, "x")) << subject;
    }
}

Sending judged_smtp(CURLcode code, long status, std::string_view command) {
    auto const attempt = judge_smtp({.code = code, .status = status, .command = command});
    EXPECT_EQ(attempt.why.empty(), attempt.result == Sending::sent);
    return attempt.result;
}

TEST(MailAnswers, OfServers) {
    EXPECT_EQ(judged_smtp(CURLE_OK, 250, "DATA"), Sending::sent);
    EXPECT_EQ(judged_smtp(CURLE_SEND_ERROR, 550, "RCPT"), Sending::refused);
    EXPECT_EQ(judged_smtp(CURLE_SEND_ERROR, 450, "RCPT"), Sending::deferred);
    EXPECT_EQ(judged_smtp(CURLE_WEIRD_SERVER_REPLY, 554, "DATA"), Sending::refused);
    EXPECT_EQ(judged_smtp(CURLE_WEIRD_SERVER_REPLY, 451, "DATA"), Sending::deferred);
    EXPECT_EQ(judged_smtp(CURLE_OPERATION_TIMEDOUT, 354, "DATA"), Sending::deferred) << "the server may have it";
    EXPECT_EQ(judged_smtp(CURLE_SEND_ERROR, 421, "RCPT"), Sending::unreachable) << "whoever the recipient is";
    EXPECT_EQ(judged_smtp(CURLE_SEND_ERROR, 530, "MAIL"), Sending::unreachable) << "it wants us to sign in";
    EXPECT_EQ(judged_smtp(CURLE_WEIRD_SERVER_REPLY, 554, ""), Sending::unreachable) << "its greeting";
    EXPECT_EQ(judged_smtp(CURLE_COULDNT_CONNECT, 0, ""), Sending::unreachable);
    EXPECT_EQ(judged_smtp(CURLE_LOGIN_DENIED, 535, ""), Sending::unreachable);
    EXPECT_EQ(judged_smtp(CURLE_PEER_FAILED_VERIFICATION, 220, ""), Sending::unreachable);
    EXPECT_EQ(judged_smtp(CURLE_OPERATION_TIMEDOUT, 250, "RCPT"), Sending::unreachable);
}

TEST(MailAnswers, OfGateways) {
    auto const judged = [](CURLcode code, long status) {
        return judge_http({.code = code, .status = status, .command = {}}).result;
    };
    EXPECT_EQ(judged(CURLE_OK, 200), Sending::sent);
    EXPECT_EQ(judged(CURLE_OK, 204), Sending::sent);
    for (long const status : {400, 413, 422}) EXPECT_EQ(judged(CURLE_OK, status), Sending::refused);
    for (long const status : {301, 401, 404, 429, 500, 503}) EXPECT_EQ(judged(CURLE_OK, status), Sending::unreachable);
    EXPECT_EQ(judged(CURLE_OPERATION_TIMEDOUT, 0), Sending::unreachable);
}

}  // namespace
}  // namespace workforce::workers
