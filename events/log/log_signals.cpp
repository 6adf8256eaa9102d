// One thread that waits on its session's socket and on announcements at once.
#include "events/log/log_signals.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <pqxx/notification>
#include <sstream>
#include <system_error>
#include <utility>

namespace workforce::events {
namespace {

constexpr char const* kChannel = "workforce_log";
constexpr core::Statement kHeads{"log_heads", "SELECT partition, head FROM log.partition"};
constexpr core::Statement kNotify{"log_notify", "SELECT pg_notify('workforce_log', $1)"};
constexpr std::chrono::milliseconds kFirstRetry{50};
constexpr std::chrono::milliseconds kLastRetry{1000};
/// Postgres takes less than 8,000 bytes a notice; an entry has at most 31.
constexpr std::size_t kEntriesPerNotice = 250;

/// Hears the notices of others.
class Receiver final : public pqxx::notification_receiver {
   public:
    Receiver(pqxx::connection_base& session, LogSignals::Seen const& seen)
        : pqxx::notification_receiver(session, kChannel), own_(session.backendpid()), seen_(seen) {}

    void operator()(std::string const& payload, int sender) override {
        if (sender == own_) return;
        for (auto const& [partition, position] : parse_notice(payload)) seen_(partition, position);
    }

   private:
    int const own_;
    LogSignals::Seen const& seen_;
};

/// Hears them during its life. LISTEN and UNLISTEN go out at its ends.
class Listening {
   public:
    Listening(core::Connection& connection, LogSignals::Seen const& seen) : connection_(connection) {
        auto const question = connection_.question();
        receiver_.emplace(connection_.raw(), seen);
    }
    Listening(Listening const&) = delete;
    Listening& operator=(Listening const&) = delete;
    ~Listening() {
        auto const question = connection_.question();
        receiver_.reset();
    }

   private:
    core::Connection& connection_;
    std::optional<Receiver> receiver_;
};

}  // namespace

std::string format_notice(std::map<int, std::int64_t> const& positions) {
    std::string text;
    for (auto const& [partition, position] : positions) {
        text += fmt::format("{}{}:{}", text.empty() ? "" : " ", partition, position);
    }
    return text;
}

std::map<int, std::int64_t> parse_notice(std::string const& text) {
    std::map<int, std::int64_t> positions;
    std::istringstream words(text);
    int partition = 0;
    char colon = 0;
    std::int64_t position = 0;
    while (words >> partition >> colon >> position && colon == ':') positions[partition] = position;
    return positions;
}

LogSignals::LogSignals(core::ConnectionOptions options, std::chrono::milliseconds poll, Seen seen)
    : options_(std::move(options)),
      poll_(poll),
      seen_(std::move(seen)),
      wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (wake_fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
    thread_ = std::thread([this] { run(); });
}

LogSignals::~LogSignals() {
    stop();
    ::close(wake_fd_);
}

void LogSignals::announce(int partition, std::int64_t position) {
    bool first = false;
    {
        std::lock_guard const lock(mutex_);
        first = unsent_.empty();
        auto& unsent = unsent_[partition];
        unsent = std::max(unsent, position);
    }
    if (first) wake();
}

void LogSignals::stop() {
    {
        std::lock_guard const lock(mutex_);
        stopping_ = true;
    }
    stopped_.notify_all();
    wake();
    std::lock_guard const only(join_mutex_);
    if (thread_.joinable()) thread_.join();
}

bool LogSignals::stopping() {
    std::lock_guard const lock(mutex_);
    return stopping_;
}

void LogSignals::wake() const {
    std::uint64_t const one = 1;
    // Fails only when the counter is full, and then the thread is awake anyway.
    [[maybe_unused]] auto const written = ::write(wake_fd_, &one, sizeof one);
}

void LogSignals::clear_wake() const {
    std::uint64_t count = 0;
    [[maybe_unused]] auto const got = ::read(wake_fd_, &count, sizeof count);
}

void LogSignals::run() {
    auto pause = kFirstRetry;
    while (!stopping()) {
        auto const began = Clock::now();
        try {
            serve();
        } catch (std::exception const&) {
            // Whoever reads meets the same trouble and reports it; here it only means to try again.
            if (Clock::now() - began > kLastRetry) pause = kFirstRetry;
            std::unique_lock lock(mutex_);
            stopped_.wait_for(lock, pause, [this] { return stopping_; });
            pause = std::min(pause * 2, kLastRetry);
        }
    }
}

void LogSignals::serve() {
    silence_.asked();
    core::Connection connection(options_);
    Listening const listening(connection, seen_);
    auto next_poll = Clock::now();
    auto next_send = next_poll;
    while (!stopping()) {
        auto now = Clock::now();
        if (now >= next_poll) {
            poll_heads(connection);
            next_poll = now + poll_;
        }
        bool pending = false;
        {
            std::lock_guard const lock(mutex_);
            pending = !unsent_.empty();
        }
        if (pending && now >= next_send) {
            send(connection);
            next_send = Clock::now() + kPause;
            continue;
        }
        auto const until = pending ? std::min(next_poll, next_send) : next_poll;
        auto const wait = std::chrono::ceil<std::chrono::milliseconds>(until - now);
        std::array<pollfd, 2> sources{pollfd{connection.raw().sock(), POLLIN, 0}, pollfd{wake_fd_, POLLIN, 0}};
        ::poll(sources.data(), sources.size(), static_cast<int>(std::max<std::int64_t>(wait.count(), 0)));
        if (sources[1].revents != 0) clear_wake();
        connection.raw().get_notifs();  // always: statements may have taken notices off the socket
    }
}

void LogSignals::poll_heads(core::Connection& connection) {
    silence_.asked();
    auto const heads = connection.execute(kHeads);
    silence_.answered();
    for (auto const& row : heads) seen_(core::read<int>(row[0]), core::read<std::int64_t>(row[1]));
}

void LogSignals::send(core::Connection& connection) {
    std::map<int, std::int64_t> batch;
    {
        std::lock_guard const lock(mutex_);
        while (!unsent_.empty() && batch.size() < kEntriesPerNotice) batch.insert(unsent_.extract(unsent_.begin()));
    }
    connection.execute(kNotify, format_notice(batch));
}

}  // namespace workforce::events
