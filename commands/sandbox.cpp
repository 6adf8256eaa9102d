// Rules of resets.
#include "commands/sandbox.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "commands/facility.hpp"
#include "commands/sandbox_data_set.hpp"
#include "commands/shift_staffing.hpp"
#include "commands/shift_states.hpp"
#include "events/catalogue.hpp"
#include "events/user.hpp"

namespace workforce::commands {
namespace {

using events::ShiftRecord;
using events::ShiftStatus;
using events::StaffRecord;

/// Whether rows of the kind are of a facility by their holder alone.
template <events::Kind K>
inline constexpr bool kIsOfPeople = boost::mp11::mp_empty<events::FacilityIndexes<K>>::value;

/// Calls f(constant) for each kind that events::kIsCleared says so of.
template <class F>
void for_each_cleared(F f) {
    boost::mp11::mp_for_each<events::StatefulKinds>([&]<class K>(K) {
        if constexpr (events::kIsCleared<K::value>) f(K{});
    });
}

/// What is of the facility alone.
struct Rows {
    std::vector<ShiftRecord const*> shifts;
    std::vector<StaffRecord const*> staff;
    /// The events that delete what is of other kinds; of a person's rows those of the first kMostOfFacility people.
    std::map<events::Kind, std::vector<NewEvent>> others;

    [[nodiscard]] bool are_too_many() const {
        auto const most = std::max(shifts.size(), staff.size());
        return most > events::kMostOfFacility || std::ranges::any_of(others, [](auto const& of_kind) {
                   return of_kind.second.size() > events::kMostOfFacility;
               });
    }
    [[nodiscard]] events::SandboxCounts counts() const {
        events::SandboxCounts counts{{events::Kind::staff, std::ssize(staff)},
                                     {events::Kind::shift, std::ssize(shifts)}};
        for (auto const& [kind, deletions] : others) counts.add(kind, std::ssize(deletions));
        return counts;
    }
};

/// Whether a reset deletes a row by the event.
bool deletes(NewEvent const& event) {
    bool found = events::is<events::StaffDeleted>(event.data) || events::is<events::ShiftDeleted>(event.data);
    for_each_cleared(
        [&]<class K>(K) { found = found || events::is<typename events::Aggregate<K::value>::Deleted>(event.data); });
    return found;
}

/// The event that deletes the row.
template <events::Kind K>
NewEvent deletion_of(typename events::Aggregate<K>::State const& row, Id facility) {
    using Declared = events::Aggregate<K>;
    bool const placed = requires { resource_of(row).facilityId; };
    return {{K, resource_of(row).id}, placed ? facility : 0, typename Declared::Events(typename Declared::Deleted{})};
}

/// Adds the deletions of a kind whose rows are of facilities.
template <events::Kind K>
void add_of_facility(View const& view, Id facility, Rows& rows) {
    if constexpr (!kIsOfPeople<K>) {
        for (auto const* row : view.by<boost::mp11::mp_front<events::FacilityIndexes<K>>>(facility)) {
            rows.others[K].push_back(deletion_of<K>(*row, facility));
        }
    }
}

/// Adds the deletions of a kind whose rows are of facilities by their holder alone.
template <events::Kind K>
void add_of_people(View const& view, std::vector<Id> const& people, Id facility, Rows& rows) {
    if constexpr (kIsOfPeople<K>) {
        for (Id const person : people) {
            for (auto const* row : view.by<events::OfHolder<K>>(person)) {
                if (!row->deleted) rows.others[K].push_back(deletion_of<K>(*row, facility));
            }
        }
    }
}

Rows rows_of(View const& view, Id facility, Timestamp now) {
    Rows rows;
    Requirements questions(view);
    questions.ask([&] { rows.shifts = view.by<events::ShiftsOfFacility>(facility); });
    questions.ask([&] { rows.staff = view.by<events::StaffOfFacility>(facility); });
    for_each_cleared([&]<class K>(K) { questions.ask([&] { add_of_facility<K::value>(view, facility, rows); }); });
    questions.require();
    std::vector<Id> people;
    for (auto const* person : rows.staff) {
        if (people.size() < events::kMostOfFacility) people.push_back(person->id);
    }
    auto required = required_people(view, people, now);  // for end_assignments()
    for_each_cleared([&]<class K>(K) {
        if constexpr (kIsOfPeople<K::value>) {
            required.keys<events::OfHolder<K::value>>(people);
        }
    });
    required.require();
    for_each_cleared([&]<class K>(K) { add_of_people<K::value>(view, people, facility, rows); });
    return rows;
}

/// Takes people who go off the shifts ahead that stay, as shifts of other facilities do.
void end_assignments(View const& view, Rows const& going, Timestamp now, std::vector<NewEvent>& events) {
    std::set<Id> ending;
    for (auto const* record : going.shifts) ending.insert(record->shift.id);
    std::vector<Id> people;
    for (auto const* person : going.staff) people.push_back(person->id);
    required_people(view, people, now).require();
    std::vector<std::pair<Id, Id>> assigned;  // shift, person
    std::vector<Id> staying;
    for (Id const person : people) {
        for (auto const& booking : view.ending_after<events::BookingsOfPerson>(now, person)) {
            if (ending.contains(booking.id)) continue;
            assigned.emplace_back(booking.id, person);
            staying.push_back(booking.id);
        }
    }
    Requirements(view).rows<ShiftRecord>(staying).require();
    std::map<Id, events::Shift> left;  // as those who went before leave them
    for (auto const& [id, person] : assigned) {
        auto const* record = view.get<ShiftRecord>(id);
        if (!record) continue;
        auto& shift = left.try_emplace(id, record->shift).first->second;
        if (shift.status != ShiftStatus::open && shift.status != ShiftStatus::assigned) continue;
        take_off(shift, person, events);
        std::erase(shift.assignedStaffIds, person);
    }
}

void end_shift(events::Shift const& shift, std::vector<NewEvent>& events) {
    if (shift.status == ShiftStatus::completed) {
        // It can't be cancelled, which would take everybody off; and what was deleted takes nobody's time.
        for (Id const person : shift.assignedStaffIds)
            events.push_back(event_of(shift, events::ShiftUnassigned{person}));
    } else if (shift.status != ShiftStatus::cancelled) {
        events.push_back(event_of(shift, events::ShiftCancelled{"deleted"}));
    }
    events.push_back(event_of(shift, events::ShiftDeleted{}));
}

void end_person(events::Staff const& person, std::vector<NewEvent>& events) {
    events.push_back({{events::Kind::staff, person.id}, 0, events::StaffEvent(events::StaffDeleted{})});
}

/// Adds the events that delete these.
void end_rows(View const& view, Rows const& rows, Timestamp now, std::vector<NewEvent>& events) {
    end_assignments(view, rows, now, events);
    for (auto const* record : rows.shifts) end_shift(record->shift, events);
    for (auto const& [kind, deletions] : rows.others) std::ranges::copy(deletions, std::back_inserter(events));
    for (auto const* person : rows.staff) end_person(*person, events);
}

/// The facility whose sandbox it is, which has one as long as it is active.
Result<events::Facility const*> facility_of(View const& view, Id id, Context const& context) {
    auto found = facility_in_scope(view, id, context);
    if (found && !(*found)->isActive) return refuse_inactive(**found, "reset-sandbox");
    return found;
}

NewEvent reset_event(Id facility, events::SandboxDetails details) {
    return {
        {events::Kind::sandbox, facility}, facility, events::SandboxEvent(events::SandboxReset{std::move(details)})};
}

core::Problem too_many_rows() {
    return {Code::service_unavailable,
            "The sandbox has more rows than one command deletes, and they could not be deleted now; ask once more.",
            R"({"reason":"too_many_rows"})"};
}

/// Takes as many of too many rows as one command deletes. Returns whether they are too many.
template <class Row>
bool take_some(std::vector<Row> const& rows, std::vector<Row>& some) {
    if (rows.size() <= events::kMostOfFacility) return false;
    some.assign(rows.begin(), rows.begin() + events::kMostOfFacility);
    return true;
}

bool take_some_of_others(Rows const& rows, Rows& some) {
    return std::ranges::any_of(
        rows.others, [&](auto const& of_kind) { return take_some(of_kind.second, some.others[of_kind.first]); });
}

constexpr std::int64_t kHourMs = 3'600'000;

/// The user by whose rights the data set's agent acts: who resets it, else the first administrator who may act there;
/// 0 where there is none.
Id run_as_of(View const& view, Id facility, Context const& context) {
    if (context.actor.user != 0) return context.actor.user;
    std::optional<std::pair<bool, Id>> first;  // administrators of all facilities before those of some
    for (auto const& [id, row] : view.all<events::User>()) {
        auto const& user = row.value;
        bool const administers = user.role == events::Role::admin || user.role == events::Role::facility_admin;
        auto const& own = user.facilityIds;
        bool const there = own.empty() || std::ranges::find(own, facility) != own.end();
        if (!administers || !there || !events::is_usable(user)) continue;
        std::pair const rank(user.role != events::Role::admin, id);
        if (!first || rank < *first) first = rank;
    }
    return first ? first->second : 0;
}

constexpr int kAddressesTried = 20;
constexpr int kTriedAtOnce = 4;

/// The person's first address that nobody has but people who go; nothing where the first kAddressesTried are taken.
std::optional<std::string> free_address(View const& view, MadeUpPerson const& person, Id facility,
                                        std::set<Id> const& leaving) {
    for (int attempt = 1; attempt <= kAddressesTried;) {
        std::optional<std::string> found;
        Requirements questions(view);
        for (int const end = attempt + kTriedAtOnce; attempt < end && !found; ++attempt) {
            questions.ask([&] {
                auto address = data_set_address(person, facility, attempt);
                auto const* owner = view.first_by<events::StaffByEmail>(address);
                if (!owner || leaving.contains(owner->id)) found = std::move(address);
            });
        }
        questions.require();
        if (found) return found;
    }
    return std::nullopt;
}

/// Addresses that nobody has but people who go, in the order of these. `ids` are what they will have as staff.
/// Errors: DUPLICATE_RESOURCE where somebody has an address that was made from such an id.
Result<std::vector<std::string>> free_addresses(View const& view, std::span<MadeUpPerson const> people,
                                                std::span<Id const> ids, Id facility, Rows const& going) {
    std::set<Id> leaving;
    for (auto const* person : going.staff) leaving.insert(person->id);
    std::vector<std::string> addresses;
    std::optional<Id> taken;
    Requirements questions(view);
    for (std::size_t i = 0; i < people.size(); ++i) {
        questions.ask([&] {
            auto address = free_address(view, people[i], facility, leaving);
            if (!address) {
                address = data_set_address(people[i], facility, kAddressesTried + ids[i]);
                if (auto const* owner = view.first_by<events::StaffByEmail>(*address)) taken = owner->id;
            }
            addresses.push_back(*std::move(address));
        });
    }
    questions.require();
    if (taken) return duplicate("email", *taken);
    return addresses;
}

}  // namespace

Result<Decision> decide(View const& view, ResetSandbox const& command, Context const& context) {
    Id const id = command.facilityId.value();
    auto const found = facility_of(view, id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& facility = **found;
    Rows rows;
    Requirements questions(view);
    bool was_reset = false;  // looked at in any case, for its number is not from the ids of what is new
    questions.ask([&] { was_reset = view.get<events::Sandbox>(id) != nullptr; });
    questions.ask([&] { rows = rows_of(view, id, context.now); });
    questions.require();
    bool const begun = command.cleared_before != events::SandboxCounts{};
    if (was_reset && command.first_only && !begun) return Decision{};
    if (rows.are_too_many()) return tl::unexpected(too_many_rows());
    auto const seed = command.seed.value_or(1);
    auto const& settings = view.organization().settings;
    DataSetInput input{.seed = seed,
                       .organization = context.organization,
                       .facility = id,
                       .actor = context.actor,
                       .run_as = run_as_of(view, id, context),
                       .request_id = context.correlation(),
                       .approval_expires = {context.now.ms + settings.approvalTtlHours.value * kHourMs},
                       .timezone = facility.timezone.value,
                       .currency = view.organization().currency.value,
                       .today = core::local_date(context.now, facility.timezone.value),
                       .now = context.now,
                       .people = data_set_people(seed),
                       .addresses = {},
                       .new_ids = context.new_ids};
    auto const staff = input.ids(events::Kind::staff);
    auto addresses = free_addresses(view, std::span(input.people).first(staff.size()), staff, id, rows);
    if (!addresses) return tl::unexpected(addresses.error());
    input.addresses = *std::move(addresses);
    Decision decision;
    end_rows(view, rows, context.now, decision.events);
    decision.events.push_back(reset_event(id, {seed, command.cleared_before + rows.counts(), data_set_counts()}));
    add_data_set(input, decision.events);
    return decision;
}
SandboxResetAnswer answer(View const& view, ResetSandbox const& command, Decision const&) {
    auto const& sandbox = *view.get<events::Sandbox>(command.facilityId.value());
    return {sandbox.id, sandbox.cleared, sandbox.seeded, sandbox.seed, sandbox.updatedAt};
}

bool tells_too_many_rows(core::Problem const& problem) {
    auto const too_many = too_many_rows();
    return problem.code == too_many.code && problem.details == too_many.details;
}

Result<Decision> decide(View const& view, ClearSandbox const& command, Context const& context) {
    if (auto const found = facility_of(view, command.facilityId, context); !found) return tl::unexpected(found.error());
    auto const rows = rows_of(view, command.facilityId, context.now);
    if (!rows.are_too_many()) return Decision{};
    Rows some;
    // People last: fewer shifts are left then that they have to be taken off, and what is theirs is not too much.
    if (!take_some(rows.shifts, some.shifts) && !take_some_of_others(rows, some) && take_some(rows.staff, some.staff)) {
        for_each_cleared([&]<class K>(K) {
            if (kIsOfPeople<K::value> && rows.others.contains(K::value))
                some.others[K::value] = rows.others.at(K::value);
        });
    }
    Decision decision;
    end_rows(view, some, context.now, decision.events);
    decision.events.push_back(
        reset_event(command.facilityId, {command.seed.value_or(1), command.cleared_before + some.counts(), {}}));
    return decision;
}
events::SandboxCounts answer(View const&, ClearSandbox const&, Decision const& decision) {
    events::SandboxCounts counts;
    for (auto const& event : decision.events) {
        if (deletes(event)) counts.add(event.subject.kind, 1);
    }
    return counts;
}

}  // namespace workforce::commands
