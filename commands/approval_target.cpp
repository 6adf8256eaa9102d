// Facilities of aggregates of every kind.
#include "commands/approval_target.hpp"

#include <algorithm>
#include <set>

#include "events/catalogue.hpp"

namespace workforce::commands {
namespace {

/// Where an aggregate lies: the facilities that it is of; none: of the organization as a whole.
struct CallPlace {
    bool there = false;
    bool everywhere = false;  ///< what is of no facility is seen at all of them
    std::vector<Id> facilities{};
};

CallPlace call_place_of(View const& view, events::AggregateRef const& ref);

template <class State>
CallPlace call_place_of_state(View const& view, State const& state) {
    auto const& resource = resource_of(state);
    using Resource = std::remove_cvref_t<decltype(resource)>;
    if constexpr (State::kKind == events::Kind::facility) {
        return {true, false, {resource.id}};
    } else if constexpr (requires { resource.facilityIds; }) {
        return {true, resource.facilityIds.empty(), resource.facilityIds};
    } else if constexpr (requires { resource.facilityId.value; }) {
        if (!resource.facilityId.value) return {true, false, {}};
        return {true, false, {*resource.facilityId.value}};
    } else if constexpr (requires(Resource const& r) { std::vector<Id>{r.facilityId}; }) {
        return {true, false, {resource.facilityId}};
    } else {
        auto const holder = events::holder_of(state);
        return holder ? call_place_of(view, *holder) : CallPlace{true, false, {}};
    }
}

CallPlace call_place_of(View const& view, events::AggregateRef const& ref) {
    CallPlace place;
    events::for_each_kind<events::StatefulKinds>([&](events::Kind kind, auto constant) {
        if (kind != ref.kind) return;
        using State = events::StateOf<decltype(constant)>;
        auto const* state = view.get<State>(ref.id);
        if (!state) return;
        if constexpr (requires { state->deleted; }) {
            if (state->deleted) return;
        }
        place = call_place_of_state(view, *state);
    });
    return place;
}

/// Looks for all of them at once, and not one after the other.
void require_named(View const& view, std::vector<events::AggregateRef> const& refs) {
    Requirements required(view);
    events::for_each_kind<events::KindsAlone>([&](events::Kind kind, auto constant) {
        std::vector<Id> ids;
        for (auto const& ref : refs) {
            if (ref.kind == kind) ids.push_back(ref.id);
        }
        if (!ids.empty()) required.rows<events::StateOf<decltype(constant)>>(ids);
    });
    required.require();
}

bool reaches_place(Context const& context, CallPlace const& place) {
    if (context.facilities.empty() || place.everywhere) return true;
    return std::ranges::any_of(place.facilities, [&](Id facility) { return context.reaches(facility); });
}

}  // namespace

Result<std::optional<Id>> facility_of_call(View const& view, Context const& context,
                                           std::optional<events::AggregateRef> const& target,
                                           std::vector<events::AggregateRef> const& about) {
    std::set<Id> facilities;
    if (target) {
        auto const place = call_place_of(view, *target);
        if (!place.there || !reaches_place(context, place)) return not_found(core::enum_name(target->kind), target->id);
        facilities.insert(place.facilities.begin(), place.facilities.end());
    } else {
        require_named(view, about);
        for (auto const& each : about) {
            auto const place = call_place_of(view, each);
            facilities.insert(place.facilities.begin(), place.facilities.end());
        }
    }
    if (facilities.empty() && !target && context.facilities.size() == 1) return context.facilities.front();
    if (facilities.size() != 1) return std::nullopt;
    return *facilities.begin();
}

}  // namespace workforce::commands
