// Folds events into read.activity.
#include "core/json.hpp"
#include "projections/activity/activity.hpp"
#include "projections/row_arrays.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

constexpr core::Statement kInsert{"activity_insert", sql::activity_insert};

bool is_activity(events::Kind kind) {
    return kind == events::Kind::facility || kind == events::Kind::staff || kind == events::Kind::shift;
}

/// Stateless: each row is one event's.
class ActivityProjection final : public Projection {
   public:
    void apply(core::Connection& connection, int partition, std::span<events::Event const> events) override {
        ArrayColumn organization, facility, sandbox, id, action, resource, user, created;
        bool any = false;
        for (auto const& [meta, data] : events) {
            if (!is_activity(meta.subject.kind)) continue;
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
        }
        if (!any) return;
        std::array<core::Parameter, 8> const rows{organization.take(), facility.take(), sandbox.take(), id.take(),
                                                  action.take(),       resource.take(), user.take(),    created.take()};
        connection.execute_prepared(kInsert, rows);
    }

    void forget() override {}
};

}  // namespace

ProjectionType activity_projection() {
    return {
        .name = "activity", .revision = 1, .table = "activity", .make = [](std::size_t) -> std::unique_ptr<Projection> {
            return std::make_unique<ActivityProjection>();
        }};
}

}  // namespace workforce::projections
