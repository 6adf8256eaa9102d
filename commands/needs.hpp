// What a decision may need that the write side's memory does not hold at the moment.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
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

/// A log position for each residence: organizations with all that is resident with them, each kind alone, and answers.
class Positions {
   public:
    constexpr Positions() { positions_.fill(-1); }

    /// That of the residence to which aggregates of the kind belong.
    constexpr std::int64_t& operator[](events::Kind kind) { return positions_[slot_of(kind)]; }
    constexpr std::int64_t operator[](events::Kind kind) const { return positions_[slot_of(kind)]; }
    constexpr bool operator==(Positions const&) const = default;

    constexpr void fill(std::int64_t position) { positions_.fill(position); }
    [[nodiscard]] constexpr auto begin() const { return positions_.begin(); }
    [[nodiscard]] constexpr auto end() const { return positions_.end(); }

    /// One kind of each residence.
    static constexpr auto residences();

   private:
    static constexpr std::size_t kSlots =
        events::kKinds - boost::mp11::mp_size<events::KindsWithOrganization>::value + 1;

    /// Slot 0 is the organizations'.
    static constexpr std::array<std::size_t, events::kKinds> kSlotOf = [] {
        std::array<std::size_t, events::kKinds> slots{};
        std::size_t next = 1;
        events::for_each_kind<events::Kinds>([&](events::Kind kind, auto) {
            bool const shared = events::residence_of(kind) == events::Residence::with_organization;
            slots[static_cast<std::size_t>(kind)] = shared ? 0 : next++;
        });
        return slots;
    }();
    static constexpr std::size_t slot_of(events::Kind kind) { return kSlotOf[static_cast<std::size_t>(kind)]; }

    std::array<std::int64_t, kSlots> positions_{};
};

constexpr auto Positions::residences() {
    std::array<events::Kind, kSlots> kinds{};
    kinds[0] = events::Kind::organization;
    events::for_each_kind<events::Kinds>([&](events::Kind kind, auto) {
        if (slot_of(kind) != 0) kinds[slot_of(kind)] = kind;
    });
    return kinds;
}

inline constexpr Positions kNowhere{};

}  // namespace workforce::commands
