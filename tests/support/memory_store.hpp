// Where the write side finds again what it evicted, in memory: what one organization that never forgets tells.
#pragma once

#include <deque>
#include <exception>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "commands/engine/state_store.hpp"

namespace workforce::tests {

/// A key of an index, as the organization has it.
inline void look_up_key(commands::OrganizationState const& truth, commands::Need const& need, commands::Found& found) {
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

/// Aggregates and keys of indexes among the needs, as the organization has them, stored up to position `through`.
inline commands::Found look_up(commands::OrganizationState const& truth, commands::Needs const& needs,
                               std::int64_t through) {
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

/// Keeps what it was asked. Used by one thread at a time.
class MemoryStore final : public commands::StateStore {
   public:
    commands::OrganizationState truth;
    std::int64_t position = -1;                               ///< up to where all is stored
    std::unordered_map<std::string, std::int64_t> answers{};  ///< positions by idempotency key
    std::deque<std::exception_ptr> faults{};                  ///< thrown by the next look-ups; null: none
    std::vector<commands::LookUp> asked{};
    std::vector<events::SecretEnds> marked{};

    commands::Positions through(int) override {
        commands::Positions positions;
        positions.fill(position);
        return positions;
    }
    commands::Found find(commands::LookUp const& wanted) override {
        asked.push_back(wanted);
        if (!faults.empty()) {
            auto const fault = faults.front();
            faults.pop_front();
            if (fault) std::rethrow_exception(fault);
        }
        auto found = look_up(truth, wanted.needs, position);
        for (auto const& need : wanted.needs) {
            if (need.what == commands::Need::What::answer && answers.contains(need.text)) {
                found.answers[need.text] = answers.at(need.text);
            }
        }
        return found;
    }
    std::string furthest_behind(int) override { return "staff stands at " + std::to_string(position); }
    void mark_ends(events::SecretEnds const& ends) override { marked.push_back(ends); }
};

}  // namespace workforce::tests
