// Limits by kind of caller, and their headers.
#include "api/limits.hpp"

#include <algorithm>

#include "events/api_key.hpp"
#include "net/byte_budget.hpp"

namespace workforce::api {
namespace {

using core::Code;

constexpr std::chrono::seconds kMinute{60};
constexpr std::size_t kHeaders = 13;  // that an answer has as a rule

void add(net::Reply& reply, char const* name, std::int64_t value) {
    reply.headers.emplace_back(name, std::to_string(value));
}

core::Problem too_many_of_person() {
    return {Code::rate_limited, "The user has made as many requests as people may in a minute."};
}

core::Problem too_many_of_key() {
    return {Code::api_key_rate_limited, "The API key has made as many requests as it may in the present window."};
}

}  // namespace

Limits::Limits(core::Config const& config, KeyLimits* keys)
    : config_(config),
      keys_(keys),
      window_(std::to_string(config.rate_window_seconds)),
      people_(kMinute),
      sign_ins_(kMinute),
      addresses_(kMinute) {}

boost::asio::awaitable<std::optional<core::Problem>> Limits::admit(operations::Caller const& caller, LimitNote& note) {
    auto const limit = limit_of(caller);
    if (limit == 0) co_return std::nullopt;
    if (caller.is_person()) {
        auto const over = people_.take(caller.credential_id, limit);
        if (!over) co_return std::nullopt;
        note.retry_after = over->count();
        co_return too_many_of_person();
    }
    auto verdict = keys_->try_take(caller.credential_id, limit);
    if (!verdict) verdict = co_await keys_->take(caller.credential_id, limit);
    note.key = verdict->state;
    if (verdict->granted) co_return std::nullopt;
    note.retry_after = verdict->state.retry_after;
    co_return too_many_of_key();
}

std::int64_t Limits::limit_of(operations::Caller const& caller) const {
    if (caller.is_person()) {
        return caller.user.role == events::Role::staff ? config_.staff_rate_limit : config_.user_rate_limit;
    }
    if (keys_ == nullptr) return 0;
    auto const own = caller.rate_limit > 0 ? caller.rate_limit : events::kDefaultRateLimit;
    return std::max<std::int64_t>(own, config_.least_rate_limit);
}

std::optional<core::Problem> Limits::foresee(operations::Caller const& caller) const {
    auto const limit = limit_of(caller);
    if (limit == 0) return std::nullopt;
    if (caller.is_person()) {
        return people_.exhausted(caller.credential_id, limit) ? std::optional(too_many_of_person()) : std::nullopt;
    }
    return keys_->exhausted(caller.credential_id, limit) ? std::optional(too_many_of_key()) : std::nullopt;
}

std::optional<core::Problem> Limits::admit_stranger(std::string_view address, LimitNote& note) {
    auto const limit = config_.address_rate_limit;
    auto const over = limit == 0 ? std::nullopt : addresses_.take(net::holder_of(address).id, limit);
    if (!over) return std::nullopt;
    note.retry_after = over->count();
    return core::Problem{Code::rate_limited,
                         "The address has made as many requests without a valid credential as it may in a minute."};
}

std::optional<core::Problem> Limits::admit_sign_in(std::string_view address, LimitNote& note) {
    auto const limit = config_.login_rate_limit;
    auto const over = limit == 0 ? std::nullopt : sign_ins_.take(net::holder_of(address).id, limit);
    if (!over) return std::nullopt;
    note.retry_after = over->count();
    return core::Problem{Code::rate_limited, "The address has tried to sign in as often as it may in a minute."};
}

void Limits::tell(net::Reply& reply, LimitNote const& note) const {
    if (note.retry_after > 0) add(reply, "Retry-After", note.retry_after);
    if (!note.key) return;
    reply.headers.reserve(kHeaders);
    add(reply, "X-RateLimit-Limit", note.key->limit);
    add(reply, "X-RateLimit-Remaining", note.key->remaining);
    add(reply, "X-RateLimit-Reset", note.key->reset);
    reply.headers.emplace_back("X-RateLimit-Window", window_ + 's');
    if (note.retry_after == 0) {
        reply.headers.emplace_back("X-RateLimit-Policy", std::to_string(note.key->limit) + ";w=" + window_);
    }
}

}  // namespace workforce::api
