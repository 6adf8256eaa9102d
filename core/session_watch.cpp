// The watch's thread sleeps on the session's socket and on an eventfd at once.
#include "core/session_watch.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <map>
#include <pqxx/except>
#include <system_error>
#include <utility>

namespace workforce::core {
namespace {

using std::chrono::milliseconds;

/// A crash of the server that comes while no session watches shows once there is one again.
constexpr milliseconds kFirstWatchRetry{50};
constexpr milliseconds kLastWatchRetry{200};

ConnectionOptions watch_options(std::string const& database_url) {
    ConnectionOptions options;
    options.url = database_url;
    options.role = "workforce_projector";  // which sees heads and checkpoints
    options.settings = {{"search_path", "projection, pg_temp"}};
    options.application_name = "workforce watch";
    return options;
}

}  // namespace

std::shared_ptr<SessionWatch> SessionWatch::of(std::string const& database_url) {
    static std::mutex mutex;
    static std::map<std::string, std::weak_ptr<SessionWatch>> by_url;
    std::lock_guard const lock(mutex);
    auto& known = by_url[database_url];
    auto watch = known.lock();
    if (!watch) known = watch = std::make_shared<SessionWatch>(database_url);
    return watch;
}

SessionWatch::SessionWatch(std::string const& database_url)
    : pool_(watch_options(database_url), 1, SessionPurpose::watch), wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (wake_fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
    thread_ = std::thread([this] { run(); });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return tried_; });
}

SessionWatch::~SessionWatch() {
    {
        std::lock_guard const lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    wake();
    thread_.join();
    ::close(wake_fd_);
}

void SessionWatch::join(Guest& guest) {
    {
        std::lock_guard const lock(mutex_);
        members_.push_back({.guest = &guest, .missed = !there_});
    }
    wake();
}

void SessionWatch::leave(Guest& guest) {
    std::unique_lock lock(mutex_);
    auto const place = std::ranges::find(members_, &guest, &Member::guest);
    if (place == members_.end()) return;
    place->leaving = true;
    changed_.notify_all();
    wake();
    changed_.wait(lock, [&] { return std::ranges::find(members_, &guest, &Member::guest) == members_.end(); });
}

void SessionWatch::wake() const {
    std::uint64_t const one = 1;
    // Fails only when the counter is full, and then the thread is awake anyway.
    [[maybe_unused]] auto const written = ::write(wake_fd_, &one, sizeof one);
}

void SessionWatch::run() {
    auto pause = kFirstWatchRetry;
    std::vector<Guest*> guests;
    while (take_roll(guests)) {
        auto const began = Clock::now();
        serve_session();
        if (Clock::now() - began > kLastWatchRetry) pause = kFirstWatchRetry;
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, pause, [this] { return stopping_ || std::ranges::any_of(members_, &Member::leaving); });
        pause = std::min(2 * pause, kLastWatchRetry);
    }
}

void SessionWatch::serve_session() {
    std::optional<SessionPool::Loan> loan;
    try {
        auto& session = loan.emplace(pool_).session();
        note(true);
        std::vector<Guest*> guests;
        while (take_roll(guests)) {
            auto next = Clock::time_point::max();
            for (auto* const guest : guests) {
                greet(*guest, session);
                next = std::min(next, guest->serve(session));
            }
            await(session, next);
        }
    } catch (std::exception const&) {
        // Whoever reads or writes meets the same trouble and reports it; here it only means to try again.
    }
    note(false);
    if (loan) loan->close();
}

void SessionWatch::note(bool there) {
    std::vector<Guest*> left;
    {
        std::lock_guard const lock(mutex_);
        tried_ = true;
        there_ = there;
        for (auto& member : members_) {
            member.missed = member.missed || !there;
            if (!there && std::exchange(member.greeted, false)) left.push_back(member.guest);
        }
    }
    changed_.notify_all();
    for (auto* const guest : left) guest->ended();
}

bool SessionWatch::take_roll(std::vector<Guest*>& guests) {
    guests.clear();
    std::vector<Guest*> leaving;
    bool goes_on = false;
    {
        std::lock_guard const lock(mutex_);
        for (auto const& member : members_) {
            if (!member.leaving) {
                guests.push_back(member.guest);
            } else if (member.greeted) {
                leaving.push_back(member.guest);
            }
        }
        goes_on = !stopping_;
    }
    for (auto* const guest : leaving) guest->ended();
    std::lock_guard const lock(mutex_);
    std::erase_if(members_, [&](Member const& member) {
        return member.leaving && (!member.greeted || std::ranges::find(leaving, member.guest) != leaving.end());
    });
    changed_.notify_all();
    return goes_on;
}

void SessionWatch::greet(Guest& guest, Connection& session) {
    bool missed = false;
    {
        std::lock_guard const lock(mutex_);
        auto& member = *std::ranges::find(members_, &guest, &Member::guest);
        if (std::exchange(member.greeted, true)) return;
        missed = std::exchange(member.missed, false);
    }
    guest.opened(session, missed);
}

void SessionWatch::await(Connection& session, Clock::time_point until) {
    auto const now = Clock::now();
    auto const left = std::min<Clock::duration>(until - now, std::chrono::hours(1));
    auto const time = std::chrono::ceil<milliseconds>(std::max(left, Clock::duration::zero()));
    std::array<pollfd, 2> sources{pollfd{session.raw().sock(), POLLIN, 0}, pollfd{wake_fd_, POLLIN, 0}};
    ::poll(sources.data(), sources.size(), static_cast<int>(time.count()));
    std::uint64_t count = 0;
    if (sources[1].revents != 0) [[maybe_unused]]
        auto const got = ::read(wake_fd_, &count, sizeof count);
    if (!session.usable()) throw pqxx::broken_connection("the session ended");
    session.raw().get_notifs();  // always: statements may have taken notices off the socket
}

}  // namespace workforce::core
