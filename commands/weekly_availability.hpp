// When somebody can work, each week: what they say of it, and how a shift lies to that.
#pragma once

#include <span>

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/shift.hpp"
#include "events/staff.hpp"

namespace workforce::commands {

/// The minutes of the shift, as wall clocks of its place show them, that lie in none of the blocks: 0 where there are
/// no blocks, for then nothing is said.
std::int64_t minutes_outside(events::ShiftSpan const& shift, std::span<events::AvailabilityBlock const> blocks);

struct AvailablePersonId {
    Id staffId = 0;
};
BOOST_DESCRIBE_STRUCT(AvailablePersonId, (), (staffId))
/// The answer of GET /api/staff/{id}/availability.
struct Availability : AvailablePersonId, events::StaffAvailability {};
BOOST_DESCRIBE_STRUCT(Availability, (AvailablePersonId, events::StaffAvailability), ())

/// PUT /api/staff/{id}/availability: the blocks take the place of those before. Errors: NOT_FOUND of a person whom the
/// caller does not reach: who acts for themselves alone reaches nobody else.
struct SetAvailability {
    using Answer = Availability;
    Id id = 0;
    std::vector<events::AvailabilityBlock> blocks;

    static constexpr std::array<std::string_view, 1> kRequired{"blocks"};
};
BOOST_DESCRIBE_STRUCT(SetAvailability, (), (blocks))
Result<Decision> decide(View const& view, SetAvailability const& command, Context const& context);
Availability answer(View const& view, SetAvailability const& command, Decision const& decision);

}  // namespace workforce::commands
