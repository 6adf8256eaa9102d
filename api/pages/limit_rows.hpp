// The limits that an installation is configured with, for people.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "core/config.hpp"

namespace workforce::api {

struct LimitRow {
    std::string name;
    std::string value;
    bool code = false;  ///< the name is that of a header or a member
};
BOOST_DESCRIBE_STRUCT(LimitRow, (), (name, value, code))

struct LimitGroup {
    std::string id;
    std::string title;
    std::string text;
    std::vector<LimitRow> rows;
};
BOOST_DESCRIBE_STRUCT(LimitGroup, (), (id, title, text, rows))

/// What callers may ask for, and the headers that tell of it.
std::vector<LimitGroup> limit_groups(core::Config const& config);

/// "120 requests a minute"; of 0, that there is no limit.
std::string rate_text(std::int64_t requests, std::chrono::seconds window);
/// "30 seconds", "1 hour": in the largest unit that it is a whole number of.
std::string duration_text(std::chrono::seconds duration);

}  // namespace workforce::api
