// The statements that look up what an index has under some keys, made of its declaration (events/index.hpp): a column
// of the read model for each member.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <string>
#include <vector>

#include "commands/engine/state_store.hpp"
#include "projections/engine/column_values.hpp"
#include "projections/engine/read_model.hpp"
#include "projections/registry.hpp"

namespace workforce::workers {

/// The column of a member: `staffId` is in `staff_id`.
std::string column_name(std::string_view member);

/// Whether a look-up of the index may leave rows out; then it is told which rows are in memory.
template <class I>
inline constexpr bool kLeavesSome = commands::kTraitsOf<I>.some;
/// Of so many rows of a key a look-up has left some out, or may have.
template <class I>
inline constexpr std::size_t kIndexLimit = I::kFinds == events::Finds::any ? 1
                                           : I::kMost == events::kAll      ? std::numeric_limits<std::size_t>::max()
                                                                           : I::kMost + 1;

/// The columns that the parts of the index's key are in.
template <class I>
std::vector<std::string> part_columns() {
    std::vector<std::string> columns;
    boost::mp11::mp_for_each<typename I::Key>([&]<class P>(P) {
        columns.push_back(columns.empty() && !I::kColumn.empty()
                              ? std::string(I::kColumn)
                              : column_name(events::detail::member_name<P::kMember>()));
    });
    return columns;
}

/// The columns of an entry's time; one without an end lasts as long as an entry can.
template <class I>
std::string starts_column() {
    return "t." + column_name(events::detail::member_name<I::Time::kStarts>());
}
template <class I>
std::string ends_column() {
    auto const ends = "t." + column_name(events::detail::member_name<I::Time::kEnds>());
    using Ends = typename events::detail::MemberPointer<std::remove_const_t<decltype(I::Time::kEnds)>>::Type;
    if constexpr (std::is_same_v<Ends, core::Timestamp>) {
        return ends;
    } else {
        return fmt::format("coalesce({}, {} + interval '{} milliseconds')", ends, starts_column<I>(),
                           I::Time::kLongestMs);
    }
}

/// What a statement says of an index, besides its key's columns: the conditions of its rows, each after " AND ".
template <class I>
std::string index_conditions() {
    std::string text;
    if constexpr (!I::kDeleted) text += " AND NOT t.deleted";
    boost::mp11::mp_for_each<typename I::Where>([&]<class Condition>(Condition) {
        std::string values;
        for (auto const value : Condition::kValues) {
            values += fmt::format("{}'{}'", values.empty() ? "" : ", ", core::enum_name(value));
        }
        text +=
            fmt::format(" AND t.{} IN ({})", column_name(events::detail::member_name<Condition::kMember>()), values);
    });
    if constexpr (commands::kHasTime<I>) {
        if constexpr (I::kFinds == events::Finds::any) {
            text += fmt::format(" AND {} > k.since AND {} > k.since + interval '{} milliseconds'", starts_column<I>(),
                                ends_column<I>(), I::Time::kLongestMs);
        } else {
            text += fmt::format(" AND {} >= k.since", starts_column<I>());
        }
    }
    return text;
}

/// The columns that a look-up gives, besides `place`.
template <class I>
std::string index_columns() {
    using State = typename events::Aggregate<I::kKind>::State;
    if constexpr (I::kFinds == events::Finds::entries) {
        return fmt::format("t.id, {} AS starts_at, {} AS ends_at", starts_column<I>(), ends_column<I>());
    } else {
        return fmt::format("t.is_sandbox, t.version, t.doc{}{}, t.lacks_event", projections::further_columns<State>(),
                           events::kIsPerson<I::kKind> ? ", t.erased" : "");
    }
}

/// The parts of a row as they are compared with the key's, each after " AND ".
template <class I>
std::string index_comparisons() {
    std::string text;
    auto const columns = part_columns<I>();
    std::size_t part = 0;
    boost::mp11::mp_for_each<typename I::Key>([&]<class P>(P) {
        auto const& column = columns.at(part++);
        if constexpr (P::kOf == events::PartOf::only_element) {
            text += fmt::format(" AND cardinality(t.{0}) = 1 AND t.{0}[1] = k.part{1}", column, part);
        } else {
            text += fmt::format(" AND t.{} = k.part{}", column, part);
        }
    });
    return text;
}

/// Rows under keys: from $4 on an array each of organizations and of whether they are sandboxes, of each part, of the
/// moments since when, where entries have a time, and of the ids that are left out, where some may be. `place` counts
/// the keys from 1.
template <class I>
std::string index_text() {
    std::string arrays = "$4::bigint[], $5::boolean[]";
    std::string names = "organization_id, is_sandbox";
    int number = 5;
    int part = 0;
    boost::mp11::mp_for_each<typename I::Key>([&]<class P>(P) {
        arrays += fmt::format(", ${}::{}", ++number, projections::sql_array_type<typename P::Type>());
        names += fmt::format(", part{}", ++part);
    });
    if constexpr (commands::kHasTime<I>) {
        arrays += fmt::format(", ${}::timestamptz[]", ++number);
        names += ", since";
    }
    std::string const side = I::kSandboxOnly ? "t.is_sandbox" : "t.is_sandbox = k.is_sandbox";
    std::string table = fmt::format("read.{}", projections::table_of(I::kKind));
    std::string compared = index_comparisons<I>();
    if constexpr (events::kIsOfElements<I>) {
        // First by the database index of the elements: what else is asked is asked of what that finds.
        table = fmt::format("(SELECT * FROM {0} t WHERE t.{1} @> ARRAY[k.part1] AND t.{1} <> '{{}}' OFFSET 0)", table,
                            part_columns<I>().front());
        compared.clear();
    }
    auto within =
        fmt::format("t.organization_id = k.organization_id AND {}{}{}", side, compared, index_conditions<I>());
    if constexpr (kLeavesSome<I>) {
        std::string order = "t.id";
        if constexpr (commands::kHasTime<I>) {
            order = starts_column<I>() + ", t.id";
        }
        within += fmt::format(" AND t.id NOT IN (SELECT unnest(${}::bigint[])) ORDER BY {} LIMIT {}", ++number, order,
                              kIndexLimit<I>);
    } else {
        within += " OFFSET 0";
    }
    return fmt::format(
        "SELECT k.place, {} FROM unnest({}) WITH ORDINALITY AS k({}, place)"
        " JOIN LATERAL (SELECT * FROM {} t WHERE {}) AS t ON true",
        index_columns<I>(), arrays, names, table, within);
}

/// The keys of the index with that number that are needed, each once, from the earliest moment asked for.
std::vector<commands::Found::Key> keys_of(commands::Needs const& needs, std::size_t index);

/// A moment as timestamptz takes it, kEver as the one before all that it can hold.
inline void add_moment(projections::ArrayColumn& column, core::Timestamp moment) {
    if (moment == commands::kEver) {
        column.add(std::string_view("-infinity"));
    } else {
        column.add(moment);
    }
}

/// The keys as the statement's arrays, from $4 on.
template <class I>
std::vector<core::Parameter> index_parameters(std::vector<commands::Found::Key> const& keys) {
    projections::ArrayColumn organizations, sandboxes, since;
    std::array<projections::ArrayColumn, boost::mp11::mp_size<typename I::Key>::value> parts;
    for (auto const& key : keys) {
        organizations.add(key.organization);
        sandboxes.add(commands::is_of_sandbox(key.key));
        auto const values = commands::parts_of<I>(key.key);
        [&]<std::size_t... N>(std::index_sequence<N...>) {
            (projections::add_value(parts[N], std::get<N>(values)), ...);
        }(std::make_index_sequence<boost::mp11::mp_size<typename I::Key>::value>());
        if constexpr (commands::kHasTime<I>) add_moment(since, key.from);
    }
    std::vector<core::Parameter> parameters{organizations.take(), sandboxes.take()};
    for (auto& part : parts) parameters.push_back(part.take());
    if constexpr (commands::kHasTime<I>) parameters.push_back(since.take());
    return parameters;
}

}  // namespace workforce::workers
