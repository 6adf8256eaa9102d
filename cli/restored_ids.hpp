// What the events of a log say of ids, persons and API keys: what a restore and an erasure go by.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "events/envelope.hpp"
#include "events/log/log.hpp"
#include "events/log/verify.hpp"
#include "events/revocations.hpp"

namespace workforce::cli {

/// Whose a person is.
struct Belonging {
    core::Id organization = 0;
    bool sandbox = false;
};

/// A record's place.
struct Place {
    int partition = 0;
    std::int64_t position = 0;
};

/// An API key.
struct KeyFact {
    core::Id organization = 0;
    bool revoked = false;
};

struct LogFacts {
    std::map<events::Kind, core::Id> highest;  ///< id of each kind
    std::map<std::string, Belonging> persons;  ///< "staff/42", "user/7"
    std::map<std::string, Place> erased;       ///< of these, with the event that says so
    std::map<core::Id, KeyFact> api_keys;
    std::map<core::Id, core::Id> grants;  ///< OAuth grants that hold, with their organizations
    events::SecretEnds standing;          ///< which accounts are active, and what users may do
    std::set<std::string> sealed_for;     ///< whose keys seal stored answers: persons, organizations
};

/// Reads the whole log; `read` is told how far it is. Blocks. Errors: as EventLog::scan; std::runtime_error for a
/// stored answer that is damaged.
LogFacts read_facts(events::EventLog& log, events::EventsRead const& read);

/// Looks for the person in the whole log. Blocks. Errors: events::LogUnavailable.
std::optional<Belonging> find_person(events::EventLog& log, events::AggregateRef const& person);

/// The id counts as given away.
void raise(LogFacts& facts, events::AggregateRef const& ref);
void raise_highest(LogFacts& facts, std::set<std::string> const& aggregates);

}  // namespace workforce::cli
