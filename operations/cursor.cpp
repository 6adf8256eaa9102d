// Encoding of page cursors: base64url(JSON {k: keys, f: filter digest} + 8 bytes of HMAC-SHA256).
#include "operations/cursor.hpp"

#include "core/crypto.hpp"
#include "core/json.hpp"

namespace workforce::operations {
namespace {

constexpr std::size_t kMacBytes = 8;

struct CursorBody {
    std::vector<std::string> k;
    std::string f;
};
BOOST_DESCRIBE_STRUCT(CursorBody, (), (k, f))

std::string filter_digest(std::string_view binding) {
    return core::base64url_encode(core::bytes(core::sha256(binding)).substr(0, 12));
}

std::string mac(std::string_view secret, std::string_view body) {
    return std::string(core::bytes(core::hmac_sha256(secret, body)).substr(0, kMacBytes));
}

}  // namespace

std::string encode_cursor(std::vector<std::string> const& keys, std::string_view binding, std::string_view secret) {
    auto body = core::to_json(CursorBody{keys, filter_digest(binding)});
    body += mac(secret, body);
    return core::base64url_encode(body);
}

core::Result<std::vector<std::string>> decode_cursor(std::string_view cursor, std::string_view binding,
                                                     std::string_view secret) {
    auto const invalid = [] { return core::refuse(core::Code::invalid_cursor, "The cursor is not one of this list."); };
    auto const bytes = core::base64url_decode(cursor);
    if (!bytes || bytes->size() <= kMacBytes) return invalid();
    std::string_view const body(bytes->data(), bytes->size() - kMacBytes);
    if (!core::constant_time_equal(mac(secret, body), std::string_view(*bytes).substr(body.size()))) return invalid();
    auto const parsed = core::from_stored_json<CursorBody>(body);  // ours: the MAC says so
    if (parsed.f != filter_digest(binding)) return invalid();
    return parsed.k;
}

}  // namespace workforce::operations
