// The tail's side: folding, and what that decides about operations.
#include "events/kafka/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/logging.hpp"
#include "events/attributes.hpp"

namespace workforce::events::kafka {
namespace {

constexpr std::int64_t kMarkEvery = 4096;  // positions

}  // namespace

void Partition::fold(std::vector<Raw> records) {
    std::vector<Ruling> rulings;
    std::vector<std::string> counted;
    std::int64_t first = 0;
    {
        std::lock_guard const lock(mutex_);
        first = arbiter_.head().position + 1;
        for (auto& record : records) {
            rulings.clear();
            next_offset_ = record.offset + 1;
            arbiter_.fold(record.offset, std::move(record.body), rulings);
            for (auto& ruling : rulings) rule(ruling, counted);
            remember(next_offset_);
        }
        progress_ = Clock::now();
        trouble_.clear();
        // Under the lock: a reader that finds the head here finds the records there.
        if (!counted.empty()) recent_.appended(first, std::move(counted));
    }
    moved_.notify_all();
}

void Partition::rule(Ruling& ruling, std::vector<std::string>& counted) {
    switch (ruling.kind) {
        case Ruling::Kind::counts:
            return on_event(ruling, counted);
        case Ruling::Kind::claims:
            return on_claim(ruling);
        case Ruling::Kind::confirms:
            return end_marker(ruling, RecordType::confirmation,
                              ruling.epoch == arbiter_.epoch() ? Outcome::Kind::done : Outcome::Kind::fenced);
        case Ruling::Kind::voided:
            return on_void(ruling);
    }
}

void Partition::on_event(Ruling& ruling, std::vector<std::string>& counted) {
    counted.push_back(std::move(ruling.body));
    auto const next = std::find_if(appends_.begin(), appends_.end(), [](Append const& each) { return !each.read; });
    if (next == appends_.end() || next->after.position != ruling.position) return;
    // Another's record may stand where ours belongs only if something else writes under our epoch.
    bool const ours = next->epoch == ruling.epoch && next->after.hash == ruling.hash;
    if (!ours) return doubt(next->epoch);
    next->read = true;
    finish_appends();
}

void Partition::finish_appends() {
    for (; !appends_.empty(); appends_.pop_front()) {
        auto& front = appends_.front();
        if (!front.read || front.undelivered > 0) return;
        front.complete({Outcome::Kind::done, front.epoch, {}});
    }
}

void Partition::on_claim(Ruling const& ruling) {
    while (!appends_.empty() && appends_.front().epoch < ruling.epoch) {
        auto& front = appends_.front();
        bool const untouched = front.first > arbiter_.head().position;
        front.complete({untouched ? Outcome::Kind::fenced : Outcome::Kind::unknown, ruling.epoch, {}});
        appends_.pop_front();
    }
    end_marker(ruling, RecordType::claim, Outcome::Kind::done);
}

void Partition::on_void(Ruling const& ruling) {
    note(ruling);
    if (ruling.reason == VoidReason::lost_claim) end_marker(ruling, RecordType::claim, Outcome::Kind::fenced);
    bool const ours = std::any_of(appends_.begin(), appends_.end(), [&](Append const& each) {
        return each.epoch == ruling.epoch && each.first <= ruling.position && ruling.position <= each.after.position;
    });
    if (ours) doubt(ruling.epoch);
}

void Partition::end_marker(Ruling const& ruling, RecordType type, Outcome::Kind kind) {
    if (markers_.empty()) return;
    auto const nonce = attribute(ruling.body, "id");
    auto const found = std::find_if(markers_.begin(), markers_.end(),
                                    [&](Marker const& each) { return each.type == type && each.nonce == nonce; });
    if (found == markers_.end()) return;
    if (type == RecordType::claim && kind == Outcome::Kind::done) tenure_ = {found->epoch, found->producer};
    found->read = {kind, arbiter_.epoch(), arbiter_.head()};
    if (found->delivered || kind != Outcome::Kind::done) finish(found);
}

void Partition::finish(std::vector<Marker>::iterator marker) {
    marker->complete(*marker->read);
    markers_.erase(marker);
}

void Partition::remember(std::int64_t next_offset) {
    if (arbiter_.incomplete() || arbiter_.head().position < marks_.back().head.position + kMarkEvery) return;
    marks_.push_back({next_offset, arbiter_.epoch(), arbiter_.head()});
}

void Partition::note(Ruling const& ruling) {
    auto const count = ++voids_.at(static_cast<std::size_t>(ruling.reason));
    if (count < next_note_.at(static_cast<std::size_t>(ruling.reason))) return;
    next_note_.at(static_cast<std::size_t>(ruling.reason)) = count * 10;  // so that a flood is few lines
    core::log(is_ordinary(ruling.reason) ? core::Level::info : core::Level::warn, "void records in the log",
              {{"partition", number_},
               {"kind", to_string(ruling.reason)},
               {"count", count},
               {"offset", ruling.offset},
               {"why", ruling.fault}});
}

void Partition::reached_end(std::int64_t offset) {
    {
        std::lock_guard const lock(mutex_);
        next_offset_ = std::max(next_offset_, offset);  // markers of foreign transactions take offsets too
        progress_ = Clock::now();
        arrived_ = true;
        trouble_.clear();
        for (auto& [began, complete] : arrivals_) complete({Outcome::Kind::done, arbiter_.epoch(), arbiter_.head()});
        arrivals_.clear();
    }
    moved_.notify_all();
}

Clock::time_point Partition::patience(Clock::time_point began) const { return std::max(began, progress_) + timeout_; }

void Partition::expire(Clock::time_point now) {
    std::lock_guard const lock(mutex_);
    if (!appends_.empty() && now >= appends_.front().deadline) {
        if (tenure_.producer) tenure_.producer->set_suspect();
        doubt(appends_.front().epoch);
    }
    std::erase_if(markers_, [&](Marker& each) {
        if (now < patience(each.began)) return false;
        each.producer->set_suspect();
        each.complete({});
        return true;
    });
    std::erase_if(arrivals_, [&](auto& each) {
        if (now < patience(each.first)) return false;
        each.second({});
        return true;
    });
}

void Partition::doubt(std::int64_t epoch) {
    if (tenure_.epoch == epoch) {
        tenure_.doubtful = true;
        if (tenure_.producer) tenure_.producer->set_suspect();
    }
    std::erase_if(appends_, [&](Append& each) {
        if (each.epoch != epoch) return false;
        each.complete({});
        return true;
    });
}

void Partition::report(std::uint64_t operation, std::int64_t records) {
    std::lock_guard const lock(mutex_);
    if (records == 0) return fail(operation);
    auto const append =
        std::find_if(appends_.begin(), appends_.end(), [&](Append const& each) { return each.id == operation; });
    if (append != appends_.end()) {
        append->undelivered -= records;
        return finish_appends();
    }
    auto const marker =
        std::find_if(markers_.begin(), markers_.end(), [&](Marker const& each) { return each.id == operation; });
    if (marker == markers_.end()) return;
    marker->delivered = true;
    if (marker->read) finish(marker);
}

void Partition::fail(std::uint64_t operation) {
    auto const append =
        std::find_if(appends_.begin(), appends_.end(), [&](Append const& each) { return each.id == operation; });
    if (append != appends_.end()) return doubt(append->epoch);
    auto const marker =
        std::find_if(markers_.begin(), markers_.end(), [&](Marker const& each) { return each.id == operation; });
    if (marker == markers_.end()) return;
    marker->complete({});
    markers_.erase(marker);
}

void Partition::break_off(std::string const& why) {
    {
        std::lock_guard const lock(mutex_);
        if (!broken_.empty()) return;
        broken_ = why;
    }
    core::log(core::Level::error, why);
    abandon();
    moved_.notify_all();
}

void Partition::set_trouble(std::string why) {
    std::lock_guard const lock(mutex_);
    trouble_ = std::move(why);
}

void Partition::abandon() {
    Tenure ended;  // its producer goes without the lock
    std::lock_guard const lock(mutex_);
    for (auto& each : appends_) each.complete({});
    for (auto& each : markers_) each.complete({});
    for (auto& each : arrivals_) each.second({});
    appends_.clear();
    markers_.clear();
    arrivals_.clear();
    std::swap(ended, tenure_);
}

}  // namespace workforce::events::kafka
