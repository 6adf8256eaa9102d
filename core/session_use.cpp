// The table of counts.
#include "core/session_use.hpp"

#include <map>
#include <mutex>
#include <string_view>
#include <utility>

namespace workforce::core {
namespace {

struct UseTable {
    std::mutex mutex;
    std::map<std::pair<std::string, std::string>, SessionUse> by_name;  // rows stay where they are
};

UseTable& use_table() {
    static UseTable table;
    return table;
}

}  // namespace

SessionUse& session_use(std::string const& application_name, std::string const& role) {
    constexpr std::string_view kPrefix = "workforce ";
    auto& table = use_table();
    std::lock_guard const lock(table.mutex);
    bool const prefixed = application_name.starts_with(kPrefix);
    return table.by_name[{prefixed ? application_name.substr(kPrefix.size()) : application_name, role}];
}

std::vector<NamedUse> session_uses() {
    auto& table = use_table();
    std::vector<NamedUse> all;
    std::lock_guard const lock(table.mutex);
    for (auto const& [of, use] : table.by_name) all.push_back({of.first, of.second, use.open, use.used, use.waiting});
    return all;
}

}  // namespace workforce::core
