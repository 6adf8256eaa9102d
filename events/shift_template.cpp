// How events of shift templates fold: the one definition, for the write side's memory and for read models.
#include "events/shift_template.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {

void evolve(ShiftTemplateRecord& record, ShiftTemplateEvent const& event, Envelope const& meta) {
    std::visit(
        Overloaded{[&](ShiftTemplateCreated const& e) { static_cast<ShiftTemplateDetails&>(record) = e; },
                   [&](ShiftTemplateUpdated const& e) { merge(record, static_cast<ShiftTemplateChanges const&>(e)); },
                   [&](ShiftTemplateDeleted const&) { record.deleted = true; }},
        event);
    stamp(record, meta);
}

template struct DataCodec<ShiftTemplateEvent>;

}  // namespace workforce::events
