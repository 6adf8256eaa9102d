// Where the write side finds again what it evicted, in memory: what one organization that never forgets tells.
#pragma once

#include <deque>
#include <exception>
#include <string>
#include <unordered_map>
#include <vector>

#include "commands/engine/state_store.hpp"

namespace workforce::tests {

/// Aggregates and keys of indexes among the needs, as the organization has them, stored up to position `through`.
commands::Found look_up(commands::OrganizationState const& truth, commands::Needs const& needs, std::int64_t through);

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
