// Taking in and letting go.
#include "commands/engine/memory.hpp"

#include <algorithm>

#include "core/time.hpp"
#include "events/codec.hpp"

namespace workforce::commands {
namespace {

constexpr std::int64_t kAnswerLifeMs = 24 * 3'600'000LL;  // spec 8: a key replays for 24 hours
constexpr std::size_t kAnswerOverhead = 300;              // of an answer in memory, besides its body
constexpr std::size_t kBookingsOfARow = 20;               // that take as much room as a row
constexpr std::size_t kMostTurns = 20'000;                // of one call, which the writers of all partitions wait for
constexpr std::size_t kHopeless = 1000;                   // that can't leave, one after the other

Stock stock_of(events::Kind kind) {
    switch (kind) {
        case events::Kind::staff:
            return Stock::staff;
        case events::Kind::shift:
            return Stock::shift;
        case events::Kind::command:
            return Stock::answer;
        default:
            return Stock::unit;
    }
}

std::size_t size_of(StoredAnswer const& answer) { return answer.reply.body.size() + kAnswerOverhead; }

}  // namespace

Timestamp oldest_that_counts(Timestamp now) { return {now.ms - kAnswerLifeMs}; }

std::optional<StoredAnswer> answer_of(events::Event const& event, int partition) {
    auto const* found = events::get_if<events::CommandAnswered>(event.data);
    if (!found) return std::nullopt;
    auto const& answered = *found;
    auto const& meta = event.meta;
    Reply reply{static_cast<std::uint16_t>(answered.status),
                answered.body,
                answered.location,
                answered.version,
                true,
                std::nullopt,
                partition,
                meta.position};
    return StoredAnswer{meta.idempotency_hash, meta.time,    std::move(reply), answered.sealedFor,
                        answered.body.erased,  meta.position};
}

Memory::Memory(Positions const& gone) : gone_(gone) {}
Memory::Memory(Memory&&) noexcept = default;
Memory& Memory::operator=(Memory&&) noexcept = default;
Memory::~Memory() = default;

OrganizationState& Memory::organization(Id id) {
    auto const [entry, added] = organizations_.try_emplace(id);
    if (added) {
        entry->second.whole = gone_ == kNowhere;
        made_.push_back(id);
    }
    return entry->second;
}

OrganizationState const* Memory::find(Id id) const {
    auto const found = organizations_.find(id);
    return found == organizations_.end() ? nullptr : &found->second;
}

void Memory::apply(events::Event const& event) {
    auto const& meta = event.meta;
    auto& state = organization(meta.organization);
    bool const first = meta.seq == 1;
    state.apply(event);
    if (!first) return;
    Resident resident{Resident::Kind::unit, meta.organization, meta.subject.id};
    switch (stock_of(meta.subject.kind)) {
        case Stock::answer:
            return;
        case Stock::unit:
            ++aggregates_;
            if (meta.subject.kind != events::Kind::organization) return;  // it leaves with its organization
            // Nothing can be older than the organization itself.
            if (meta.position > *std::max_element(gone_.begin(), gone_.end())) state.whole = true;
            break;
        case Stock::staff:
            ++aggregates_;
            resident.kind = Resident::Kind::staff;
            break;
        case Stock::shift:
            ++aggregates_;
            resident.kind = Resident::Kind::shift;
            break;
    }
    turn_.push_back(resident);
}

bool Memory::is_past(events::Event const& event) const {
    auto const& meta = event.meta;
    auto const stock = stock_of(meta.subject.kind);
    // What is here tells by itself: looked up, it may be ahead of the event that made it needed.
    auto const* state = find(meta.organization);
    if (state && stock == Stock::unit && state->unit) return state->version(meta.subject) >= meta.seq;
    if (state && state->version(meta.subject) > 0) return state->version(meta.subject) >= meta.seq;
    return meta.position <= gone_[index_of(stock)];
}

void Memory::note_past(events::Event const& event) {
    auto const& meta = event.meta;
    auto const found = organizations_.find(meta.organization);
    // Looked up ahead of the fold, it has left again.
    if (found != organizations_.end() && found->second.version(meta.subject) == 0) found->second.whole = false;
}

Needs Memory::lacked_by(std::vector<events::Event> const& events) const {
    Needs needs;
    for (auto const& event : events) {
        auto const& meta = event.meta;
        if (meta.seq == 1 && meta.subject.kind != events::Kind::facility && meta.subject.kind != events::Kind::user &&
            meta.subject.kind != events::Kind::api_key) {
            continue;
        }
        auto const stock = stock_of(meta.subject.kind);
        if (stock == Stock::answer || is_past(event)) continue;
        auto const* state = find(meta.organization);
        if (state ? state->whole : gone_ == kNowhere) continue;
        if (stock == Stock::unit) {
            if (!state || !state->unit) needs.insert({Need::Kind::unit, meta.organization});
        } else if (!state || state->version(meta.subject) == 0) {
            auto const kind = stock == Stock::staff ? Need::Kind::staff : Need::Kind::shift;
            needs.insert({kind, meta.organization, meta.subject.id, meta.sandbox});
        }
    }
    return needs;
}

void Memory::add(Found found) {
    // Who was folded past a skipped event is here already, or was folded from the log.
    auto const require_whole = [](auto const& row) {
        if (row.lacks_event)
            throw StoreBehind("a row lacks an event that was skipped: its read model has to be rebuilt");
    };
    for (auto& unit : found.units) {
        auto const id = unit.organization.value.id;
        auto& state = organization(id);
        if (state.unit) continue;
        require_whole(unit.organization);
        std::for_each(unit.facilities.begin(), unit.facilities.end(), require_whole);
        std::for_each(unit.users.begin(), unit.users.end(), require_whole);
        std::for_each(unit.api_keys.begin(), unit.api_keys.end(), require_whole);
        auto const fill = [](auto& table, auto& rows) {
            for (auto& row : rows) {
                auto const row_id = row.value.id;
                table.insert_or_assign(row_id, std::move(row));
            }
        };
        state.unit = true;
        state.unit_used = true;
        state.unit_position = found.through[index_of(Stock::unit)];
        state.organization = std::move(unit.organization);
        fill(state.facilities, unit.facilities);
        fill(state.users, unit.users);
        fill(state.api_keys, unit.api_keys);
        enter(state, {Resident::Kind::unit, id, id});
    }
    for (auto& member : found.staff) {
        member.position = found.through[index_of(Stock::staff)];
        Resident const resident{Resident::Kind::staff, member.value.organizationId, member.value.id};
        auto& state = organization(resident.organization);
        if (!state.staff.contains(resident.id)) require_whole(member);
        if (state.add(std::move(member))) enter(state, resident);
    }
    for (auto& record : found.shifts) {
        record.position = found.through[index_of(Stock::shift)];
        Resident const resident{Resident::Kind::shift, record.value.shift.organizationId, record.value.shift.id};
        auto& state = organization(resident.organization);
        if (!state.shifts.contains(resident.id)) require_whole(record);
        if (state.add(std::move(record))) enter(state, resident);
    }
    for (auto& person : found.bookings) {
        auto& state = organization(person.organization);
        state.add_bookings(person.staff, person.from, person.bookings);
        auto& index = state.bookings.at(person.staff);
        bool const counted = index.charge != 0;
        aggregates_ -= std::exchange(index.charge, 1 + index.known.size() / kBookingsOfARow);
        if (counted) {
            aggregates_ += index.charge;
        } else {
            enter(state, {Resident::Kind::bookings, person.organization, person.staff});
        }
    }
}

std::size_t Memory::weight_of(OrganizationState const& state, Resident const& which) {
    switch (which.kind) {
        case Resident::Kind::unit:
            return state.unit ? state.unit_rows() : 0;
        case Resident::Kind::bookings: {
            auto const found = state.bookings.find(which.id);
            return found == state.bookings.end() ? 0 : found->second.charge;
        }
        default:
            return 1;
    }
}

void Memory::enter(OrganizationState const& state, Resident const& which) {
    aggregates_ += weight_of(state, which);
    turn_.push_back(which);
}

void Memory::note_absent(Needs const& needs) { absent_.insert(needs.begin(), needs.end()); }

void Memory::end_batch() {
    absent_.clear();
    shown_answers_.clear();
    for (Id const id : std::exchange(made_, {})) {
        auto const found = organizations_.find(id);
        if (found != organizations_.end() && found->second.empty()) organizations_.erase(found);
    }
}

void Memory::keep_answer(std::string const& key, StoredAnswer answer) {
    answer_bytes_ += size_of(answer);
    answers_by_age_.emplace_back(answer.position, key);
    auto const [entry, added] = answers_.try_emplace(key);
    if (!added) answer_bytes_ -= size_of(entry->second);
    entry->second = std::move(answer);
}

StoredAnswer* Memory::find_answer(std::string const& key) {
    for (auto* answers : {&answers_, &shown_answers_}) {
        auto const found = answers->find(key);
        if (found != answers->end()) return &found->second;
    }
    return nullptr;
}

Timestamp Memory::answers_lack_until() const {
    return gone_[index_of(Stock::answer)] < 0 ? Timestamp{} : Timestamp{youngest_gone_.ms + kAnswerLifeMs};
}

bool Memory::knows_answer(Need const& answer, std::int64_t looked_through, Timestamp now) const {
    if (answers_.contains(answer.text) || shown_answers_.contains(answer.text)) return true;
    if (answers_lack_until() < now || gone_[index_of(Stock::answer)] <= looked_through) return true;
    return absent_.contains(answer);
}

void Memory::erase_answers(std::string const& person) {
    for (auto* answers : {&answers_, &shown_answers_}) {
        for (auto& [key, answer] : *answers) {
            if (answer.sealed_for != person) continue;
            if (answers == &answers_) answer_bytes_ -= answer.reply.body.size();
            answer.reply.body.clear();
            answer.erased = true;
        }
    }
}

void Memory::drop_oldest_answer() {
    auto const [position, key] = std::move(answers_by_age_.front());
    answers_by_age_.pop_front();
    auto const found = answers_.find(key);
    // A key that was used again after its day has a younger answer, which stays.
    if (found == answers_.end() || found->second.position != position) return;
    answer_bytes_ -= size_of(found->second);
    answers_.erase(found);
}

void Memory::forget_old_answers(Timestamp now) {
    while (!answers_by_age_.empty()) {
        auto const& [position, key] = answers_by_age_.front();
        auto const found = answers_.find(key);
        bool const counts = found != answers_.end() && found->second.position == position;
        if (counts && answer_counts(found->second.time, now)) return;
        drop_oldest_answer();
    }
}

void Memory::let_answers_go(std::int64_t through, std::size_t bytes) {
    while (answer_bytes_ > bytes && !answers_by_age_.empty() && answers_by_age_.front().first <= through) {
        auto const [position, key] = answers_by_age_.front();
        if (auto const found = answers_.find(key); found != answers_.end() && found->second.position == position) {
            note_answer_gone(found->second.time);
            note_gone(Stock::answer, position);
        }
        drop_oldest_answer();
    }
}

void Memory::note_gone(Stock stock, std::int64_t position) {
    auto& gone = gone_[index_of(stock)];
    gone = std::max(gone, position);
}

Memory::Fate Memory::fate_of(OrganizationState& state, Resident const& which, Positions const& through) {
    // Who was used gets another turn, and then another look.
    auto const judge = [&](auto const& table, Stock stock) {
        auto const found = table.find(which.id);
        if (found == table.end()) return Fate::left_before;
        if (std::exchange(found->second.used, false)) return Fate::used;
        if (found->second.position > through[index_of(stock)]) return Fate::unstored;
        note_gone(stock, found->second.position);
        return Fate::leaves;
    };
    switch (which.kind) {
        case Resident::Kind::unit: {
            if (!state.unit) return Fate::left_before;
            if (std::exchange(state.unit_used, false)) return Fate::used;
            if (state.unit_position > through[index_of(Stock::unit)]) return Fate::unstored;
            note_gone(Stock::unit, state.unit_position);
            state.drop_unit();
            return Fate::leaves;
        }
        case Resident::Kind::staff: {
            auto const fate = judge(state.staff, Stock::staff);
            if (fate == Fate::leaves) state.drop_staff(which.id);
            return fate;
        }
        case Resident::Kind::shift: {
            auto const fate = judge(state.shifts, Stock::shift);
            if (fate == Fate::leaves) state.drop_shift(which.id);
            return fate;
        }
        case Resident::Kind::bookings: {
            auto const found = state.bookings.find(which.id);
            if (found == state.bookings.end() || !found->second.complete_from) return Fate::left_before;
            if (std::exchange(found->second.used, false)) return Fate::used;
            state.drop_bookings(which.id);
            return Fate::leaves;
        }
    }
    return Fate::left_before;
}

Memory::Fate Memory::leave(Resident const& which, Positions const& through) {
    auto const found = organizations_.find(which.organization);
    if (found == organizations_.end()) return Fate::left_before;
    auto const weight = weight_of(found->second, which);
    auto const fate = fate_of(found->second, which, through);
    if (fate != Fate::leaves) return fate;
    aggregates_ -= weight;
    if (found->second.empty()) organizations_.erase(found);
    return fate;
}

std::size_t Memory::let_go(Positions const& through, std::size_t aggregates, std::size_t answer_bytes,
                           Patience patience) {
    auto const before = aggregates_;
    std::size_t unstored = 0;  // one after the other
    // Two turns: the first takes the mark of use off, the second lets go.
    bool const hurried = patience == Patience::some_turns;
    auto const most = 2 * turn_.size();
    for (auto turns = hurried ? std::min(most, kMostTurns) : most; turns > 0; --turns) {
        if (aggregates_ <= aggregates || (hurried && unstored > kHopeless)) break;
        auto const next = turn_.front();
        turn_.pop_front();
        auto const fate = leave(next, through);
        if (fate == Fate::used || fate == Fate::unstored) turn_.push_back(next);
        unstored = fate == Fate::unstored ? unstored + 1 : 0;
    }
    let_answers_go(through[index_of(Stock::answer)], answer_bytes);
    return before - aggregates_;
}

}  // namespace workforce::commands
