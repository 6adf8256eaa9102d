// The tail's side: folding, and what that decides about operations.
#include "events/log/kafka/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/logging.hpp"
#include "events/attributes.hpp"

namespace workforce::events::kafka {
namespace {

constexpr std::int64_t kMarkEvery = 4096;  // positions

}  // namespace

void Partition::begin(std::vector<Mark> marks) {
    {
        std::lock_guard const lock(mutex_);
        for (auto& mark : marks) marks_.push_back(std::move(mark));
        saved_ = marks_.size();
        unproved_ = saved_ > 1;
        begun_ = true;
        progress_ = Clock::now();
    }
    moved_.notify_all();
}

std::int64_t Partition::resume_offset() const {
    std::lock_guard const lock(mutex_);
    return unproved_ ? marks_.back().offset : next_offset_;
}

bool Partition::unproved() const {
    std::lock_guard const lock(mutex_);
    return unproved_;
}

bool Partition::prove(Raw const& record) {
    auto const& mark = marks_.back();
    if (!stands_at(mark, record.offset, record.body)) return false;
    unproved_ = false;
    arbiter_ = Arbiter(mark.epoch, mark.head);
    next_offset_ = record.offset + 1;
    recent_.seen(mark.head.position);
    return true;
}

void Partition::start_over() {
    std::lock_guard const lock(mutex_);
    auto const& mark = marks_.back();
    core::log(core::Level::warn, "a mark does not fit the topic; the partition is read from its beginning",
              {{"partition", number_}, {"offset", mark.offset}, {"position", mark.head.position}});
    marks_ = {Mark{}};
    saved_ = 1;
    unproved_ = false;
    if (next_offset_ >= goal_) arrive_at_end();
}

bool Partition::fold(std::vector<Raw> records) {
    std::vector<Ruling> rulings;
    std::vector<std::string> counted;
    bool taken = false;
    {
        std::lock_guard const lock(mutex_);
        for (auto& record : records) {
            if (unproved_) {
                if (!prove(record)) return false;
                continue;
            }
            if (record.offset < next_offset_) continue;
            rulings.clear();
            next_offset_ = record.offset + 1;
            arbiter_.fold(record.offset, std::move(record.body), rulings);
            for (auto& ruling : rulings) rule(ruling, counted);
        }
        progress_ = Clock::now();
        trouble_.clear();
        // Under the lock: a reader that finds the head here finds the records there.
        auto const first = arbiter_.head().position + 1 - static_cast<std::int64_t>(counted.size());
        if (!counted.empty()) recent_.appended(first, std::move(counted));
        taken = !taken_.empty() && broken_.empty();
        // Under the lock: who waits for the end of what is another's by now is told that, not the end.
        if (taken) broken_ = std::exchange(taken_, {});
        if (next_offset_ >= goal_) arrive_at_end();
    }
    moved_.notify_all();
    if (taken) end_broken();
    return true;
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
        case Ruling::Kind::owns:
            return on_owner(ruling);
    }
}

void Partition::on_event(Ruling& ruling, std::vector<std::string>& counted) {
    counted.push_back(std::move(ruling.body));
    remember(ruling);
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

void Partition::on_owner(Ruling const& ruling) {
    auto const record = owner_record_of(ruling.body);
    if (!record) return;
    owner_seen_ = record;
    if (record->incarnation == owner_.incarnation || !takes_over(*record, number_, topic_, owner_)) return;
    taken_ = fmt::format("partition {} of topic {} belongs to another database now (incarnation {}; this one is {})",
                         number_, topic_, record->incarnation, owner_.incarnation);
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

void Partition::remember(Ruling const& ruling) {
    bool const due = ruling.position >= marks_.back().head.position + kMarkEvery;
    bool const ends_its_command = ruling.position == arbiter_.head().position;
    if (due && ends_its_command) marks_.push_back({ruling.offset, ruling.epoch, arbiter_.head()});
}

void Partition::note(Ruling const& ruling) {
    auto const count = ++voids_.at(static_cast<std::size_t>(ruling.reason));
    if (count < next_note_.at(static_cast<std::size_t>(ruling.reason))) return;
    next_note_.at(static_cast<std::size_t>(ruling.reason)) = count * 10;  // so that a flood is few lines
    if (!tells_voids_) return;
    core::log(is_ordinary(ruling.reason) ? core::Level::info : core::Level::warn, "void records in the log",
              {{"partition", number_},
               {"kind", to_string(ruling.reason)},
               {"count", count},
               {"offset", ruling.offset},
               {"why", ruling.fault}});
}

bool Partition::reached_end(std::int64_t offset) {
    {
        std::lock_guard const lock(mutex_);
        if (unproved_) return false;
        next_offset_ = std::max(next_offset_, offset);  // markers of foreign transactions take offsets too
        progress_ = Clock::now();
        trouble_.clear();
        arrive_at_end();
    }
    moved_.notify_all();
    return true;
}

void Partition::expect_end(std::int64_t offset) {
    {
        std::lock_guard const lock(mutex_);
        goal_ = offset;
        if (!unproved_ && next_offset_ >= goal_) arrive_at_end();
    }
    moved_.notify_all();
}

void Partition::arrive_at_end() {
    if (!broken_.empty()) return;  // who waits is told that
    arrived_ = true;
    for (auto& [began, complete] : arrivals_) complete({Outcome::Kind::done, arbiter_.epoch(), arbiter_.head()});
    arrivals_.clear();
}

std::vector<Mark> Partition::unsaved_marks() const {
    std::lock_guard const lock(mutex_);
    bool const writer = tenure_.epoch >= 0 && tenure_.epoch == arbiter_.epoch();
    if (!writer) return {};
    return {marks_.begin() + static_cast<std::ptrdiff_t>(saved_), marks_.end()};
}

void Partition::saved(std::size_t marks) {
    std::lock_guard const lock(mutex_);
    saved_ = std::min(saved_ + marks, marks_.size());
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

void Partition::report(std::uint64_t operation, bool delivered) {
    std::lock_guard const lock(mutex_);
    if (!delivered) return fail(operation);
    auto const append =
        std::find_if(appends_.begin(), appends_.end(), [&](Append const& each) { return each.id == operation; });
    if (append != appends_.end()) {
        --append->undelivered;
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
    end_broken();
}

void Partition::end_broken() {
    core::log(core::Level::error, trouble());
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
