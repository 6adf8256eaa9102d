// What counts, and from which size on.
#include "api/reply_bytes.hpp"

#include <cstddef>

namespace workforce::api {
namespace {

constexpr std::size_t kSmallReply = 8 << 10;
constexpr std::size_t kUsualReply = 64 << 10;  // without room for one nothing is done

}  // namespace

core::Problem unread() {
    return {core::Code::service_unavailable, "Answers that were not read yet fill your share of memory."};
}

std::optional<core::Problem> foresee_reply(net::ByteBudget& replies, net::ByteHolder holder) {
    if (!replies.is_full(holder, kUsualReply)) return std::nullopt;
    replies.note_refused();
    return unread();
}

core::Result<void> hold_body(net::ByteBudget& replies, net::ByteHolder holder, operations::Effect effect,
                             operations::Outcome& outcome, std::size_t copies) {
    if (outcome.body.size() <= kSmallReply || (outcome.held && copies == 1)) return {};
    auto const bytes = outcome.body.size() * copies;
    if (effect != operations::Effect::read) {
        replies.force(holder, bytes);  // it is done: whoever did it is to know
    } else if (!replies.take(holder, bytes)) {
        return tl::unexpected(unread());
    }
    outcome.held = net::HeldBytes(replies, holder, bytes);
    return {};
}

net::HeldBytes hold_text(net::ByteBudget& replies, net::ByteHolder holder, std::string_view text) {
    if (text.size() <= kSmallReply) return {};
    replies.force(holder, text.size());
    return {replies, holder, text.size()};
}

}  // namespace workforce::api
