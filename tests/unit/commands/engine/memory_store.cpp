// Looking up in one organization's memory.
#include "tests/unit/commands/engine/memory_store.hpp"

#include <set>
#include <utility>

#include "events/catalogue.hpp"

namespace workforce::tests {
namespace {

/// A key of an index, as the organization has it.
void look_up_key(commands::OrganizationState const& truth, commands::Need const& need, commands::Found& found) {
    auto const& traits = commands::traits_of(need.text);
    commands::Found::Key looked_up{.organization = need.organization, .key = need.text, .from = need.from};
    auto const* known = truth.indexes.find(need.text);
    for (auto const& entry : known ? known->entries : std::set<commands::IndexEntry>{}) {
        if (entry.starts < need.from) continue;
        if (traits.finds == events::Finds::any && entry.ends.ms <= need.from.ms + traits.longest_ms) continue;
        if (traits.finds == events::Finds::entries) {
            looked_up.entries.push_back(entry);
            continue;
        }
        events::for_each_kind<events::KindsAlone>([&](events::Kind kind, auto constant) {
            using State = events::StateOf<decltype(constant)>;
            if (kind == traits.kind) found.of<State>().push_back(truth.rows<State>().at(entry.id));
        });
        looked_up.whole = traits.finds != events::Finds::any;
        if (!looked_up.whole) break;
    }
    found.keys.push_back(std::move(looked_up));
}

}  // namespace

commands::Found look_up(commands::OrganizationState const& truth, commands::Needs const& needs, std::int64_t through) {
    using commands::Need;
    commands::Found found;
    found.through.fill(through);
    auto const add = [&]<class State>(commands::Table<State> const& table, core::Id id) {
        if (auto const it = table.find(id); it != table.end()) found.of<State>().push_back(it->second);
    };
    for (auto const& need : needs) {
        if (need.what == Need::What::index) look_up_key(truth, need, found);
        if (need.what != Need::What::aggregate) continue;
        events::for_each_kind<events::KindsWithOrganization>([&](events::Kind, auto constant) {
            using State = events::StateOf<decltype(constant)>;
            if (need.kind != events::Kind::organization) return;
            for (auto const& [id, held] : truth.rows<State>()) found.of<State>().push_back(held);
        });
        events::for_each_kind<events::KindsAlone>([&](events::Kind kind, auto constant) {
            if (kind == need.kind) add(truth.rows<events::StateOf<decltype(constant)>>(), need.id);
        });
    }
    return found;
}

}  // namespace workforce::tests
