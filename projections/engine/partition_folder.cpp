// Batches from the log into transactions; a failing batch is taken apart until the event at fault stands alone.
#include "projections/engine/partition_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <pqxx/except>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/database.hpp"
#include "core/logging.hpp"
#include "events/attributes.hpp"
#include "events/command.hpp"
#include "events/mended.hpp"
#include "events/revocations.hpp"
#include "events/stream.hpp"
#include "projections/engine/checkpoints.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

constexpr core::Statement kPauseAhead{
    "pause_reactor_ahead",
    "INSERT INTO pause (name, paused_by, reason) VALUES ($1, 'workforce', $2) ON CONFLICT (name) DO NOTHING"};
constexpr core::Statement kKnown{"checkpoints_known", sql::engine_checkpoints_known};
constexpr core::Statement kEnsure{"checkpoints_ensure", sql::engine_checkpoints_ensure};
constexpr core::Statement kAdvance{"checkpoints_advance", sql::engine_checkpoints_advance};
constexpr core::Statement kPoison{"checkpoints_poison", sql::engine_checkpoints_poison};
constexpr core::Statement kRetryAll{"checkpoints_retry_all", sql::engine_checkpoints_retry_all};

/// Another process moved a checkpoint first, or a rebuild put other rows there.
struct LostRace : std::runtime_error {
    LostRace() : std::runtime_error("another process moved the checkpoint") {}
};
/// Handlers or their statements refused what they were given.
struct FoldFault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// SQL errors that say nothing of the event: lost or starved server (08, 53, 57), conflicts (40, 55P03), a server that
/// only reads (25006).
bool may_pass(std::string const& sqlstate) {
    for (std::string_view const kind : {"08", "53", "57", "40", "55P03", "25006"}) {
        if (sqlstate.starts_with(kind)) return true;
    }
    return false;
}

/// A record's type: "shift.posted"; nothing where none can be seen. Attributes come first in a record, `type` the first
/// of that name.
std::string_view type_of(std::string_view body) {
    constexpr std::string_view kKey = R"("type":")";
    auto const at = body.find(kKey);
    if (at == std::string_view::npos) return {};
    auto const type = body.substr(at + kKey.size());
    return type.substr(0, type.find('"'));
}

/// Whether a record is an answer kept for idempotency: about every other one, and nobody here wants what is sealed in
/// it.
bool is_answer(std::string_view body) { return type_of(body) == "command.answered"; }

/// An answer without what it says, of its attributes alone. Errors: events::DamagedEvent.
events::Event answer_event(events::Record const& record) {
    events::Event event{{}, events::CommandEvent(events::CommandAnswered{})};
    auto& meta = event.meta;
    meta.position = record.position;
    std::optional<core::Timestamp> time;
    events::AttributeWalk walk(record.body);
    while (auto const attribute = walk.next()) {
        if (attribute->name == "orgid") meta.organization = core::parse_integer(attribute->value()).value_or(0);
        if (attribute->name == "sandbox") meta.sandbox = attribute->raw == "true";
        if (attribute->name == "idemkey") meta.idempotency_key = attribute->value();
        if (attribute->name == "time") time = core::parse_timestamp(attribute->raw);
    }
    if (walk.damaged() || !time) {
        throw events::DamagedEvent("an answer whose attributes can't be read");
    }
    meta.time = *time;
    return event;
}

/// Decodes all in their order.
std::vector<events::Event> decode_page(std::vector<events::Record> const& records, events::Keyring& keyring) {
    std::vector<events::Record> others;
    others.reserve(records.size());
    std::copy_if(records.begin(), records.end(), std::back_inserter(others),
                 [](events::Record const& record) { return !is_answer(record.body); });
    auto decoded = events::decode_all(others, keyring);
    if (others.size() == records.size()) return decoded;
    std::vector<events::Event> all;
    all.reserve(records.size());
    auto next = decoded.begin();
    for (auto const& record : records) {
        all.push_back(is_answer(record.body) ? answer_event(record) : std::move(*next++));
    }
    return all;
}

template <class F>
void with_fault_named(F&& handlers) {
    try {
        std::forward<F>(handlers)();
    } catch (pqxx::broken_connection const&) {
        throw;
    } catch (core::DatabaseUnavailable const&) {
        throw;  // of sessions that handlers have besides, as the keyring's: no fault of the event
    } catch (pqxx::sql_error const& error) {
        if (may_pass(error.sqlstate())) throw;
        // The lines after the first show whole rows, which hold personal data.
        std::string const text = error.what();
        throw FoldFault(text.substr(0, text.find('\n')));
    } catch (std::exception const& error) {
        throw FoldFault(error.what());
    }
}

}  // namespace

core::ConnectionOptions projector_session(core::ConnectionOptions options, Tables tables) {
    options.role = "workforce_projector";
    options.settings.emplace_back("synchronous_commit", "off");
    auto aimed = aimed_at(std::move(options), tables);
    // What reactors ask depends on how much there is, of which kinds.
    return tables == Tables::reactors ? core::by_index(std::move(aimed)) : core::by_key(std::move(aimed));
}

PartitionFolder::PartitionFolder(events::EventLog& log, events::Keyring& keyring, core::SessionPool& sessions,
                                 std::span<ProjectionType const> projections, int partition, BatchLimits limits,
                                 RowMemory& rows)
    : log_(log), keyring_(keyring), sessions_(sessions), partition_(partition), limits_(limits) {
    for (auto const& type : projections) members_.push_back({&type, type.make(rows)});
    if (std::any_of(projections.begin(), projections.end(), [](auto const& type) { return type.kinds.empty(); }))
        return;
    for (auto const& type : projections) kinds_.insert(type.kinds.begin(), type.kinds.end());
}

std::int64_t PartitionFolder::before_first_for(ProjectionType const& type) {
    if (type.reach.count() == 0) return -1;
    core::Timestamp const oldest{core::now().ms - std::chrono::milliseconds(type.reach).count()};
    return events::position_at(log_, partition_, oldest) - 1;
}

void PartitionFolder::begin_new() {
    auto const rows =
        sessions_.run([&](core::Connection& connection) { return connection.execute(kKnown, partition_); });
    std::set<std::string> known;
    for (auto const& row : rows) known.insert(core::read<std::string>(row[0]));
    std::vector<std::string_view> names;
    std::vector<std::int64_t> positions;
    std::vector<int> revisions;
    for (auto const& member : members_) {
        auto const& type = *member.type;
        if (type.reacts || known.contains(std::string(type.name))) continue;
        names.push_back(type.name);
        revisions.push_back(type.revision);
        positions.push_back(before_first_for(type));
    }
    if (names.empty()) return;
    sessions_.run(
        [&](core::Connection& connection) { connection.execute(kEnsure, partition_, names, positions, revisions); });
}

void PartitionFolder::load(bool retry_poison) {
    begin_new();
    std::vector<std::string_view> names;
    for (auto const& member : members_) names.push_back(member.type->name);
    std::vector<ProjectionType> types;
    for (auto const& member : members_) types.push_back(*member.type);
    std::array const partitions{partition_};
    auto const standings = sessions_.run([&](core::Connection& connection) {
        if (retry_poison) connection.execute(kRetryAll, partition_, names);
        return load_standings(connection, types, partitions).at(partition_);
    });
    oldest_waiting_.reset();
    for (std::size_t i = 0; i < members_.size(); ++i) {
        auto& member = members_[i];
        member.handlers->forget();
        if (!standings[i] && !member.type->reacts) {
            throw std::runtime_error(fmt::format("{} has lost its checkpoint", member.type->name));
        }
        auto const before = std::move(member.standing.reason);
        // It never begins at a head of its own choice: what came before would get no reaction.
        member.standing = standings[i].value_or(
            Progress::Standing{.stopped = true, .reason = "nobody recorded where it begins: run `workforce migrate`"});
        if (!member.type->reacts) continue;
        stop_ahead_of_log(*member.type, member.standing);
        if (member.standing.stopped && member.standing.reason != before) {
            core::log(core::Level::warn, "a reactor stands still",
                      {{"reactor", member.type->name}, {"partition", partition_}, {"why", member.standing.reason}});
        }
    }
}

/// A service does not start where read models are ahead of the log; a rebuild, which mends that, leaves reactors ahead.
/// They would pass over what is appended until it comes to where they stand, and so stay paused when it has.
void PartitionFolder::stop_ahead_of_log(ProjectionType const& reactor, Progress::Standing& standing) {
    if (standing.stopped || standing.position < 0) return;
    auto const head = log_.head(partition_).position;
    if (standing.position <= head) return;
    standing.stopped = true;
    standing.reason = fmt::format("it has folded up to {}, and the log ends at {}: it is another log, or lost its end",
                                  standing.position, head);
    sessions_.run([&](core::Connection& connection) {
        connection.execute(kPauseAhead, reactor.name, fmt::format("at partition {} {}", partition_, standing.reason));
    });
}

StepResult PartitionFolder::step() {
    std::int64_t until = 0;
    auto const group = furthest_behind(until);
    if (group.empty()) return {StepResult::Kind::stopped};
    auto const from = group.front()->standing.position;
    auto const most =
        static_cast<std::size_t>(std::min<std::int64_t>(until - from, static_cast<std::int64_t>(limits_.records)));
    auto records = log_.read(partition_, from + 1, most, limits_.bytes);
    if (records.empty()) return {StepResult::Kind::idle};
    auto const batch = decode(std::move(records));
    mark_ends(batch);
    StepResult result{StepResult::Kind::folded, static_cast<std::size_t>(batch.last - from)};
    try {
        result.poisoned = fold(group, batch);
    } catch (LostRace const&) {
        load(false);
        return {StepResult::Kind::lost_race};
    }
    oldest_waiting_.reset();
    if (!batch.events.empty()) last_time_ = batch.events.back().meta.time;
    return result;
}

void PartitionFolder::mark_ends(Batch const& batch) {
    events::SecretEnds ends;
    for (auto const& event : batch.events) ends.add(event);
    if (ends.empty()) return;
    sessions_.run([&](core::Connection& connection) { events::mark_ends(connection, ends); });
}

PartitionFolder::Group PartitionFolder::furthest_behind(std::int64_t& until) {
    auto least = std::numeric_limits<std::int64_t>::max() / 2;  // room for the difference of two positions
    until = least;
    for (auto const& member : members_) {
        if (!member.standing.stopped) least = std::min(least, member.standing.position);
    }
    Group group;
    for (auto& member : members_) {
        if (member.standing.stopped) continue;
        if (member.standing.position == least) {
            group.push_back(&member);
        } else {
            until = std::min(until, member.standing.position);  // where those behind catch up with it
        }
    }
    return group;
}

std::vector<events::Event> PartitionFolder::decode_wanted(std::vector<events::Record> const& records) {
    if (kinds_.empty()) return decode_page(records, keyring_);
    std::vector<events::Record> wanted;
    std::copy_if(records.begin(), records.end(), std::back_inserter(wanted), [this](events::Record const& record) {
        auto const type = type_of(record.body);
        auto const kind = core::parse_enum<events::Kind>(type.substr(0, type.find('.')));
        return !kind || kinds_.contains(*kind);  // what can't be made out is looked at
    });
    return decode_page(wanted, keyring_);
}

PartitionFolder::Batch PartitionFolder::decode(std::vector<events::Record> records) {
    auto page = events::decode_mended(log_, partition_, records,
                                      [this](std::vector<events::Record> const& some) { return decode_wanted(some); });
    Batch batch{.events = std::move(page.events), .last = page.last};
    if (page.fault) {  // what stands before the record at fault is folded all the same
        try {
            std::rethrow_exception(page.fault);
        } catch (std::exception const& fault) {
            batch.fault = fault.what();
        }
    }
    if (!batch.events.empty()) oldest_waiting_ = batch.events.front().meta.time;
    return batch;
}

std::size_t PartitionFolder::fold(Group const& group, Batch const& batch) {
    bool const alone = group.size() == 1;
    bool together = batch.last == group.front()->standing.position;  // nothing to fold but a fault
    if (!together && !alone) {
        try {
            commit(group, batch.events, batch.last);
            together = true;
        } catch (FoldFault const&) {  // whose it is shows when each goes alone
        }
    }
    std::size_t poisoned = 0;
    for (auto* member : group) {
        if (!together && !fold_alone(*member, batch.events, batch.last)) {
            ++poisoned;
        } else if (!batch.fault.empty()) {
            poison(*member, batch.last + 1, batch.fault);
            ++poisoned;
        }
    }
    return poisoned;
}

bool PartitionFolder::fold_alone(Member& member, std::span<events::Event const> events, std::int64_t last) {
    std::string error;
    try {
        commit({&member}, events, last);
        return true;
    } catch (FoldFault const& fault) {
        if (events.empty()) throw std::runtime_error(fault.what());  // then no event is to blame
        error = fault.what();
    }
    auto const half = events.size() / 2;
    if (half > 0) {
        auto const first = events.first(half);
        return fold_alone(member, first, first.back().meta.position) && fold_alone(member, events.subspan(half), last);
    }
    auto const position = events.front().meta.position;
    if (member.standing.position < position - 1) commit({&member}, {}, position - 1);
    poison(member, position, error);
    return false;
}

void PartitionFolder::commit(Group const& group, std::span<events::Event const> events, std::int64_t last) {
    auto const from = group.front()->standing.position;
    std::vector<std::string_view> names;
    std::vector<std::int64_t> generations;
    for (auto const* member : group) {
        names.push_back(member->type->name);
        generations.push_back(member->standing.generation);
    }
    try {
        sessions_.run([&](core::Connection& connection) {
            connection.transaction([&] {
                // First, for its row locks make a process that comes second wait here instead of working for nothing.
                auto const moved = connection.execute(kAdvance, partition_, from, last, names, generations);
                if (moved.affected_rows() != names.size()) throw LostRace();
                with_fault_named([&] {
                    for (auto* member : group) member->handlers->apply(connection, partition_, events);
                });
            });
        });
    } catch (...) {
        for (auto* member : group) member->handlers->forget();
        throw;
    }
    for (auto* member : group) member->standing.position = last;
}

void PartitionFolder::poison(Member& member, std::int64_t position, std::string const& error) {
    sessions_.run([&](core::Connection& connection) {
        connection.execute(kPoison, member.type->name, partition_, position, error);
    });
    member.standing.stopped = true;
    member.standing.reason = error;
    core::log(core::Level::error, "a projection stopped at an event that it can't fold",
              {{"projection", member.type->name}, {"partition", partition_}, {"position", position}, {"error", error}});
}

std::vector<Progress::Standing> PartitionFolder::standings() const {
    std::vector<Progress::Standing> all;
    for (auto const& member : members_) all.push_back(member.standing);
    return all;
}

std::int64_t PartitionFolder::position() const {
    auto least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = -1;
    for (auto const& member : members_) {
        if (!member.standing.stopped) least = std::min(least, member.standing.position);
        most = std::max(most, member.standing.position);
    }
    return least == std::numeric_limits<std::int64_t>::max() ? most : least;
}

bool PartitionFolder::any_stopped() const {
    return std::any_of(members_.begin(), members_.end(), [](Member const& member) { return member.standing.stopped; });
}

}  // namespace workforce::projections
