// Rules of erasure.
#include "commands/erasure.hpp"

#include <algorithm>

#include "commands/shift_staffing.hpp"
#include "events/codec.hpp"

namespace workforce::commands {

Result<Decision> decide(View const& view, EraseStaff const& command, Context const& context) {
    events::AggregateRef const person{events::Kind::staff, command.staff};
    if (!view.staff(command.staff)) return not_found("staff member", command.staff);
    if (view.erased(person)) return Decision{};
    Decision decision;
    for (auto const* shift : shifts_ahead(view, command.staff, context.now)) {
        take_off(*shift, command.staff, decision.events);
    }
    decision.events.push_back({person, 0, events::StaffEvent(events::StaffErased{{command}})});
    return decision;
}
Erasure answer(View const&, EraseStaff const& command, Decision const& decision) {
    return {to_string(events::AggregateRef{events::Kind::staff, command.staff}), !decision.events.empty()};
}

Result<Decision> decide(View const& view, EraseUser const& command, Context const&) {
    events::AggregateRef const person{events::Kind::user, command.user};
    if (!view.user(command.user)) return not_found("user", command.user);
    if (view.erased(person)) return Decision{};
    std::vector<events::ApiKey const*> keys;
    for (auto const& [id, held] : view.api_keys()) {
        bool const theirs = held.value.userId.value == command.user;
        if (theirs && held.value.status != events::ApiKeyStatus::revoked) keys.push_back(&held.value);
    }
    std::sort(keys.begin(), keys.end(), [](auto const* a, auto const* b) { return a->id < b->id; });
    Decision decision;
    for (auto const* key : keys) {
        decision.events.push_back({{events::Kind::api_key, key->id},
                                   key->facilityId.value.value_or(0),
                                   events::ApiKeyEvent(events::ApiKeyRevoked{})});
    }
    decision.events.push_back({person, 0, events::UserEvent(events::UserErased{{command}})});
    return decision;
}
Erasure answer(View const&, EraseUser const& command, Decision const& decision) {
    return {to_string(events::AggregateRef{events::Kind::user, command.user}), !decision.events.empty()};
}

}  // namespace workforce::commands
