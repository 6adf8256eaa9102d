// Forgetting a person.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"

namespace workforce::commands {

/// What an erasure did.
struct Erasure {
    std::string person;     ///< "staff/42"
    bool recorded = false;  ///< false: the log told of it before
};
BOOST_DESCRIBE_STRUCT(Erasure, (), (person, recorded))

/// Erases a staff member, who leaves the shifts ahead. System callers only; the key is the caller's to destroy once the
/// event is durable. Nothing happens where it is on record already.
struct EraseStaff : events::ErasureDetails {
    using Answer = Erasure;
    Id staff = 0;
};
Result<Decision> decide(View const& view, EraseStaff const& command, Context const& context);
Erasure answer(View const& view, EraseStaff const& command, Decision const& decision);

/// Erases a user, whose API keys end. As EraseStaff.
struct EraseUser : events::ErasureDetails {
    using Answer = Erasure;
    Id user = 0;
};
Result<Decision> decide(View const& view, EraseUser const& command, Context const& context);
Erasure answer(View const& view, EraseUser const& command, Decision const& decision);

}  // namespace workforce::commands
