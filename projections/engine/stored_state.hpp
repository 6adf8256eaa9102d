// How the state of an aggregate lies in its row: what GET answers in the column `doc`, and in further columns what
// callers don't see.
#pragma once

#include <concepts>
#include <pqxx/row>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/json.hpp"
#include "core/sql_values.hpp"
#include "events/resource.hpp"

namespace workforce::projections {

/// What callers see of a state.
template <class State>
using ResourceOf = std::remove_cvref_t<decltype(resource_of(std::declval<State const&>()))>;

/// The further columns as a statement selects them, each after a comma: that of a member `deleted`, of a shift its
/// assignments, former staff and the day that a template made it for, of a payroll run what it holds, of an approval
/// whom it names, and what a member `internals` has.
template <class State>
constexpr std::string_view further_columns() {
    if constexpr (requires(State state) { state.assignments; }) {
        return ", t.assignments, t.deleted, t.former_staff_ids, t.template_date";
    }
    if constexpr (requires(State state) { state.heldTimesheetIds; }) {
        return ", t.internals, t.deleted, t.held_timesheet_ids, t.told_of_staff_ids, t.closed";
    }
    if constexpr (requires(State state) { state.namedStaffIds; }) {
        return ", t.internals, t.deleted, t.named_staff_ids, t.named_user_ids, t.named_lead_ids";
    }
    if constexpr (requires(State state) { state.internals; }) return ", t.internals, t.deleted";
    if constexpr (requires(State state) { state.deleted; }) return ", t.deleted";
    return {};
}

/// Whether the state has an address that is empty once the person was erased, and never otherwise.
template <class State>
constexpr bool kTellsErasure =
    requires(State state) { requires std::same_as<decltype(state.email), core::Personal<core::Email>>; };

/// The state of a row that has `doc` and the further columns. States that callers don't see whole derive from what they
/// do see; a shift is beside what they don't.
template <class State>
State state_of(pqxx::row const& row) {
    State state;
    auto resource = core::from_stored_json<ResourceOf<State>>(core::read_view(row["doc"]));
    if constexpr (requires { state.assignments; }) {
        using Assignments = decltype(state.assignments);
        state.shift = std::move(resource);
        state.assignments = core::from_stored_json<Assignments>(core::read_view(row["assignments"]));
        state.formerStaffIds = core::read<std::vector<core::Id>>(row["former_staff_ids"]);
        state.templateDate.value = core::read<decltype(state.templateDate.value)>(row["template_date"]);
    } else {
        static_cast<ResourceOf<State>&>(state) = std::move(resource);
    }
    if constexpr (kTellsErasure<State>) state.email.erased = state.email.value.value.empty();
    if constexpr (requires { state.deleted; }) state.deleted = core::read<bool>(row["deleted"]);
    if constexpr (requires { state.heldTimesheetIds; }) {
        state.heldTimesheetIds = core::read<std::vector<events::Id>>(row["held_timesheet_ids"]);
        state.toldOfStaffIds = core::read<std::vector<events::Id>>(row["told_of_staff_ids"]);
        state.closed = core::read<bool>(row["closed"]);
    }
    if constexpr (requires { state.namedStaffIds; }) {
        state.namedStaffIds = core::read<std::vector<events::Id>>(row["named_staff_ids"]);
        state.namedUserIds = core::read<std::vector<events::Id>>(row["named_user_ids"]);
        state.namedLeadIds = core::read<std::vector<events::Id>>(row["named_lead_ids"]);
    }
    if constexpr (requires { state.internals; }) {
        using Internals = decltype(state.internals);
        state.internals = core::from_stored_json<Internals>(core::read_view(row["internals"]));
    }
    if constexpr (requires { state.lineage; }) state.lineage = state.internals.requester.lineage;
    return state;
}

}  // namespace workforce::projections
