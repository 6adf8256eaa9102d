// Memory for one process, a table for several; both sides of the table are grouped.
#include "operations/last_writes.hpp"

#include <algorithm>
#include <utility>

#include "core/deadline.hpp"
#include "core/logging.hpp"
#include "core/outage.hpp"

namespace workforce::operations {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxRemembered = 100'000;

constexpr core::Statement kPublish{
    "publish_last_writes",
    "INSERT INTO ops.last_write AS w (lineage, partition, position, written_at)"
    " SELECT lineage, partition, position, now()"
    " FROM unnest($1::text[], $2::int[], $3::bigint[]) AS t(lineage, partition, position)"
    " ON CONFLICT (lineage) DO UPDATE"
    " SET partition = EXCLUDED.partition, position = EXCLUDED.position, written_at = EXCLUDED.written_at"
    " WHERE w.partition <> EXCLUDED.partition OR w.position < EXCLUDED.position"};

// Folded is what every projection has passed: one without a checkpoint has passed nothing.
constexpr core::Statement kFind{
    "find_last_writes",
    "SELECT w.lineage, w.partition, w.position,"
    " (SELECT count(*) = cardinality($2::text[]) FROM projection.checkpoint c WHERE c.partition = w.partition"
    " AND c.projection = ANY ($2::text[]) AND c.position >= w.position) AS folded"
    " FROM ops.last_write w WHERE w.lineage = ANY ($1::text[])"};

// Rows of live processes stay: by these they notice that the table was emptied. Never waits for a publisher.
constexpr core::Statement kPrune{
    "prune_last_writes",
    "DELETE FROM ops.last_write WHERE lineage IN (SELECT w.lineage FROM ops.last_write w"
    " JOIN (SELECT partition, min(position) AS position FROM projection.checkpoint"
    " WHERE projection = ANY ($1::text[]) GROUP BY partition HAVING count(*) = cardinality($1::text[])) AS folded"
    " USING (partition) WHERE w.position <= folded.position AND w.written_at < now() - interval '1 hour'"
    " AND NOT EXISTS (SELECT FROM ops.process p WHERE p.owner = w.lineage) FOR UPDATE OF w SKIP LOCKED)"};

bool is_later(LogPosition const& one, LogPosition const& other) {
    return one.partition != other.partition || one.position > other.position;
}

}  // namespace

LastWrites::LastWrites(HeadOf head_of, std::optional<SharedWrites> shared)
    : head_of_(std::move(head_of)),
      shared_(std::move(shared)),
      publisher_([this](std::vector<Written> batch) { return publish(std::move(batch)); }),
      finder_([this](std::vector<std::string> batch) { return look_up(std::move(batch)); }) {}

LastWrites::~LastWrites() = default;

void LastWrites::stop() {
    auto const error = std::make_exception_ptr(core::DatabaseUnavailable("this process is stopping"));
    publisher_.stop(error);
    finder_.stop(error);
    std::lock_guard const lock(mutex_);
    stopped_ = error;
    for (auto& [partition, asker] : askers_) asker.stop(error);
}

void LastWrites::remember(std::string const& lineage, LogPosition place) {
    std::lock_guard const lock(mutex_);
    if (positions_.size() >= kMaxRemembered && !positions_.contains(lineage)) {
        for (auto const& [forgotten, last] : positions_) {
            auto const floor = floors_.find(last.partition);
            if (floor != floors_.end()) floor->second = std::max(floor->second, last.position);
        }
        positions_.clear();
        ++generation_;  // a head that is being asked for may be older than what was forgotten
    }
    auto& last = positions_[lineage];
    if (is_later(place, last)) last = place;
}

void LastWrites::put_off(std::string const& lineage, LogPosition place) {
    std::lock_guard const lock(mutex_);
    if (late_.size() >= kMaxRemembered) return;  // a table that is away for so long has other effects
    auto& late = late_[lineage];
    if (is_later(place, late)) late = place;
}

std::vector<LastWrites::Written> LastWrites::put_off() const {
    std::vector<Written> all;
    std::lock_guard const lock(mutex_);
    for (auto const& [lineage, place] : late_) all.push_back({lineage, place});
    return all;
}

boost::asio::awaitable<void> LastWrites::note(std::string lineage, LogPosition position) {
    remember(lineage, position);
    if (!shared_) co_return;
    try {
        co_await publisher_.submit({lineage, position});
    } catch (std::exception const& error) {
        put_off(lineage, position);
        core::log(core::quiet_while_away(core::Level::warn), "other processes could not be told of a write yet",
                  {{"error", error.what()}});
    }
}

boost::asio::awaitable<std::optional<LastWrite>> LastWrites::find(std::string lineage) {
    Found last;
    if (shared_) last = co_await finder_.submit(lineage);
    std::lock_guard const lock(mutex_);
    co_return later_of(lineage, last);
}

boost::asio::awaitable<std::vector<std::optional<LastWrite>>> LastWrites::find_each(std::vector<std::string> lineages) {
    std::vector<Found> all(lineages.size());
    if (shared_) all = co_await look_up(lineages);
    std::lock_guard const lock(mutex_);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = later_of(lineages[i], all[i]);
    co_return all;
}

std::optional<LastWrite> LastWrites::later_of(std::string const& lineage, std::optional<LastWrite> stored) const {
    auto const own = positions_.find(lineage);
    if (own == positions_.end() || (stored && !is_later(own->second, *stored))) return stored;
    return LastWrite{own->second, false};
}

boost::asio::awaitable<std::vector<bool>> LastWrites::publish(std::vector<Written> batch) {
    // One row a credential, and in one order: two processes that write the same rows must not wait for each other.
    std::map<std::string, LogPosition> last;
    for (auto const& [lineage, place] : batch) {
        auto const [each, added] = last.emplace(lineage, place);
        if (!added && is_later(place, each->second)) each->second = place;
    }
    std::vector<std::string> lineages;
    std::vector<int> partitions;
    std::vector<std::int64_t> positions;
    for (auto const& [lineage, place] : last) {
        lineages.push_back(lineage);
        partitions.push_back(place.partition);
        positions.push_back(place.position);
    }
    co_await shared_->writes.run([=](core::Connection& c) { c.execute(kPublish, lineages, partitions, positions); });
    std::lock_guard const lock(mutex_);
    for (auto const& [lineage, place] : last) {
        auto const late = late_.find(lineage);
        if (late != late_.end() && !is_later(late->second, place)) late_.erase(late);
    }
    co_return std::vector<bool>(batch.size(), true);
}

boost::asio::awaitable<std::vector<LastWrites::Found>> LastWrites::look_up(std::vector<std::string> batch) {
    auto wanted = batch;
    wanted.push_back(shared_->process);
    auto const rows = co_await shared_->reads.find(
        {kFind, {}, {core::to_parameter(wanted), core::to_parameter(shared_->projections)}});
    std::unordered_map<std::string, LastWrite> found;
    for (auto const& row : rows) {
        auto const number = [&](std::size_t column) { return core::parse_integer(row.at(column).value()).value(); };
        found[row.at(0).value()] = {{static_cast<int>(number(1)), number(2)}, row.at(3) == "t"};
    }
    if (!found.contains(shared_->process)) co_await begin_anew();
    std::vector<Found> results;
    results.reserve(batch.size());
    for (auto const& lineage : batch) {
        auto const each = found.find(lineage);
        results.push_back(each == found.end() ? Found() : Found(each->second));
    }
    co_return results;
}

boost::asio::awaitable<void> LastWrites::begin_anew() {
    try {
        co_await publish({{shared_->process, {0, -1}}});
    } catch (std::exception const& error) {
        core::log(core::quiet_while_away(core::Level::warn), "the table of last writes can't be begun anew",
                  {{"error", error.what()}});
    }
    // After the row, for what was published and lost before it stood there must lie below heads that are asked for now.
    std::lock_guard const lock(mutex_);
    floors_.clear();
    ++generation_;
}

LastWrites::Asker& LastWrites::asker_of(int partition) {
    auto const ask = [this, partition](std::vector<bool> const& all) { return ask_head(partition, all.size()); };
    std::lock_guard const lock(mutex_);
    if (stopped_) std::rethrow_exception(stopped_);
    return askers_.try_emplace(partition, ask).first->second;
}

boost::asio::awaitable<std::vector<LastWrites::Head>> LastWrites::ask_head(int partition, std::size_t times) {
    std::uint64_t asked = 0;
    {
        std::lock_guard const lock(mutex_);
        asked = generation_;
    }
    Head head;
    try {
        head = co_await head_of_(partition);
    } catch (std::exception const& error) {
        core::log(core::quiet_while_away(core::Level::warn), "a partition's head is not known",
                  {{"partition", partition}, {"error", error.what()}});
    }
    // Kept here, for all who asked may have given up by now.
    std::lock_guard const lock(mutex_);
    if (head && generation_ == asked) floors_.emplace(partition, *head);
    co_return std::vector<Head>(times, head);
}

boost::asio::awaitable<std::optional<std::int64_t>> LastWrites::floor(int partition, Clock::time_point deadline) {
    {
        std::lock_guard const lock(mutex_);
        auto const known = floors_.find(partition);
        if (known != floors_.end()) co_return known->second;
    }
    auto const left = std::max(std::chrono::duration_cast<milliseconds>(deadline - Clock::now()), milliseconds(0));
    co_return (co_await core::within(left, asker_of(partition).submit(true))).value_or(std::nullopt);
}

void LastWrites::floor_reached(int partition, std::int64_t position) {
    std::lock_guard const lock(mutex_);
    auto const floor = floors_.find(partition);
    if (floor != floors_.end() && floor->second <= position) floor->second = -1;
}

boost::asio::awaitable<void> LastWrites::publish_again() {
    if (!shared_) co_return;
    auto late = put_off();
    if (!late.empty()) co_await publish(std::move(late));
}

boost::asio::awaitable<void> LastWrites::prune() {
    if (!shared_) co_return;
    co_await shared_->writes.run([this](core::Connection& c) { c.execute(kPrune, shared_->projections); });
}

}  // namespace workforce::operations
