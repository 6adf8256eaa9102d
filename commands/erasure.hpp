// Forgetting a person.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"

namespace workforce::commands {

/// What an erasure did.
struct Erasure {
    std::string person;     ///< "staff/42"
    bool recorded = false;  ///< false: the log told of it before
    bool more = false;      ///< what names them is emptied first, some at a time: it is to be asked for again
};
BOOST_DESCRIBE_STRUCT(Erasure, (), (person, recorded, more))

/// Erases a person of any kind: a staff member leaves the shifts ahead, and what is personal of their credentials goes
/// with them; a user's API keys end. System callers only; the person's key is the caller's to destroy once the event is
/// durable. Of very many approvals or runs that name them some are emptied, and no more. Nothing happens where it is on
/// record already. LAST_SUPER_ADMIN as DeactivateUser, unless the key is gone already, as a restore leaves it.
struct ErasePerson : events::ErasureDetails {
    using Answer = Erasure;
    events::AggregateRef person;  ///< of a kind that is_person() says is one
};
Result<Decision> decide(View const& view, ErasePerson const& command, Context const& context);
Erasure answer(View const& view, ErasePerson const& command, Decision const& decision);

}  // namespace workforce::commands
