// Nobody holds a right while waiting for another one: limits of the pool, of the purpose and of the process are looked
// at together. So outer users that hold every session keep no nested user waiting, and nested users need nothing more.
#include "core/session_budget.hpp"

#include <algorithm>
#include <condition_variable>
#include <numeric>
#include <pqxx/except>
#include <utility>

#include "core/database_errors.hpp"
#include "core/pipeline.hpp"

namespace workforce::core {
namespace {

using std::chrono::milliseconds;

/// Past the minute at which the rarest of the jobs that need a session of their own group come.
constexpr std::chrono::seconds kRest{90};
/// Of sessions past kMostIdle: long enough that a burst's sessions serve the next burst.
constexpr std::chrono::seconds kLeastRest{3};
constexpr milliseconds kLookEvery{250};
/// So much longer one waits before the new session takes the place of another group's, which may want it back.
constexpr milliseconds kReluctance{50};
/// What pipelines leave to those who come and go.
constexpr std::size_t kLeftByPipelines = 2;

/// What each purpose has for itself, in the order of SessionPurpose.
constexpr std::array<std::size_t, 9> kOwn{1, 2, 4, 2, 2, 1, 1, 1, 0};
/// How many milliseconds it waits for a session of the group that is in use before another one is opened, once the
/// process serves. Appends and lists gain by going beside one another; jobs that begin at the same moment go one after
/// another by the same session.
constexpr std::array<int, 9> kPatience{2, 0, 2, 0, 2, 100, 2, 0, 0};
/// Before, so long users of a group wait together, within kWaitsCount: ten times what one more session costs the
/// server and the process. The few statements of a start go one after another by the same session; a long fold has the
/// sessions that it gains by within a tenth of a second. Jobs wait as ever.
constexpr milliseconds kSharedPatience{100};
constexpr std::chrono::seconds kWaitsCount{1};
static_assert(std::accumulate(kOwn.begin(), kOwn.end(), std::size_t{0}) == SessionBudget::kReserved);

std::size_t index_of(SessionPurpose purpose) { return static_cast<std::size_t>(purpose); }

constexpr auto kAny = [](SessionBudget::Group const&) { return true; };

/// Whether another group's session could be made one of those options.
bool reset(Connection& session, ConnectionOptions const& options) {
    if (!session.usable()) return false;
    try {
        session.reset_to(options);
        return true;
    } catch (pqxx::failure const&) {
        if (session.fell_silent()) SessionBudget::of_process().fell_silent();
        return false;  // a new one says what the trouble is
    }
}

}  // namespace

struct SessionBudget::Waiter {
    Share& share;
    SessionPurpose purpose;
    Clock::time_point since{};
    bool admitted = false;
    std::unique_ptr<Connection> session{};
    bool foreign = false;                   // the session is another group's
    std::unique_ptr<Connection> evicted{};  // ends outside the lock
    std::condition_variable called{};
};

SessionBudget& SessionBudget::of_process() {
    static SessionBudget budget;
    return budget;
}

void SessionBudget::limit(std::size_t sessions) {
    std::lock_guard const lock(mutex_);
    limit_ = std::max(sessions, kReserved);
    admit();
}

void SessionBudget::set_serving(bool serving) {
    std::lock_guard const lock(mutex_);
    serving_ = serving;
    for (auto* const waiter : waiters_) waiter->called.notify_one();  // it may open one at another time now
}

SessionBudget::Group& SessionBudget::join(ConnectionOptions const& options) {
    std::lock_guard const lock(mutex_);
    auto found = std::ranges::find(groups_, options, &Group::options);
    if (found == groups_.end()) {
        found = groups_.emplace(found,
                                Group{.options = options, .use = session_use(options.application_name, options.role)});
    }
    ++found->pools;
    return *found;
}

void SessionBudget::leave(Group& group) {
    std::list<Group> ended;  // outside the lock
    std::lock_guard const lock(mutex_);
    if (--group.pools > 0) return;
    auto const url = group.options.url;
    bool const last =
        std::ranges::none_of(groups_, [&](Group const& each) { return each.pools > 0 && each.options.url == url; });
    for (auto place = groups_.begin(); place != groups_.end();) {
        auto const here = place++;
        bool const unused = here->pools == 0 && here->options.url == url;
        if (unused && (last || here->idle.empty())) ended.splice(ended.end(), groups_, here);
    }
}

bool SessionBudget::has_room(SessionPurpose purpose, std::size_t left) const {
    if (held_.at(index_of(purpose)) < kOwn.at(index_of(purpose))) return true;
    std::size_t spoken_for = left;
    for (std::size_t i = 0; i < kOwn.size(); ++i) spoken_for += std::max(held_.at(i), kOwn.at(i));
    return spoken_for < limit_;
}

bool SessionBudget::may_have(Waiter const& waiter, Clock::time_point now) const {
    auto const& group = waiter.share.group;
    if (waiter.share.lent >= waiter.share.limit || !has_room(waiter.purpose)) return false;
    if (!group.idle.empty() || group.lent == 0) return true;
    return now >= opens_at(waiter) + (is_full() ? kReluctance : milliseconds(0));
}

SessionBudget::Clock::time_point SessionBudget::opens_at(Waiter const& waiter) const {
    if (serving_ || waiter.purpose == SessionPurpose::job) {
        return waiter.since + milliseconds(kPatience.at(index_of(waiter.purpose)));
    }
    return waiter.since + std::max<Clock::duration>(kSharedPatience - waiter.share.group.waited, {});
}

bool SessionBudget::is_full() const { return std::accumulate(held_.begin(), held_.end(), idle_count()) >= limit_; }

std::size_t SessionBudget::idle_count() const {
    return std::accumulate(groups_.begin(), groups_.end(), std::size_t{0},
                           [](std::size_t sum, Group const& group) { return sum + group.idle.size(); });
}

void SessionBudget::grant_other(Waiter& waiter) {
    auto const& group = waiter.share.group;
    bool const full = is_full();
    auto const is_free = [&](Group const& each) {
        return each.options.url == group.options.url && (full || each.pools == 0);
    };
    if (auto* const other = longest_idle(is_free)) {
        waiter.session = take_first(*other);
        waiter.foreign = true;
    } else if (full) {
        if (auto* const any = longest_idle(kAny)) waiter.evicted = take_first(*any);
    }
}

void SessionBudget::grant(Waiter& waiter, Clock::time_point now) {
    auto& group = waiter.share.group;
    if (group.idle.empty()) {
        grant_other(waiter);
        group.waited = {};
    } else {
        waiter.session = std::move(group.idle.back().session);
        group.idle.pop_back();
        if (waiter.purpose != SessionPurpose::job) group.waited += now - waiter.since;
    }
    ++held_.at(index_of(waiter.purpose));
    ++waiter.share.lent;
    ++group.lent;
    ++group.use.used;
    waiter.admitted = true;
    waiter.called.notify_one();
}

void SessionBudget::admit() {
    auto const now = Clock::now();
    for (auto place = waiters_.begin(); place != waiters_.end();) {
        if (may_have(**place, now)) {
            grant(**place, now);
            place = waiters_.erase(place);
        } else {
            ++place;
        }
    }
}

std::unique_ptr<Connection> SessionBudget::take(Share& share, SessionPurpose purpose) {
    Waiter self{share, purpose, Clock::now()};
    {
        std::unique_lock lock(mutex_);
        CountOne const waiting(share.group.use.waiting);
        auto& group = share.group;
        if (self.since > group.waits_since + kWaitsCount) {
            group.waits_since = self.since;
            group.waited = {};
        }
        auto const until = self.since + share.group.options.connect_timeout;
        auto const place = waiters_.insert(waiters_.end(), &self);
        for (admit(); !self.admitted; admit()) {
            auto const seen = Clock::now();
            if (seen >= until) {
                waiters_.erase(place);
                throw DatabaseUnavailable("all database sessions are taken");
            }
            auto const opens = opens_at(self);
            auto const next = seen < opens ? opens : seen < opens + kReluctance ? opens + kReluctance : until;
            self.called.wait_until(lock, std::min(next, until));
            if (self.admitted) break;
        }
    }
    if (self.foreign && !reset(*self.session, share.group.options)) self.session.reset();
    return std::move(self.session);
}

void SessionBudget::give_back(Share& share, SessionPurpose purpose, std::unique_ptr<Connection> session) {
    auto const now = Clock::now();
    std::vector<std::unique_ptr<Connection>> ended;
    bool looks = false;
    {
        std::lock_guard const lock(mutex_);
        --held_.at(index_of(purpose));
        --share.lent;
        --share.group.lent;
        --share.group.use.used;
        if (session) share.group.idle.push_back({std::move(session), now});
        looks = now >= next_look_;
        if (looks) {
            next_look_ = now + kLookEvery;
            ended = take_rested(now);
        }
        admit();
    }
    if (looks) Pipeline::end_idle_since(now - kRest);
}

bool SessionBudget::take_pipeline() {
    std::unique_ptr<Connection> evicted;
    std::lock_guard const lock(mutex_);
    if (!has_room(SessionPurpose::pipeline, kLeftByPipelines)) return false;
    if (is_full()) {
        if (auto* const other = longest_idle(kAny)) evicted = take_first(*other);
    }
    ++held_.at(index_of(SessionPurpose::pipeline));
    return true;
}

void SessionBudget::end_pipeline() {
    std::lock_guard const lock(mutex_);
    --held_.at(index_of(SessionPurpose::pipeline));
    admit();
}

void SessionBudget::fell_silent() {
    std::vector<std::unique_ptr<Connection>> ended;
    ++silences_;
    std::lock_guard const lock(mutex_);
    while (auto* const group = longest_idle(kAny)) ended.push_back(take_first(*group));
}

template <class F>
SessionBudget::Group* SessionBudget::longest_idle(F counts) {
    Group* first = nullptr;
    for (auto& group : groups_) {
        if (group.idle.empty() || !counts(group)) continue;
        if (first == nullptr || group.idle.front().since < first->idle.front().since) first = &group;
    }
    return first;
}

std::unique_ptr<Connection> SessionBudget::take_first(Group& group) {
    auto session = std::move(group.idle.front().session);
    group.idle.erase(group.idle.begin());
    if (group.pools == 0 && group.idle.empty())
        std::erase_if(groups_, [&](Group const& each) { return &each == &group; });
    return session;
}

std::vector<std::unique_ptr<Connection>> SessionBudget::take_rested(Clock::time_point now) {
    std::vector<std::unique_ptr<Connection>> rested;
    while (auto* const group = longest_idle(kAny)) {
        auto const rest = idle_count() > kMostIdle ? kLeastRest : kRest;
        if (group->idle.front().since + rest > now) break;
        rested.push_back(take_first(*group));
    }
    return rested;
}

}  // namespace workforce::core
