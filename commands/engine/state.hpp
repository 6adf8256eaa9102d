// The write side's memory of one organization, with the indexes that decisions need. It may lack what was not used of
// late. Not thread-safe: the partition's processor owns it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "commands/needs.hpp"
#include "events/catalogue.hpp"

namespace workforce::commands {

/// An aggregate as held in memory.
template <class T>
struct Held {
    T value;
    std::int64_t version = 0;    ///< seq of its last event
    std::int64_t position = -1;  ///< in the log, of its last event or one after it
    bool sandbox = false;
    bool erased = false;       ///< the log tells of the person's erasure
    bool lacks_event = false;  ///< it was looked up, and its row lacks an event that was skipped: nothing to decide on
    mutable bool used = true;  ///< since the last look at what may leave
};

template <class T>
using Table = std::unordered_map<Id, Held<T>>;

/// A person's assigned time. Ordered by start within a person.
struct Booking {
    Timestamp starts;
    Id shift = 0;
    Timestamp ends;
    bool operator<(Booking const& o) const { return std::pair(starts, shift) < std::pair(o.starts, o.shift); }
};

/// Assigned time of one person: that of all shifts in memory, and from `complete_from` on that of all there are.
struct Bookings {
    std::set<Booking> known;
    std::optional<Timestamp> complete_from;
    std::size_t charge = 0;  ///< what it counts against the limit of memory; 0: nothing, it goes with its shifts
    mutable bool used = true;
};

/// One organization, live and sandbox rows side by side.
struct OrganizationState {
    bool whole = true;  ///< nothing of it is missing
    bool unit = false;  ///< the organization, all its facilities, users and API keys are here
    mutable bool unit_used = true;
    std::int64_t unit_position = -1;  ///< as Held::position, of all of the unit
    Held<events::Organization> organization;
    Table<events::Facility> facilities;
    Table<events::User> users;
    Table<events::ApiKey> api_keys;
    Table<events::Staff> staff;
    Table<events::ShiftRecord> shifts;

    /// E-mail → staff, live and sandbox apart: the strong check of uniqueness.
    std::map<std::pair<bool, std::string>, Id> staff_emails;
    /// Staff → assigned time: the strong check of double booking.
    std::unordered_map<Id, Bookings> bookings;

    /// Folds one event of this organization.
    void apply(events::Event const& event);
    /// The aggregate's version; 0 when there is none here.
    [[nodiscard]] std::int64_t version(events::AggregateRef const& ref) const;
    /// Whether the person was erased; false for what is no person.
    [[nodiscard]] bool erased(events::AggregateRef const& ref) const;

    /// Takes in what was looked up; what is here already stands. Returns whether it came in.
    bool add(Held<events::Staff>&& member);
    bool add(Held<events::ShiftRecord>&& record);
    /// Bookings in shifts that may be here or not; those of shifts that are here are known better already.
    void add_bookings(Id staff, Timestamp from, std::vector<Booking> const& found);

    /// Let go of what can be looked up again. Nothing is done where it is not here.
    void drop_unit();
    void drop_staff(Id id);
    void drop_shift(Id id);
    void drop_bookings(Id staff);
    [[nodiscard]] bool empty() const;
    /// Rows that leave together with the organization's own.
    [[nodiscard]] std::size_t unit_rows() const { return 1 + facilities.size() + users.size() + api_keys.size(); }

   private:
    /// The address is this person's no longer; it may be another's by now.
    void free_email(bool sandbox, std::string const& address, Id staff);
    void apply_staff(events::StaffEvent const& group, events::Envelope const& meta);
};

}  // namespace workforce::commands
