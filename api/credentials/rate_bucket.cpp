// Tokens of one key.
#include "api/credentials/rate_bucket.hpp"

#include <algorithm>
#include <utility>

namespace workforce::api {

RateBucket::Taken RateBucket::take(Time now, std::int64_t limit) {
    asked_ = now;
    if (over(now) || lowered(limit)) return Taken::ask;
    if (tokens_ > 0) {
        --tokens_;
        ++used_;
        return Taken::yes;
    }
    if (exhausted(now, limit)) return Taken::no;
    return granted_ < limit ? Taken::ask : Taken::wait;
}

bool RateBucket::exhausted(Time now, std::int64_t limit) const {
    return !over(now) && tokens_ == 0 && granted_ >= limit && others_ == 0;
}

RateContact RateBucket::contact(Id key, std::int64_t most, Time now) {
    if (over(now)) tokens_ = 0;
    RateContact told{.key = key, .window = window_, .used = std::exchange(used_, 0), .most = most};
    bool const less = lowered(most);
    bool const all_back = most == 0 || less;
    (all_back ? told.back : told.kept) = tokens_;
    if (less) granted_ -= tokens_;  // requests that come meanwhile ask as well, unless the limit is met without these
    if (all_back) tokens_ = 0;
    return told;
}

void RateBucket::settle(RateContact const& told, RateLease const& lease, Time now) {
    // Overtaken by a later one; but where the bucket stood still since the contact, the database's clock was set back.
    if (lease.window < window_ && told.window != window_ && !over(now)) return;
    bool const same = lease.window == window_;
    if (!same) {
        window_ = lease.window;
        tokens_ = 0;
        used_ = 0;
    }
    closes_by_ = same ? std::max(closes_by_, lease.closes_by) : lease.closes_by;
    tokens_ += lease.lent;
    granted_ = lease.granted;
    others_ = std::max<std::int64_t>(0, lease.held - lease.lent - (same ? told.kept : 0));
    contacted_ = now;
}

RateState RateBucket::state(Time now, std::int64_t limit) const {
    constexpr std::int64_t kSecond = 1'000'000;
    auto const left = std::chrono::duration_cast<std::chrono::seconds>(std::max(closes_by_ - now, Time::duration(0)));
    return {limit, std::clamp<std::int64_t>(limit - granted_ + tokens_, 0, limit), (window_ + kSecond - 1) / kSecond,
            left.count() + 1};
}

bool RateBucket::idle(Time now, std::chrono::milliseconds since) const {
    return !over(now) && (tokens_ > 0 || used_ > 0) && now - asked_ >= since;
}

bool RateBucket::first_refusal() { return std::exchange(refused_window_, window_) != window_; }

}  // namespace workforce::api
