// Limits by kind of caller, and their headers.
#include "api/limits.hpp"

#include <algorithm>

#include "events/api_key.hpp"
#include "net/byte_budget.hpp"

namespace workforce::api {
namespace {

using core::Code;

constexpr std::chrono::seconds kMinute{60};
constexpr std::size_t kLimitHeaders = 13;  // that an answer has as a rule

void add(net::Reply& reply, char const* name, std::int64_t value) {
    reply.headers.emplace_back(name, std::to_string(value));
}

core::Problem too_many_of_person() {
    return {Code::rate_limited, "The user has made as many requests as people may in a minute."};
}

core::Problem too_many_of_key(Surface surface) {
    return {surface == Surface::mcp ? Code::rate_limited : Code::api_key_rate_limited,
            "The API key has made as many requests as it may in the present window."};
}

/// Takes one of a window that this process alone counts; whether there was none left. On MCP the answer tells of it.
template <class Holder>
bool take(WindowCounter<Holder>& counter, Holder const& holder, std::int64_t limit, LimitNote& note) {
    auto const over = counter.take(holder, limit);
    if (over) note.retry_after = over->count();
    if (note.surface == Surface::mcp) {
        auto const [left, until_reset] = counter.look(holder, limit);
        note.state = RateState{.limit = limit, .remaining = left, .retry_after = until_reset.count()};
    }
    return over.has_value();
}

/// Notes what the key's window is like; the refusal of a request that it had no room for.
std::optional<core::Problem> judged(KeyLimits::Verdict const& verdict, LimitNote& note) {
    note.state = verdict.state;
    if (verdict.granted) return std::nullopt;
    note.retry_after = verdict.state.retry_after;
    return too_many_of_key(note.surface);
}

}  // namespace

bool is_limit(Code code) { return code == Code::api_key_rate_limited || code == Code::rate_limited; }

Limits::Limits(core::Config const& config, KeyLimits* keys, KeyLimits* mcp_keys)
    : config_(config),
      keys_(keys),
      mcp_keys_(mcp_keys),
      window_(std::to_string(config.rate_window_seconds)),
      people_(kMinute),
      mcp_people_(kMinute),
      mcp_addresses_(kMinute),
      sign_ins_(kMinute),
      addresses_(kMinute) {}

core::Result<bool> Limits::admit_here(operations::Caller const& caller, LimitNote& note) {
    auto const limit = limit_of(caller, note.surface);
    if (limit == 0) return true;
    if (caller.counts_as_person()) {
        auto& people = note.surface == Surface::mcp ? mcp_people_ : people_;
        if (take(people, caller.user.id, limit, note)) return tl::unexpected(too_many_of_person());
        return true;
    }
    auto const verdict = keys_of(note.surface)->try_take(caller.credential_id, limit);
    if (!verdict) return false;
    if (auto over = judged(*verdict, note)) return tl::unexpected(*std::move(over));
    return true;
}

boost::asio::awaitable<std::optional<core::Problem>> Limits::admit_by_lease(operations::Caller const& caller,
                                                                            LimitNote& note) {
    auto const limit = limit_of(caller, note.surface);
    co_return judged(co_await keys_of(note.surface)->take(caller.credential_id, limit), note);
}

std::int64_t Limits::limit_of(operations::Caller const& caller, Surface surface) const {
    bool const mcp = surface == Surface::mcp;
    if (caller.counts_as_person()) {
        if (mcp) return config_.mcp_rate_limit;
        return caller.user.role == events::Role::staff ? config_.staff_rate_limit : config_.user_rate_limit;
    }
    if (keys_of(surface) == nullptr) return 0;
    std::int64_t const usual = mcp ? config_.mcp_rate_limit : events::kDefaultRateLimit;
    if (usual == 0) return 0;
    return std::max<std::int64_t>(caller.rate_limit > 0 ? caller.rate_limit : usual, config_.least_rate_limit);
}

std::optional<core::Problem> Limits::foresee(operations::Caller const& caller, Surface surface) const {
    auto const limit = limit_of(caller, surface);
    if (limit == 0) return std::nullopt;
    if (caller.counts_as_person()) {
        auto const& people = surface == Surface::mcp ? mcp_people_ : people_;
        return people.exhausted(caller.user.id, limit) ? std::optional(too_many_of_person()) : std::nullopt;
    }
    bool const over = keys_of(surface)->exhausted(caller.credential_id, limit);
    return over ? std::optional(too_many_of_key(surface)) : std::nullopt;
}

std::optional<core::Problem> Limits::admit_stranger(std::string_view address, LimitNote& note) {
    bool const mcp = note.surface == Surface::mcp;
    auto const limit = mcp ? config_.mcp_rate_limit : config_.address_rate_limit;
    auto& addresses = mcp ? mcp_addresses_ : addresses_;
    if (limit == 0 || !take(addresses, net::holder_of(address).id, limit, note)) return std::nullopt;
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
    if (!note.state) return;
    reply.headers.reserve(kLimitHeaders);
    if (note.surface == Surface::mcp) {
        add(reply, "RateLimit-Limit", note.state->limit);
        add(reply, "RateLimit-Remaining", note.state->remaining);
        add(reply, "RateLimit-Reset", note.state->retry_after);
        return;
    }
    add(reply, "X-RateLimit-Limit", note.state->limit);
    add(reply, "X-RateLimit-Remaining", note.state->remaining);
    add(reply, "X-RateLimit-Reset", note.state->reset);
    reply.headers.emplace_back("X-RateLimit-Window", window_ + 's');
    if (note.retry_after == 0) {
        reply.headers.emplace_back("X-RateLimit-Policy", std::to_string(note.state->limit) + ";w=" + window_);
    }
}

}  // namespace workforce::api
