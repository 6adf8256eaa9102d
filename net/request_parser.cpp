// Beast's incremental parser, told to write straight into a Request.
#include "net/request_parser.hpp"

#include <algorithm>
#include <array>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>
#include <optional>
#include <ostream>
#include <utility>

namespace workforce::net {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using beast::error_code;

namespace {

constexpr std::uint64_t kDefaultMaxBody = 256 * 1024;
constexpr std::size_t kReserveAtMost = 64 * 1024;  // a Content-Length alone must not make us commit memory
constexpr std::size_t kKeptBody = 4 * 1024;        // larger buffers are given back between requests
constexpr std::string_view kSchemeEnd = "://";
constexpr std::size_t kShortestLastChunk = 5;  // "0", CRLF, CRLF

Method method_of(http::verb verb) {
    static constexpr std::array<std::pair<http::verb, Method>, 7> kMethods = {{{http::verb::get, Method::get},
                                                                               {http::verb::post, Method::post},
                                                                               {http::verb::put, Method::put},
                                                                               {http::verb::patch, Method::patch},
                                                                               {http::verb::delete_, Method::del},
                                                                               {http::verb::head, Method::head},
                                                                               {http::verb::options, Method::options}}};
    auto const* const found = std::ranges::find(kMethods, verb, &std::pair<http::verb, Method>::first);
    return found == kMethods.end() ? Method::other : found->second;
}

/// Beast's call-backs for one request. Replaced for each request, as Beast's parsers serve one message.
class Wire final : public http::basic_parser<true> {
   public:
    Wire(RequestLimits const& limits, Request& request) : limits_(limits), request_(request) {
        eager(true);
        // Beast's own limit holds what is left to parse, so that it depends on how the bytes came; Impl bounds them.
        header_limit(std::numeric_limits<std::uint32_t>::max());
    }
    ~Wire() override { give_back(); }
    Wire(Wire const&) = delete;
    Wire& operator=(Wire const&) = delete;

    /// Fields past the count are those of an earlier request.
    void drop_stale_headers() { request_.headers.resize(fields_); }
    /// False when there is no room for what has come so far.
    bool charge(ByteBudget& budget, ByteHolder holder) {
        if (!budget.take(holder, request_.body.size())) return false;
        budget_ = &budget;
        holder_ = holder;
        held_ = request_.body.size();
        if (auto const rest = content_length_remaining()) {
            request_.body.reserve(std::min<std::uint64_t>(held_ + *rest, kReserveAtMost));
        }
        return true;
    }
    void give_back() {
        if (budget_ != nullptr) budget_->give_back(holder_, std::exchange(held_, 0));
    }
    [[nodiscard]] RequestFault fault() const { return fault_; }
    [[nodiscard]] bool line_seen() const { return line_seen_; }
    [[nodiscard]] bool http_1_0() const { return http_1_0_; }
    [[nodiscard]] bool expects_continue() const { return expects_continue_; }

   private:
    void refuse(RequestFault fault, error_code& ec) {
        fault_ = fault;
        ec = http::error::bad_value;
    }

    /// Once for a request. Beast compares it with the body's length at the end of the head.
    void limit_body() {
        if (std::exchange(body_limited_, true)) return;
        auto const& limit = limits_.max_body_bytes;
        body_limit(limit ? limit(request_.method, request_.path()) : kDefaultMaxBody);
    }

    /// Chunk extensions and trailers, all together.
    void count_extra(std::size_t bytes, error_code& ec) {
        extra_bytes_ += bytes;
        if (extra_bytes_ > limits_.max_head_bytes) refuse(RequestFault::headers_too_large, ec);
    }

    void on_request_impl(http::verb verb, beast::string_view name, beast::string_view target, int version,
                         error_code& ec) override {
        line_seen_ = true;
        http_1_0_ = version == 10;
        request_.method = method_of(verb);
        request_.method_name.assign(name.data(), name.size());
        if (target.size() > limits_.max_target_bytes) return refuse(RequestFault::target_too_long, ec);
        if (!take_target({target.data(), target.size()})) refuse(RequestFault::malformed, ec);
    }

    /// Keeps the target; one in absolute form in parts. False for one whose host this server could not tell, which
    /// another server may tell differently.
    bool take_target(std::string_view target) {
        auto const scheme = target.starts_with('/') ? std::string_view::npos : target.find(kSchemeEnd);
        if (scheme == std::string_view::npos || scheme > target.find_first_of("/?")) {
            request_.target.assign(target);
            return true;
        }
        beast::string_view const name(target.data(), scheme);
        bool const http = beast::iequals(name, "http") || beast::iequals(name, "https");
        target.remove_prefix(scheme + kSchemeEnd.size());
        auto const host = target.substr(0, target.find_first_of("/?#"));
        if (!http || host.empty() || host.find('@') != std::string_view::npos) return false;
        target.remove_prefix(host.size());
        host_.assign(host);
        request_.target.assign(target.starts_with('/') ? "" : "/").append(target);
        return true;
    }

    void add_field(std::string_view name, std::string_view value) {
        if (fields_ == request_.headers.size()) request_.headers.emplace_back();
        auto& header = request_.headers[fields_++];
        header.first.assign(name);
        header.second.assign(value);
    }

    void on_field_impl(http::field field, beast::string_view name, beast::string_view value, error_code& ec) override {
        // A trailer is counted and dropped: it must not pass for a header.
        if (head_seen_) return count_extra(name.size() + value.size() + sizeof(": \r\n") - 1, ec);
        if (field == http::field::transfer_encoding && (http_1_0_ || !beast::iequals(value, "chunked"))) {
            return refuse(RequestFault::malformed, ec);
        }
        if (field == http::field::content_length || field == http::field::transfer_encoding) limit_body();
        if (field == http::field::expect) expects_continue_ = !http_1_0_ && beast::iequals(value, "100-continue");
        bool const is_host = field == http::field::host;
        if (is_host) ++hosts_;
        add_field({name.data(), name.size()},
                  is_host && !host_.empty() ? std::string_view(host_) : std::string_view(value.data(), value.size()));
    }

    void on_header_impl(error_code& ec) override {
        head_seen_ = true;
        if (hosts_ == 0 && !host_.empty()) add_field("Host", host_);
        drop_stale_headers();
        if (hosts_ > 1 || (hosts_ == 0 && !http_1_0_)) refuse(RequestFault::malformed, ec);  // RFC 9112 section 3.2
    }

    void on_body_init_impl(boost::optional<std::uint64_t> const& length, error_code& ec) override {
        ec = {};
        if (length) request_.body.reserve(std::min<std::uint64_t>(*length, kKeptBody));
    }

    std::size_t on_body_impl(beast::string_view bytes, error_code& ec) override {
        ec = {};
        if (budget_ != nullptr) {
            if (!budget_->take(holder_, bytes.size())) {
                refuse(RequestFault::overloaded, ec);
                return 0;
            }
            held_ += bytes.size();
        }
        request_.body.append(bytes.data(), bytes.size());
        return bytes.size();
    }

    void on_chunk_header_impl(std::uint64_t, beast::string_view extensions, error_code& ec) override {
        ec = {};
        count_extra(extensions.size(), ec);
    }

    std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view bytes, error_code& ec) override {
        return on_body_impl(bytes, ec);
    }

    void on_response_impl(int, beast::string_view, int, error_code&) override {}
    void on_finish_impl(error_code& ec) override { ec = {}; }

    RequestLimits const& limits_;
    Request& request_;
    ByteBudget* budget_ = nullptr;  // once it is known whom the body counts for
    ByteHolder holder_;
    std::size_t held_ = 0;  // of the budget
    std::size_t fields_ = 0;
    std::size_t extra_bytes_ = 0;
    unsigned hosts_ = 0;
    std::string host_;  // that a target in absolute form names
    RequestFault fault_ = RequestFault::none;
    bool line_seen_ = false;
    bool body_limited_ = false;
    bool head_seen_ = false;
    bool http_1_0_ = false;
    bool expects_continue_ = false;
};

}  // namespace

class RequestParser::Impl {
   public:
    Impl(RequestLimits const& limits, Request& request) : limits_(limits), request_(request) { reset(); }

    void reset() {
        request_.fault = RequestFault::none;
        request_.refusal.reset();
        request_.admitted = false;
        request_.method = Method::other;
        request_.method_name.clear();
        request_.target.clear();
        clear_body();
        wire_.emplace(limits_, request_);
        state_ = State::need_more;
        head_bytes_ = 0;
        started_ = false;
    }

    std::size_t feed(std::string_view bytes) {
        std::size_t used = 0;
        if (!started_) {  // empty lines before a request line are to be ignored (RFC 9112 section 2.2)
            used = std::min(bytes.find_first_not_of("\r\n"), bytes.size());
            started_ = used < bytes.size();
        }
        while (state_ == State::need_more && used < bytes.size()) {
            auto const taken = put(bytes.substr(used));
            if (taken == 0) break;
            used += taken;
        }
        return used;
    }

    void charge(ByteBudget& budget, ByteHolder holder) {
        if (wire_->charge(budget, holder)) return;
        state_ = State::fault;
        request_.fault = RequestFault::overloaded;
    }

    void drop_body() {
        clear_body();
        wire_->give_back();
    }

    RequestLimits const& limits_;
    Request& request_;
    std::optional<Wire> wire_;
    State state_ = State::need_more;
    std::size_t head_bytes_ = 0;  // that Beast took of a head that is not whole
    bool started_ = false;

   private:
    void clear_body() {
        request_.body.clear();
        if (request_.body.capacity() > kKeptBody) request_.body.shrink_to_fit();
    }

    /// One step; gives what it used. A head, and what stands between chunks, is shown to Beast up to its limit only: so
    /// they are refused or not whatever pieces they come in.
    std::size_t put(std::string_view bytes) {
        bool const in_head = !wire_->is_header_done();
        bool const in_chunks = !in_head && wire_->chunked();
        // Beast asserts that the last chunk is seen whole; every body in chunks ends in at least these bytes.
        if (in_chunks && bytes.size() < kShortestLastChunk) return 0;
        auto const room = in_head ? limits_.max_head_bytes - head_bytes_ : limits_.max_head_bytes;
        auto const shown = in_head || in_chunks ? bytes.substr(0, room) : bytes;
        error_code ec;
        auto const taken = wire_->put(boost::asio::buffer(shown.data(), shown.size()), ec);
        if (ec && ec != http::error::need_more) {
            fail(ec, bytes.substr(taken));
        } else if (wire_->is_done()) {
            state_ = State::complete;
        } else if (!wire_->is_header_done()) {
            head_bytes_ += taken;
            if (shown.size() == room) fail(http::error::header_limit, bytes);
        } else if (in_chunks && taken == 0 && shown.size() == room) {
            fail(http::error::header_limit, bytes);
        }
        return taken;
    }

    void fail(error_code ec, std::string_view rest) {
        state_ = State::fault;
        wire_->drop_stale_headers();
        request_.fault = fault_of(ec, rest);
    }

    /// What stands where a head has its target, whole or not.
    static std::string_view target_of(std::string_view head) {
        auto const method = std::min(head.find(' '), head.size() - 1);
        auto const target = head.substr(method + 1);
        return target.substr(0, target.find_first_of(" \r\n"));
    }

    [[nodiscard]] RequestFault fault_of(error_code ec, std::string_view rest) const {
        if (wire_->fault() != RequestFault::none) return wire_->fault();
        if (ec == http::error::body_limit) return RequestFault::body_too_large;
        if (ec != http::error::header_limit) return RequestFault::malformed;
        bool const target =
            !wire_->line_seen() && target_of(rest.substr(0, limits_.max_head_bytes)).size() > limits_.max_target_bytes;
        return target ? RequestFault::target_too_long : RequestFault::headers_too_large;
    }
};

RequestParser::RequestParser(RequestLimits const& limits, Request& request)
    : impl_(std::make_unique<Impl>(limits, request)) {}
RequestParser::~RequestParser() = default;

void RequestParser::reset() { impl_->reset(); }
std::size_t RequestParser::feed(std::string_view bytes) { return impl_->feed(bytes); }
void RequestParser::charge(ByteBudget& budget, ByteHolder holder) { impl_->charge(budget, holder); }
void RequestParser::drop_body() { impl_->drop_body(); }
RequestParser::State RequestParser::state() const { return impl_->state_; }
bool RequestParser::head_done() const { return impl_->wire_->is_header_done(); }
bool RequestParser::keep_alive() const { return impl_->state_ == State::complete && impl_->wire_->keep_alive(); }
bool RequestParser::http_1_0() const { return impl_->wire_->http_1_0(); }
bool RequestParser::expects_continue() const { return impl_->wire_->expects_continue(); }

}  // namespace workforce::net
