// What the engine knows of all indexes.
#include "commands/index_key.hpp"

#include <unordered_map>

#include "events/catalogue.hpp"

namespace workforce::commands {

IndexTraits const& traits_of(IndexKey const& key) {
    static auto const all = [] {
        std::unordered_map<std::size_t, IndexTraits> traits;
        boost::mp11::mp_for_each<events::Indexes>(
            [&]<class I>(I) { traits.emplace(events::kIndexNumber<I>, kTraitsOf<I>); });
        return traits;
    }();
    return all.at(index_number(key));
}

}  // namespace workforce::commands
