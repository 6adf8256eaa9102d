// Triggers and events to work: a row for each pair of them.
#include "workers/reactors/reactors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "commands/trigger.hpp"
#include "core/json_values.hpp"
#include "events/event.hpp"
#include "events/fold.hpp"
#include "events/trigger.hpp"
#include "events/trigger_types.hpp"
#include "workers/engine/folded_rows.hpp"
#include "workers/jobs/triggers.hpp"
#include "workers/sql.hpp"

namespace workforce::workers {
namespace {

using events::Overloaded;

constexpr std::string_view kTriggers = "triggers";

constexpr core::Statement kTriggerRules{"trigger_rules",
                                        "SELECT id, organization_id, doc FROM trigger_rule "
                                        "WHERE organization_id = ANY ($1::bigint[])"};
constexpr core::Statement kAddTriggerWork{"trigger_add_work", sql::reactors_triggers_add_work};

/// What a trigger waits for.
struct TriggerRule {
    static constexpr std::string_view kTable = "trigger_rule";
    bool sandbox = false;
    bool enabled = true;
    core::Id facility = 0;  ///< whose events it sees alone; 0: all
    std::string eventType;
    events::TriggerFilter filter;
};
BOOST_DESCRIBE_STRUCT(TriggerRule, (), (sandbox, enabled, facility, eventType, filter))

/// One batch of a partition's events, folded within a transaction.
class TriggerBatch {
   public:
    TriggerBatch(core::Connection& connection, events::Keyring&, int partition)
        : connection_(connection), partition_(partition) {}

    void fold(std::span<events::Event const> events) {
        load(events);
        for (auto const& event : events) {
            if (auto const* trigger = events::get_if<events::TriggerEvents>(event.data)) {
                fold(event.meta, *trigger);
            } else if (event.meta.position > acts_after_) {
                see(event);
            }
        }
        rules_.keep(connection_);
        add_work();
    }

   private:
    struct Work {
        events::Envelope const* event;
        core::Id trigger;
        std::string const* body;
    };

    /// Whether a trigger may wait for the event, or it is one of a trigger.
    static bool concerns_triggers(events::Event const& event) {
        return event.meta.subject.kind == events::Kind::trigger ||
               std::ranges::any_of(events::trigger_event_types(),
                                   [&](std::string_view type) { return events::waits_for(type, event.meta.type); });
    }

    /// Reads the rules of the organizations in which something of that happens.
    void load(std::span<events::Event const> events) {
        std::set<core::Id> organizations;
        for (auto const& event : events) {
            if (concerns_triggers(event)) organizations.insert(event.meta.organization);
        }
        if (organizations.empty()) return;
        for (auto const& row : connection_.execute(kTriggerRules, core::array_literal(organizations))) {
            auto const id = core::read<core::Id>(row[0]);
            of_organization_[core::read<core::Id>(row[1])].insert(id);
            rules_.rows[id] = core::from_stored_json<TriggerRule>(core::read_view(row[2]));
        }
        acts_after_ = acts_after(connection_, kTriggers, partition_);
    }

    void fold(events::Envelope const& meta, events::TriggerEvents const& event) {
        auto const id = meta.subject.id;
        filters_.erase(id);
        auto const enable = [&](bool enabled) {
            rules_.change(id, meta.organization, [&](TriggerRule& rule) { rule.enabled = enabled; });
        };
        std::visit(Overloaded{[&](events::TriggerCreated const& e) {
                                  if (e.type != events::TriggerType::event) return;
                                  of_organization_[meta.organization].insert(id);
                                  rules_.put(id, meta.organization,
                                             TriggerRule{meta.sandbox, e.isEnabled, meta.facility, e.eventType.value,
                                                         e.filter});
                              },
                              [&](events::TriggerUpdated const& e) {
                                  rules_.change(id, meta.organization, [&](TriggerRule& rule) {
                                      if (e.eventType) rule.eventType = e.eventType->value;
                                      if (e.filter) rule.filter = *e.filter;
                                  });
                              },
                              [&](events::TriggerEnabled const&) { enable(true); },
                              [&](events::TriggerDisabled const&) { enable(false); },
                              [&](events::TriggerDeleted const&) {
                                  if (rules_.rows[id]) rules_.put(id, meta.organization, std::nullopt);
                              },
                              [](auto const&) {}},
                   event);
    }

    /// Adds work for each trigger that waits for the event.
    void see(events::Event const& event) {
        std::optional<events::TriggerEvent> seen;
        std::optional<rapidjson::Document> data;
        std::string const* body = nullptr;
        for (auto const id : of_organization_[event.meta.organization]) {
            auto const& rule = rules_.rows[id];
            if (!rule || !rule->enabled || rule->sandbox != event.meta.sandbox) continue;
            if (!events::waits_for(rule->eventType, event.meta.type)) continue;
            if (!seen) {
                seen = events::trigger_event(event);
                if (!seen) return;
                data = core::parse_json(seen->data).value();
            }
            auto const& facilities = seen->facilities;
            bool const there = rule->facility == 0 || std::ranges::find(facilities, rule->facility) != facilities.end();
            if (!there || !events::passes_filter(filter_of(id, *rule), *data)) continue;
            if (body == nullptr) body = &bodies_.emplace_back(body_of(event.meta, *seen));
            work_.push_back({&event.meta, id, body});
        }
    }

    /// The input of the operation that fires.
    static std::string body_of(events::Envelope const& meta, events::TriggerEvent const& seen) {
        commands::FireTrigger fire;
        fire.event = commands::SeenEvent{
            meta.id,         meta.type,
            meta.time,       fmt::format("{}:{}", core::enum_name(meta.subject.kind), meta.subject.id),
            seen.facilities, {seen.data}};
        fire.depth = meta.depth;
        return core::to_json(fire);
    }

    core::JsonValue const& filter_of(core::Id id, TriggerRule const& rule) {
        auto found = filters_.find(id);
        if (found == filters_.end()) {
            found = filters_.emplace(id, core::parse_json(rule.filter.text).value()).first;
        }
        return found->second;
    }

    void add_work() {
        auto const values_of = [](Work const& work) {
            auto const& [event, trigger, body] = work;
            return std::tuple(std::string_view(event->id), event->position, trigger, event->organization,
                              event->sandbox, std::string_view(event->correlation()), std::string_view(*body));
        };
        core::execute_rows(connection_, kAddTriggerWork, work_, values_of, partition_);
    }

    core::Connection& connection_;
    int const partition_;
    std::int64_t acts_after_ = std::numeric_limits<std::int64_t>::max();
    FoldedRows<TriggerRule> rules_;
    std::map<core::Id, std::set<core::Id>> of_organization_;  // the rules
    std::map<core::Id, rapidjson::Document> filters_;         // those that were looked at
    std::deque<std::string> bodies_;
    std::vector<Work> work_;
};

void fire_for_event(std::span<pqxx::row const> rows, Effects const& effects) {
    auto const& row = rows.front();  // it takes one at a time
    submit_or_throw(effects, {.verb = std::string(kFireTrigger),
                              .organization = core::read<core::Id>(row["organization_id"]),
                              .sandbox = core::read<bool>(row["is_sandbox"]),
                              .id = core::read<core::Id>(row["trigger_id"]),
                              .body = core::read<std::string>(row["body"]),
                              .key = fmt::format("{}/{}", kTriggers, core::read<std::string>(row["id"])),
                              .correlation_id = core::read<std::string>(row["correlation_id"]),
                              .event_id = core::read<std::string>(row["event_id"])});
}

}  // namespace

ReactorType triggers() {
    static WorkTable const work(kTriggers, "trigger_work");
    return {.name = kTriggers,
            .revision = 1,
            .kinds = {events::Kind::trigger, events::Kind::shift, events::Kind::staff, events::Kind::lead,
                      events::Kind::credential},
            .make = fold_by<TriggerBatch>,
            .work = &work,
            .perform = fire_for_event};
}

}  // namespace workforce::workers
