// One statement a kind of need; rows and what is known of them come from one snapshot.
#include "workers/store/row_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "events/revocations.hpp"
#include "projections/answers/answers.hpp"
#include "projections/engine/row_arrays.hpp"
#include "projections/engine/statements.hpp"
#include "projections/shifts/shifts.hpp"
#include "projections/staff/staff.hpp"
#include "projections/users/users.hpp"
#include "workers/sql.hpp"

namespace workforce::workers {
namespace {

using commands::Found;
using commands::Held;
using commands::Need;
using commands::Stock;
using projections::ArrayColumn;

/// What a look-up of some stock runs: each tells how far the rows have come that it saw.
struct Texts {
    Texts() {
        for (auto const& [text, sql] :
             {std::pair(&units, sql::store_units), std::pair(&staff, sql::store_staff),
              std::pair(&shifts, sql::store_shifts), std::pair(&bookings, sql::store_bookings),
              std::pair(&answers, sql::store_answers)}) {
            *text = projections::with_fragments(sql, {{"reached", sql::store_reached}});
        }
    }
    std::string units, staff, shifts, bookings, answers;
};
Texts const& texts() {
    static Texts const all;
    return all;
}

constexpr core::Statement kReached{"row_store_reached", sql::store_reached};
constexpr core::Statement kDue{"row_store_due_shifts", sql::store_due_shifts};
constexpr core::Statement kErased{"row_store_erased_persons", sql::store_erased_persons};
constexpr core::Statement kLaggard{"row_store_laggard", sql::store_laggard};
constexpr core::Statement kPrune{"row_store_prune_answers", sql::store_prune_answers};

/// How long rows may take to come back to where they were before a crash of the database.
constexpr auto kPatience = std::chrono::seconds(2);
constexpr auto kGlance = std::chrono::milliseconds(10);

constexpr int kPruned = 5000;      // answers that one statement deletes
constexpr int kPruneRounds = 200;  // such statements in a row

core::ConnectionOptions session_options(core::ConnectionOptions options) {
    options.role = "workforce_projector";  // which row-level security lets see all
    return core::by_index(std::move(options));
}

/// The resource of a row with the columns is_sandbox, version and lacks_event.
template <class T>
Held<T> held(pqxx::row const& row, T value) {
    Held<T> of_row;
    of_row.value = std::move(value);
    of_row.version = core::read<std::int64_t>(row["version"]);
    of_row.sandbox = core::read<bool>(row["is_sandbox"]);
    of_row.lacks_event = core::read<bool>(row["lacks_event"]);
    if constexpr (requires { of_row.value.email; }) of_row.erased = core::read<bool>(row["erased"]);
    return of_row;
}
template <class T>
Held<T> held_doc(pqxx::row const& row) {
    return held(row, core::from_stored_json<T>(core::read_view(row["doc"])));
}

/// The needs of a statement as its arrays.
struct Columns {
    ArrayColumn organization, sandbox, id, text, from;
    bool any = false;

    Columns() = default;
    /// Those of a kind.
    Columns(commands::Needs const& needs, Need::Kind kind) {
        for (auto const& need : needs) {
            if (need.kind == kind) add(need);
        }
    }
    void add(Need const& need) {
        any = true;
        organization.add(need.organization);
        sandbox.add(need.sandbox);
        id.add(need.id);
        text.add(std::string_view(need.text));
        from.add(need.from);
    }
};

void read_unit(pqxx::row const& row, std::map<core::Id, Found::Unit>& units) {
    auto const kind = core::read_view(row["kind"]);
    if (kind == "organization") {
        auto organization = held_doc<events::Organization>(row);
        auto const id = organization.value.id;
        units[id].organization = std::move(organization);
    } else if (kind == "facility") {
        auto facility = held_doc<events::Facility>(row);
        units[facility.value.organizationId].facilities.push_back(std::move(facility));
    } else if (kind == "user") {
        auto user = held(row, projections::user_of(row));
        units[user.value.organizationId].users.push_back(std::move(user));
    } else {
        auto key = held_doc<events::ApiKey>(row);
        units[key.value.organizationId].api_keys.push_back(std::move(key));
    }
}

}  // namespace

/// One look-up on a session: a statement for each kind of need that there is.
class RowStore::Finder {
   public:
    Finder(core::Connection& connection, Sources const& sources, commands::LookUp const& wanted)
        : connection_(connection), sources_(sources), wanted_(wanted) {
        found_.through = wanted.least;  // of stocks that nothing is asked of
    }

    Found find() {
        find_units();
        find_staff();
        find_shifts();
        find_bookings();
        find_answers();
        return std::move(found_);
    }

   private:
    void find_units() {
        Columns keys(wanted_.needs, Need::Kind::unit);
        if (!keys.any) return;
        std::map<core::Id, Found::Unit> units;
        run(Stock::unit, {"row_store_units", texts().units}, {keys.organization.take()},
            [&](auto const& row) { read_unit(row, units); });
        for (auto& [id, unit] : units) found_.units.push_back(std::move(unit));
    }

    void find_staff() {
        Columns ids(wanted_.needs, Need::Kind::staff);
        Columns emails(wanted_.needs, Need::Kind::email);
        if (!ids.any && !emails.any) return;
        run(Stock::staff, {"row_store_staff", texts().staff},
            {ids.organization.take(), ids.id.take(), emails.organization.take(), emails.sandbox.take(),
             emails.text.take()},
            [&](auto const& row) { found_.staff.push_back(held(row, projections::staff_of(row))); });
    }

    void find_shifts() {
        Columns ids(wanted_.needs, Need::Kind::shift);
        Columns ahead(wanted_.needs, Need::Kind::hindrance);
        if (!ids.any && !ahead.any) return;
        run(Stock::shift, {"row_store_shifts", texts().shifts},
            {ids.organization.take(), ids.id.take(), ahead.organization.take(), ahead.sandbox.take(), ahead.id.take(),
             ahead.from.take(), core::to_parameter(wanted_.shifts_here)},
            [&](auto const& row) { found_.shifts.push_back(held(row, projections::shift_of(row))); });
    }

    void find_bookings() {
        std::map<std::pair<core::Id, core::Id>, Need> persons;  // each once, from the earliest moment asked for
        for (auto const& need : wanted_.needs) {
            if (need.kind != Need::Kind::bookings) continue;
            auto const [person, added] = persons.try_emplace({need.organization, need.id}, need);
            person->second.from = std::min(person->second.from, need.from);
        }
        if (persons.empty()) return;
        Columns keys;
        for (auto const& [person, need] : persons) keys.add(need);
        std::map<std::pair<core::Id, core::Id>, std::vector<commands::Booking>> bookings;
        run(Stock::shift, {"row_store_bookings", texts().bookings},
            {keys.organization.take(), keys.id.take(), keys.from.take()}, [&](auto const& row) {
                bookings[{core::read<core::Id>(row["organization_id"]), core::read<core::Id>(row["staff_id"])}]
                    .push_back({core::read<core::Timestamp>(row["starts_at"]), core::read<core::Id>(row["id"]),
                                core::read<core::Timestamp>(row["ends_at"])});
            });
        for (auto const& [person, need] : persons) {
            found_.bookings.push_back({person.first, person.second, need.from, std::move(bookings[person])});
        }
    }

    void find_answers() {
        Columns digests;
        std::vector<std::string> keys;
        for (auto const& need : wanted_.needs) {
            if (need.kind != Need::Kind::answer) continue;
            auto digest = need;
            keys.push_back(std::exchange(digest.text, projections::answer_key(need.text)));
            digests.add(digest);
        }
        if (keys.empty()) return;
        run(Stock::answer, {"row_store_answers", texts().answers},
            {digests.organization.take(), digests.sandbox.take(), digests.text.take()}, [&](auto const& row) {
                auto const& key = keys.at(core::read<std::size_t>(row["place"]) - 1);
                found_.answers[key] = core::read<std::int64_t>(row["id"]) / projections::kPartitionsInId;
            });
    }

    template <class Read>
    void run(Stock stock, core::Statement const& statement, std::vector<core::Parameter> keys, Read read) {
        auto const& source = sources_[index_of(stock)];
        std::vector<core::Parameter> parameters{core::to_parameter(wanted_.partition), source.names, source.revisions};
        std::move(keys.begin(), keys.end(), std::back_inserter(parameters));
        auto const rows = connection_.execute_prepared(statement, parameters);
        auto const reached = core::read<std::int64_t>(rows.at(0)[0]);
        auto& through = found_.through[index_of(stock)];
        if (seen_[index_of(stock)] && reached < through) {
            throw commands::StoreBehind("read models went back between two looks at them");
        }
        if (!seen_[index_of(stock)]) through = reached;
        seen_[index_of(stock)] = true;
        for (auto const& row : rows) {
            if (!row[1].is_null()) read(row);  // else the one row of a look-up that found nothing
        }
    }

    core::Connection& connection_;
    Sources const& sources_;
    commands::LookUp const& wanted_;
    Found found_;
    std::array<bool, commands::kStocks> seen_{};  // stocks that a statement has looked at
};

RowStore::RowStore(core::ConnectionOptions connection, std::size_t sessions,
                   std::span<projections::ProjectionType const> projections)
    : sessions_(session_options(std::move(connection)), sessions) {
    auto const source = [&](std::vector<std::string_view> const& names) {
        std::vector<int> revisions;
        for (auto const name : names) {
            auto const type = std::find_if(projections.begin(), projections.end(),
                                           [&](auto const& each) { return each.name == name; });
            revisions.push_back(type == projections.end() ? 0 : type->revision);
            names_.push_back(name);
            revisions_.push_back(revisions.back());
        }
        return Source{core::to_parameter(names), core::to_parameter(revisions)};
    };
    sources_[index_of(Stock::unit)] = source({"organization", "facility", "user", "api_key"});
    sources_[index_of(Stock::staff)] = source({"staff"});
    sources_[index_of(Stock::shift)] = source({"shift"});
    sources_[index_of(Stock::answer)] = source({"answer"});
}

commands::Positions RowStore::through(int partition) {
    return sessions_.run([&](core::Connection& connection) {
        commands::Positions positions{};
        for (std::size_t i = 0; i < positions.size(); ++i) {
            std::array<core::Parameter, 3> const of_stock{core::to_parameter(partition), sources_[i].names,
                                                          sources_[i].revisions};
            positions[i] = core::read<std::int64_t>(connection.execute_prepared(kReached, of_stock)[0][0]);
        }
        return positions;
    });
}

Found RowStore::find(commands::LookUp const& wanted) {
    // Of stocks that nothing is asked of the look-up says what was wanted.
    auto const late = [&](commands::Positions const& positions) {
        std::vector<std::size_t> stocks;
        for (std::size_t i = 0; i < commands::kStocks; ++i) {
            if (positions[i] < wanted.least[i]) stocks.push_back(i);
        }
        return stocks;
    };
    auto const deadline = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
        auto found =
            sessions_.run([&](core::Connection& connection) { return Finder(connection, sources_, wanted).find(); });
        auto const waited = late(found.through);
        if (waited.empty()) return found;
        auto const behind = [&](commands::Positions const& positions) {
            return std::any_of(waited.begin(), waited.end(),
                               [&](std::size_t stock) { return positions[stock] < wanted.least[stock]; });
        };
        while (behind(through(wanted.partition))) {
            if (std::chrono::steady_clock::now() > deadline) {
                throw commands::StoreBehind(fmt::format(
                    "partition {}: read models are behind where they were, for the database lost rows in a crash: {}",
                    wanted.partition, laggard(wanted.partition)));
            }
            std::this_thread::sleep_for(kGlance);
        }
    }
}

std::string RowStore::laggard(int partition) {
    auto const row = sessions_.run(
        [&](core::Connection& connection) { return connection.execute(kLaggard, partition, names_, revisions_); })[0];
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

void RowStore::mark_revoked(std::vector<core::Id> const& keys) {
    sessions_.run([&](core::Connection& connection) { events::mark_revoked(connection, keys); });
}

std::vector<DueShift> RowStore::due_shifts(std::vector<int> const& partitions, core::Timestamp since) {
    auto const rows =
        sessions_.run([&](core::Connection& connection) { return connection.execute(kDue, partitions, since); });
    std::vector<DueShift> due;
    for (auto const& row : rows) {
        due.push_back({core::read<core::Id>(row[0]), core::read<bool>(row[1]), core::read<core::Id>(row[2])});
    }
    return due;
}

std::vector<std::string> RowStore::erased_persons() {
    auto const rows = sessions_.run([](core::Connection& connection) { return connection.execute(kErased); });
    std::vector<std::string> persons;
    for (auto const& row : rows) persons.push_back(core::read<std::string>(row[0]));
    return persons;
}

void RowStore::prune_answers() {
    for (int round = 0; round < kPruneRounds; ++round) {
        auto const deleted = sessions_.run(
            [](core::Connection& connection) { return connection.execute(kPrune, kPruned).affected_rows(); });
        if (deleted < kPruned) return;
    }
}

}  // namespace workforce::workers
