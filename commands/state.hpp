// The write side's memory of a partition: the organizations at home there, folded from the log, with the indexes that
// decisions need. Not thread-safe: the partition's processor owns it.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "events/catalogue.hpp"

namespace workforce::commands {

using core::Id;
using core::Timestamp;

/// An aggregate as held in memory.
template <class T>
struct Held {
    T value;
    std::int64_t version = 0;  ///< seq of its last event
    bool sandbox = false;
    bool erased = false;  ///< the log tells of the person's erasure
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

/// One organization, live and sandbox rows side by side.
struct OrganizationState {
    Held<events::Organization> organization;
    Table<events::Facility> facilities;
    Table<events::User> users;
    Table<events::ApiKey> api_keys;
    Table<events::Staff> staff;
    Table<events::ShiftRecord> shifts;

    /// E-mail → staff, live and sandbox apart: the strong check of uniqueness.
    std::map<std::pair<bool, std::string>, Id> staff_emails;
    /// Staff → assigned time in shifts that are not cancelled: the strong check of double booking.
    std::unordered_map<Id, std::set<Booking>> bookings;
    /// When the clock may next move a shift: staffed ones by their start, running ones by their end.
    std::set<std::pair<Timestamp, Id>> clock;

    /// Folds one event of this organization.
    void apply(events::Event const& event);
    /// The aggregate's version; 0 when there is none.
    [[nodiscard]] std::int64_t version(events::AggregateRef const& ref) const;
    /// Whether the person was erased; false for what is no person.
    [[nodiscard]] bool erased(events::AggregateRef const& ref) const;
};

/// What a decision may see: one organization, from live or from sandbox.
class View {
   public:
    View(OrganizationState const& state, bool sandbox) : state_(state), sandbox_(sandbox) {}

    [[nodiscard]] events::Organization const& organization() const { return state_.organization.value; }
    /// Facilities are shared by live and sandbox: a sandbox key sees the one that it is bound to.
    [[nodiscard]] events::Facility const* facility(Id id) const;
    [[nodiscard]] events::User const* user(Id id) const;
    [[nodiscard]] events::ApiKey const* api_key(Id id) const;
    [[nodiscard]] events::Staff const* staff(Id id) const;
    [[nodiscard]] events::ShiftRecord const* shift(Id id) const;
    [[nodiscard]] std::optional<Id> staff_by_email(std::string const& email) const;
    /// A booking of the person that overlaps [starts, ends) and is not of `except`; touching ends don't overlap.
    [[nodiscard]] Booking const* overlap(Id staff, Timestamp starts, Timestamp ends, Id except) const;
    /// The person's bookings that end after `now`, oldest first.
    [[nodiscard]] std::vector<Booking> bookings_after(Id staff, Timestamp now) const;
    /// Shifts that the clock moves by `now` where their facility wants it, at most `limit`, oldest first.
    [[nodiscard]] std::vector<Id> due_shifts(Timestamp now, std::size_t limit) const;
    [[nodiscard]] OrganizationState const& all() const { return state_; }
    [[nodiscard]] bool sandbox() const { return sandbox_; }

   private:
    template <class T>
    T const* find(Table<T> const& table, Id id) const;

    OrganizationState const& state_;
    bool sandbox_;
};

}  // namespace workforce::commands
