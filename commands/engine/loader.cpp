// Look-ups and reservations.
#include "commands/engine/loader.hpp"

#include <set>
#include <tuple>
#include <unordered_map>

#include "core/database.hpp"
#include "core/ids.hpp"
#include "core/outage.hpp"
#include "core/run_on.hpp"

namespace workforce::commands {
namespace {

constexpr std::size_t kAnswerRecords = 1;

/// Kinds on sides of organizations.
using Sides = std::set<std::tuple<events::Kind, Id, bool>>;

/// Adds what memory has of the kind of an index of which rows may be left out, on the side and in the organization that
/// the need is about, unless it was `added`.
void add_here(Memory const& memory, Need const& need, Sides& added, LookUp& wanted) {
    auto const& traits = traits_of(need.text);
    auto const kind = traits.kind;
    auto const* state = memory.find(need.organization);
    if (!traits.some || !state || !added.emplace(kind, need.organization, need.sandbox).second) return;
    auto& ids = wanted.here[kind];
    auto const* table = state->table(kind);
    if (!table) return;
    table->for_each([&](Id id, RowFacts const& row) {
        if (row.sandbox == need.sandbox) ids.push_back(id);
    });
}

/// The answer that stands there. That it does not is no sign that there is none: then the command would be run again.
StoredAnswer read_answer(events::EventLog& log, events::Keyring& keyring, int partition, std::int64_t position,
                         std::string const& key) {
    auto const records = log.read(partition, position, kAnswerRecords, events::kMaxRecordBytes);
    auto const events = events::decode_all(records, keyring);
    auto answer = events.empty() ? std::nullopt : answer_of(events.front(), partition);
    if (!answer || events.front().meta.idempotency_key != key) {
        throw std::runtime_error("position " + std::to_string(position) +
                                 " does not have the answer that read model answer has there");
    }
    return *std::move(answer);
}

/// Whether other needs would fail likewise: what is to be asked is away, or behind.
bool is_away(std::exception const& error) {
    if (dynamic_cast<core::StatementFailed const*>(&error)) return false;
    return dynamic_cast<core::DatabaseUnavailable const*>(&error) ||
           dynamic_cast<events::LogUnavailable const*>(&error) || dynamic_cast<StoreBehind const*>(&error);
}

}  // namespace

boost::asio::awaitable<Loader::Outcome> Loader::bring_in(Pending& first, Needs needs, Needs all, Timestamp now,
                                                         std::int64_t epoch) {
    bool const alone = all == needs;
    auto outcome = co_await try_look_up(first, std::move(all), now, epoch);
    // What can't be used may be another's: one organization's damage is not all others'.
    if (outcome == Outcome::failed && !alone) outcome = co_await try_look_up(first, std::move(needs), now, epoch);
    co_return outcome;
}

boost::asio::awaitable<Loader::Outcome> Loader::try_look_up(Pending& first, Needs needs, Timestamp now,
                                                            std::int64_t epoch) {
    try {
        co_await look_up(first, std::move(needs), now, epoch);
        unfound_.over();
        co_return Outcome::done;
    } catch (std::exception const& error) {
        unfound_.met(core::quiet_while_away(core::Level::warn), {{"partition", number_}, {"error", error.what()}});
        co_return is_away(error) ? Outcome::nothing : Outcome::failed;
    }
}

boost::asio::awaitable<void> Loader::look_up(Pending& first, Needs needs, Timestamp now, std::int64_t epoch) {
    LookUp wanted{number_, {}, memory_.evicted(), {}};
    Sides here;
    std::vector<std::string> keys;
    std::vector<Need> reserving;
    for (auto const& need : needs) {
        if (need.what == Need::What::reservation) {
            reserving.push_back(need);
        } else if (need.what == Need::What::key) {
            keys.push_back(need.text);
        } else {
            if (need.what == Need::What::index) add_here(memory_, need, here, wanted);
            wanted.needs.insert(need);
        }
    }
    auto& reserved = first.reserved;
    if (!reserving.empty() && !context_.reservations) throw std::logic_error("there is nowhere to reserve");
    if (!reserving.empty() && reserved.command.empty()) {
        auto const& key = first.submission.idempotency;
        reserved.command = key ? key->key : core::uuid_v7(now);
    }
    stats_.looked_up.fetch_add(needs.size(), std::memory_order_relaxed);
    std::vector<Reservations::Taking> taking;
    Found found;
    std::unordered_map<std::string, StoredAnswer> answers;
    co_await core::run_on(context_.loading, [&] {
        if (!keys.empty()) context_.keyring.prefetch(keys);
        if (!wanted.needs.empty()) found = context_.store->find(wanted);
        for (auto const& [key, position] : found.answers) {
            auto answer = read_answer(context_.log, context_.keyring, number_, position, key);
            if (answer_counts(answer.time, now)) answers.emplace(key, std::move(answer));
        }
        if (!reserving.empty()) taking = context_.reservations->take({reserved.command, epoch}, reserving);
    });
    for (std::size_t i = 0; i < reserving.size(); ++i) {
        if (taking.at(i) == Reservations::Taking::taken) reserved.needs.push_back(reserving[i]);
        if (taking.at(i) == Reservations::Taking::elsewhere) memory_.note_taken(reserving[i]);
    }
    memory_.add(std::move(found));
    for (auto& [key, answer] : answers) memory_.show_answer(key, std::move(answer));
    // Memory tells itself what it knows of a key of an index. A key that seals may leave before it is used.
    std::erase_if(needs, [&](Need const& need) {
        return need.what == Need::What::index || (need.what == Need::What::key && context_.keyring.holds(need.text));
    });
    memory_.note_absent(needs);
}

boost::asio::awaitable<void> Loader::release(Reserved unused) {
    for (auto const& need : unused.needs) memory_.forget_reservation(need);
    try {
        co_await core::run_on(context_.storing, [&] { context_.reservations->release(unused.command, unused.needs); });
    } catch (std::exception const& error) {
        core::log(core::quiet_while_away(core::Level::error), "reservations could not be released",
                  {{"partition", number_}, {"error", error.what()}});
    }
}

}  // namespace workforce::commands
