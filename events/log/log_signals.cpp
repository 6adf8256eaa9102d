// Notices and polls on the session of the process's watch.
#include "events/log/log_signals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <pqxx/notification>
#include <sstream>
#include <utility>

namespace workforce::events {
namespace {

constexpr char const* kChannel = "workforce_log";
constexpr core::Statement kHeads{"log_heads", "SELECT partition, head FROM log.partition"};
constexpr core::Statement kNotify{"log_notify", "SELECT pg_notify('workforce_log', $1)"};
/// Postgres takes less than 8,000 bytes a notice; an entry has at most 31.
constexpr std::size_t kEntriesPerNotice = 250;

/// Hears the notices of all, of this process too: it knows of what they say.
class Receiver final : public pqxx::notification_receiver {
   public:
    Receiver(pqxx::connection_base& session, LogSignals::Seen const& seen)
        : pqxx::notification_receiver(session, kChannel), seen_(seen) {}

    void operator()(std::string const& payload, int /*sender*/) override {
        for (auto const& [partition, position] : parse_notice(payload)) seen_(partition, position);
    }

   private:
    LogSignals::Seen const& seen_;
};

}  // namespace

/// Hears them during its life. LISTEN and UNLISTEN go out at its ends.
class LogSignals::Listening {
   public:
    Listening(core::Connection& connection, Seen const& seen) : connection_(connection) {
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

LogSignals::LogSignals(std::string const& database_url, std::chrono::milliseconds poll, Seen seen)
    : poll_(poll), seen_(std::move(seen)), watch_(core::SessionWatch::of(database_url)) {
    silence_.asked();
    watch_->join(*this);
}

LogSignals::~LogSignals() { stop(); }

void LogSignals::stop() { watch_->leave(*this); }

void LogSignals::announce(int partition, std::int64_t position) {
    bool first = false;
    {
        std::lock_guard const lock(mutex_);
        first = unsent_.empty();
        auto& unsent = unsent_[partition];
        unsent = std::max(unsent, position);
    }
    if (first) watch_->wake();
}

void LogSignals::opened(core::Connection& connection, bool /*missed*/) {
    listening_ = std::make_unique<Listening>(connection, seen_);
    next_poll_ = next_send_ = {};
}

void LogSignals::ended() {
    silence_.asked();
    listening_.reset();
}

LogSignals::Clock::time_point LogSignals::serve(core::Connection& connection) {
    auto const now = Clock::now();
    if (now >= next_poll_) {
        poll_heads(connection);
        next_poll_ = now + poll_;
    }
    if (any_unsent() && Clock::now() >= next_send_) {
        send(connection);
        next_send_ = Clock::now() + kPause;
    }
    return any_unsent() ? std::min(next_poll_, next_send_) : next_poll_;
}

bool LogSignals::any_unsent() {
    std::lock_guard const lock(mutex_);
    return !unsent_.empty();
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
