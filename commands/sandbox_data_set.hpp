// The rows with which a reset fills a sandbox (domain 9).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "events/sandbox.hpp"

namespace workforce::commands {

/// How many rows of a kind the data set has.
struct DataSetRows {
    events::Kind kind;
    std::size_t count;
};
/// Those of all its kinds, in the order of the rows' ids.
std::span<DataSetRows const> data_set_rows();
events::SandboxCounts data_set_counts();

/// What is made up of people. Names are of ASCII letters, and no two have the same last name.
struct MadeUpPerson {
    std::string firstName;
    std::string lastName;
};

/// The people of the data set, staff before leads: the same ones for the same seed.
std::vector<MadeUpPerson> data_set_people(events::SandboxSeed seed);

/// The address of somebody in the facility's data set. `attempt` counts from 1: one that is taken has a next one.
std::string data_set_address(MadeUpPerson const& person, Id facility, std::int64_t attempt = 1);

/// What the data set is made of beside its table.
struct DataSetInput {
    events::SandboxSeed seed;
    Id organization = 0;
    Id facility = 0;
    events::Actor actor;               ///< who resets
    Id run_as = 0;                     ///< user by whose rights runs of the agent act; 0: there is nobody who could
    std::string request_id;            ///< of the reset, or of its first cause
    core::Timestamp approval_expires;  ///< when nobody decides any more on the call that waits
    std::string timezone;
    std::string currency;
    core::Date today;                    ///< in that zone
    core::Timestamp now;                 ///< when credentials were checked, and runs of the agent were worked on
    std::vector<MadeUpPerson> people;    ///< data_set_people() of the seed
    std::vector<std::string> addresses;  ///< of staff, in the order of people
    std::vector<Id> new_ids;             ///< for data_set_rows(), one kind after the other

    /// The ids of its rows of that kind, in their order.
    [[nodiscard]] std::span<Id const> ids(events::Kind kind) const;
    [[nodiscard]] Id id(events::Kind kind, std::size_t row = 0) const;
};

/// Adds the events that make it: everything but ids, `now`, and who resets is the same for the same seed, day, facility
/// and addresses.
void add_data_set(DataSetInput const& input, std::vector<NewEvent>& events);

}  // namespace workforce::commands
