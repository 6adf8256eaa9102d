// How events fold into resources: the one definition, which both the write side's state and the read models use.
#include <algorithm>

#include "events/catalogue.hpp"

namespace workforce::events {
namespace {

/// Members common to the first event of every aggregate.
template <class Resource>
void stamp(Resource& resource, Envelope const& meta) {
    if (meta.seq == 1) {
        resource.id = meta.subject.id;
        resource.createdAt = meta.time;
        if constexpr (requires { resource.organizationId; }) resource.organizationId = meta.organization;
    }
    resource.updatedAt = meta.time;
}

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};

void update_open_spots(Shift& shift) {
    shift.openSpots =
        std::max<std::int64_t>(0, shift.requiredWorkers - static_cast<std::int64_t>(shift.assignedStaffIds.size()));
}

void fold(ShiftRecord& record, ShiftPosted const& e, Envelope const&) {
    static_cast<ShiftDetails&>(record.shift) = e;
    static_cast<ShiftSpan&>(record.shift) = e;
}
void fold(ShiftRecord& record, ShiftUpdated const& e, Envelope const&) {
    merge(record.shift, static_cast<ShiftChanges const&>(e));
    if (e.span) static_cast<ShiftSpan&>(record.shift) = *e.span;
}
void fold(ShiftRecord& record, ShiftStaffAssigned const& e, Envelope const& meta) {
    record.shift.assignedStaffIds.push_back(e.staffId);
    record.assignments.push_back({e.staffId, meta.time, meta.actor.user, e.source, {}, e.overrides});
}
void fold(ShiftRecord& record, ShiftFilled const&, Envelope const& meta) {
    record.shift.filledAt = meta.time;
    if (record.shift.status == ShiftStatus::open) record.shift.status = ShiftStatus::assigned;
}
void fold(ShiftRecord& record, ShiftUnassigned const& e, Envelope const&) {
    std::erase(record.shift.assignedStaffIds, e.staffId);
    std::erase_if(record.assignments, [&](Assignment const& a) { return a.staffId == e.staffId; });
}
void fold(ShiftRecord& record, ShiftVacancyOpened const&, Envelope const&) {
    record.shift.filledAt.value.reset();
    if (record.shift.status == ShiftStatus::assigned) record.shift.status = ShiftStatus::open;
}
void fold(ShiftRecord& record, ShiftStarted const&, Envelope const&) { record.shift.status = ShiftStatus::in_progress; }
void fold(ShiftRecord& record, ShiftCompleted const&, Envelope const&) { record.shift.status = ShiftStatus::completed; }
void fold(ShiftRecord& record, ShiftCancelled const& e, Envelope const&) {
    record.shift.status = ShiftStatus::cancelled;
    record.shift.cancelReason = e.reason;
    // It holds nobody's time any more; who was on it, the events before tell.
    record.shift.assignedStaffIds.clear();
    record.shift.filledAt.value.reset();
    record.assignments.clear();
}
void fold(ShiftRecord& record, ShiftReopened const&, Envelope const&) {
    record.shift.status = ShiftStatus::open;
    record.shift.cancelReason.clear();
}
void fold(ShiftRecord& record, ShiftDeleted const&, Envelope const&) { record.deleted = true; }

}  // namespace

void evolve(Organization& organization, OrganizationEvent const& event, Envelope const& meta) {
    std::visit([&](OrganizationCreated const& e) { static_cast<OrganizationDetails&>(organization) = e; }, event);
    stamp(organization, meta);
}

void evolve(Facility& facility, FacilityEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](FacilityCreated const& e) { static_cast<FacilityDetails&>(facility) = e; },
                          [&](FacilityUpdated const& e) { merge(facility, static_cast<FacilityChanges const&>(e)); },
                          [&](FacilityDeactivated const&) { facility.isActive = false; },
                          [&](FacilityReactivated const&) { facility.isActive = true; }},
               event);
    stamp(facility, meta);
}

void evolve(User& user, UserEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](UserCreated const& e) {
                              static_cast<UserDetails&>(user) = e;
                              if (user.username.value.value.empty()) {
                                  user.username = core::ShortText(user.email.value.value);
                              }
                              if (e.email.erased) user.status = UserStatus::deactivated;
                          },
                          [&](UserErased const&) {
                              erase_personal(static_cast<UserDetails&>(user));
                              user.status = UserStatus::deactivated;
                          }},
               event);
    stamp(user, meta);
}

void evolve(ApiKey& key, ApiKeyEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](ApiKeyCreated const& e) {
                              static_cast<ApiKeyDetails&>(key) = e;
                              static_cast<ApiKeySecretHint&>(key) = e;
                              key.createdBy = meta.actor.user;
                          },
                          [&](ApiKeyRevoked const&) {
                              key.status = ApiKeyStatus::revoked;
                              key.revokedAt = meta.time;
                          }},
               event);
    stamp(key, meta);
}

void evolve(Staff& staff, StaffEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](StaffOnboarded const& e) {
                              static_cast<StaffDetails&>(staff) = e;
                              staff.isActive = !e.email.erased;
                          },
                          [&](StaffUpdated const& e) { merge(staff, static_cast<StaffChanges const&>(e)); },
                          [&](StaffDeactivated const&) { staff.isActive = false; },
                          [&](StaffReactivated const&) { staff.isActive = !staff.email.erased; },
                          [&](StaffErased const&) {
                              erase_personal(static_cast<StaffDetails&>(staff));
                              staff.isActive = false;
                          }},
               event);
    stamp(staff, meta);
}

void evolve(ShiftRecord& record, ShiftEvent const& event, Envelope const& meta) {
    std::visit([&](auto const& e) { fold(record, e, meta); }, event);
    update_open_spots(record.shift);
    stamp(record.shift, meta);
}

}  // namespace workforce::events
