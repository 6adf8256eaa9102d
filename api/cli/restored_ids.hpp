// What the events of a log say of ids and of persons: what a restore goes by.
#pragma once

#include <map>
#include <set>
#include <string>

#include "events/envelope.hpp"
#include "events/log.hpp"

namespace workforce::api {

struct LogFacts {
    std::map<events::Kind, core::Id> highest;  ///< id of each kind
    std::set<core::Id> users;
    std::set<std::string> persons;  ///< "staff/42", "user/7"
    std::set<std::string> erased;   ///< of these
};

/// Reads the whole log. Blocks. Errors: events::LogUnavailable.
LogFacts read_facts(events::EventLog& log);

}  // namespace workforce::api
