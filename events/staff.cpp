// How events of staff fold: the one definition, for the write side's memory and for read models.
#include "events/staff.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {

void evolve(StaffRecord& staff, StaffEvent const& event, Envelope const& meta) {
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
                              staff.internals.availability = {};
                          },
                          [&](StaffDeleted const&) {
                              staff.isActive = false;
                              staff.deleted = true;
                          },
                          [&](StaffAvailabilitySet const& e) {
                              if (!staff.email.erased) staff.internals.availability = {e.blocks.value, meta.time};
                          }},
               event);
    stamp(staff, meta);
}

template struct DataCodec<StaffEvent>;

}  // namespace workforce::events
