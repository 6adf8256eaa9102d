// All aggregates and events there are: a new event joins its aggregate's variant, a new aggregate is included here.
// Only a source that looks at every kind includes it, for each change of an aggregate compiles that source anew.
#pragma once

#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include "events/agent.hpp"
#include "events/agent_run.hpp"
#include "events/aggregate.hpp"
#include "events/api_key.hpp"
#include "events/app.hpp"
#include "events/approval.hpp"
#include "events/command.hpp"
#include "events/conversation.hpp"
#include "events/credential.hpp"
#include "events/event.hpp"
#include "events/facility.hpp"
#include "events/guardrail.hpp"
#include "events/kind_traits.hpp"
#include "events/lead.hpp"
#include "events/message.hpp"
#include "events/notification.hpp"
#include "events/oauth_client.hpp"
#include "events/oauth_grant.hpp"
#include "events/organization.hpp"
#include "events/payroll_run.hpp"
#include "events/sandbox.hpp"
#include "events/shift.hpp"
#include "events/shift_claim.hpp"
#include "events/shift_offer.hpp"
#include "events/shift_swap.hpp"
#include "events/shift_template.hpp"
#include "events/staff.hpp"
#include "events/time_off.hpp"
#include "events/timesheet.hpp"
#include "events/trigger.hpp"
#include "events/user.hpp"
#include "events/webhook.hpp"

namespace workforce::events {

template <class Enumerator>
using KindOf = std::integral_constant<Kind, Enumerator::value>;
/// All kinds as constants, in the order of Kind.
using Kinds = boost::mp11::mp_transform<KindOf, boost::describe::describe_enumerators<Kind>>;

template <class K>
using EventsOf = typename Aggregate<K::value>::Events;
template <class K>
using StateOf = typename Aggregate<K::value>::State;
template <class K>
using HasState = std::bool_constant<!std::is_void_v<StateOf<K>>>;
/// The kinds that have a state: all but the stream of answers.
using StatefulKinds = boost::mp11::mp_copy_if<Kinds, HasState>;

template <class K>
using IsResidentAlone = std::bool_constant<Aggregate<K::value>::kResidence == Residence::alone>;
template <class K>
using IsResidentWithOrganization = std::bool_constant<Aggregate<K::value>::kResidence == Residence::with_organization>;
using KindsAlone = boost::mp11::mp_copy_if<Kinds, IsResidentAlone>;
using KindsWithOrganization = boost::mp11::mp_copy_if<Kinds, IsResidentWithOrganization>;

/// The events of all aggregates, a variant for each.
using EventGroups = boost::mp11::mp_transform<EventsOf, Kinds>;

template <class K>
using IndexesOf = typename Aggregate<K::value>::Indexes;
/// The indexes of all kinds.
using Indexes = boost::mp11::mp_apply<boost::mp11::mp_append, boost::mp11::mp_transform<IndexesOf, Kinds>>;

/// Calls f(group) with the event's data as its aggregate's variant.
template <class F>
decltype(auto) visit_group(AnyEvent const& event, F&& f) {
    return boost::mp11::mp_with_index<kKinds>(
        static_cast<std::size_t>(event.kind()), [&](auto place) -> decltype(auto) {
            return f(event.template group<boost::mp11::mp_at_c<EventGroups, decltype(place)::value>>());
        });
}

/// Calls f(data) with the concrete struct of an event.
template <class F>
decltype(auto) visit_data(AnyEvent const& event, F&& f) {
    return visit_group(event, [&](auto const& group) -> decltype(auto) { return std::visit(f, group); });
}

/// Calls f(kind, constant) for each kind of the list, with the kind as a value and as an integral constant.
template <class List, class F>
constexpr void for_each_kind(F&& f) {
    boost::mp11::mp_for_each<List>([&](auto constant) { f(constant.value, constant); });
}

}  // namespace workforce::events
