// The search for an aggregate's events, and their fold.
#include "events/as_of.hpp"

#include <fmt/format.h>
#include <limits>
#include <mutex>
#include <utility>

#include "events/codec.hpp"
#include "events/log/each_partition.hpp"
#include "events/subject_records.hpp"

namespace workforce::events {
namespace {

/// Writes personal fields as sealed ones that tell nothing.
std::string hide(std::string_view /*path*/, std::string_view /*json*/) { return "***"; }

template <class State>
struct Fold {
    State state{};

    std::string finish(std::vector<Event> const& events, PersonalFields personal) {
        for (auto const& event : events) {
            std::visit(
                [&](auto const& group) {
                    if constexpr (requires { evolve(state, group, event.meta); }) evolve(state, group, event.meta);
                },
                event.data.groups());
        }
        core::FieldSealer const sealer = &hide;
        core::JsonWriter writer(personal == PersonalFields::open ? nullptr : &sealer);
        if constexpr (requires { state.shift; }) {
            if (state.deleted) return "null";
            core::write_json(writer, state.shift);
        } else {
            core::write_json(writer, state);
        }
        return writer.take();
    }
};

std::string fold(Kind kind, std::vector<Event> const& events, PersonalFields personal) {
    switch (kind) {
        case Kind::organization:
            return Fold<Organization>().finish(events, personal);
        case Kind::facility:
            return Fold<Facility>().finish(events, personal);
        case Kind::user:
            return Fold<User>().finish(events, personal);
        case Kind::api_key:
            return Fold<ApiKey>().finish(events, personal);
        case Kind::staff:
            return Fold<Staff>().finish(events, personal);
        case Kind::shift:
            return Fold<ShiftRecord>().finish(events, personal);
        case Kind::command:
            break;
    }
    throw std::runtime_error("answers are no aggregate");
}

/// Only these have a life of their own in the sandbox.
bool has_sandbox(Kind kind) { return kind == Kind::staff || kind == Kind::shift; }

}  // namespace

PastState state_as_of(EventLog& log, AggregateRef const& aggregate, bool sandbox, core::Timestamp time,
                      PersonalFields personal, Keyring& keyring, std::function<void(std::int64_t)> const& read) {
    auto const subject = to_string(aggregate);
    PastState past;
    std::vector<Record> records;
    std::mutex mutex;
    each_partition(choose_partitions(log.partitions(), -1), [&](int partition) {
        std::int64_t looked_at = 0;
        auto const last = std::numeric_limits<std::int64_t>::max();
        auto found = records_of(log, partition, {subject}, last, [&](std::int64_t events) {
            looked_at += events;
            read(events);
            return true;
        });
        std::lock_guard const lock(mutex);
        past.read += looked_at;
        if (found.empty()) return;
        if (past.partition >= 0) {
            throw std::runtime_error(fmt::format("{} is in partitions {} and {}", subject, past.partition, partition));
        }
        past.partition = partition;
        records = std::move(found);
    });

    std::vector<Event> events;
    auto decoded = decode_all(records, keyring);
    for (std::size_t i = 0; i < decoded.size(); ++i) {
        auto& event = decoded[i];
        if (has_sandbox(aggregate.kind) && event.meta.sandbox != sandbox) continue;
        past.ever = true;
        past.organization = event.meta.organization;
        if (event.meta.time > time) break;
        if (event.meta.seq != past.version + 1) {
            throw std::runtime_error(fmt::format("{}: version {} follows {} at position {}", subject, event.meta.seq,
                                                 past.version, event.meta.position));
        }
        past.version = event.meta.seq;
        past.events.push_back(std::move(records[i]));
        events.push_back(std::move(event));
    }
    past.state = events.empty() ? "null" : fold(aggregate.kind, events, personal);
    if (!past.ever) past.partition = -1;
    return past;
}

}  // namespace workforce::events
