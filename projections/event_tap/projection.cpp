// Folds events into read.event_tap.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>

#include "core/json.hpp"
#include "events/codec.hpp"
#include "projections/engine/row_arrays.hpp"
#include "projections/event_tap/event_tap.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

constexpr core::Statement kInsertEvents{"event_tap_insert", sql::event_tap_insert};
constexpr std::chrono::hours kReach{24 * kMostTapDays + 1};

/// Where the event happened: facilities' own events at these, whether or not their writer said so.
Id facility_of(events::Envelope const& meta) {
    return meta.subject.kind == events::Kind::facility ? meta.subject.id : meta.facility;
}

std::vector<Id> heard_at(events::Envelope const& meta) {
    auto facilities = meta.facilities;
    auto const own = facility_of(meta);
    if (own != 0 && std::ranges::find(facilities, own) == facilities.end()) facilities.push_back(own);
    return facilities;
}

/// Who acted, as the audit log has it: tokens of clients come and go, so who acts by them is told by the user.
Id actor_id(events::Actor const& actor) { return actor.type == events::ActorType::oauth ? actor.user : actor.id; }

std::string event_document(events::Event const& event) {
    auto const& meta = event.meta;
    core::JsonWriter w;
    w.leave_out_absent().leave_out_untold();
    w.begin_object();
    w.member("id", meta.id);
    w.member("type", meta.type);
    w.key("time");
    core::write_json(w, meta.time);
    w.member("resource", fmt::format("{}:{}", core::enum_name(meta.subject.kind), meta.subject.id));
    w.member("organizationId", meta.organization);
    w.key("facilityId");
    core::write_json(w, facility_of(meta) == 0 ? core::Nullable<Id>() : core::Nullable<Id>(facility_of(meta)));
    w.key("facilityIds");
    core::write_json(w, meta.facilities);
    w.member("sandbox", meta.sandbox);
    w.key("actor");
    w.begin_object();
    w.member("type", core::enum_name(meta.actor.type));
    w.member("id", actor_id(meta.actor));
    w.end_object();
    w.key("correlationId");
    auto const& correlation = meta.correlation();
    core::write_json(w, correlation.empty() ? core::Nullable<std::string>() : core::Nullable<std::string>(correlation));
    w.key("data");
    if (events::erases(event.data)) {  // why, and at whose wish, is the operator's to know
        w.begin_object();
        w.end_object();
    } else {
        events::write_data(w, event.data);
    }
    w.end_object();
    return w.take();
}

/// Stateless: each row is one event's.
class EventTapProjection final : public Projection {
   public:
    void apply(core::Connection& connection, int partition, std::span<events::Event const> events) override {
        ArrayColumn organization, sandbox, id, type, facilities, occurred;
        JsonColumn docs;
        bool any = false;
        core::Timestamp const oldest{core::now().ms - std::chrono::milliseconds(kReach).count()};
        for (auto const& event : events) {
            auto const& meta = event.meta;
            // What is of no organization nobody may hear, and what is too old is of no use to anybody.
            if (meta.subject.kind == events::Kind::command || meta.organization == 0 || meta.time < oldest) continue;
            any = true;
            organization.add(meta.organization);
            sandbox.add(meta.sandbox);
            id.add(meta.position * kPartitionsInId + partition);
            type.add(std::string_view(meta.type));
            facilities.add(core::array_literal(heard_at(meta)));
            occurred.add(meta.time);
            docs.add(event_document(event));
        }
        if (!any) return;
        std::array<core::Parameter, 7> const rows{organization.take(), sandbox.take(),  id.take(),  type.take(),
                                                  facilities.take(),   occurred.take(), docs.take()};
        connection.execute_prepared(kInsertEvents, rows);
    }

    void forget() override {}
};

}  // namespace

ProjectionType event_tap_projection() {
    return {.name = kEventTap,
            .revision = 2,
            .table = "event_tap",
            .reach = kReach,
            .make = [](RowMemory&) -> std::unique_ptr<Projection> { return std::make_unique<EventTapProjection>(); }};
}

core::ConnectionOptions keep_events(core::ConnectionOptions options, int days) {
    options.settings.emplace_back("app.event_tap_days", std::to_string(days));
    return options;
}

}  // namespace workforce::projections
