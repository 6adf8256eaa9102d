// The head of an answer as bytes. Beast gives the reason phrases.
#include "net/reply_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/beast/http/status.hpp>
#include <iterator>

namespace workforce::net {

namespace {

void append_clean(std::string& out, std::string_view text) {
    auto const begin = static_cast<std::ptrdiff_t>(out.size());
    out.append(text);
    std::replace_if(
        out.begin() + begin, out.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
}

}  // namespace

// strftime would follow the locale.
std::string http_date(std::time_t when) {
    static constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::tm utc{};
    gmtime_r(&when, &utc);
    return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[static_cast<std::size_t>(utc.tm_wday)],
                       utc.tm_mday, kMonths[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour,
                       utc.tm_min, utc.tm_sec);
}

bool ReplyWriter::has_body(unsigned status) { return status >= 200 && status != 204 && status != 304; }

std::string_view ReplyWriter::common_fields() {
    auto const now = std::time(nullptr);
    if (now != second_) {
        second_ = now;
        common_fields_ = fmt::format("\r\nDate: {}\r\nServer: workforce\r\n", http_date(now));
    }
    return common_fields_;
}

void ReplyWriter::append_head(std::string& out, Reply const& reply, ReplyFraming framing) {
    auto const reason = boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(reply.status));
    out.append("HTTP/1.1 ").append(fmt::format_int(reply.status).c_str()).push_back(' ');
    out.append(reason.data(), reason.size()).append(common_fields());
    if (reply.stream) {
        out.append("Content-Type: ").append(reply.content_type).append("\r\n");
        if (!framing.http_1_0) out.append("Transfer-Encoding: chunked\r\n");
    } else if (has_body(reply.status)) {
        auto const size = reply.text().size();
        if (size > 0) out.append("Content-Type: ").append(reply.content_type).append("\r\n");
        out.append("Content-Length: ").append(fmt::format_int(size).c_str()).append("\r\n");
    }
    for (auto const& [name, value] : reply.headers) {
        append_clean(out, name);
        out.append(": ");
        append_clean(out, value);
        out.append("\r\n");
    }
    if (framing.last) {
        out.append("Connection: close\r\n");
    } else if (framing.http_1_0) {
        out.append("Connection: keep-alive\r\n");
    }
    out.append("\r\n");
}

}  // namespace workforce::net
