// Looking at the subjects of claims.
#include "commands/settlement.hpp"

#include <algorithm>

#include "events/catalogue.hpp"

namespace workforce::commands {
namespace {

using Sort = Settle::Claim::Sort;

template <events::Kind K, class State>
bool has(Settle const& command, Settle::Claim const& claim, State const& state) {
    if constexpr (requires { events::Aggregate<K>::unique_texts(state); }) {
        auto const texts = events::Aggregate<K>::unique_texts(state);
        auto const same = [&](events::UniqueText const& text) { return command.token_of(text) == claim.token; };
        if (claim.sort == Sort::reservation && std::ranges::any_of(texts, same)) return true;
    }
    if constexpr (requires { events::Aggregate<K>::secret_ids(state); }) {
        auto const ids = events::Aggregate<K>::secret_ids(state);
        if (claim.sort == Sort::secret && std::ranges::count(ids, claim.token) > 0) return true;
    }
    return false;
}

std::vector<Id> standing(View const& view, Settle const& command) {
    std::vector<Id> all;
    for (Id place = 0; auto const& claim : command.claims) {
        bool stands = false;
        events::for_each_kind<events::StatefulKinds>([&](events::Kind kind, auto constant) {
            if (kind != claim.subject.kind) return;
            auto const* state = view.get<events::StateOf<decltype(constant)>>(claim.subject.id);
            stands = state && has<decltype(constant)::value>(command, claim, *state);
        });
        if (stands) all.push_back(place);
        ++place;
    }
    return all;
}

}  // namespace

Result<Decision> decide(View const& view, Settle const& command, Context const&) {
    standing(view, command);  // which looks up what is not here
    return Decision{};
}
Settle::Answer answer(View const& view, Settle const& command, Decision const&) { return {standing(view, command)}; }

}  // namespace workforce::commands
