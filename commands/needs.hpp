// What a decision may need that the write side's memory does not hold at the moment.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "events/envelope.hpp"

namespace workforce::commands {

using core::Id;
using core::Timestamp;

/// What leaves memory and comes back to it by itself: an organization with its facilities, users and API keys; a staff
/// member; a shift; the stored answer of a command.
enum class Stock : std::uint8_t { unit, staff, shift, answer };
inline constexpr std::size_t kStocks = 4;

/// A log position for each stock.
using Positions = std::array<std::int64_t, kStocks>;
inline constexpr Positions kNowhere{-1, -1, -1, -1};

constexpr std::size_t index_of(Stock stock) { return static_cast<std::size_t>(stock); }

/// One thing that has to be looked up.
struct Need {
    enum class Kind : std::uint8_t {
        unit,       ///< the organization
        staff,      ///< the staff member `id`
        shift,      ///< the shift `id`
        email,      ///< the staff member with the address `text`
        bookings,   ///< time assigned to staff member `id` from `from` on
        hindrance,  ///< a shift that is not in memory and ends after `from` at facility `id`
        answer,     ///< what the command with the idempotency key `text` was answered
        key,        ///< the key that seals for `text`
    };
    Kind kind = Kind::unit;
    Id organization = 0;
    Id id = 0;
    bool sandbox = false;
    std::string text{};
    Timestamp from{};
    auto operator<=>(Need const&) const = default;
};
using Needs = std::set<Need>;

/// Thrown where memory can't tell: the needs are to be looked up and the decision made again. No std::exception, for
/// nothing has failed.
struct NotResident {
    Needs needs;
};

}  // namespace workforce::commands
