// What the state says of rows beside the log whose command may have died before its append.
#pragma once

#include <functional>

#include "commands/command.hpp"
#include "commands/view.hpp"

namespace workforce::commands {

/// Whether subjects of the organization have what rows beside the log say of them. Decided at its turn: what was not
/// appended by then never will be, for a command expires (kSubmissionLife) long before its rows are settled.
struct Settle {
    /// The token of a unique text or of a secret, as the row beside the log has it.
    struct Claim {
        enum class Sort : std::uint8_t { reservation, secret };
        Sort sort = Sort::reservation;
        events::AggregateRef subject;
        std::string token;
    };
    struct Answer {
        std::vector<Id> stand;  ///< places of the claims whose subjects have them, from 0
    };
    std::vector<Claim> claims;
    /// The token of a unique text; pure.
    std::function<std::string(events::UniqueText const&)> token_of;
};
BOOST_DESCRIBE_STRUCT(Settle::Answer, (), (stand))
Result<Decision> decide(View const& view, Settle const& command, Context const& context);
Settle::Answer answer(View const& view, Settle const& command, Decision const& decision);

}  // namespace workforce::commands
