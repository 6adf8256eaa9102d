// Folds events into read.activity.
#include "core/json.hpp"
#include "events/staff.hpp"
#include "projections/activity/activity.hpp"
#include "projections/engine/document_projection.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

constexpr core::Statement kInsertActivity{"activity_insert", sql::activity_insert};
constexpr core::Statement kLoad{"activity_load_facilities", sql::activity_load_facilities};

using Facilities = std::vector<core::Id>;

/// The person's facilities as the event itself tells them: nothing where they are what they were before. Events that
/// were written before the attribute was there tell by their data alone.
Facilities const* told(events::Event const& event) {
    if (!event.meta.facilities.empty()) return &event.meta.facilities;
    auto const* staff = events::get_if<events::StaffEvent>(event.data);
    if (!staff) return nullptr;
    if (auto const* onboarded = std::get_if<events::StaffOnboarded>(staff)) return &onboarded->facilityIds;
    auto const* updated = std::get_if<events::StaffUpdated>(staff);
    return updated && updated->facilityIds ? &*updated->facilityIds : nullptr;
}

/// Each row is one event's. What is kept of persons besides is where they work, which their last rows tell as well.
class ActivityProjection final : public Projection {
   public:
    explicit ActivityProjection(RowMemory& memory) : persons_(memory) {}

    void apply(core::Connection& connection, int partition, std::span<events::Event const> events) override {
        load_persons(connection, events);
        ArrayColumn organization, facility, sandbox, id, action, resource, user, created, facilities, key;
        bool any = false;
        for (auto const& event : events) {
            auto const& meta = event.meta;
            if (!is_in_activity(meta.subject.kind)) continue;
            any = true;
            organization.add(meta.organization);
            // A facility's own events happen at it, whether or not their writer said so.
            core::Id const at = meta.subject.kind == events::Kind::facility ? meta.subject.id : meta.facility;
            facility.add(at == 0 ? core::Nullable<core::Id>() : core::Nullable<core::Id>(at));
            sandbox.add(meta.sandbox);
            id.add(meta.position * kPartitionsInId + partition);
            action.add(std::string_view(meta.type));
            resource.add(fmt::format("{}:{}", core::enum_name(meta.subject.kind), meta.subject.id));
            user.add(meta.actor.user);
            created.add(meta.time);
            facilities.add(core::array_literal(facilities_of(event)));
            bool const by_key = meta.actor.type == events::ActorType::api_key && meta.actor.user == 0;
            key.add(by_key ? meta.actor.id : 0);
        }
        if (!any) return;
        std::array<core::Parameter, 10> const rows{organization.take(), facility.take(), sandbox.take(), id.take(),
                                                   action.take(),       resource.take(), user.take(),    created.take(),
                                                   facilities.take(),   key.take()};
        connection.execute_prepared(kInsertActivity, rows);
    }

    void forget() override { persons_.clear(); }

   private:
    /// Looks up where persons work of whom the batch does not tell before it matters: in their last rows.
    void load_persons(core::Connection& connection, std::span<events::Event const> events) {
        persons_.begin_batch();
        std::unordered_map<core::Id, Row<Facilities>*> seen;
        ArrayColumn organizations, sandboxes, ids;
        bool any = false;
        for (auto const& event : events) {
            auto const& meta = event.meta;
            if (meta.subject.kind != events::Kind::staff) continue;
            auto& person = persons_.get(meta.subject.id);
            bool const first = seen.emplace(meta.subject.id, &person).second;
            if (!first || told(event) || (person.version != 0 && person.version == meta.seq - 1)) continue;
            person.state.clear();
            organizations.add(meta.organization);
            sandboxes.add(meta.sandbox);
            ids.add(meta.subject.id);
            any = true;
        }
        if (!any) return;
        std::array<core::Parameter, 3> const keys{organizations.take(), sandboxes.take(), ids.take()};
        for (auto const& found : connection.execute_prepared(kLoad, keys)) {
            seen.at(core::read<core::Id>(found[0]))->state = core::read<Facilities>(found[1]);
        }
    }

    /// A staff member's own after the event; of others what the event tells, which is nothing for most.
    Facilities const& facilities_of(events::Event const& event) {
        if (event.meta.subject.kind != events::Kind::staff) return event.meta.facilities;
        auto& person = persons_.get(event.meta.subject.id);
        if (auto const* now = told(event)) person.state = *now;
        person.version = event.meta.seq;
        persons_.weigh(person);
        return person.state;
    }

    RecentRows<Facilities> persons_;
};

}  // namespace

ProjectionType activity_projection() {
    return {.name = "activity",
            .revision = 3,
            .table = "activity",
            .make = [](RowMemory& memory) -> std::unique_ptr<Projection> {
                return std::make_unique<ActivityProjection>(memory);
            }};
}

}  // namespace workforce::projections
