// A partition's other side: operations as they begin, and what readers ask.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/crypto.hpp"
#include "events/log/kafka/partition.hpp"

namespace workforce::events::kafka {

void Partition::append(Claim const& claim, Head const& before, Head const& after, std::vector<Outgoing> records,
                       std::shared_ptr<Producer> const& spare, Complete complete) {
    std::lock_guard const lock(mutex_);
    if (claim.epoch < arbiter_.epoch()) return complete({Outcome::Kind::fenced, arbiter_.epoch(), {}});
    if (!broken_.empty() || claim.epoch > arbiter_.epoch()) return complete({});
    // A claim that another instance made: what it knows of the head is as good as ours.
    if (tenure_.epoch != claim.epoch) tenure_ = {claim.epoch, spare};
    if (tenure_.doubtful) return complete({});
    auto const& head = appends_.empty() ? arbiter_.head() : appends_.back().after;
    if (before != head) return complete({Outcome::Kind::fenced, claim.epoch, {}});
    auto const id = ++last_id_;
    appends_.push_back({.id = id,
                        .epoch = claim.epoch,
                        .first = before.position + 1,
                        .after = after,
                        .undelivered = static_cast<std::int64_t>(records.size()),
                        .deadline = Clock::now() + timeout_,
                        .complete = std::move(complete)});
    // Under the lock, so that the records of two appends do not mix.
    if (!tenure_.producer->send(number_, id, std::move(records))) doubt(claim.epoch);
}

void Partition::arrive(Complete complete) {
    std::lock_guard const lock(mutex_);
    if (!broken_.empty()) return complete({});
    if (arrived_) return complete({Outcome::Kind::done, arbiter_.epoch(), arbiter_.head()});
    arrivals_.emplace_back(Clock::now(), std::move(complete));
}

void Partition::claim(std::int64_t least, MakeMarker const& make, std::shared_ptr<Producer> producer,
                      Complete complete) {
    std::lock_guard const lock(mutex_);
    // Claims that this process makes at the same time take one epoch after another, so that each has its turn.
    auto const next = arbiter_.epoch() + 1;
    tried_epoch_ = std::max({next, tried_epoch_ + 1, least});
    if (tried_epoch_ - arbiter_.epoch() > kMostEpochStep) tried_epoch_ = std::max(next, least);
    send_marker({.type = RecordType::claim,
                 .epoch = tried_epoch_,
                 .nonce = {},
                 .began = Clock::now(),
                 .producer = std::move(producer),
                 .read = {},
                 .complete = std::move(complete)},
                make);
}

void Partition::confirm(std::int64_t epoch, MakeMarker const& make, std::shared_ptr<Producer> const& spare,
                        Complete complete) {
    std::lock_guard const lock(mutex_);
    if (epoch < arbiter_.epoch()) return complete({Outcome::Kind::fenced, arbiter_.epoch(), {}});
    auto producer = tenure_.epoch == epoch ? tenure_.producer : spare;
    send_marker({.type = RecordType::confirmation,
                 .epoch = epoch,
                 .nonce = {},
                 .began = Clock::now(),
                 .producer = std::move(producer),
                 .read = {},
                 .complete = std::move(complete)},
                make);
}

void Partition::send_marker(Marker marker, MakeMarker const& make) {
    if (!broken_.empty()) return marker.complete({});
    constexpr std::size_t kNonceLength = 22;  // 130 bits
    marker.id = ++last_id_;
    marker.nonce = core::random_base62(kNonceLength);
    std::vector<Outgoing> record;
    record.push_back(outgoing(make(marker.epoch, marker.nonce)));
    if (!marker.producer->send(number_, marker.id, std::move(record))) return marker.complete({});
    markers_.push_back(std::move(marker));
}

Partition::View Partition::view() const {
    std::lock_guard const lock(mutex_);
    return {arbiter_.head(), next_offset_, arrived_, owner_seen_};
}

void Partition::await_begun() {
    std::unique_lock lock(mutex_);
    if (moved_.wait_for(lock, timeout_, [&] { return begun_ || !broken_.empty(); })) return;
    throw LogUnavailable(unavailable(fmt::format("partition {} can't be read", number_), "its marks do not come"));
}

std::array<std::int64_t, kVoidReasons> Partition::voids() const {
    std::lock_guard const lock(mutex_);
    return voids_;
}

Mark Partition::mark_before(std::int64_t position) const {
    std::lock_guard const lock(mutex_);
    auto const after = std::partition_point(marks_.begin() + 1, marks_.end(),
                                            [&](Mark const& mark) { return mark.head.position < position; });
    return *std::prev(after);
}

void Partition::await_offset(std::int64_t offset) {
    std::unique_lock lock(mutex_);
    auto const began = Clock::now();
    while (next_offset_ < offset && broken_.empty()) {
        auto const until = patience(began);
        if (Clock::now() >= until) {
            auto const why = trouble_.empty() ? "nothing comes" : trouble_;
            throw LogUnavailable(unavailable(fmt::format("partition {} can't be read", number_), why));
        }
        moved_.wait_until(lock, until);
    }
    if (!broken_.empty()) throw LogUnfit(broken_);
}

void Partition::require_whole() const {
    std::lock_guard const lock(mutex_);
    if (!broken_.empty()) throw LogUnfit(broken_);
}

std::string Partition::trouble() const {
    std::lock_guard const lock(mutex_);
    return broken_.empty() ? trouble_ : broken_;
}

}  // namespace workforce::events::kafka
