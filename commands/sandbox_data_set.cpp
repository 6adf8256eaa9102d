// The table of the data set, and the events of its rows.
//
// Shifts of the past have begun and ended, which commands can't say: rows become the events that commands would have
// led to in their time.
#include "commands/sandbox_data_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <string_view>
#include <utility>

#include "commands/credential.hpp"
#include "commands/sandbox_agent.hpp"
#include "commands/sandbox_pay.hpp"
#include "commands/shift_states.hpp"
#include "commands/shift_times.hpp"
#include "commands/time_off.hpp"
#include "core/ascii.hpp"
#include "events/app.hpp"
#include "events/guardrail.hpp"
#include "events/lead.hpp"
#include "events/message.hpp"
#include "events/staff.hpp"

namespace workforce::commands {
namespace {

using events::CredentialStatus;
using events::EmploymentType;
using events::Kind;
using events::LeadStatus;
using events::ShiftStatus;
using events::StaffCredentialType;
using events::Urgency;

constexpr std::array<std::string_view, 24> kFirstNames{"Amara",  "Bastian", "Carmen", "Dmitri",  "Elif",    "Farid",
                                                       "Greta",  "Hiro",    "Ingrid", "Joao",    "Keisha",  "Liam",
                                                       "Mei",    "Nadia",   "Oskar",  "Paloma",  "Quentin", "Ruth",
                                                       "Stefan", "Tamsin",  "Umar",   "Valeria", "Wanda",   "Yusuf"};
constexpr std::array<std::string_view, 24> kLastNames{
    "Abara",   "Brandt", "Castell",  "Duarte",  "Eriksen", "Fontaine", "Gruber",  "Hadley",
    "Ibarra",  "Jansen", "Kowalski", "Lehmann", "Mbeki",   "Novak",    "Okonjo",  "Petrov",
    "Quigley", "Rossi",  "Sandoval", "Thorne",  "Ueda",    "Vargas",   "Whitlow", "Zielinski"};
constexpr std::array<std::string_view, 8> kCompanies{"Alder & Sons",  "Brightwater Group", "Cedar Point",
                                                     "Dunmore Homes", "Elmfield Trust",    "Foxglove Events",
                                                     "Granite Works", "Hollybank"};

struct StaffRow {
    EmploymentType type;
    std::string_view specialty;
    bool active = true;
};
constexpr std::array kStaff{
    StaffRow{EmploymentType::full_time, "Supervisor"}, StaffRow{EmploymentType::full_time, "Technician"},
    StaffRow{EmploymentType::full_time, "Technician"}, StaffRow{EmploymentType::part_time, "Assistant"},
    StaffRow{EmploymentType::part_time, "Assistant"},  StaffRow{EmploymentType::contract, "Technician"},
    StaffRow{EmploymentType::per_diem, "Assistant"},   StaffRow{EmploymentType::full_time, "Assistant", false},
};

constexpr int kNobody = -1;
constexpr core::TimeOfDay hour(int of_day, int minute = 0) { return {static_cast<std::int16_t>(of_day * 60 + minute)}; }

/// Nobody has two that overlap.
struct ShiftRow {
    ShiftStatus status;
    std::string_view title;
    int day;  ///< from the day of the reset on
    core::TimeOfDay start, end;
    int required = 1;
    int person = kNobody;  ///< of kStaff
    Urgency urgency = Urgency::medium;
};
constexpr std::array kShifts{
    ShiftRow{ShiftStatus::open, "Evening", 1, hour(15), hour(23), 1, kNobody, Urgency::critical},
    ShiftRow{ShiftStatus::open, "Day", 2, hour(7), hour(15), 2, 3},
    ShiftRow{ShiftStatus::open, "Day", 4, hour(7), hour(15)},
    ShiftRow{ShiftStatus::open, "Evening", 5, hour(15), hour(23), 1, kNobody, Urgency::low},
    ShiftRow{ShiftStatus::assigned, "Day", 1, hour(7), hour(15), 1, 0},
    ShiftRow{ShiftStatus::assigned, "Night", 1, hour(22), hour(6), 1, 1},
    ShiftRow{ShiftStatus::assigned, "Evening", 2, hour(15), hour(23), 1, 2, Urgency::high},
    ShiftRow{ShiftStatus::assigned, "Day", 3, hour(7), hour(15), 1, 5},
    // At every hour of the day it runs, or is to begin within one.
    ShiftRow{ShiftStatus::in_progress, "Standby", 0, hour(1), hour(23, 59), 1, 4},
    ShiftRow{ShiftStatus::completed, "Day", -1, hour(7), hour(15), 1, 0},
    ShiftRow{ShiftStatus::completed, "Evening", -2, hour(15), hour(23), 1, 6},
    ShiftRow{ShiftStatus::completed, "Day", -3, hour(7), hour(15), 1, 1},
    ShiftRow{ShiftStatus::completed, "Day", -4, hour(7), hour(15), 1, 2},
    ShiftRow{ShiftStatus::cancelled, "Day", 6, hour(7), hour(15)},
};

struct LeadRow {
    LeadStatus status;
    events::LeadSource source;
    std::string_view lost_reason{};
};
constexpr std::array kLeads{
    LeadRow{LeadStatus::new_, events::LeadSource::web},
    LeadRow{LeadStatus::contacted, events::LeadSource::referral},
    LeadRow{LeadStatus::qualified, events::LeadSource::manual},
    LeadRow{LeadStatus::won, events::LeadSource::referral},
    LeadRow{LeadStatus::lost, events::LeadSource::web, "No budget this year"},
};

constexpr int kNever = 0;
constexpr int kFarOff = 200;  // or more, as the dice say
constexpr std::string_view kRegister = "Register of Technicians";
constexpr std::string_view kSafety = "Safety Institute";
constexpr std::string_view kHealth = "Health Office";

struct CredentialRow {
    CredentialStatus status;
    StaffCredentialType type;
    std::string_view name;
    std::string_view authority;
    int person;   ///< of kStaff
    int expires;  ///< days from the day of the reset on
};
constexpr std::array kCredentials{
    CredentialRow{CredentialStatus::verified, StaffCredentialType::license, "Site supervisor", kRegister, 0, kFarOff},
    CredentialRow{CredentialStatus::verified, StaffCredentialType::certification, "First aid", kSafety, 0, 12},
    CredentialRow{CredentialStatus::verified, StaffCredentialType::license, "Registered technician", kRegister, 1,
                  kFarOff},
    CredentialRow{CredentialStatus::verified, StaffCredentialType::license, "Registered technician", kRegister, 2, 25},
    CredentialRow{CredentialStatus::verified, StaffCredentialType::license, "Registered technician", kRegister, 5,
                  kFarOff},
    CredentialRow{CredentialStatus::verified, StaffCredentialType::training, "Safety at work", kSafety, 3, kNever},
    CredentialRow{CredentialStatus::verified, StaffCredentialType::background_check, "Background check", kHealth, 4,
                  kNever},
    CredentialRow{CredentialStatus::verified, StaffCredentialType::other, "Driving permit", kRegister, 6, kFarOff},
    CredentialRow{CredentialStatus::expired, StaffCredentialType::certification, "First aid", kSafety, 4, -20},
    CredentialRow{CredentialStatus::expired, StaffCredentialType::training, "Fire safety", kSafety, 6, -3},
    CredentialRow{CredentialStatus::pending, StaffCredentialType::immunization, "Hepatitis B", kHealth, 3, kFarOff},
    CredentialRow{CredentialStatus::rejected, StaffCredentialType::certification, "First aid", kSafety, 7, kFarOff},
};

struct TimeOffRow {
    events::TimeOffType type;
    int person;  ///< of kStaff
    int first;   ///< days from the day of the reset on
    int last;
    bool approved;
};
constexpr std::array kTimeOffRows{
    TimeOffRow{events::TimeOffType::vacation, 6, 14, 18, true},
    TimeOffRow{events::TimeOffType::personal, 4, 9, 9, false},
};

/// Messages of the system to the staff of the sandbox.
constexpr std::array<std::string_view, 3> kMessages{"Welcome to the sandbox. Nothing of it leaves the house.",
                                                    "The night shifts of next week are open: who can take one?",
                                                    "Please hand in the hours of last week by Friday."};

constexpr std::array kRows{
    DataSetRows{Kind::staff, kStaff.size()},
    DataSetRows{Kind::shift, kShifts.size()},
    DataSetRows{Kind::lead, kLeads.size()},
    DataSetRows{Kind::credential, kCredentials.size()},
    DataSetRows{Kind::timesheet, kDataSetTimesheets},
    DataSetRows{Kind::payroll_run, kDataSetRuns},
    DataSetRows{Kind::guardrail, 1},
    DataSetRows{Kind::app, 1},
    DataSetRows{Kind::agent, 1},
    DataSetRows{Kind::trigger, 1},
    DataSetRows{Kind::agent_run, kDataSetAgentRuns},
    DataSetRows{Kind::approval, 1},
    DataSetRows{Kind::conversation, 1},
    DataSetRows{Kind::message, kMessages.size()},
    DataSetRows{Kind::time_off, kTimeOffRows.size()},
};
static_assert(kFirstNames.size() >= kStaff.size() + kLeads.size() && kCompanies.size() >= kLeads.size());

/// Numbers that follow from the seed alone, on every machine: distributions of the library do not.
class Dice {
   public:
    explicit Dice(events::SandboxSeed seed) : engine_(static_cast<std::uint64_t>(seed.value)) {}

    /// From `least` to `most`.
    std::int64_t roll(std::int64_t least, std::int64_t most) {
        return least + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
    }
    template <std::size_t N>
    std::array<std::string_view, N> shuffled(std::array<std::string_view, N> all) {
        for (std::size_t i = N - 1; i > 0; --i) {
            std::swap(all[i], all[static_cast<std::size_t>(roll(0, static_cast<std::int64_t>(i)))]);
        }
        return all;
    }

   private:
    std::mt19937_64 engine_;
};

void add_staff(DataSetInput const& input, Dice& dice, std::vector<NewEvent>& events) {
    for (std::size_t i = 0; i < kStaff.size(); ++i) {
        auto const& row = kStaff[i];
        auto const& person = input.people.at(i);
        events::StaffOnboarded onboarded;
        onboarded.firstName = core::Name(person.firstName);
        onboarded.lastName = core::Name(person.lastName);
        onboarded.email = core::Email(input.addresses.at(i));
        onboarded.phone = core::Phone(fmt::format("+1 555 01{:02}", dice.roll(0, 99)));
        onboarded.specialty = std::string(row.specialty);
        onboarded.employmentType = row.type;
        onboarded.hourlyRate.hundredths = 50 * dice.roll(40, 110);
        onboarded.yearsExperience.hundredths = 100 * dice.roll(0, 25);
        onboarded.skills = {"First aid"};
        onboarded.facilityIds = {input.facility};
        events::AggregateRef const subject{Kind::staff, input.id(Kind::staff, i)};
        events.push_back({subject, 0, events::StaffEvent(std::move(onboarded))});
        if (!row.active) events.push_back({subject, 0, events::StaffEvent(events::StaffDeactivated{})});
    }
}

void add_shift(DataSetInput const& input, std::size_t number, Dice& dice, std::vector<NewEvent>& events) {
    auto const& row = kShifts[number];
    events::Shift shift;
    shift.id = input.id(Kind::shift, number);
    shift.facilityId = input.facility;
    shift.title = std::string(row.title);
    shift.date = {input.today.days + row.day};
    shift.startTime = row.start;
    shift.endTime = row.end;
    shift.department = "Floor 1";
    shift.requiredWorkers = row.required;
    shift.urgency = row.urgency;
    shift.rate.hundredths = 50 * dice.roll(40, 110);
    shift.breaks = {{30, false}};
    auto const span = span_of(shift.date, row.start, row.end, input.timezone).value();
    auto const add = [&](events::ShiftEvent event) { events.push_back(event_of(shift, std::move(event))); };
    add(events::ShiftPosted{{shift}, span, {}});
    if (row.person != kNobody) {
        Id const person = input.id(Kind::staff, row.person);
        add(events::ShiftStaffAssigned{person, events::AssignmentSource::direct, {}});
        if (row.required == 1) add(events::ShiftFilled{{person}});
    }
    bool const ended = row.status == ShiftStatus::completed;
    if (ended || row.status == ShiftStatus::in_progress) add(events::ShiftStarted{});
    if (ended) add(events::ShiftCompleted{});
    if (row.status == ShiftStatus::cancelled) add(events::ShiftCancelled{"Closed for maintenance"});
}

void add_leads(DataSetInput const& input, Dice& dice, std::vector<NewEvent>& events) {
    auto const companies = dice.shuffled(kCompanies);
    for (std::size_t i = 0; i < kLeads.size(); ++i) {
        auto const& row = kLeads[i];
        auto const& person = input.people.at(kStaff.size() + i);
        events::LeadCreated created;
        created.facilityId = input.facility;
        created.name = core::ShortText(fmt::format("{} {}", person.firstName, person.lastName));
        created.company = std::string(companies.at(i));
        created.email = core::OptionalEmail(data_set_address(person, input.facility));
        created.phone = core::Phone(fmt::format("+1 555 01{:02}", dice.roll(0, 99)));
        created.source = row.source;
        created.score = dice.roll(5, 95);
        created.estimatedValue.hundredths = 100'000 * dice.roll(2, 80);
        created.status = row.status;
        created.lostReason = std::string(row.lost_reason);
        events::AggregateRef const subject{Kind::lead, input.id(Kind::lead, i)};
        events.push_back({subject, input.facility, events::LeadEvent(std::move(created))});
        if (row.status == LeadStatus::qualified)
            events.push_back({subject, input.facility, events::LeadEvent(events::LeadQualified{})});
    }
}

events::CredentialAdded credential_added(DataSetInput const& input, CredentialRow const& row, Id holder, Dice& dice) {
    auto const day = [&](std::int64_t from_today) {
        return core::Date{input.today.days + static_cast<std::int32_t>(from_today)};
    };
    events::CredentialAdded added;
    added.staffId = holder;
    added.type = row.type;
    added.name = std::string(row.name);
    added.number = core::Text<0, 64>(fmt::format("CR-{:05}1", dice.roll(0, 99'999)));
    added.issuingAuthority = std::string(row.authority);
    added.issuedOn = day(-dice.roll(400, 1000));
    if (row.expires == kFarOff) {
        added.expiresOn = day(dice.roll(kFarOff, 900));
    } else if (row.expires != kNever) {
        added.expiresOn = day(row.expires);
    }
    added.sealedFor = to_string(events::AggregateRef{Kind::staff, holder});
    if (row.status == CredentialStatus::expired) added.status = row.status;
    return added;
}

void add_credentials(DataSetInput const& input, Dice& dice, std::vector<NewEvent>& events) {
    for (std::size_t i = 0; i < kCredentials.size(); ++i) {
        auto const& row = kCredentials[i];
        auto const add = [&](events::CredentialEvent event) {
            events.push_back(credential_event(input.id(Kind::credential, i), std::move(event)));
        };
        add(credential_added(input, row, input.id(Kind::staff, row.person), dice));
        if (row.status == CredentialStatus::verified) {
            events::Verification check;
            check.method = events::VerificationMethod::manual;
            check.checkedAt = input.now;
            check.result = events::VerificationResult::match;
            add(events::CredentialVerified{CredentialStatus::pending, std::move(check)});
        }
        if (row.status == CredentialStatus::rejected)
            add(events::CredentialRejected{"The number is not known to the authority", {}});
    }
}

/// Its name has the facility, for names are unique in an organization.
void add_guardrail(DataSetInput const& input, std::vector<NewEvent>& events) {
    events::GuardrailCreated created;
    created.name = core::Name(fmt::format("Rates above 500 at facility {}", input.facility));
    created.description = core::LongText("Shifts at such a rate wait until somebody approves them.");
    created.effect = events::GuardrailEffect::require_approval;
    created.tools = {events::ToolGlob("shifts_create"), events::ToolGlob("shifts_update")};
    created.conditions = {{core::Text<1, 200>("arguments.rate"), events::ConditionOp::gt, {"500"}}};
    created.facilityIds = {input.facility};
    events.push_back({{Kind::guardrail, input.id(Kind::guardrail)}, 0, events::GuardrailEvent(std::move(created))});
}

void add_app(DataSetInput const& input, std::vector<NewEvent>& events) {
    events::AppConnected connected;
    connected.facilityId = input.facility;
    connected.app = "demo";
    connected.displayName = "Demo";
    connected.accountLabel = core::ShortText("Sandbox");
    connected.accountId = "sandbox";
    events.push_back({{Kind::app, input.id(Kind::app)}, input.facility, events::AppEvent(std::move(connected))});
}

/// Among some of the staff, by the system: nobody signs in as one of them.
void add_conversation(DataSetInput const& input, std::vector<NewEvent>& events) {
    events::AggregateRef const subject{Kind::conversation, input.id(Kind::conversation)};
    events::ConversationStarted started;
    started.facilityId = input.facility;
    started.subject = core::ShortText("News of the house");
    started.type = events::ConversationType::broadcast;
    for (std::size_t i = 0; i < 3; ++i) started.participantStaffIds.push_back(input.id(Kind::staff, i));
    events::MessageSent sent;
    sent.conversationId = subject.id;
    sent.facilityId = input.facility;
    sent.senderType = events::SenderType::system;
    sent.channels = {events::MessageChannel::in_app};
    sent.sealedFor = to_string(subject);
    for (Id const id : started.participantStaffIds) {
        sent.deliveries.push_back(
            {events::ParticipantType::staff, id, events::MessageChannel::in_app, events::DeliveryStatus::sent, {}});
    }
    events.push_back({subject, input.facility, events::ConversationEvent(std::move(started))});
    for (std::size_t i = 0; i < kMessages.size(); ++i) {
        Id const id = input.id(Kind::message, i);
        sent.body = core::LongText(std::string(kMessages.at(i)));
        events.push_back({{Kind::message, id}, input.facility, events::MessageEvent(sent)});
        events.push_back(
            {subject, input.facility, events::ConversationEvent(events::ConversationMessageAdded{id, {}})});
    }
}

void add_time_off(DataSetInput const& input, std::vector<NewEvent>& events) {
    for (std::size_t i = 0; i < kTimeOffRows.size(); ++i) {
        auto const& row = kTimeOffRows.at(i);
        events::TimeOffRequested requested;
        requested.staffId = input.id(Kind::staff, row.person);
        requested.type = row.type;
        requested.startDate = {input.today.days + row.first};
        requested.endDate = {input.today.days + row.last};
        static_cast<events::TimeOffSpan&>(requested) = span_of_days(requested, input.timezone).value();
        requested.sealedFor = to_string(events::AggregateRef{Kind::staff, requested.staffId});
        events::AggregateRef const subject{Kind::time_off, input.id(Kind::time_off, i)};
        auto const add = [&](events::TimeOffEvent event) { events.push_back({subject, 0, std::move(event)}); };
        Id const holder = requested.staffId;
        add(std::move(requested));
        if (row.approved) add(events::TimeOffApproved{{holder}});
    }
}

}  // namespace

std::span<DataSetRows const> data_set_rows() { return kRows; }

events::SandboxCounts data_set_counts() {
    events::SandboxCounts counts;
    for (auto const& [kind, rows] : kRows) counts.add(kind, static_cast<std::int64_t>(rows));
    return counts;
}

std::span<Id const> DataSetInput::ids(Kind kind) const {
    std::size_t before = 0;
    for (auto const& rows : kRows) {
        if (rows.kind == kind) return std::span(new_ids).subspan(before, rows.count);
        before += rows.count;
    }
    return {};
}

Id DataSetInput::id(Kind kind, std::size_t row) const { return ids(kind)[row]; }

std::vector<MadeUpPerson> data_set_people(events::SandboxSeed seed) {
    Dice dice(seed);
    auto const first = dice.shuffled(kFirstNames);
    auto const last = dice.shuffled(kLastNames);
    std::vector<MadeUpPerson> people;
    for (std::size_t i = 0; i < kStaff.size() + kLeads.size(); ++i) {
        people.push_back({std::string(first.at(i)), std::string(last.at(i))});
    }
    return people;
}

std::string data_set_address(MadeUpPerson const& person, Id facility, std::int64_t attempt) {
    return fmt::format("{}.{}.{}{}@example.com", core::ascii_lower(person.firstName),
                       core::ascii_lower(person.lastName), facility,
                       attempt == 1 ? std::string() : fmt::format("-{}", attempt));
}

void add_data_set(DataSetInput const& input, std::vector<NewEvent>& events) {
    Dice dice(input.seed);
    add_staff(input, dice, events);
    for (std::size_t i = 0; i < kShifts.size(); ++i) add_shift(input, i, dice, events);
    add_leads(input, dice, events);
    add_credentials(input, dice, events);
    add_guardrail(input, events);
    add_pay(input, events);
    add_app(input, events);
    add_agent(input, events);
    add_conversation(input, events);
    add_time_off(input, events);
}

}  // namespace workforce::commands
