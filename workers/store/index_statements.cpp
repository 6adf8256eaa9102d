// What statements of all indexes share.
#include "workers/store/index_statements.hpp"

#include <algorithm>
#include <map>

namespace workforce::workers {

std::string column_name(std::string_view member) {
    std::string name;
    for (char const c : member) {
        bool const upper = c >= 'A' && c <= 'Z';
        if (upper) name += '_';
        name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return name;
}

std::vector<commands::Found::Key> keys_of(commands::Needs const& needs, std::size_t index) {
    std::map<std::pair<core::Id, std::string_view>, core::Timestamp> earliest;
    for (auto const& need : needs) {
        if (need.what != commands::Need::What::index || commands::index_number(need.text) != index) continue;
        auto const [key, added] = earliest.try_emplace({need.organization, need.text}, need.from);
        key->second = std::min(key->second, need.from);
    }
    std::vector<commands::Found::Key> keys;
    for (auto const& [key, from] : earliest) {
        keys.push_back({.organization = key.first, .key = commands::IndexKey(key.second), .from = from});
    }
    return keys;
}

}  // namespace workforce::workers
