// The versions that may be written, by type.
#include "events/activations.hpp"

#include <algorithm>

namespace workforce::events {

Activations::Activations() {
    for (auto const& known : known_versions()) versions_.try_emplace(known.type, 0);
}

void Activations::activate(std::string_view type, std::int32_t version) {
    auto const found = versions_.find(type);
    if (found == versions_.end()) return;
    auto& activated = found->second;
    auto before = activated.load();
    while (before < version && !activated.compare_exchange_weak(before, version)) {
    }
}

std::int32_t Activations::version_to_write(std::string_view type) const {
    auto const found = versions_.find(type);
    return found == versions_.end() ? 0 : found->second.load(std::memory_order_relaxed);
}

std::size_t Activations::held_back() const {
    auto const& known = known_versions();
    return static_cast<std::size_t>(std::count_if(known.begin(), known.end(), [&](EventVersion const& each) {
        return version_to_write(each.type) < each.version;
    }));
}

}  // namespace workforce::events
