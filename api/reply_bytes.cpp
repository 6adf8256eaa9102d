// What counts, and from which size on.
#include "api/reply_bytes.hpp"

#include <utility>

namespace workforce::api {
namespace {

constexpr std::size_t kSmallReply = 8 << 10;
constexpr std::size_t kUsualReply = 64 << 10;  // without room for one nothing is done

}  // namespace

core::Problem no_room(bool done) {
    if (!done) return {core::Code::service_unavailable, "Answers that were not read yet fill your share of memory."};
    return {core::Code::service_unavailable,
            "This is done, but answers that were not read yet leave no room for its answer.", R"({"done":true})",
            "Read the answers that wait. Then send the request again with the same idempotency key, or read what it "
            "changed."};
}

core::Result<net::HeldBytes> reserve_reply(net::ByteBudget& replies, net::ByteHolder holder, std::size_t copies) {
    auto const bytes = kUsualReply * copies;
    if (replies.is_roomy(bytes)) return net::HeldBytes();
    if (!replies.take(holder, bytes)) return tl::unexpected(no_room());
    return net::HeldBytes(replies, holder, bytes);
}

core::Result<void> hold_body(net::ByteBudget& replies, net::ByteHolder holder, operations::Effect effect,
                             operations::Outcome& outcome, net::HeldBytes reserved, std::size_t copies) {
    if (!outcome.held) outcome.held = std::move(reserved);
    // The body is small, but its copies together may not be: the reservation stays until they are made.
    bool const small = outcome.body.size() <= kSmallReply;
    if (small && copies > 1) return {};
    if (hold_reply(replies, holder, outcome.body.size() * copies, outcome.held)) return {};
    return tl::unexpected(no_room(effect != operations::Effect::read && !outcome.refused));
}

bool hold_reply(net::ByteBudget& replies, net::ByteHolder holder, std::size_t bytes, net::HeldBytes& held) {
    if (bytes <= kSmallReply) {
        held = {};
        return true;
    }
    bool const taken = held ? held.resize(bytes) : replies.take(holder, bytes);
    if (!taken) {
        held = {};
    } else if (!held) {
        held = net::HeldBytes(replies, holder, bytes);
    }
    return taken;
}

}  // namespace workforce::api
