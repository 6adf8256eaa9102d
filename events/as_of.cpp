// The search for an aggregate's events, and their fold.
#include "events/as_of.hpp"

#include <fmt/format.h>
#include <limits>
#include <mutex>
#include <utility>

#include "events/catalogue.hpp"
#include "events/codec.hpp"
#include "events/log/each_partition.hpp"
#include "events/subject_records.hpp"

namespace workforce::events {
namespace {

/// Writes personal fields as sealed ones that tell nothing.
std::string hide(std::string_view /*path*/, std::string_view /*json*/) { return "***"; }

/// The resource that the events made, as GET answered it.
template <class K>
std::string fold(std::vector<Event> const& events, PersonalFields personal) {
    StateOf<K> state{};
    for (auto const& event : events) {
        if (auto const* group = get_if<EventsOf<K>>(event.data)) evolve(state, *group, event.meta);
    }
    if constexpr (requires { state.deleted; }) {
        if (state.deleted) return "null";
    }
    core::FieldSealer const sealer = &hide;
    core::JsonWriter writer(personal == PersonalFields::open ? nullptr : &sealer);
    core::write_json(writer, resource_of(state));
    return writer.take();
}

std::string fold(Kind kind, std::vector<Event> const& events, PersonalFields personal) {
    std::string json;
    for_each_kind<StatefulKinds>([&](Kind each, auto constant) {
        if (each == kind) json = fold<decltype(constant)>(events, personal);
    });
    if (json.empty()) throw std::runtime_error("answers are no aggregate");
    return json;
}

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
        if (is_sandboxed(aggregate.kind) && event.meta.sandbox != sandbox) continue;
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
