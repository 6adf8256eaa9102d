// Rules of resets.
#include "commands/sandbox.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "commands/credential.hpp"
#include "commands/facility.hpp"
#include "commands/sandbox_data_set.hpp"
#include "commands/shift_staffing.hpp"
#include "commands/shift_states.hpp"

namespace workforce::commands {
namespace {

using events::CredentialRecord;
using events::LeadRecord;
using events::ShiftRecord;
using events::ShiftStatus;
using events::StaffRecord;

/// Has what several questions lack looked up at once, not one after the other.
class Questions {
   public:
    template <class Ask>
    void ask(Ask ask) {
        try {
            ask();
        } catch (NotResident& lack) {
            needs_.merge(lack.needs);
        }
    }
    /// Throws NotResident where something was lacking.
    void require() {
        if (!needs_.empty()) throw NotResident{std::move(needs_)};
    }

   private:
    Needs needs_;
};

/// What is of the facility alone.
struct Rows {
    std::vector<ShiftRecord const*> shifts;
    std::vector<LeadRecord const*> leads;
    std::vector<StaffRecord const*> staff;
    std::vector<CredentialRecord const*> credentials;  ///< of the first kMostOfFacility of them

    [[nodiscard]] bool are_too_many() const {
        return std::max({shifts.size(), leads.size(), staff.size(), credentials.size()}) > kMostOfFacility;
    }
    [[nodiscard]] events::SandboxCounts counts() const {
        return {.staff = std::ssize(staff),
                .shift = std::ssize(shifts),
                .lead = std::ssize(leads),
                .credential = std::ssize(credentials)};
    }
};

Rows rows_of(View const& view, Id facility, Timestamp now) {
    Rows rows;
    Questions questions;
    questions.ask([&] { rows.shifts = view.of_facility<ShiftRecord>(facility); });
    questions.ask([&] { rows.leads = view.of_facility<LeadRecord>(facility); });
    questions.ask([&] { rows.staff = view.of_facility<StaffRecord>(facility); });
    questions.require();
    std::vector<Id> people;
    for (auto const* person : rows.staff) {
        if (people.size() < kMostOfFacility) people.push_back(person->id);
    }
    questions.ask([&] { view.require_credentials(people); });
    questions.ask([&] { view.require({}, people, now); });  // for end_assignments()
    questions.require();
    for (Id const person : people) {
        std::ranges::copy_if(view.credentials_of(person), std::back_inserter(rows.credentials),
                             [](CredentialRecord const* credential) { return !credential->deleted; });
    }
    return rows;
}

/// Takes people who go off the shifts ahead that stay, as shifts of other facilities do.
void end_assignments(View const& view, Rows const& going, Timestamp now, std::vector<NewEvent>& events) {
    std::set<Id> ending;
    for (auto const* record : going.shifts) ending.insert(record->shift.id);
    std::vector<Id> people;
    for (auto const* person : going.staff) people.push_back(person->id);
    view.require({}, people, now);
    std::vector<std::pair<Id, Id>> assigned;  // shift, person
    std::vector<Id> staying;
    for (Id const person : people) {
        for (auto const& booking : view.bookings_after(person, now)) {
            if (ending.contains(booking.shift)) continue;
            assigned.emplace_back(booking.shift, person);
            staying.push_back(booking.shift);
        }
    }
    view.require(staying, {});
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

void end_lead(events::Lead const& lead, std::vector<NewEvent>& events) {
    events.push_back(
        {{events::Kind::lead, lead.id}, lead.facilityId.value.value_or(0), events::LeadEvent(events::LeadDeleted{})});
}

void end_person(events::Staff const& person, std::vector<NewEvent>& events) {
    events.push_back({{events::Kind::staff, person.id}, 0, events::StaffEvent(events::StaffDeleted{})});
}

/// Adds the events that delete these.
void end_rows(View const& view, Rows const& rows, Timestamp now, std::vector<NewEvent>& events) {
    end_assignments(view, rows, now, events);
    for (auto const* record : rows.shifts) end_shift(record->shift, events);
    for (auto const* lead : rows.leads) end_lead(*lead, events);
    for (auto const* credential : rows.credentials) {
        events.push_back(credential_event(credential->id, events::CredentialDeleted{}));
    }
    for (auto const* person : rows.staff) end_person(*person, events);
}

/// The facility whose sandbox it is, which has one as long as it is active.
Result<events::Facility const*> facility_of(View const& view, Id id, Context const& context) {
    auto found = facility_in_scope(view, id, context);
    if (found && !(*found)->isActive) return refuse_inactive(**found, "reset-sandbox");
    return found;
}

NewEvent reset_event(Id facility, events::SandboxDetails details) {
    return {{events::Kind::sandbox, facility}, facility, events::SandboxEvent(events::SandboxReset{details})};
}

core::Problem too_many_rows() {
    return {Code::service_unavailable,
            "The sandbox has more rows than one command deletes, and they could not be deleted now; ask once more.",
            R"({"reason":"too_many_rows"})"};
}

/// Takes as many of too many rows as one command deletes. Returns whether they are too many.
template <class Row>
bool take_some(std::vector<Row> const& rows, std::vector<Row>& some) {
    if (rows.size() <= kMostOfFacility) return false;
    some.assign(rows.begin(), rows.begin() + kMostOfFacility);
    return true;
}

constexpr int kAddressesTried = 20;
constexpr int kTriedAtOnce = 4;

/// The person's first address that nobody has but people who go; nothing where the first kAddressesTried are taken.
std::optional<std::string> free_address(View const& view, MadeUpPerson const& person, Id facility,
                                        std::set<Id> const& leaving) {
    for (int attempt = 1; attempt <= kAddressesTried;) {
        std::optional<std::string> found;
        Questions questions;
        for (int const end = attempt + kTriedAtOnce; attempt < end && !found; ++attempt) {
            questions.ask([&] {
                auto address = data_set_address(person, facility, attempt);
                auto const owner = view.staff_by_email(address);
                if (!owner || leaving.contains(*owner)) found = std::move(address);
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
    Questions questions;
    for (std::size_t i = 0; i < people.size(); ++i) {
        questions.ask([&] {
            auto address = free_address(view, people[i], facility, leaving);
            if (!address) {
                address = data_set_address(people[i], facility, kAddressesTried + ids[i]);
                if (auto const owner = view.staff_by_email(*address)) taken = owner;
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
    Questions questions;
    bool was_reset = false;  // looked at in any case, for its number is not from the ids of what is new
    questions.ask([&] { was_reset = view.get<events::Sandbox>(id) != nullptr; });
    questions.ask([&] { rows = rows_of(view, id, context.now); });
    questions.require();
    bool const begun = command.cleared_before != events::SandboxCounts{};
    if (was_reset && command.first_only && !begun) return Decision{};
    if (rows.are_too_many()) return tl::unexpected(too_many_rows());
    auto const seed = command.seed.value_or(1);
    DataSetInput input{.seed = seed,
                       .facility = id,
                       .timezone = facility.timezone.value,
                       .today = core::local_date(context.now, facility.timezone.value),
                       .now = context.now,
                       .people = data_set_people(seed),
                       .addresses = {},
                       .new_ids = context.new_ids};
    auto addresses =
        free_addresses(view, std::span(input.people).first(kSandboxDataSet.staff), context.new_ids, id, rows);
    if (!addresses) return tl::unexpected(addresses.error());
    input.addresses = *std::move(addresses);
    Decision decision;
    end_rows(view, rows, context.now, decision.events);
    decision.events.push_back(reset_event(id, {seed, command.cleared_before + rows.counts(), kSandboxDataSet}));
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
    // People last: fewer shifts are left then that they have to be taken off, and their credentials are not too many.
    if (!take_some(rows.shifts, some.shifts) && !take_some(rows.leads, some.leads) &&
        !take_some(rows.credentials, some.credentials) && take_some(rows.staff, some.staff)) {
        some.credentials = rows.credentials;  // which are of the people taken
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
        if (events::is<events::StaffDeleted>(event.data)) ++counts.staff;
        if (events::is<events::ShiftDeleted>(event.data)) ++counts.shift;
        if (events::is<events::LeadDeleted>(event.data)) ++counts.lead;
        if (events::is<events::CredentialDeleted>(event.data)) ++counts.credential;
    }
    return counts;
}

}  // namespace workforce::commands
