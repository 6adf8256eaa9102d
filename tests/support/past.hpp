// A log with a past: facilities, staff and shifts in several partitions, commands of several events, take-overs.
#pragma once

#include <string>

#include "core/time.hpp"
#include "events/shift.hpp"
#include "tests/support/event_writer.hpp"

namespace workforce::tests {

/// Writes commands of one to three events under `claims` epochs, one more in each following partition; partition 0 ends
/// with a claim that nothing follows, and two claims stand in a row in each. Shift n of a partition p has the id
/// 100 * (p + 1) + n. Returns how many events there are.
inline std::int64_t write_past(events::EventLog& log, events::Keyring& keyring, int partitions, int claims) {
    std::int64_t events = 0;
    for (int partition = 0; partition < partitions; ++partition) {
        core::Id shift = 100 * (partition + 1);
        for (int claim = 0; claim < claims + partition; ++claim) {
            EventWriter const idle(log, keyring, partition);  // a claim that nothing is written under
            EventWriter writer(log, keyring, partition);
            writer.meta.organization = partition + 1;
            for (int count = 1; count <= 3; ++count) {
                writer.meta.command_count = count;
                for (int i = 1; i <= count; ++i, ++events) {
                    writer.meta.command_index = i;
                    events::ShiftPosted posted;
                    posted.facilityId = 7;
                    posted.title = "shift " + std::to_string(shift);
                    posted.timezone = "Europe/Berlin";
                    writer.add(events::Kind::shift, shift++, posted);
                }
            }
            writer.append();
        }
    }
    EventWriter const last(log, keyring, 0);
    return events;
}

}  // namespace workforce::tests
