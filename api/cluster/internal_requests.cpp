// The header's text, and what was seen of it.
#include "api/cluster/internal_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/crypto.hpp"

namespace workforce::api {
namespace {

constexpr std::size_t kNonceBytes = 16;
/// A request may be early by kInternalLife and late by as much.
constexpr auto kPeriod = 2 * kInternalLife;

/// The fields of the header, as they stand there between spaces.
struct Fields {
    std::string_view ms, nonce, addressee, organization, space, body, mac;
};

constexpr std::string_view kLive = "live";
constexpr std::string_view kSandbox = "sandbox";

std::string digest(std::string_view body) { return core::base64url_encode(core::bytes(core::sha256(body))); }

/// What the MAC is over.
std::string text_of(Fields const& f, std::string_view method, std::string_view path) {
    return fmt::format("internal request\n{} {} {} {} {} {}\n{} {}", f.ms, f.nonce, f.addressee, f.organization,
                       f.space, f.body, method, path);
}

std::optional<Fields> parse(std::optional<std::string_view> header) {
    if (!header) return std::nullopt;
    Fields fields;
    auto rest = *header;
    for (auto* field : {&fields.ms, &fields.nonce, &fields.addressee, &fields.organization, &fields.space, &fields.body,
                        &fields.mac}) {
        auto const end = field == &fields.mac ? rest.size() : rest.find(' ');
        if (end == std::string_view::npos) return std::nullopt;
        *field = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return fields;
}

/// The fields of a request's header that this installation signed.
std::optional<Fields> signed_fields(SharedKeys const& keys, net::Request const& request) {
    auto const fields = parse(request.header(kInternalField));
    if (!fields) return std::nullopt;
    bool const ours = keys.is_mac(fields->mac, text_of(*fields, request.method_name, request.target));
    return ours ? fields : std::nullopt;
}

core::Id organization_of(Fields const& fields) {
    core::Id id = 0;
    std::from_chars(fields.organization.data(), fields.organization.data() + fields.organization.size(), id);
    return id;
}

}  // namespace

bool is_recent(std::string_view ms) {
    std::int64_t at = 0;
    auto const [end, fault] = std::from_chars(ms.data(), ms.data() + ms.size(), at);
    bool const whole = fault == std::errc{} && end == ms.data() + ms.size() && at >= 0;
    return whole && std::abs(core::now().ms - at) <= kInternalLife.count();
}

net::Header InternalSigner::sign(InternalHead const& head, std::string_view method, std::string_view path,
                                 std::string_view body, core::Timestamp now) const {
    auto const ms = std::to_string(now.ms);
    auto const nonce = core::base64url_encode(core::random_bytes(kNonceBytes));
    auto const organization = std::to_string(head.lane.first);
    auto const body_digest = digest(body);
    Fields const fields{ms, nonce, head.addressee, organization, head.lane.second ? kSandbox : kLive, body_digest, {}};
    return {std::string(kInternalField),
            fmt::format("{} {} {} {} {} {} {}", fields.ms, fields.nonce, fields.addressee, fields.organization,
                        fields.space, fields.body, keys_.mac(text_of(fields, method, path)))};
}

std::optional<core::Lane> InternalVerifier::lane(net::Request const& request) const {
    auto const fields = signed_fields(keys_, request);
    if (!fields || !is_recent(fields->ms)) return std::nullopt;
    return core::Lane(organization_of(*fields), fields->space == kSandbox);
}

std::optional<InternalFault> InternalVerifier::take(net::Request const& request) {
    auto const fields = signed_fields(keys_, request);
    if (!fields || !core::constant_time_equal(fields->body, digest(request.body))) return InternalFault::forged;
    if (fields->addressee != self_) return InternalFault::other_addressee;
    if (!is_recent(fields->ms)) return InternalFault::clocks_differ;
    auto const bytes = core::base64url_decode(fields->nonce);
    if (!bytes || bytes->size() != kNonceBytes) return InternalFault::forged;
    Nonce nonce;
    std::memcpy(nonce.data(), bytes->data(), kNonceBytes);
    if (!remember(nonce)) return InternalFault::replayed;
    return std::nullopt;
}

bool InternalVerifier::take_once(std::string_view signature) {
    auto const seen = core::sha256(signature);
    Nonce nonce;
    std::memcpy(nonce.data(), seen.data(), kNonceBytes);
    return remember(nonce);
}

bool InternalVerifier::remember(Nonce nonce) {
    std::lock_guard const lock(mutex_);
    auto const now = std::chrono::steady_clock::now();
    if (now - turned_ > kPeriod) {
        former_ = std::exchange(nonces_, {});
        turned_ = now;
    }
    return !former_.contains(nonce) && nonces_.insert(nonce).second;
}

}  // namespace workforce::api
