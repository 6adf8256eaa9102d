// What counts, and from which size on.
#include "api/reply_bytes.hpp"

#include <cstddef>

namespace workforce::api {
namespace {

constexpr std::size_t kSmallReply = 8 << 10;
constexpr std::size_t kUsualReply = 64 << 10;  // without room for one nothing is done

core::Problem unread() {
    return {core::Code::service_unavailable, "Answers that were not read yet fill your share of memory."};
}

}  // namespace

std::optional<core::Problem> foresee_reply(net::ByteBudget& replies, net::ByteHolder holder) {
    if (!replies.is_full(holder, kUsualReply)) return std::nullopt;
    replies.note_refused();
    return unread();
}

core::Result<void> hold_body(net::ByteBudget& replies, net::ByteHolder holder, operations::Effect effect,
                             operations::Outcome& outcome) {
    auto const bytes = outcome.body.size();
    if (outcome.held || bytes <= kSmallReply) return {};
    if (effect != operations::Effect::read) {
        replies.force(holder, bytes);  // it is done: whoever did it is to know
    } else if (!replies.take(holder, bytes)) {
        return tl::unexpected(unread());
    }
    outcome.held = net::HeldBytes(replies, holder, bytes);
    return {};
}

void hold_reply(net::ByteBudget& replies, net::ByteHolder holder, net::Reply& reply) {
    auto const bytes = reply.body.size();
    if (bytes <= kSmallReply) return;
    replies.force(holder, bytes);
    reply.held = net::HeldBytes(replies, holder, bytes);
}

}  // namespace workforce::api
