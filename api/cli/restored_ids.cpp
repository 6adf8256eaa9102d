// A walk over the attributes of all events.
#include "api/cli/restored_ids.hpp"

#include <algorithm>
#include <mutex>

#include "events/attributes.hpp"
#include "events/each_page.hpp"
#include "events/each_partition.hpp"

namespace workforce::api {
namespace {

void add(LogFacts& facts, std::string_view body) {
    events::AttributeWalk walk(body);
    std::string type;
    while (auto const attribute = walk.next()) {
        if (attribute->name == "type") type = attribute->value();
        if (attribute->name != "subject") continue;
        auto const subject = events::parse_aggregate(attribute->value());
        if (!subject || subject->id == 0) return;
        auto& highest = facts.highest[subject->kind];
        highest = std::max(highest, subject->id);
        if (subject->kind == events::Kind::user) facts.users.insert(subject->id);
        if (subject->kind == events::Kind::user || subject->kind == events::Kind::staff) {
            facts.persons.insert(attribute->value());
        }
        if (type.ends_with(".erased")) facts.erased.insert(attribute->value());
        return;
    }
}

}  // namespace

LogFacts read_facts(events::EventLog& log) {
    LogFacts all;
    std::mutex mutex;
    events::each_partition(events::choose_partitions(log.partitions(), -1), [&](int partition) {
        LogFacts facts;
        auto const scan = log.scan(partition, 0);
        events::each_page(*scan, [&](std::vector<events::LogEntry> const& entries) {
            for (auto const& entry : entries) {
                if (entry.kind == events::LogEntry::Kind::event) add(facts, entry.text);
            }
            return true;
        });
        std::lock_guard const lock(mutex);
        for (auto const& [kind, id] : facts.highest) all.highest[kind] = std::max(all.highest[kind], id);
        all.persons.merge(facts.persons);
        all.users.merge(facts.users);
        all.erased.merge(facts.erased);
    });
    return all;
}

}  // namespace workforce::api
