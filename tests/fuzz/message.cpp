// A mail as a message: whatever it says, it has the headers that it has, of one line each or folded, and sound line
// ends.
#include "workers/mail/message.hpp"

#include <array>

#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {

void fuzz(std::string_view input) {
    std::string const to(take_until(input, '|'));
    std::string const subject(take_until(input, '|'));
    auto const message =
        workers::compose({"0190e0c2-0000-7000-8000-000000000001", 7, "staff/1", {to, subject, std::string(input)}},
                         "no-reply@example.test", {});
    if (!message) return;
    constexpr std::array<std::string_view, 9> kNames{"Date",         "From",         "To",
                                                     "Subject",      "Message-ID",   "Auto-Submitted",
                                                     "MIME-Version", "Content-Type", "Content-Transfer-Encoding"};
    std::string_view rest = *message;
    std::size_t headers = 0;
    bool body = false;
    while (!rest.empty()) {
        auto const end = rest.find("\r\n");
        require(end != std::string_view::npos && end <= 998, "lines end with CRLF, and have 998 bytes at most");
        auto const line = rest.substr(0, end);
        rest.remove_prefix(end + 2);
        require(line.find_first_of("\r\n") == std::string_view::npos, "no line ends otherwise");
        if (body) continue;
        body = line.empty();
        if (body || line.starts_with(' ')) continue;
        require(headers < kNames.size() && line.starts_with(std::string(kNames.at(headers)) + ": "),
                "headers are ours");
        ++headers;
    }
    require(body && headers == kNames.size(), "all headers are there");
}

}  // namespace workforce::tests
