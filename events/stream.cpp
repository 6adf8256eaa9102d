// Filters on attributes, and the search for a time.
#include "events/stream.hpp"

#include <fnmatch.h>

#include <algorithm>

#include "events/attributes.hpp"
#include "events/codec.hpp"

namespace workforce::events {
namespace {

bool matches_any(std::vector<std::string> const& patterns, std::string const& type) {
    return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](std::string const& pattern) {
               return fnmatch(pattern.c_str(), type.c_str(), 0) == 0;
           });
}

/// "shift" wants "shift/42", too.
bool is_of_any(std::vector<std::string> const& aggregates, std::string_view subject) {
    return aggregates.empty() || std::any_of(aggregates.begin(), aggregates.end(), [&](std::string const& wanted) {
               return subject == wanted || subject.substr(0, subject.find('/')) == wanted;
           });
}

}  // namespace

bool matches(StreamFilter const& filter, std::string_view body) {
    std::string type;
    std::string subject;
    std::string organization;
    bool sandbox = false;
    AttributeWalk attributes(body);
    while (auto const found = attributes.next()) {
        if (found->name == "type") type = found->value();
        if (found->name == "subject") subject = found->value();
        if (found->name == "orgid") organization = found->value();
        if (found->name == "sandbox") sandbox = found->raw == "true";
    }
    return matches_any(filter.types, type) && is_of_any(filter.aggregates, subject) &&
           (filter.organization == 0 || organization == std::to_string(filter.organization)) &&
           (!filter.sandbox || *filter.sandbox == sandbox);
}

std::optional<core::Timestamp> event_time(std::string_view body) {
    ClosedKeyring none;
    try {
        return decode(body, none).meta.time;
    } catch (UnknownEvent const&) {
    } catch (DamagedEvent const&) {
    }
    return std::nullopt;
}

std::int64_t position_at(EventLog& log, int partition, core::Timestamp time) {
    std::int64_t first = 0;
    auto end = log.head(partition).position + 1;
    while (first < end) {
        auto const middle = first + (end - first) / 2;
        auto timed = middle;
        std::optional<core::Timestamp> found;
        for (; timed < end && !found; ++timed) {
            auto const records = log.read(partition, timed, 1, 1);
            if (!records.empty()) found = event_time(records.front().body);
        }
        if (found && *found < time) {
            first = timed;  // one past it
        } else {
            end = middle;
        }
    }
    return first;
}

}  // namespace workforce::events
