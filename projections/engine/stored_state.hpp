// How the state of an aggregate lies in its row.
#pragma once

#include <pqxx/row>
#include <string_view>

#include "core/json.hpp"
#include "core/sql_values.hpp"
#include "events/shift.hpp"

namespace workforce::projections {

/// The resource that GET answers is the column `doc`; further columns have what the resource does not show.
template <class State>
struct StoredState {
    using Resource = State;
    static constexpr std::string_view kFurther;  ///< those columns as a statement selects them, each after a comma

    static Resource const& resource(State const& state) { return state; }
    static State read(pqxx::row const& row) {
        auto state = core::from_stored_json<State>(core::read_view(row["doc"]));
        // As the fold left it: an address is never empty otherwise.
        if constexpr (requires { state.email.erased; }) state.email.erased = state.email.value.value.empty();
        return state;
    }
};

template <>
struct StoredState<events::ShiftRecord> {
    using Resource = events::Shift;
    static constexpr std::string_view kFurther = ", t.assignments, t.deleted";

    static Resource const& resource(events::ShiftRecord const& record) { return record.shift; }
    static events::ShiftRecord read(pqxx::row const& row) {
        return {
            .shift = core::from_stored_json<events::Shift>(core::read_view(row["doc"])),
            .assignments = core::from_stored_json<std::vector<events::Assignment>>(core::read_view(row["assignments"])),
            .deleted = core::read<bool>(row["deleted"])};
    }
};

/// The state of a row that has the column doc, and what else StoredState says.
template <class State>
State state_of(pqxx::row const& row) {
    return StoredState<State>::read(row);
}

}  // namespace workforce::projections
