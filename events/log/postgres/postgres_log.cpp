// Appends, claims and reads as single statements.
#include "events/log/postgres/postgres_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/deadline.hpp"

namespace workforce::events {
namespace {

using boost::asio::awaitable;
using core::Connection;
using core::Statement;
using Appended = tl::expected<void, AppendFault>;

/// The bodies come as lines of one text: Postgres splits that faster than it parses an array's text.
constexpr Statement kAppend{"log_append", R"(
WITH moved AS (
    UPDATE log.partition SET head = $5, head_hash = $6
    WHERE partition = $1 AND epoch = $2 AND head = $3 AND head_hash = $4
    RETURNING partition
)
INSERT INTO log.event (partition, position, body)
SELECT moved.partition, $3::bigint + line.number, line.body
FROM moved, string_to_table($7::text, E'\n') WITH ORDINALITY AS line(body, number))"};

constexpr Statement kClaim{"log_claim", R"(
WITH taken AS (
    UPDATE log.partition SET epoch = greatest(epoch + 1, $3) WHERE partition = $1 RETURNING epoch, head, head_hash
), noted AS (
    INSERT INTO log.claim (partition, epoch, position, owner) SELECT $1, epoch, head, $2 FROM taken
)
SELECT epoch, head, head_hash FROM taken)"};

constexpr Statement kEpoch{"log_epoch", "SELECT epoch FROM log.partition WHERE partition = $1"};
constexpr Statement kHead{"log_head", "SELECT head, head_hash FROM log.partition WHERE partition = $1"};
constexpr Statement kCount{"log_count", "SELECT count(*) FROM log.partition"};

/// The first row always comes, further ones while they fit; octet_length takes a size without fetching the body.
constexpr Statement kRead{"log_read", R"(
SELECT position, body
FROM (
    SELECT position, body, octet_length(body) AS size, sum(octet_length(body)) OVER (ORDER BY position) AS through
    FROM (SELECT position, body FROM log.event WHERE partition = $1 AND position >= $2 ORDER BY position LIMIT $3) AS page
) AS measured
WHERE through = size OR through <= $4
ORDER BY position)"};

core::ConnectionOptions session_options(PostgresLogOptions const& options) {
    core::ConnectionOptions session;
    session.url = options.database_url;
    session.role = options.role;
    session.statement_timeout = options.timeout * 4 / 5;  // the server gives up first and says so
    session.application_name = "workforce log";
    session.settings = {
        {"synchronous_commit", "on"}};  // an acknowledged event is durable, whatever the server's default
    return core::by_index(std::move(session));
}

/// Runs a read on a borrowed session.
template <class F>
auto ask(core::SessionPool& sessions, F&& work) {
    try {
        return sessions.run(std::forward<F>(work));
    } catch (core::DatabaseUnavailable const& lost) {
        throw LogUnavailable(std::string("the log can't be read: ") + lost.what());
    }
}

/// A size as a bigint.
std::int64_t bounded(std::size_t size) {
    return static_cast<std::int64_t>(std::min(size, std::size_t{std::numeric_limits<std::int64_t>::max()}));
}

constexpr Statement kScan{"log_scan",
                          "SELECT position, body FROM log.event WHERE partition = $1 AND position >= $2"
                          " AND position <= $3 ORDER BY position LIMIT $4"};
/// One statement, hence one snapshot: no claim is missed that an event before the head was written under.
constexpr Statement kClaims{"log_claims", R"(
SELECT whole.head, claim.epoch, claim.position, claim.owner
FROM log.partition AS whole
LEFT JOIN log.claim ON claim.partition = whole.partition AND claim.position >= $2
WHERE whole.partition = $1
ORDER BY claim.epoch)"};

/// Pages of events with the claims between them.
class PostgresScan final : public LogScan {
   public:
    PostgresScan(core::SessionPool& sessions, int partition, std::int64_t from)
        : sessions_(sessions), partition_(partition), next_(from) {
        for (auto const& row : ask(sessions_, [&](Connection& connection) {
                 return connection.execute(kClaims, partition_, from - 1);
             })) {
            end_ = core::read<std::int64_t>(row[0]);
            if (row[1].is_null()) continue;
            claims_.push_back({.kind = LogEntry::Kind::claim,
                               .offset = core::read<std::int64_t>(row[2]),
                               .position = core::read<std::int64_t>(row[2]),
                               .epoch = core::read<std::int64_t>(row[1]),
                               .text = core::read<std::string>(row[3]),
                               .fault = {}});
        }
    }

    std::vector<LogEntry> next(std::size_t max_bytes) override {
        std::vector<LogEntry> entries;
        auto const rows = ask(sessions_, [&](Connection& connection) {
            return connection.execute(kScan, partition_, next_, end_, page_);
        });
        std::size_t bytes = 0;
        for (auto const& row : rows) {
            auto const position = core::read<std::int64_t>(row[0]);
            take_claims(entries, position);
            entries.push_back({.kind = LogEntry::Kind::event,
                               .offset = position,
                               .position = position,
                               .epoch = 0,
                               .text = core::read<std::string>(row[1]),
                               .fault = {}});
            bytes += entries.back().text.size();
            next_ = position + 1;
            if (bytes >= max_bytes) break;
        }
        if (rows.empty()) take_claims(entries, std::numeric_limits<std::int64_t>::max());
        // The next page holds about as many records as fit.
        if (!rows.empty()) {
            auto const mean = bytes / entries.size() + 1;
            page_ = std::clamp<std::int64_t>(bounded(max_bytes / mean), 1, 10'000);
        }
        return entries;
    }

   private:
    /// Claims that stand before the event at `position`.
    void take_claims(std::vector<LogEntry>& entries, std::int64_t position) {
        for (; claim_ < claims_.size() && claims_[claim_].position < position; ++claim_) {
            entries.push_back(claims_[claim_]);
        }
    }

    core::SessionPool& sessions_;
    int const partition_;
    std::int64_t next_;
    std::int64_t end_ = -1;
    std::int64_t page_ = 1000;
    std::vector<LogEntry> claims_;
    std::size_t claim_ = 0;
};

std::size_t partitions_of(core::SessionPool& sessions) {
    auto const count = ask(sessions, [](Connection& c) { return core::read<std::size_t>(c.execute(kCount)[0][0]); });
    if (count == 0) throw std::runtime_error("The log has no partitions yet: run `workforce migrate`.");
    return count;
}

std::deque<PartitionTail> make_tails(std::size_t count, std::size_t bytes) {
    std::deque<PartitionTail> tails;
    for (std::size_t i = 0; i < count; ++i) tails.emplace_back(tail_limit(count, bytes));
    return tails;
}

/// The bodies as lines, or the reason to refuse them.
tl::expected<std::string, AppendFault> join(Head const& before, Head const& after,
                                            std::vector<std::string> const& bodies) {
    if (bodies.empty() || after.position - before.position != static_cast<std::int64_t>(bodies.size())) {
        throw std::invalid_argument("an append's heads and bodies do not fit");
    }
    std::size_t size = bodies.size();
    for (auto const& body : bodies) {
        if (body.size() > kMaxRecordBytes) return tl::unexpected(AppendFault::too_large);
        if (body.empty() || body.find_first_of(std::string_view("\n\0", 2)) != std::string::npos) {
            throw std::invalid_argument("a record must be one line of text");
        }
        size += body.size();
    }
    std::string lines;
    lines.reserve(size);
    for (auto const& body : bodies) {
        if (!lines.empty()) lines += '\n';
        lines += body;
    }
    return lines;
}

}  // namespace

void PostgresLog::initialize(std::string const& database_url, int partitions) {
    if (partitions < 1 || partitions > 1000) throw std::invalid_argument("a log has 1 to 1000 partitions");
    core::ConnectionOptions options;
    options.url = database_url;
    core::SessionPool(options, 1).run([&](Connection& connection) {
        connection.transaction([&] {
            connection.execute_sql("LOCK TABLE log.partition IN SHARE ROW EXCLUSIVE MODE");
            auto const present = core::read<int>(connection.execute(kCount)[0][0]);
            if (present == partitions) return;
            if (present != 0) {
                throw std::runtime_error(
                    fmt::format("The log has {} partitions, which is fixed; {} were asked for.", present, partitions));
            }
            connection.execute_sql(
                fmt::format("INSERT INTO log.partition (partition) SELECT generate_series(0, {})", partitions - 1));
        });
    });
}

PostgresLog::PostgresLog(PostgresLogOptions options)
    : options_(std::move(options)),
      readers_(session_options(options_), options_.read_connections, core::SessionPurpose::folding),
      tails_(make_tails(partitions_of(readers_), options_.tail_bytes)),
      writers_({.connection = session_options(options_),
                .threads = options_.append_connections,
                .purpose = core::SessionPurpose::log}),
      signals_(options_.database_url, options_.poll_interval, [this](int partition, std::int64_t position) {
          if (partition >= 0 && partition < partitions()) tail(partition).seen(position);
      }) {}

PostgresLog::~PostgresLog() { stop(); }

PartitionTail& PostgresLog::tail(int partition) { return tails_.at(static_cast<std::size_t>(partition)); }

awaitable<Claim> PostgresLog::claim_from(int partition, std::string owner, std::int64_t least_epoch) {
    auto& ours = tail(partition);
    auto work = [partition, owner = std::move(owner), least_epoch](Connection& connection) {
        auto const row = connection.execute(kClaim, partition, owner, least_epoch)[0];
        return Claim{partition, core::read<std::int64_t>(row[0]),
                     Head{core::read<std::int64_t>(row[1]), core::read<std::string>(row[2])}};
    };
    std::optional<Claim> claimed;
    try {
        claimed = co_await core::within(options_.timeout, writers_.run(std::move(work)));
    } catch (std::exception const& failed) {
        throw LogUnavailable(std::string("the partition can't be claimed: ") + failed.what());
    }
    if (!claimed) throw LogUnavailable("the partition can't be claimed: no answer in time");
    ours.drop();
    ours.seen(claimed->head.position);
    co_return *std::move(claimed);
}

awaitable<std::optional<std::size_t>> PostgresLog::send_append(Claim claim, Head before, Head after,
                                                               std::string lines) {
    auto work = [claim = std::move(claim), before = std::move(before), after = std::move(after),
                 lines = std::move(lines)](Connection& connection) -> std::size_t {
        return connection
            .execute(kAppend, claim.partition, claim.epoch, before.position, before.hash, after.position, after.hash,
                     lines)
            .affected_rows();
    };
    co_return co_await core::within(options_.timeout, writers_.run(std::move(work)));
}

awaitable<Appended> PostgresLog::append(Claim const& claim, Head before, Head after, std::vector<std::string> bodies) {
    auto lines = join(before, after, bodies);
    if (!lines) co_return tl::unexpected(lines.error());
    auto const partition = claim.partition;
    auto const first = before.position + 1;
    auto& ours = tail(partition);
    std::optional<std::size_t> rows;
    try {
        rows = co_await send_append(claim, std::move(before), std::move(after), *std::move(lines));
    } catch (std::exception const&) {
        // Whatever it was: that nothing was written would have to be known, not likely.
    }
    if (!rows) {
        ours.drop();
        co_return tl::unexpected(AppendFault::unknown);
    }
    if (*rows == 0) co_return tl::unexpected(AppendFault::fenced);
    auto const last = first + static_cast<std::int64_t>(bodies.size()) - 1;
    ours.appended(first, std::move(bodies));
    signals_.announce(partition, last);
    co_return Appended{};
}

awaitable<Appended> PostgresLog::confirm(Claim const& claim) {
    auto const epoch = claim.epoch;
    std::optional<std::int64_t> current;
    try {
        auto work = [partition = claim.partition](Connection& connection) {
            return core::read<std::int64_t>(connection.execute(kEpoch, partition)[0][0]);
        };
        current = co_await core::within(options_.timeout, writers_.run(std::move(work)));
    } catch (std::exception const&) {
        // Not known is all there is to say.
    }
    if (!current) co_return tl::unexpected(AppendFault::unknown);
    if (*current != epoch) co_return tl::unexpected(AppendFault::fenced);
    co_return Appended{};
}

std::vector<Record> PostgresLog::read(int partition, std::int64_t from, std::size_t max_records,
                                      std::size_t max_bytes) {
    if (from < 0 || max_records == 0) throw std::invalid_argument("a read starts at 0 or later and takes one or more");
    if (auto recent = tail(partition).read(from, max_records, max_bytes)) return *std::move(recent);
    auto const rows = ask(readers_, [&](Connection& connection) {
        return connection.execute(kRead, partition, from, bounded(max_records), bounded(max_bytes));
    });
    std::vector<Record> records;
    records.reserve(rows.size());
    for (auto const& row : rows) {
        auto const position = core::read<std::int64_t>(row[0]);
        auto const expected = from + static_cast<std::int64_t>(records.size());
        if (position != expected) throw std::runtime_error(fmt::format("The log lacks {}:{}.", partition, expected));
        records.push_back({position, core::read<std::string>(row[1])});
    }
    return records;
}

void PostgresLog::wait(int partition, std::int64_t position, std::chrono::milliseconds timeout) {
    tail(partition).wait(position, timeout);
}

std::unique_ptr<LogScan> PostgresLog::scan(int partition, std::int64_t from) {
    return std::make_unique<PostgresScan>(readers_, partition, from);
}

Head PostgresLog::head(int partition) {
    return ask(readers_, [&](Connection& connection) {
        auto const row = connection.execute(kHead, partition).at(0);
        return Head{core::read<std::int64_t>(row[0]), core::read<std::string>(row[1])};
    });
}

void PostgresLog::stop() {
    for (auto& each : tails_) each.stop();
    signals_.stop();
}

}  // namespace workforce::events
