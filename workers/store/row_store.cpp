// One statement a sort of need; rows and what is known of them come from one snapshot.
#include "workers/store/row_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>

#include "events/catalogue.hpp"
#include "events/revocations.hpp"
#include "projections/answers/answers.hpp"
#include "projections/engine/partition_folder.hpp"
#include "projections/engine/row_arrays.hpp"
#include "projections/engine/statements.hpp"
#include "projections/engine/stored_state.hpp"
#include "workers/sql.hpp"
#include "workers/store/index_check.hpp"
#include "workers/store/index_statements.hpp"

namespace workforce::workers {
namespace {

using commands::Found;
using commands::Held;
using commands::Need;
using events::Kind;
using projections::ArrayColumn;

/// What the statements of look-ups begin and end with: they tell how far the rows have come that they saw.
std::string look_up_text(std::string_view rows) {
    return fmt::format("SELECT ({}) AS reached, t.* FROM (SELECT) AS once LEFT JOIN ({}) AS t ON true",
                       sql::store_reached, rows);
}

/// Rows of the kind by id: $4 and $5 are organizations and ids.
template <class State>
std::string rows_by_id(Kind kind) {
    return fmt::format(
        "SELECT t.is_sandbox, t.version, t.doc{}{}, t.lacks_event"
        " FROM unnest($4::bigint[], $5::bigint[]) AS k(organization_id, id)"
        " JOIN LATERAL (SELECT * FROM read.{} t WHERE t.id = k.id OFFSET 0) AS t"
        " ON t.organization_id = k.organization_id",
        projections::further_columns<State>(), is_person(kind) ? ", t.erased" : "", projections::table_of(kind));
}

/// Organizations ($4) with all that is resident with them. What live and sandbox share has a live row.
std::string resident_rows() {
    std::string text;
    events::for_each_kind<events::KindsWithOrganization>([&](Kind kind, auto) {
        text += fmt::format(
            "{}SELECT '{}' AS kind, is_sandbox, version, doc, {} AS erased, lacks_event FROM read.{}"
            " WHERE organization_id = ANY ($4::bigint[]){}",
            text.empty() ? "" : " UNION ALL ", core::enum_name(kind), is_person(kind) ? "erased" : "false",
            projections::table_of(kind), is_sandboxed(kind) ? "" : " AND NOT is_sandbox");
    });
    return text;
}

/// The statement of each sort of look-up.
struct Texts {
    struct Text {
        std::string name, sql;
        [[nodiscard]] core::Statement statement() const { return {name, sql}; }
    };
    Text organizations{"row_store_organizations", look_up_text(resident_rows())};
    std::array<Text, events::kKinds> aggregates;  // of kinds that are resident alone
    std::map<std::size_t, Text> indexes;          // by number
    Text answers{"row_store_answers", look_up_text(sql::store_answers)};

    Texts() {
        events::for_each_kind<events::KindsAlone>([&](Kind kind, auto constant) {
            aggregates.at(static_cast<std::size_t>(kind)) = {
                fmt::format("row_store_{}", core::enum_name(kind)),
                look_up_text(rows_by_id<events::StateOf<decltype(constant)>>(kind))};
        });
        boost::mp11::mp_for_each<events::Indexes>([&]<class I>(I) {
            constexpr auto kNumber = events::kIndexNumber<I>;
            indexes[kNumber] = {fmt::format("row_store_index_{}", kNumber), look_up_text(index_text<I>())};
        });
    }
};
Texts const& texts() {
    static Texts const all;
    return all;
}

/// Persons who were erased and whose keys are still there: the process that was to destroy them did not live to do it.
std::string const& erased_persons_text() {
    static std::string const text = [] {
        std::string erased;
        for (auto const kind : events::kAllKinds) {
            if (!is_person(kind)) continue;
            erased +=
                fmt::format("{}SELECT '{}/' || id AS person FROM read.{} WHERE erased",
                            erased.empty() ? "" : " UNION ALL ", core::enum_name(kind), projections::table_of(kind));
        }
        return fmt::format(
            "SELECT k.person FROM ({}) AS erased"
            " JOIN vault.person_key k ON k.person = erased.person AND k.sealed_key IS NOT NULL",
            erased);
    }();
    return text;
}

constexpr core::Statement kReached{"row_store_reached", sql::store_reached};
constexpr core::Statement kFurthestBehind{"row_store_furthest_behind", sql::store_furthest_behind};

/// How long rows may take to come back to where they were before a crash of the database.
constexpr auto kPatience = std::chrono::seconds(2);
constexpr auto kRowStorePause = std::chrono::milliseconds(10);

constexpr int kPruned = 5000;      // answers that one statement deletes
constexpr int kPruneRounds = 200;  // such statements in a row

/// The state of a row with the columns is_sandbox, version, lacks_event, of persons erased, and what state_of() reads.
template <class State>
Held<State> held(pqxx::row const& row) {
    Held<State> of_row;
    of_row.value = projections::state_of<State>(row);
    of_row.version = core::read<std::int64_t>(row["version"]);
    of_row.sandbox = core::read<bool>(row["is_sandbox"]);
    of_row.lacks_event = core::read<bool>(row["lacks_event"]);
    if constexpr (events::kIsPerson<events::kKindOfState<State>>) {
        of_row.erased = core::read<bool>(row["erased"]);
        // Rows of before there was that column tell by the address.
        if constexpr (projections::kTellsErasure<State>) of_row.erased |= of_row.value.email.erased;
    }
    return of_row;
}

/// The needs of a statement as its arrays.
struct Columns {
    ArrayColumn organization, sandbox, id, text;
    bool any = false;

    Columns() = default;
    /// Those of a sort, and of a kind where that is told.
    Columns(commands::Needs const& needs, Need::What what, std::optional<Kind> kind = {}) {
        for (auto const& need : needs) {
            if (need.what == what && (!kind || need.kind == *kind)) add(need);
        }
    }
    void add(Need const& need) {
        any = true;
        organization.add(need.organization);
        sandbox.add(need.sandbox);
        id.add(need.id);
        text.add(std::string_view(need.text));
    }
};

}  // namespace

/// One look-up on a session: a statement for each sort of need that there is.
class RowStore::Finder {
   public:
    Finder(core::Connection& connection, Sources const& sources, commands::LookUp const& wanted)
        : connection_(connection), sources_(sources), wanted_(wanted) {
        found_.through = wanted.least;  // of residences that nothing is asked of
    }

    Found find() {
        find_organizations();
        events::for_each_kind<events::KindsAlone>(
            [&](Kind kind, auto constant) { find_aggregates<events::StateOf<decltype(constant)>>(kind); });
        boost::mp11::mp_for_each<events::Indexes>([&]<class I>(I) { find_keys<I>(); });
        find_answers();
        return std::move(found_);
    }

   private:
    void find_organizations() {
        Columns keys(wanted_.needs, Need::What::aggregate, Kind::organization);
        if (!keys.any) return;
        run(Kind::organization, texts().organizations, {keys.organization.take()}, [&](auto const& row) {
            auto const name = core::read_view(row["kind"]);
            events::for_each_kind<events::KindsWithOrganization>([&](Kind kind, auto constant) {
                using State = events::StateOf<decltype(constant)>;
                if (core::enum_name(kind) == name) found_.template of<State>().push_back(held<State>(row));
            });
        });
    }

    template <class State>
    void find_aggregates(Kind kind) {
        Columns ids(wanted_.needs, Need::What::aggregate, kind);
        if (!ids.any) return;
        run(kind, texts().aggregates.at(static_cast<std::size_t>(kind)), {ids.organization.take(), ids.id.take()},
            [&](auto const& row) { found_.template of<State>().push_back(held<State>(row)); });
    }

    /// Keys of an index: each once, from the earliest moment asked for.
    template <class I>
    void find_keys() {
        using State = typename events::Aggregate<I::kKind>::State;
        auto keys = keys_of(wanted_.needs, events::kIndexNumber<I>);
        if (keys.empty()) return;
        auto parameters = index_parameters<I>(keys);
        if constexpr (kLeavesSome<I>) parameters.push_back(here(I::kKind));
        std::vector<std::size_t> found(keys.size());
        run(I::kKind, texts().indexes.at(events::kIndexNumber<I>), std::move(parameters), [&](auto const& row) {
            auto const place = core::read<std::size_t>(row["place"]) - 1;
            ++found.at(place);
            if constexpr (I::kFinds == events::Finds::entries) {
                keys[place].entries.push_back({core::read<core::Timestamp>(row["starts_at"]),
                                               core::read<core::Id>(row["id"]),
                                               core::read<core::Timestamp>(row["ends_at"])});
            } else {
                found_.of<State>().push_back(held<State>(row));
            }
        });
        for (std::size_t i = 0; i < keys.size(); ++i) keys[i].whole = found[i] < kIndexLimit<I>;
        std::ranges::move(keys, std::back_inserter(found_.keys));
    }

    void find_answers() {
        Columns digests;
        std::vector<std::string> keys;
        for (auto const& need : wanted_.needs) {
            if (need.what != Need::What::answer) continue;
            auto digest = need;
            keys.push_back(std::exchange(digest.text, projections::answer_key(need.text)));
            digests.add(digest);
        }
        if (keys.empty()) return;
        run(Kind::command, texts().answers, {digests.organization.take(), digests.sandbox.take(), digests.text.take()},
            [&](auto const& row) {
                auto const& key = keys.at(core::read<std::size_t>(row["place"]) - 1);
                found_.answers[key] = core::read<std::int64_t>(row["id"]) / projections::kPartitionsInId;
            });
    }

    /// What memory has of the kind, as a parameter.
    [[nodiscard]] core::Parameter here(Kind kind) const {
        auto const found = wanted_.here.find(kind);
        if (found == wanted_.here.end()) return core::to_parameter(std::vector<core::Id>{});
        return core::to_parameter(found->second);
    }

    template <class Read>
    void run(Kind residence, Texts::Text const& text, std::vector<core::Parameter> keys, Read read) {
        auto const& source = sources_.at(static_cast<std::size_t>(residence));
        std::vector<core::Parameter> parameters{core::to_parameter(wanted_.partition), source.names, source.revisions};
        std::move(keys.begin(), keys.end(), std::back_inserter(parameters));
        auto const rows = connection_.execute_prepared(text.statement(), parameters);
        auto const reached = core::read<std::int64_t>(rows.at(0)[0]);
        auto& through = found_.through[residence];
        bool const seen = !seen_.insert(residence).second;
        if (seen && reached < through) throw commands::StoreBehind("read models went back between two looks at them");
        if (!seen) through = reached;
        for (auto const& row : rows) {
            if (!row[1].is_null()) read(row);  // else the one row of a look-up that found nothing
        }
    }

    core::Connection& connection_;
    Sources const& sources_;
    commands::LookUp const& wanted_;
    Found found_;
    std::set<Kind> seen_{};  // residences that a statement has looked at
};

RowStore::RowStore(core::ConnectionOptions connection, std::size_t sessions,
                   std::span<projections::ProjectionType const> projections)
    : sessions_(projections::projector_session(std::move(connection)), sessions) {
    for (auto const residence : commands::Positions::residences()) {
        std::vector<std::string_view> names;
        std::vector<int> revisions;
        for (auto const kind : events::kAllKinds) {
            if (commands::resident_kind(kind) != residence) continue;
            names.push_back(projections::projection_name(kind));
            auto const type = std::find_if(projections.begin(), projections.end(),
                                           [&](auto const& each) { return each.name == names.back(); });
            revisions.push_back(type == projections.end() ? 0 : type->revision);
        }
        sources_.at(static_cast<std::size_t>(residence)) = {core::to_parameter(names), core::to_parameter(revisions)};
        names_.insert(names_.end(), names.begin(), names.end());
        revisions_.insert(revisions_.end(), revisions.begin(), revisions.end());
    }
}

commands::Positions RowStore::through(int partition) {
    return sessions_.run([&](core::Connection& connection) {
        commands::Positions positions;
        for (auto const residence : commands::Positions::residences()) {
            auto const& source = sources_.at(static_cast<std::size_t>(residence));
            std::array<core::Parameter, 3> const of_residence{core::to_parameter(partition), source.names,
                                                              source.revisions};
            positions[residence] = core::read<std::int64_t>(connection.execute_prepared(kReached, of_residence)[0][0]);
        }
        return positions;
    });
}

Found RowStore::find(commands::LookUp const& wanted) {
    // Of residences that nothing is asked of the look-up says what was wanted.
    auto const late = [&](commands::Positions const& positions) {
        std::vector<Kind> residences;
        for (auto const residence : commands::Positions::residences()) {
            if (positions[residence] < wanted.least[residence]) residences.push_back(residence);
        }
        return residences;
    };
    auto const deadline = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
        auto found =
            sessions_.run([&](core::Connection& connection) { return Finder(connection, sources_, wanted).find(); });
        auto const waited = late(found.through);
        if (waited.empty()) return found;
        auto const behind = [&](commands::Positions const& positions) {
            return std::any_of(waited.begin(), waited.end(),
                               [&](Kind residence) { return positions[residence] < wanted.least[residence]; });
        };
        while (behind(through(wanted.partition))) {
            if (std::chrono::steady_clock::now() > deadline) {
                throw commands::StoreBehind(fmt::format(
                    "partition {}: read models are behind where they were, for the database lost rows in a crash: {}",
                    wanted.partition, furthest_behind(wanted.partition)));
            }
            std::this_thread::sleep_for(kRowStorePause);
        }
    }
}

std::string RowStore::furthest_behind(int partition) {
    auto const row = sessions_.run([&](core::Connection& connection) {
        return connection.execute(kFurthestBehind, partition, names_, revisions_);
    })[0];
    auto const name = core::read<std::string>(row["name"]);
    if (row["revision"].is_null()) return fmt::format("read model {} was never folded here", name);
    if (core::read<int>(row["revision"]) != core::read<int>(row["wanted"])) {
        return fmt::format("read model {} has rows of another revision: rebuild it", name);
    }
    auto const position = core::read<std::int64_t>(row["position"]);
    if (row["poison"].is_null()) return fmt::format("read model {} has folded up to position {}", name, position);
    auto const poison = core::read<std::int64_t>(row["poison"]);
    if (core::read<bool>(row["skipped"])) {
        return fmt::format("read model {} lacks position {}, which was skipped: rebuild it", name, poison);
    }
    return fmt::format("read model {} stands at position {}, which it can't fold", name, poison);
}

void RowStore::mark_ends(events::SecretEnds const& ends) {
    sessions_.run([&](core::Connection& connection) { events::mark_ends(connection, ends); });
}

void RowStore::require_indexes() {
    sessions_.run([](core::Connection& connection) { workers::require_indexes(connection); });
}

std::vector<std::string> RowStore::erased_persons() {
    auto const rows =
        sessions_.run([](core::Connection& connection) { return connection.execute_sql(erased_persons_text()); });
    std::vector<std::string> persons;
    for (auto const& row : rows) persons.push_back(core::read<std::string>(row[0]));
    return persons;
}

void RowStore::prune_answers() {
    // Their number as a literal: the planner takes a parameter for a tenth of all.
    static std::string const text =
        projections::with_fragments(sql::store_prune_answers, {{"most", std::to_string(kPruned)}});
    for (int round = 0; round < kPruneRounds; ++round) {
        auto const deleted = sessions_.run([](core::Connection& connection) {
            return connection.execute(core::Statement{"row_store_prune_answers", text}).affected_rows();
        });
        if (deleted < kPruned) return;
    }
}

}  // namespace workforce::workers
