// What a reset fills a sandbox with (domain 9). A resource that has a sandbox adds its rows here, and deletes what was
// there in commands/sandbox.cpp.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "commands/command.hpp"
#include "events/sandbox.hpp"

namespace workforce::commands {

inline constexpr std::size_t kDataSetStaff = 8;
/// How many rows it has of each kind, in the order of their ids.
inline constexpr std::array kSandboxDataSet{
    std::pair{events::Kind::staff, kDataSetStaff},      std::pair{events::Kind::shift, std::size_t{14}},
    std::pair{events::Kind::lead, std::size_t{5}},      std::pair{events::Kind::credential, std::size_t{12}},
    std::pair{events::Kind::timesheet, std::size_t{9}}, std::pair{events::Kind::payroll_run, std::size_t{2}},
    std::pair{events::Kind::guardrail, std::size_t{1}}, std::pair{events::Kind::app, std::size_t{1}},
    std::pair{events::Kind::agent, std::size_t{1}},     std::pair{events::Kind::trigger, std::size_t{1}},
    std::pair{events::Kind::agent_run, std::size_t{2}}, std::pair{events::Kind::approval, std::size_t{1}}};
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
    std::vector<Id> new_ids;             ///< of each kind of kSandboxDataSet, one kind after the other
};

/// Adds the events that make it: everything but ids, `now`, and who resets is the same for the same seed, day, facility
/// and addresses.
void add_data_set(DataSetInput const& input, std::vector<NewEvent>& events);

}  // namespace workforce::commands
