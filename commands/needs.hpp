// What a decision may need that the write side's memory does not hold at the moment.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "commands/index_key.hpp"

namespace workforce::commands {

/// One thing that has to be looked up.
struct Need {
    enum class What : std::uint8_t {
        aggregate,    ///< the aggregate `id`; an organization comes with all that is resident with it
        index,        ///< what an index has under the key `text` (index_key.hpp), from `from` on
        answer,       ///< what the command with the idempotency key `text` was answered
        key,          ///< the key that seals for `text`
        reservation,  ///< the unique text `text` for the aggregate `id`: what is looked for is another one that has it
    };
    What what = What::aggregate;
    events::Kind kind = events::Kind::organization;  ///< of the aggregate
    Id organization = 0;
    Id id = 0;
    bool sandbox = false;
    std::string text{};
    Timestamp from{};
    auto operator<=>(Need const&) const = default;
};
using Needs = std::set<Need>;

/// What a reservation needs: `text` is the sort of the unique text, a line break, and the text.
inline Need reservation_need(Id organization, events::AggregateRef const& ref, events::UniqueText const& unique) {
    Need need{.what = Need::What::reservation, .kind = ref.kind, .organization = organization, .id = ref.id};
    need.text.append(unique.name).append("\n").append(unique.text);
    return need;
}

/// The organization with all that is resident with it: one for live and sandbox.
inline Need organization_need(Id organization) { return {.organization = organization, .id = organization}; }

/// Thrown where memory can't tell: the needs are to be looked up and the decision made again. No std::exception, for
/// nothing has failed.
struct NotResident {
    Needs needs;
};

/// The kind under which aggregates of a kind are resident.
events::Kind resident_kind(events::Kind kind);

/// A log position for each residence: organizations with all that is resident with them, each kind alone, and answers.
class Positions {
   public:
    constexpr Positions() { fill(-1); }

    /// That of the residence to which aggregates of the kind belong.
    std::int64_t& operator[](events::Kind kind) { return positions_[place_of(kind)]; }
    std::int64_t operator[](events::Kind kind) const { return positions_[place_of(kind)]; }
    constexpr bool operator==(Positions const&) const = default;

    constexpr void fill(std::int64_t position) { positions_.fill(position); }
    /// Of all residences.
    [[nodiscard]] std::int64_t least() const;
    [[nodiscard]] std::int64_t greatest() const;

    /// One kind of each residence.
    static std::span<events::Kind const> residences();

   private:
    static std::size_t place_of(events::Kind kind) { return static_cast<std::size_t>(resident_kind(kind)); }

    std::array<std::int64_t, events::kKinds> positions_{};  // at the residences' kinds
};

inline constexpr Positions kNowhere{};

}  // namespace workforce::commands
