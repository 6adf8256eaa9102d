// What a decision sees of an organization. Where memory can't tell it throws NotResident, and the decision is made
// again once what it needs was looked up.
#pragma once

#include <span>
#include <stdexcept>
#include <vector>

#include "commands/command.hpp"
#include "commands/engine/state.hpp"
#include "events/organization.hpp"

namespace workforce::commands {

/// Later than every moment.
inline constexpr Timestamp kEndOfTime{std::numeric_limits<std::int64_t>::max()};

/// One organization, from live or from sandbox. Refers to what it is made of. All functions may throw NotResident.
class View {
   public:
    /// `absent`, if given, is what was looked up and is not there; `taken` are reservations that somebody else has.
    View(Id id, OrganizationState const& state, bool sandbox, Needs const* absent = nullptr,
         Needs const* taken = nullptr)
        : id_(id), state_(state), sandbox_(sandbox), absent_(absent), taken_(taken) {}

    [[nodiscard]] events::Organization const& organization() const;
    /// The aggregate with that state, or null. Live and sandbox see their own; what has no sandbox is shared by both.
    template <class State>
    [[nodiscard]] State const* get(Id id) const;
    /// All aggregates of a kind that is resident with its organization.
    template <class State>
        requires(events::Aggregate<events::kKindOfState<State>>::kResidence == events::Residence::with_organization)
    [[nodiscard]] Table<State> const& all() const {
        require_organization();
        return state_.rows<State>();
    }

    /// The aggregates under a key of an index, in the order of its entries. Where they are more than I::kMost, it may
    /// be any of them that are more than that.
    template <class I, class... Parts>
    [[nodiscard]] auto by(Parts const&... parts) const;
    /// The first of them, or null.
    template <class I, class... Parts>
    [[nodiscard]] auto const* first_by(Parts const&... parts) const {
        auto const found = by<I>(parts...);
        return found.empty() ? nullptr : found.front();
    }
    /// Of an index with times, under a key: the entries that overlap [starts, ends), in their order; touching ends
    /// don't overlap.
    template <class I, class... Parts>
    [[nodiscard]] std::vector<IndexEntry> overlapping(Timestamp starts, Timestamp ends, Parts const&... parts) const {
        return entries(key_of<I>(parts...), I::Time::kLongestMs, starts, ends);
    }
    /// Those that end after the moment.
    template <class I, class... Parts>
    [[nodiscard]] std::vector<IndexEntry> ending_after(Timestamp moment, Parts const&... parts) const {
        return entries(key_of<I>(parts...), I::Time::kLongestMs, moment, kEndOfTime);
    }
    /// One of those that end after the moment, of an index that finds any.
    template <class I, class... Parts>
    [[nodiscard]] std::optional<Id> any_ending_after(Timestamp moment, Parts const&... parts) const {
        static_assert(I::kFinds == events::Finds::any);
        return any_entry(key_of<I>(parts...), I::Time::kLongestMs, moment);
    }

    /// Has the texts reserved for the aggregate on the whole platform, until the command's events say that it has them.
    /// False: somebody else has one of them. The last that a decision asks for, since it takes what others may want.
    [[nodiscard]] bool reserve(events::AggregateRef const& ref, std::vector<events::UniqueText> const& texts) const;

    /// The aggregate's version, 0 when there is none; whether the person was erased, false for what is no person.
    [[nodiscard]] std::int64_t version(events::AggregateRef const& ref) const;
    [[nodiscard]] bool erased(events::AggregateRef const& ref) const;
    /// Where in the log its last event stands, or one after that; -1 when there is none.
    [[nodiscard]] std::int64_t position(events::AggregateRef const& ref) const;

    /// What is in memory of the organization.
    [[nodiscard]] OrganizationState const& state() const { return state_; }
    [[nodiscard]] bool sandbox() const { return sandbox_; }

   private:
    friend class Requirements;

    /// The key of an index with these parts: what has no sandbox is found by live keys alone.
    template <class I, class... Parts>
    [[nodiscard]] IndexKey key_of(Parts const&... parts) const {
        return index_key<I>(sandbox_ && events::Aggregate<I::kKind>::kSandboxed, parts...);
    }
    /// Whether that may be there though it is not in memory.
    [[nodiscard]] bool unknown(Need const& need) const;
    [[nodiscard]] Need aggregate_need(events::Kind kind, Id id) const {
        return {.kind = kind, .organization = id_, .id = id, .sandbox = sandbox_};
    }
    /// Whether memory has all entries of the key from then on.
    [[nodiscard]] bool knows(IndexKey const& key, Timestamp from) const;
    [[nodiscard]] Need key_need(IndexKey const& key, Timestamp from) const;
    [[nodiscard]] std::vector<IndexEntry> entries(IndexKey const& key, std::int64_t longest_ms, Timestamp starts,
                                                  Timestamp ends) const;
    [[nodiscard]] std::optional<Id> any_entry(IndexKey const& key, std::int64_t longest_ms, Timestamp moment) const;
    void require_organization() const;
    /// The row, whether live or sandbox; null where there is none.
    [[nodiscard]] RowFacts const* find(events::AggregateRef const& ref) const;

    Id id_;
    OrganizationState const& state_;
    bool sandbox_;
    Needs const* absent_;
    Needs const* taken_;
};

template <class State>
State const* View::get(Id id) const {
    constexpr auto kKind = events::kKindOfState<State>;
    auto const* row = find({kKind, id});
    constexpr bool kShared = !events::Aggregate<kKind>::kSandboxed;
    return row && (kShared || row->sandbox == sandbox_) ? &static_cast<Held<State> const*>(row)->value : nullptr;
}

/// Why the credential by which the context acts does not hold, as far as this organization knows: a credential that is
/// at home here is judged on this very state, so that its end holds from its own event on. Empty: it does hold, or it
/// is another organization's. Of an OAuth client it looks at the user's grants, and throws NotResident where memory
/// lacks them; of all others it looks at what is resident with the organization.
std::string_view fault_of_credential(View const& view, Context const& context);

/// What a decision is going to look at, to have it looked up at once and not one after the other.
class Requirements {
   public:
    explicit Requirements(View const& view) : view_(view) {}

    /// Aggregates.
    template <class State>
    Requirements& rows(std::span<Id const> ids) {
        for (Id const id : ids) {
            auto need = view_.aggregate_need(events::kKindOfState<State>, id);
            if (!view_.state_.rows<State>().contains(id) && view_.unknown(need)) needs_.insert(std::move(need));
        }
        return *this;
    }
    /// What an index has under keys of one part, of an index with times that which ends after `from`.
    template <class I>
    Requirements& keys(std::span<Id const> parts, Timestamp from = kEver) {
        for (Id const part : parts) add_key(view_.key_of<I>(part), kLongestMs<I>, from);
        return *this;
    }
    /// Whatever `ask` finds lacking.
    template <class Ask>
    Requirements& ask(Ask ask) {
        try {
            ask();
        } catch (NotResident& lack) {
            needs_.merge(lack.needs);
        }
        return *this;
    }
    /// Throws NotResident where something is lacking.
    void require() {
        if (!needs_.empty()) throw NotResident{std::move(needs_)};
    }

    /// What an index has under the key, of entries of at most that length.
    void add_key(IndexKey const& key, std::int64_t longest_ms, Timestamp from);

   private:
    View const& view_;
    Needs needs_;
};

template <class I, class... Parts>
auto View::by(Parts const&... parts) const {
    using State = typename events::Aggregate<I::kKind>::State;
    static_assert(I::kFinds == events::Finds::rows);
    if (I::kSandboxOnly && !sandbox_) throw std::logic_error("such rows are looked for in a sandbox only");
    auto const key = key_of<I>(parts...);
    auto const* known = state_.indexes.find(key);
    std::vector<State const*> found;
    std::vector<Id> missing;
    if (known) {
        known->used = true;
        for (auto const& entry : known->entries) {
            if (!state_.rows<State>().contains(entry.id)) {
                missing.push_back(entry.id);
            } else if (auto const* row = get<State>(entry.id)) {
                found.push_back(row);
            }
        }
    }
    if (found.size() <= I::kMost && !knows(key, kEver)) throw NotResident{{key_need(key, kEver)}};
    Requirements(*this).rows<State>(missing).require();
    return found;
}

}  // namespace workforce::commands
