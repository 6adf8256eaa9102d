// Taking in and evicting.
#include "commands/engine/memory.hpp"

#include <algorithm>

#include "commands/engine/rows.hpp"
#include "core/time.hpp"
#include "events/catalogue.hpp"

namespace workforce::commands {
namespace {

constexpr std::int64_t kAnswerLifeMs = 24 * 3'600'000LL;  // spec 8: a key replays for 24 hours
constexpr std::size_t kAnswerOverhead = 300;              // of an answer in memory, besides its body
constexpr std::size_t kMostLooks = 20'000;                // of one call, which the writers of all partitions wait for
constexpr std::size_t kMostUnstored = 1000;               // one after the other, past which looking on is in vain

using events::Kind;
using events::Residence;

/// Errors: StoreBehind for a row that can't be decided on.
template <class State>
void require_whole(Held<State> const& row) {
    if (row.lacks_event) {
        throw StoreBehind("a row lacks an event that was skipped: its read model has to be rebuilt");
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

Memory::Memory(Positions const& evicted) : evicted_(evicted) {}

OrganizationState& Memory::organization(Id id) {
    auto const [entry, added] = organizations_.try_emplace(id);
    if (added) {
        entry->second.complete = evicted_ == kNowhere;
        made_.push_back(id);
    }
    return entry->second;
}

template <class F>
void Memory::recount(OrganizationState const& state, F change) {
    auto const before = state.bytes();
    change();
    bytes_ += state.bytes() - before;
}

OrganizationState const* Memory::find(Id id) const {
    auto const found = organizations_.find(id);
    return found == organizations_.end() ? nullptr : &found->second;
}

void Memory::apply(events::Event const& event) {
    auto const& meta = event.meta;
    auto& state = organization(meta.organization);
    recount(state, [&] { state.apply(event); });
    auto const residence = events::residence_of(meta.subject.kind);
    if (meta.seq != 1 || residence == Residence::none) return;
    ++aggregates_;
    if (meta.subject.kind == Kind::organization) {
        // Nothing can be older than the organization itself.
        if (meta.position > evicted_.greatest()) state.complete = true;
    } else if (residence == Residence::with_organization) {
        return;  // it is evicted with its organization
    }
    queue_.push_back({meta.subject.kind, meta.organization, meta.subject.id});
}

bool Memory::is_past(events::Event const& event) const {
    auto const& meta = event.meta;
    auto const kind = resident_kind(meta.subject.kind);
    // What is here tells by itself: looked up, it may be ahead of the event that made it needed.
    auto const* state = find(meta.organization);
    if (state && kind == Kind::organization && state->resident) return state->version(meta.subject) >= meta.seq;
    if (state && state->version(meta.subject) > 0) return state->version(meta.subject) >= meta.seq;
    return meta.position <= evicted_[kind];
}

void Memory::note_past(events::Event const& event) {
    auto const& meta = event.meta;
    auto const found = organizations_.find(meta.organization);
    // Looked up ahead of the fold, it was evicted again.
    if (found != organizations_.end() && found->second.version(meta.subject) == 0) found->second.complete = false;
}

Needs Memory::lacked_by(std::vector<events::Event> const& events) const {
    Needs needs;
    for (auto const& event : events) {
        auto const& meta = event.meta;
        auto const& subject = meta.subject;
        auto const kind = resident_kind(subject.kind);
        // What begins needs nothing, but the organization that it is resident with.
        if (meta.seq == 1 && kind == subject.kind) continue;
        if (events::residence_of(kind) == Residence::none || is_past(event)) continue;
        auto const* state = find(meta.organization);
        if (state ? state->complete : evicted_ == kNowhere) continue;
        if (kind == Kind::organization) {
            if (!state || !state->resident) needs.insert(organization_need(meta.organization));
        } else if (!state || state->version(subject) == 0) {
            needs.insert({.kind = kind, .organization = meta.organization, .id = subject.id, .sandbox = meta.sandbox});
        }
    }
    return needs;
}

std::set<Id> Memory::add_organizations(Found& found) {
    std::set<Id> added;
    for (auto& row : found.of<events::Organization>()) {
        auto const id = row.value.id;
        auto& state = organization(id);
        if (state.resident) continue;
        require_whole(row);
        state.resident = true;
        state.used = true;
        state.position = found.through[Kind::organization];
        added.insert(id);
    }
    events::for_each_kind<events::KindsWithOrganization>([&](Kind, auto constant) {
        using State = events::StateOf<decltype(constant)>;
        for (auto& row : found.of<State>()) {
            auto const owner = organization_of(row.value);
            if (!added.contains(owner)) continue;
            require_whole(row);
            auto const id = resource_of(row.value).id;
            auto& state = organization(owner);
            recount(state, [&] {
                auto& here = state.template rows<State>()[id];
                row.bytes = here.bytes;
                here = std::move(row);
                weigh(state, here);
            });
        }
    });
    return added;
}

template <class State>
void Memory::add_rows(std::vector<Held<State>>& rows, std::int64_t through) {
    for (auto& row : rows) {
        row.position = through;
        auto const owner = organization_of(row.value);
        auto const id = resource_of(row.value).id;
        auto& state = organization(owner);
        // Who was folded past a skipped event is here already, or was folded from the log.
        if (!state.template rows<State>().contains(id)) require_whole(row);
        bool came = false;
        recount(state, [&] { came = commands::add(state, std::move(row)); });
        if (came) enter(state, {events::kKindOfState<State>, owner, id});
    }
}

void Memory::add(Found found) {
    for (Id const id : add_organizations(found)) enter(organization(id), {Kind::organization, id, id});
    events::for_each_kind<events::KindsAlone>([&](Kind kind, auto constant) {
        add_rows(found.of<events::StateOf<decltype(constant)>>(), found.through[kind]);
    });
    for (auto& key : found.keys) {
        if (!key.whole) continue;  // its rows are here, and are enough to tell that there are too many
        auto& state = organization(key.organization);
        bool const known = state.indexes.is_complete(key.key);
        recount(state, [&] { state.add_key(key.key, key.from, std::move(key.entries)); });
        if (!known) {
            enter(state, {traits_of(key.key).kind, key.organization, 0, std::make_unique<IndexKey>(key.key)});
        }
    }
}

std::size_t Memory::weight_of(OrganizationState const& state, Resident const& which) {
    if (which.key) return state.indexes.is_complete(*which.key) ? 1 : 0;
    if (which.kind == Kind::organization) return state.resident ? state.resident_rows() : 0;
    return 1;
}

void Memory::enter(OrganizationState const& state, Resident which) {
    aggregates_ += weight_of(state, which);
    queue_.push_back(std::move(which));
}

bool Memory::holds_much(Id organization) const {
    auto const* state = find(organization);
    return state && state->bytes() * organizations_.size() >= bytes_;
}

void Memory::note_absent(Needs const& needs) { absent_.insert(needs.begin(), needs.end()); }

void Memory::end_batch() {
    absent_.clear();
    taken_.clear();
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
    return evicted_[Kind::command] < 0 ? Timestamp{} : Timestamp{youngest_evicted_.ms + kAnswerLifeMs};
}

bool Memory::knows_answer(Need const& answer, std::int64_t looked_through, Timestamp now) const {
    if (answers_.contains(answer.text) || shown_answers_.contains(answer.text)) return true;
    if (answers_lack_until() < now || evicted_[Kind::command] <= looked_through) return true;
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

void Memory::evict_answers(std::int64_t through, std::size_t bytes) {
    while (answer_bytes_ > bytes && !answers_by_age_.empty() && answers_by_age_.front().first <= through) {
        auto const [position, key] = answers_by_age_.front();
        if (auto const found = answers_.find(key); found != answers_.end() && found->second.position == position) {
            note_answer_evicted(found->second.time);
            note_evicted(Kind::command, position);
        }
        drop_oldest_answer();
    }
}

KindBytes Memory::unstored(Positions const& through) const {
    KindBytes bytes;
    for (auto const& [id, state] : organizations_) {
        bool const here = state.resident && state.position > through[Kind::organization];
        for (auto const kind : events::kAllKinds) {
            auto const* table = state.table(kind);
            if (!table) continue;
            bool const alone = events::residence_of(kind) == Residence::alone;
            table->for_each([&](Id, RowFacts const& row) {
                if (alone ? row.position > through[kind] : here) bytes[kind] += row.bytes;
            });
        }
    }
    for (auto const& [key, answer] : answers_) {
        if (answer.position > through[Kind::command]) bytes[Kind::command] += size_of(answer);
    }
    return bytes;
}

void Memory::note_evicted(Kind kind, std::int64_t position) { evicted_[kind] = std::max(evicted_[kind], position); }

// What was used gets another turn, and then another look.
Memory::Verdict Memory::try_evict_row(OrganizationState& state, events::AggregateRef const& ref,
                                      Positions const& through) {
    auto const* found = state.find(ref);
    if (!found) return Verdict::absent;
    if (std::exchange(found->used, false)) return Verdict::used;
    if (found->position > through[ref.kind]) return Verdict::unstored;
    note_evicted(ref.kind, found->position);
    state.evict(ref);
    return Verdict::evicted;
}

Memory::Verdict Memory::try_evict_organization(OrganizationState& state, Positions const& through) {
    if (!state.resident) return Verdict::absent;
    if (std::exchange(state.used, false)) return Verdict::used;
    if (state.position > through[Kind::organization]) return Verdict::unstored;
    note_evicted(Kind::organization, state.position);
    state.evict_resident();
    return Verdict::evicted;
}

Memory::Verdict Memory::try_evict_key(OrganizationState& state, IndexKey const& key) {
    auto const* found = state.indexes.find(key);
    if (!found || !found->complete_from) return Verdict::absent;
    if (std::exchange(found->used, false)) return Verdict::used;
    state.evict_key(key);
    return Verdict::evicted;
}

Memory::Verdict Memory::try_evict(OrganizationState& state, Resident const& which, Positions const& through) {
    if (which.key) return try_evict_key(state, *which.key);
    if (which.kind == Kind::organization) return try_evict_organization(state, through);
    return try_evict_row(state, {which.kind, which.id}, through);
}

Memory::Verdict Memory::try_evict(Resident const& which, Positions const& through) {
    auto const found = organizations_.find(which.organization);
    if (found == organizations_.end()) return Verdict::absent;
    auto const weight = weight_of(found->second, which);
    auto verdict = Verdict::absent;
    recount(found->second, [&] { verdict = try_evict(found->second, which, through); });
    if (verdict != Verdict::evicted) return verdict;
    aggregates_ -= weight;
    if (found->second.empty()) organizations_.erase(found);
    return verdict;
}

std::size_t Memory::evict(Positions const& through, std::size_t bytes, std::size_t answer_bytes, Sweep sweep) {
    auto const before = aggregates_;
    std::size_t unstored = 0;  // one after the other
    // Each is looked at twice: the first look takes the mark of use off, the second evicts.
    bool const some = sweep == Sweep::some;
    auto const most = 2 * queue_.size();
    for (auto looks = some ? std::min(most, kMostLooks) : most; looks > 0; --looks) {
        if (bytes_ <= bytes || (some && unstored > kMostUnstored)) break;
        auto next = std::move(queue_.front());
        queue_.pop_front();
        auto const verdict = try_evict(next, through);
        if (verdict == Verdict::used || verdict == Verdict::unstored) queue_.push_back(std::move(next));
        unstored = verdict == Verdict::unstored ? unstored + 1 : 0;
    }
    evict_answers(through[Kind::command], answer_bytes);
    return before - aggregates_;
}

}  // namespace workforce::commands
