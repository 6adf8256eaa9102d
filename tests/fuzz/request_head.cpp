// Requests on the wire: however the bytes of a connection are cut, the same requests come out, and whole ones are
// clean.
#include <algorithm>

#include "net/request_parser.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
namespace {

using State = net::RequestParser::State;

/// Small, so that inputs reach them.
net::RequestLimits const kLimits{512, 128,
                                 [](net::Method, std::string_view path) { return path.size() > 20 ? 64 : 256; }};

struct Taken {
    State state = State::need_more;
    std::size_t used = 0;
    net::Request request;
    bool keep_alive = false;
};

/// What the parser makes of the bytes when they arrive so many at a time, as a connection would show them.
Taken take(std::string_view bytes, std::size_t step) {
    Taken taken;
    net::RequestParser parser(kLimits, taken.request);
    for (std::size_t end = 0; parser.state() == State::need_more && end < bytes.size();) {
        end = std::min(std::max(end, taken.used) + step, bytes.size());
        taken.used += parser.feed(bytes.substr(taken.used, end - taken.used));
        require(taken.used <= end, "a parser uses no more than it is shown");
    }
    taken.state = parser.state();
    taken.keep_alive = parser.keep_alive();
    return taken;
}

bool is_clean(std::string_view text) { return text.find_first_of(std::string_view("\r\n\0", 3)) == text.npos; }

void require_whole(net::Request const& request) {
    require(request.fault == net::RequestFault::none, "a whole request has no fault");
    require(is_clean(request.method_name) && is_clean(request.target), "no line ends within the request line");
    require(request.target.find(' ') == std::string::npos, "a target has no spaces");
    require(request.target.size() <= kLimits.max_target_bytes, "the target's limit holds");
    require(request.body.size() <= kLimits.max_body_bytes(request.method, request.path()), "the body's limit holds");
    for (auto const& [name, value] : request.headers) {
        require(!name.empty() && is_clean(name) && is_clean(value), "no line ends within a field");
        require(name.find_first_of(" \t:") == std::string::npos, "a field's name is a token");
    }
    require(request.target.starts_with('/') || request.target.find("://") > request.target.find_first_of("/?"),
            "a target in absolute form is taken apart");
    require(request.path().find('?') == std::string_view::npos, "a path ends before the query");
}

}  // namespace

void fuzz(std::string_view input) {
    std::size_t const step = 1 + take_byte(input) % 32U;
    while (!input.empty()) {
        auto const whole = take(input, input.size());
        auto const cut = take(input, step);
        require((whole.state == State::complete) == (cut.state == State::complete), "cuts don't decide what is whole");
        if (whole.state != State::complete) return;
        require_whole(whole.request);
        require(whole.used == cut.used, "cuts don't move the end of a request");
        require(whole.request.method_name == cut.request.method_name && whole.request.target == cut.request.target &&
                    whole.request.headers == cut.request.headers && whole.request.body == cut.request.body &&
                    whole.keep_alive == cut.keep_alive,
                "cuts don't change a request");
        input.remove_prefix(whole.used);
    }
}

}  // namespace workforce::tests
