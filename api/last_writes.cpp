// Memory for one process, a table for several; both sides of the table are grouped.
#include "api/last_writes.hpp"

#include <map>
#include <utility>

#include "core/logging.hpp"

namespace workforce::api {
namespace {

constexpr std::size_t kMaxRemembered = 100'000;

constexpr core::Statement kPublish{
    "publish_last_writes",
    "INSERT INTO ops.last_write AS w (lineage, partition, position, written_at)"
    " SELECT lineage, partition, position, now()"
    " FROM unnest($1::text[], $2::int[], $3::bigint[]) AS t(lineage, partition, position)"
    " ON CONFLICT (lineage) DO UPDATE"
    " SET partition = EXCLUDED.partition, position = EXCLUDED.position, written_at = EXCLUDED.written_at"
    " WHERE w.partition <> EXCLUDED.partition OR w.position < EXCLUDED.position"};
constexpr core::Statement kFind{
    "find_last_writes",
    "SELECT w.lineage, w.partition, w.position, w.position <="
    " (SELECT min(c.position) FROM projection.checkpoint c WHERE c.partition = w.partition) AS folded"
    " FROM ops.last_write w WHERE w.lineage = ANY ($1::text[])"};

}  // namespace

LastWrites::LastWrites(std::optional<SharedWrites> shared)
    : shared_(std::move(shared)),
      publisher_([this](std::vector<Written> batch) { return publish(std::move(batch)); }),
      finder_([this](std::vector<std::string> batch) { return look_up(std::move(batch)); }),
      start_(std::make_shared<std::vector<LogPosition>>()) {}

LastWrites::~LastWrites() = default;

void LastWrites::remember(std::string const& lineage, LogPosition position) {
    std::lock_guard const lock(mutex_);
    if (positions_.size() >= kMaxRemembered) positions_.clear();
    auto& last = positions_[lineage];
    if (last.partition != position.partition || last.position < position.position) last = position;
}

boost::asio::awaitable<void> LastWrites::note(std::string lineage, LogPosition position) {
    if (!shared_) {
        remember(lineage, position);
        co_return;
    }
    try {
        co_await publisher_.submit({std::move(lineage), position});
    } catch (std::exception const& error) {
        core::log(core::Level::warn, "other processes were not told of a write", {{"error", error.what()}});
    }
}

boost::asio::awaitable<std::optional<LastWrite>> LastWrites::find(std::string lineage) {
    if (shared_) co_return co_await finder_.submit(std::move(lineage));
    std::lock_guard const lock(mutex_);
    auto const found = positions_.find(lineage);
    if (found == positions_.end()) co_return std::nullopt;
    co_return LastWrite{found->second, false};
}

boost::asio::awaitable<std::vector<bool>> LastWrites::publish(std::vector<Written> batch) {
    // One row a credential, and in one order: two processes that write the same rows must not wait for each other.
    std::map<std::string, LogPosition> last;
    for (auto& [lineage, position] : batch) {
        auto& each = last[std::move(lineage)];
        if (each.partition != position.partition || each.position < position.position) each = position;
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
    co_return std::vector<bool>(batch.size(), true);
}

boost::asio::awaitable<std::vector<LastWrites::Found>> LastWrites::look_up(std::vector<std::string> batch) {
    auto wanted = batch;
    wanted.push_back(shared_->process);
    auto const rows = co_await shared_->reads.run([wanted](core::Connection& c) { return c.execute(kFind, wanted); });
    std::unordered_map<std::string, LastWrite> found;
    for (auto const& row : rows) {
        found[core::read<std::string>(row[0])] = {{core::read<int>(row[1]), core::read<std::int64_t>(row[2])},
                                                  !row[3].is_null() && core::read<bool>(row[3])};
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
    auto heads = co_await shared_->heads();
    co_await publish({{shared_->process, {0, -1}}});
    set_start(std::move(heads));
}

std::shared_ptr<std::vector<LogPosition> const> LastWrites::start() const {
    std::lock_guard const lock(mutex_);
    return start_;
}

void LastWrites::set_start(std::vector<LogPosition> heads) {
    auto fresh = std::make_shared<std::vector<LogPosition> const>(std::move(heads));
    std::lock_guard const lock(mutex_);
    start_ = std::move(fresh);
}

void LastWrites::start_reached(std::shared_ptr<std::vector<LogPosition> const> const& reached) {
    std::lock_guard const lock(mutex_);
    if (start_ == reached) start_ = std::make_shared<std::vector<LogPosition> const>();
}

}  // namespace workforce::api
