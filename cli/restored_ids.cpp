// A walk over the attributes of all events.
#include "cli/restored_ids.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/json.hpp"
#include "events/aggregate.hpp"
#include "events/api_key.hpp"
#include "events/attributes.hpp"
#include "events/command.hpp"
#include "events/log/each_page.hpp"
#include "events/log/each_partition.hpp"
#include "events/log/mend.hpp"
#include "events/mended.hpp"
#include "events/oauth_grant.hpp"

namespace workforce::cli {
namespace {

/// The attributes that matter here.
struct Heading {
    std::string type;
    std::string subject;
    Belonging belonging;
    std::int64_t number = 0;
};

Heading heading_of(std::string_view body) {
    Heading heading;
    events::AttributeWalk walk(body);
    while (auto const attribute = walk.next()) {
        if (attribute->name == "type") heading.type = attribute->value();
        if (attribute->name == "subject") heading.subject = attribute->value();
        if (attribute->name == "sandbox") heading.belonging.sandbox = attribute->value() == "true";
        if (attribute->name == "seq") heading.number = std::atoll(attribute->value().c_str());
        if (attribute->name == "orgid") heading.belonging.organization = std::atoll(attribute->value().c_str());
    }
    return heading;
}

/// A member of an event's data; null where it has none of that name.
core::JsonValue const* data_member(core::Result<rapidjson::Document> const& event, char const* name) {
    if (!event || !event->IsObject()) return nullptr;
    auto const data = event->FindMember("data");
    if (data == event->MemberEnd() || !data->value.IsObject()) return nullptr;
    auto const found = data->value.FindMember(name);
    return found == data->value.MemberEnd() ? nullptr : &found->value;
}

/// Whose key seals the answer that is stored in the event.
std::string sealed_for(std::string_view body) {
    auto const event = core::parse_json(body);
    auto const* name = data_member(event, "sealedFor");
    if (name != nullptr && name->IsString()) return name->GetString();
    throw std::runtime_error("a stored answer is damaged: it does not tell whose it is");
}

/// What the event changes of what its user may do; the rest of the data is sealed for the person.
events::UserChanges right_changes(std::string_view body) {
    events::UserChanges changes;
    auto const event = core::parse_json(body);
    auto const* role = data_member(event, "role");
    if (role != nullptr && role->IsString()) changes.role = core::parse_enum<events::Role>(role->GetString());
    auto const* staff = data_member(event, "staffId");
    if (staff != nullptr && (staff->IsNull() || staff->IsInt64())) {
        auto& linked = changes.staffId.emplace();
        if (staff->IsInt64()) linked = staff->GetInt64();
    }
    auto const* facilities = data_member(event, "facilityIds");
    if (facilities == nullptr || !facilities->IsArray()) return changes;
    auto& ids = changes.facilityIds.emplace();
    for (auto const& id : facilities->GetArray()) {
        if (id.IsInt64()) ids.push_back(id.GetInt64());
    }
    return changes;
}

void add(LogFacts& facts, Place const& place, std::string_view body) {
    auto const [type, subject, belonging, number] = heading_of(body);
    if (type == events::CommandAnswered::kType) facts.sealed_for.insert(sealed_for(body));
    auto const aggregate = events::parse_aggregate(subject);
    if (!aggregate || aggregate->id == 0) return;
    raise(facts, *aggregate);
    if (aggregate->kind == events::Kind::api_key) {
        auto& key = facts.api_keys[aggregate->id];
        key.organization = belonging.organization;
        key.revoked = key.revoked || type == events::ApiKeyRevoked::kType;
    }
    if (type == events::OAuthGrantApproved::kType) facts.grants[aggregate->id] = belonging.organization;
    if (type == events::OAuthGrantRevoked::kType) facts.grants.erase(aggregate->id);
    if (auto const active = events::activation_of(type)) {
        core::Id const user = aggregate->kind == events::Kind::user ? aggregate->id : 0;
        facts.standing.add_account(belonging.organization, user, number, *active);
    }
    if (type == events::UserUpdated::kType) {
        facts.standing.rights.add(belonging.organization, aggregate->id, number, right_changes(body));
    }
    if (!events::is_person(aggregate->kind)) return;
    facts.persons.emplace(subject, belonging);
    if (type.ends_with(".erased")) facts.erased.emplace(subject, place);
}

/// One partition's facts. What may be no event, for it can't be read, waits for a mend that passes over it.
class PartitionFacts {
   public:
    PartitionFacts(events::EventLog& log, int partition) : log_(log), partition_(partition) {}

    void take(events::LogEntry const& event) {
        if (auto mend = events::counting_mend(log_, partition_, event.text)) return mends_.push_back(*std::move(mend));
        if (may_be_damaged(event.text)) return waiting_.push_back({event.position, event.text});
        add(facts_, {partition_, event.position}, event.text);
    }

    LogFacts finish() {
        for (auto const& record : waiting_) {
            bool const mended = std::any_of(mends_.begin(), mends_.end(), [&](events::Mend const& mend) {
                return mend.first <= record.position && record.position <= mend.last;
            });
            if (!mended) add(facts_, {partition_, record.position}, record.body);
        }
        return std::move(facts_);
    }

   private:
    static bool may_be_damaged(std::string_view body) {
        auto const type = events::attribute(body, "type").value_or("");
        if (type != events::CommandAnswered::kType) return !events::is_known_type(type);
        try {
            sealed_for(body);
            return false;
        } catch (std::runtime_error const&) {
            return true;
        }
    }

    events::EventLog& log_;
    int const partition_;
    LogFacts facts_;
    std::vector<events::Mend> mends_;
    std::vector<events::Record> waiting_;
};

}  // namespace

void raise(LogFacts& facts, events::AggregateRef const& ref) {
    auto& highest = facts.highest[ref.kind];
    highest = std::max(highest, ref.id);
}

LogFacts read_facts(events::EventLog& log, events::EventsRead const& read) {
    LogFacts all;
    std::mutex mutex;
    events::each_partition(events::choose_partitions(log.partitions(), -1), [&](int partition) {
        PartitionFacts partition_facts(log, partition);
        auto const scan = log.scan(partition, 0);
        events::each_page(*scan, [&](std::vector<events::LogEntry> const& entries) {
            std::int64_t count = 0;
            for (auto const& entry : entries) {
                if (entry.kind != events::LogEntry::Kind::event) continue;
                partition_facts.take(entry);
                ++count;
            }
            read(count);
            return true;
        });
        auto facts = partition_facts.finish();
        std::lock_guard const lock(mutex);
        for (auto const& [kind, id] : facts.highest) raise(all, {kind, id});
        all.persons.merge(facts.persons);
        all.erased.merge(facts.erased);
        all.api_keys.merge(facts.api_keys);
        all.grants.merge(facts.grants);
        all.standing.add(facts.standing);
        all.sealed_for.merge(facts.sealed_for);
    });
    return all;
}

std::optional<Belonging> find_person(events::EventLog& log, events::AggregateRef const& person) {
    auto const wanted = to_string(person);
    std::optional<Belonging> found;
    std::atomic<bool> done{false};
    std::mutex mutex;
    events::each_partition(events::choose_partitions(log.partitions(), -1), [&](int partition) {
        auto const scan = log.scan(partition, 0);
        events::each_page(*scan, [&](std::vector<events::LogEntry> const& entries) {
            for (auto const& entry : entries) {
                if (entry.kind != events::LogEntry::Kind::event) continue;
                auto const heading = heading_of(entry.text);
                if (heading.subject != wanted) continue;
                std::lock_guard const lock(mutex);
                found = heading.belonging;
                done = true;
            }
            return !done;
        });
    });
    return found;
}

void raise_highest(LogFacts& facts, std::set<std::string> const& aggregates) {
    for (auto const& name : aggregates) {
        if (auto const aggregate = events::parse_aggregate(name)) raise(facts, *aggregate);
    }
}

}  // namespace workforce::cli
