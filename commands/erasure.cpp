// Rules of erasure.
#include "commands/erasure.hpp"

#include <algorithm>

#include "commands/payroll_states.hpp"
#include "commands/shift_staffing.hpp"
#include "commands/user.hpp"
#include "events/catalogue.hpp"

namespace workforce::commands {
namespace {

/// What ends with the person: for most kinds nothing.
template <class State>
void end_ties(View const& /*view*/, State const& /*person*/, Context const& /*context*/,
              std::vector<NewEvent>& /*events*/) {}

void end_ties(View const& view, events::StaffRecord const& staff, Context const& context,
              std::vector<NewEvent>& events) {
    for (auto const* shift : shifts_ahead(view, staff.id, context.now)) take_off(*shift, staff.id, events);
    for (auto const* run : view.by<events::RunsTellingOf>(staff.id)) {
        events.push_back(run_event(*run, events::PayrollRunPersonErased{staff.id}));
    }
}

void end_ties(View const& view, events::User const& user, Context const& /*context*/, std::vector<NewEvent>& events) {
    std::vector<events::ApiKey const*> keys;
    for (auto const& [id, held] : view.all<events::ApiKey>()) {
        bool const theirs = held.value.userId.value == user.id;
        if (theirs && held.value.status != events::ApiKeyStatus::revoked) keys.push_back(&held.value);
    }
    std::sort(keys.begin(), keys.end(), [](auto const* a, auto const* b) { return a->id < b->id; });
    for (auto const* key : keys) {
        events.push_back({{events::Kind::api_key, key->id},
                          key->facilityId.value.value_or(0),
                          events::ApiKeyEvent(events::ApiKeyRevoked{})});
    }
    for (auto const* grant : view.by<events::GrantsOfUser>(user.id)) {
        events.push_back(
            {{events::Kind::oauth_grant, grant->id}, 0, events::OAuthGrantEvent(events::OAuthGrantRevoked{})});
    }
}

/// Empties what is personal of aggregates that are the person's.
template <events::Kind K>
void end_held(View const& view, Id person, std::vector<NewEvent>& events) {
    boost::mp11::mp_for_each<events::StatefulKinds>([&]<class Each>(Each) {
        using Declared = events::Aggregate<Each::value>;
        if constexpr (events::kIsHeldBy<Each::value, K>) {
            using Erased = typename Declared::Holder::ErasedEvent;
            if constexpr (!std::is_void_v<Erased>) {
                for (auto const* held : view.by<events::OfHolder<Each::value>>(person)) {
                    if (held->internals.holderErased) continue;
                    events.push_back({{Each::value, resource_of(*held).id}, 0, typename Declared::Events(Erased{})});
                }
            }
        }
    });
}

/// Whether the installation can't do without the person.
template <class State>
bool is_needed(View const& /*view*/, State const& /*person*/) {
    return false;
}
bool is_needed(View const& view, events::User const& user) {
    return !user.email.erased && is_last_super_admin(view, user);
}

template <events::Kind K>
Result<Decision> erase(View const& view, ErasePerson const& command, Context const& context) {
    using Erased = boost::mp11::mp_front<events::ErasingEvents<K>>;
    auto const* person = view.get<typename events::Aggregate<K>::State>(command.person.id);
    if (!person) return not_found(core::enum_name(K), command.person.id);
    if (view.erased(command.person)) return Decision{};
    if (is_needed(view, *person)) {
        return refuse(Code::last_super_admin, "The user is the last active super admin; make another one first.");
    }
    Decision decision;
    end_ties(view, *person, context, decision.events);
    end_held<K>(view, command.person.id, decision.events);
    decision.events.push_back({command.person, 0, Erased{{command}}});
    return decision;
}

}  // namespace

Result<Decision> decide(View const& view, ErasePerson const& command, Context const& context) {
    Result<Decision> result = not_found("person", command.person.id);
    events::for_each_kind<events::StatefulKinds>([&](events::Kind kind, auto constant) {
        constexpr auto kKind = decltype(constant)::value;
        if constexpr (events::kIsPerson<kKind>) {
            if (kind == command.person.kind) result = erase<kKind>(view, command, context);
        }
    });
    return result;
}
Erasure answer(View const&, ErasePerson const& command, Decision const& decision) {
    return {to_string(command.person), !decision.events.empty()};
}

}  // namespace workforce::commands
