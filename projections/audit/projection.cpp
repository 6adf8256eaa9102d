// Folds events into read.audit_entry.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_set>

#include "events/agent.hpp"
#include "events/api_key.hpp"
#include "events/guardrail.hpp"
#include "events/organization.hpp"
#include "events/user.hpp"
#include "events/webhook.hpp"
#include "projections/audit/audit.hpp"
#include "projections/audit/changes.hpp"
#include "projections/audit/rules.hpp"
#include "projections/engine/row_arrays.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

using events::Kind;

constexpr core::Statement kInsert{"audit_insert", sql::audit_insert};
constexpr core::Statement kLoadStates{"audit_load_states", sql::audit_load_states};
constexpr std::string_view kSameState = "null";  // in the column `state`

std::string resource_name(events::AggregateRef const& subject) {
    return fmt::format("{}:{}", core::enum_name(subject.kind), subject.id);
}

/// Organizations are rows of themselves.
core::Id organization_of(events::Envelope const& meta) {
    return meta.subject.kind == Kind::organization ? meta.subject.id : meta.organization;
}

/// Whether the entry is read by those who act on the sandbox. A reset is an act of live people, and lies with what else
/// they did at its facility.
bool lies_in_sandbox(events::Envelope const& meta) { return meta.sandbox && meta.subject.kind != Kind::sandbox; }

/// What an event did, as its entry tells it.
struct Told {
    std::string changes = "{}";
    std::string state{kSameState};
};

/// The resources of one kind whose entries tell changes. Every event of the kind leaves an entry, or changes nothing.
template <Kind K>
class Resources {
   public:
    using State = typename events::Aggregate<K>::State;
    using Events = typename events::Aggregate<K>::Events;

    explicit Resources(RowMemory& memory) : rows_(memory) {}

    void begin_batch() { rows_.begin_batch(); }
    void clear() { rows_.clear(); }
    /// Whether the first event of a resource in a batch goes on from a state that is not remembered.
    bool lacks(events::Envelope const& meta) {
        auto& row = rows_.get(meta.subject.id);
        if (row.version != 0 && row.version == meta.seq - 1) return false;
        row.state = State{};
        return meta.seq != 1;
    }
    void found(core::Id id, std::string_view state) { rows_.get(id).state = core::from_stored_json<State>(state); }
    Told fold(Events const& event, events::Envelope const& meta) {
        auto& row = rows_.get(meta.subject.id);
        ChangeWriter changes;
        fold_changes(changes, row.state, event, meta);
        row.version = meta.seq;
        rows_.weigh(row);
        if (!changes.any()) return {};
        return {changes.take(), core::to_json(row.state)};
    }

   private:
    RecentRows<State> rows_;
};

/// Each row is one event's. The last ones of a resource tell what it was, too.
class AuditProjection final : public Projection {
   public:
    explicit AuditProjection(RowMemory& memory) : resources_(memory, memory, memory, memory, memory, memory) {}

    void apply(core::Connection& connection, int partition, std::span<events::Event const> events) override {
        load_states(connection, events);
        ArrayColumn organization, facility, sandbox, id, action, resource, actor, request, created;
        JsonColumn doc, state;
        bool any = false;
        for (auto const& event : events) {
            auto const* rule = audit_rule(event);
            auto told = fold(event);
            if (rule == nullptr) continue;
            any = true;
            auto const record = record_of(event, *rule, partition, std::move(told.changes));
            organization.add(record.organizationId);
            facility.add(record.facilityId);
            sandbox.add(lies_in_sandbox(event.meta));
            id.add(record.id);
            action.add(std::string_view(record.action));
            resource.add(std::string_view(record.resource));
            actor.add(record.actor.id);
            request.add(std::string_view(record.requestId));
            created.add(record.createdAt);
            doc.add(core::to_json(record));
            state.add(told.state);
        }
        if (!any) return;
        std::array<core::Parameter, 11> const rows{organization.take(), facility.take(), sandbox.take(), id.take(),
                                                   action.take(),       resource.take(), actor.take(),   request.take(),
                                                   created.take(),      doc.take(),      state.take()};
        connection.execute_prepared(kInsert, rows);
    }

    void forget() override {
        std::apply([](auto&... kinds) { (kinds.clear(), ...); }, resources_);
    }

   private:
    /// Calls f with the resources of the event's kind and its data, if they are of a kind that is kept.
    template <class F>
    void with_resources(events::Event const& event, F f) {
        auto const one = [&]<Kind K>(Resources<K>& kind) {
            if (auto const* data = events::get_if<typename Resources<K>::Events>(event.data)) f(kind, *data);
        };
        std::apply([&](auto&... kinds) { (one(kinds), ...); }, resources_);
    }

    /// Makes every resource stand where the batch begins.
    void load_states(core::Connection& connection, std::span<events::Event const> events) {
        std::apply([](auto&... kinds) { (kinds.begin_batch(), ...); }, resources_);
        std::unordered_set<std::string> seen;
        ArrayColumn organizations, sandboxes, names;
        bool any = false;
        for (auto const& event : events) {
            with_resources(event, [&](auto& kind, auto const&) {
                auto const& meta = event.meta;
                auto name = resource_name(meta.subject);
                if (!seen.insert(name).second || !kind.lacks(meta)) return;
                organizations.add(organization_of(meta));
                sandboxes.add(meta.sandbox);
                names.add(std::string_view(name));
                any = true;
            });
        }
        if (!any) return;
        std::array<core::Parameter, 3> const keys{organizations.take(), sandboxes.take(), names.take()};
        for (auto const& row : connection.execute_prepared(kLoadStates, keys)) {
            auto const name = core::read_view(row[0]);
            auto const colon = name.find(':');
            auto const id = core::parse_integer(name.substr(colon + 1)).value();
            auto const one = [&]<Kind K>(Resources<K>& kind) {
                if (core::enum_name(K) == name.substr(0, colon)) kind.found(id, core::read_view(row[1]));
            };
            std::apply([&](auto&... kinds) { (one(kinds), ...); }, resources_);
        }
    }

    Told fold(events::Event const& event) {
        Told told;
        with_resources(event, [&](auto& kind, auto const& data) { told = kind.fold(data, event.meta); });
        return told;
    }

    static AuditRecord record_of(events::Event const& event, AuditRule const& rule, int partition,
                                 std::string changes) {
        auto const& meta = event.meta;
        AuditRecord record;
        record.id = meta.position * kPartitionsInId + partition;
        record.action = rule.action;
        record.actor = {meta.actor.type, meta.actor.id, {}};
        // Tokens of clients come and go: who acts by them is told by the user.
        if (meta.actor.type == events::ActorType::oauth) record.actor.id = meta.actor.user;
        if (rule.by_subject) record.actor = {events::ActorType::user, meta.subject.id, {}};
        record.organizationId = organization_of(meta);
        // A sandbox is called after its facility, at which it is reset, whether or not the writer said so.
        auto const facility = meta.subject.kind == Kind::sandbox ? meta.subject.id : meta.facility;
        if (facility != 0) record.facilityId = facility;
        record.resource = resource_name(meta.subject);
        // What the installation records was asked for by a request before.
        bool const recorded = meta.actor.type == events::ActorType::system && !meta.correlation_id.empty();
        record.requestId = recorded ? meta.correlation_id : meta.request_id;
        record.changes.text = std::move(changes);
        record.metadata.text = metadata_of(event, rule);
        record.createdAt = meta.time;
        return record;
    }

    static std::string metadata_of(events::Event const& event, AuditRule const& rule) {
        auto const& meta = event.meta;
        core::JsonWriter w;
        w.begin_object();
        w.member("event", meta.type);
        if (!meta.verb.empty()) w.member("operation", meta.verb);
        if (!meta.channel.empty()) w.member("channel", meta.channel);
        if (!meta.correlation_id.empty()) w.member("correlationId", meta.correlation_id);
        if (rule.tell != nullptr) rule.tell(w, event.data);
        w.end_object();
        return w.take();
    }

    std::tuple<Resources<Kind::organization>, Resources<Kind::user>, Resources<Kind::api_key>, Resources<Kind::webhook>,
               Resources<Kind::guardrail>, Resources<Kind::agent>>
        resources_;
};

}  // namespace

ProjectionType audit_projection() {
    return {.name = "audit",
            .revision = 3,  // of a cancelled run it tells why, of a trigger that was given up `createdBy`
            .table = "audit_entry",
            .make = [](RowMemory& memory) -> std::unique_ptr<Projection> {
                return std::make_unique<AuditProjection>(memory);
            }};
}

}  // namespace workforce::projections
