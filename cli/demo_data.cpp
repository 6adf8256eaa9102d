// Bootstrap and demo content.
#include "cli/demo_data.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "commands/agent.hpp"
#include "commands/facility.hpp"
#include "commands/payroll_run.hpp"
#include "commands/shift.hpp"
#include "commands/staff.hpp"
#include "commands/timesheet.hpp"
#include "core/ascii.hpp"
#include "core/crypto.hpp"
#include "core/scopes.hpp"

namespace workforce::cli {
namespace {

using core::Id;

/// The value, or the end of seeding with the refusal's text.
template <class T>
T expect(core::Result<T> result, std::string_view what) {
    if (!result) throw std::runtime_error("seeding " + std::string(what) + " was refused: " + result.error().message);
    return *std::move(result);
}

struct Person {
    std::string_view first, last, specialty;
    events::EmploymentType type;
    std::int64_t rate;
};
constexpr std::array kPeople{
    Person{"Mara", "Lindqvist", "Nurse", events::EmploymentType::full_time, 42},
    Person{"Tomas", "Okafor", "Nurse", events::EmploymentType::full_time, 44},
    Person{"Ines", "Barreto", "HeadNurse", events::EmploymentType::full_time, 55},
    Person{"Jonas", "Wieland", "Caretaker", events::EmploymentType::part_time, 28},
    Person{"Aiko", "Tanimoto", "Caretaker", events::EmploymentType::part_time, 29},
    Person{"Priya", "Raghavan", "Nurse", events::EmploymentType::contract, 47},
    Person{"Lars", "Holmgaard", "Nurse", events::EmploymentType::per_diem, 50},
    Person{"Chloe", "Marchetti", "Trainee", events::EmploymentType::full_time, 21},
};

struct Slot {
    std::string_view title;
    std::int16_t start, end;
};
constexpr std::array kSlots{Slot{"Early", 6 * 60, 14 * 60}, Slot{"Late", 14 * 60, 22 * 60},
                            Slot{"Night", 22 * 60, 6 * 60}};
constexpr int kDays = 7;

boost::asio::awaitable<Id> make_facility(workers::Runtime& runtime, Id organization, std::string name,
                                         std::string zone) {
    commands::CreateFacility facility;
    facility.name = std::move(name);
    facility.timezone = std::move(zone);
    facility.departments = {"Ward A", "Ward B"};
    auto context = api::system_context(organization);
    context.new_ids = co_await runtime.processor.ids().take(events::Kind::facility, 1);
    auto made = co_await api::run_as_system(runtime, std::move(facility), std::move(context));
    co_return expect(std::move(made), "a facility").id;
}

boost::asio::awaitable<std::vector<Id>> make_staff(workers::Runtime& runtime, Id organization) {
    std::vector<Id> ids;
    for (auto const& person : kPeople) {
        commands::CreateStaff staff;
        staff.firstName = core::Name(std::string(person.first));
        staff.lastName = core::Name(std::string(person.last));
        staff.email =
            core::Email(core::ascii_lower(person.first) + '.' + core::ascii_lower(person.last) + "@demo.example.com");
        staff.phone = core::Phone("+1 555 0100");
        staff.specialty = std::string(person.specialty);
        staff.employmentType = person.type;
        staff.hourlyRate = {person.rate * 100};
        auto context = api::system_context(organization);
        context.new_ids = co_await runtime.processor.ids().take(events::Kind::staff, 1);
        auto made = co_await api::run_as_system(runtime, std::move(staff), std::move(context));
        ids.push_back(expect(std::move(made), "a staff member").id);
    }
    co_return ids;
}

/// A week of shifts from tomorrow on; the first two days are staffed.
boost::asio::awaitable<void> make_shifts(workers::Runtime& runtime, Id organization, Id facility,
                                         std::vector<Id> staff) {
    std::size_t next = 0;
    auto const tomorrow = core::local_date(core::now(), "UTC").days + 1;
    for (int day = 0; day < kDays; ++day) {
        for (auto const& slot : kSlots) {
            commands::CreateShift shift;
            shift.facilityId = facility;
            shift.title = std::string(slot.title);
            shift.date = {tomorrow + day};
            shift.startTime = {slot.start};
            shift.endTime = {slot.end};
            shift.department = "Ward A";
            shift.requiredWorkers = day == 0 ? 1 : 2;
            shift.urgency = day == 3 ? events::Urgency::high : events::Urgency::medium;
            if (day < 2) shift.assignedStaffIds = {staff[next++ % staff.size()]};
            auto context = api::system_context(organization);
            context.new_ids = co_await runtime.processor.ids().take(events::Kind::shift, 1);
            auto made = co_await api::run_as_system(runtime, std::move(shift), std::move(context));
            expect(std::move(made), "a shift");
        }
    }
}

constexpr std::int64_t kHourMs = 3'600'000;
constexpr int kLogged = 3;  // people who work each day of the past week

/// A log of eight hours with a break, approved where `approve` says so.
boost::asio::awaitable<void> make_timesheet(workers::Runtime& runtime, Id organization, Id facility, Id staff,
                                            core::Timestamp begins, bool approve) {
    commands::CreateTimesheet log;
    log.staffId = staff;
    log.facilityId = facility;
    log.clockIn = begins;
    log.clockOut = core::Timestamp{begins.ms + 8 * kHourMs};
    log.breaks = {{{begins.ms + 4 * kHourMs}, {begins.ms + 4 * kHourMs + kHourMs / 2}, false}};
    auto context = api::system_context(organization);
    context.new_ids = co_await runtime.processor.ids().take(events::Kind::timesheet, 1);
    auto made = co_await api::run_as_system(runtime, std::move(log), std::move(context));
    auto const id = expect(std::move(made), "a timesheet").id;
    if (!approve) co_return;
    auto approved =
        co_await api::run_as_system(runtime, commands::ApproveTimesheet{id}, api::system_context(organization));
    expect(std::move(approved), "an approval");
}

/// The past week's work, of which the last two days wait for approval, and a draft that pays the rest.
boost::asio::awaitable<void> make_pay(workers::Runtime& runtime, Id organization, Id facility, std::string zone,
                                      std::vector<Id> staff) {
    auto const today = core::local_date(core::now(), zone).days;
    for (int day = kDays; day > 0; --day) {
        for (int person = 0; person < kLogged; ++person) {
            auto const who = staff[static_cast<std::size_t>(day + person) % staff.size()];
            auto const begins = core::to_utc({today - day}, {static_cast<std::int16_t>((6 + person) * 60)}, zone);
            co_await make_timesheet(runtime, organization, facility, who, begins, day > 2);
        }
    }
    commands::CreatePayrollRun run;
    run.facilityId = facility;
    run.periodStart = {today - kDays};
    run.periodEnd = {today - 1};
    run.adjustments = {{{staff.front(), events::AdjustmentKind::bonus, {5'000}}, core::LongText("Stood in at night")}};
    auto context = api::system_context(organization);
    context.new_ids = co_await runtime.processor.ids().take(events::Kind::payroll_run, 1);
    expect(co_await api::run_as_system(runtime, std::move(run), std::move(context)), "a payroll run");
}

/// An agent that gives the first open shift to somebody who can take it; runs are started by people.
boost::asio::awaitable<void> make_agent(workers::Runtime& runtime, Id organization, Id facility) {
    auto const step = [](std::string id, std::string tool, std::string arguments) {
        events::PlanStep made;
        made.id = events::StepName(std::move(id));
        made.tool = core::Name(std::move(tool));
        made.arguments = events::RunObject{std::move(arguments)};
        return made;
    };
    commands::CreateAgent agent;
    agent.facilityId = facility;
    agent.name = core::Name("Fill a shift");
    agent.description = "Gives the first open shift to the first of those who can take it.";
    agent.allowedTools = {core::Name("shifts_list"), core::Name("staff_find_available"), core::Name("shifts_assign")};
    agent.plan = {step("open", "shifts_list", R"({"status":"open","limit":1})"),
                  step("who", "staff_find_available", R"({"shiftId":"{{steps.open.result.data[0].id}}"})"),
                  step("fill", "shifts_assign",
                       R"({"shiftId":"{{steps.open.result.data[0].id}}",)"
                       R"("staffIds":["{{steps.who.result.data[0].staff.id}}"]})")};
    auto context = api::system_context(organization);
    context.new_ids = co_await runtime.processor.ids().take(events::Kind::agent, 1);
    expect(co_await api::run_as_system(runtime, std::move(agent), std::move(context)), "an agent");
}

events::UserDetails user(std::string email, std::string first, std::string last, events::Role role) {
    events::UserDetails details;
    details.email = core::Email(std::move(email));
    details.firstName = core::Name(std::move(first));
    details.lastName = core::Name(std::move(last));
    details.role = role;
    return details;
}

events::ApiKeyDetails demo_key(std::string name, Id admin, bool read_only = false) {
    events::ApiKeyDetails key;
    key.name = std::move(name);
    key.userId = admin;
    key.rateLimitPerMin = core::Int<1, 6000>(6000);
    for (auto const& scope : core::scope_catalogue()) {
        if (scope.name == "organizations:manage") continue;  // for internal keys only
        if (!read_only || scope.name.ends_with(":read")) key.scopes.emplace_back(std::string(scope.name));
    }
    return key;
}

}  // namespace

std::vector<DemoKey> demo_keys(Id admin, Id facility, int pat_max_rate_limit) {
    std::vector<DemoKey> keys{{&DemoKeys::live, demo_key("Demo, all scopes", admin)},
                              {&DemoKeys::readOnly, demo_key("Demo, read only", admin, true)},
                              {&DemoKeys::test, demo_key("Demo, sandbox", admin)},
                              {&DemoKeys::pat, demo_key("Demo, personal", admin)}};
    keys[2].details.type = events::ApiKeyType::test;
    keys[2].details.facilityId = facility;
    keys[3].details.type = events::ApiKeyType::pat;
    keys[3].details.rateLimitPerMin = core::Int<1, 6000>(pat_max_rate_limit);
    return keys;
}

std::vector<DemoPerson> demo_people(DemoFile const& file, Id internal, core::Nullable<Id> staff) {
    using events::Role;
    auto const customer = file.organizationId;
    std::vector<DemoPerson> people{
        {&DemoUsers::superAdmin, internal, user(std::string(kSuperAdmin), "Sasha", "Overbeck", Role::super_admin)},
        {&DemoUsers::internalManager, internal, user("manager@platform.example.com", "Milan", "Torres", Role::manager)},
        {&DemoUsers::customerAdmin, customer, user(std::string(kDemoAdmin), "Dana", "Whitcombe", Role::admin)},
        {&DemoUsers::facilityAdmin, customer,
         user("facility@demo.example.com", "Femi", "Adeyemi", Role::facility_admin)},
        {&DemoUsers::scheduler, customer, user("scheduler@demo.example.com", "Sora", "Ishikawa", Role::scheduler)},
        {&DemoUsers::viewer, customer, user("viewer@demo.example.com", "Vera", "Lindgren", Role::viewer)},
        {&DemoUsers::staff, customer, user("mara.lindqvist@demo.example.com", "Mara", "Lindqvist", Role::staff)}};
    people[3].details.facilityIds = {file.facilityIds.front()};
    people.back().details.staffId = std::move(staff);
    return people;
}

api::SetUpUserRequest request_of(DemoPerson const& person) {
    constexpr std::size_t kPasswordLength = 20;
    return {person.organization, person.details, {core::random_base62(kPasswordLength)}};
}

void put_user(DemoFile& file, DemoPerson const& person, api::SetUpUserRequest const& request,
              api::SetUpUser const& made) {
    file.users.*person.place = {made.id, person.organization, person.details.email.value.value,
                                made.passwordIsSet ? request.password.value : ""};
}

boost::asio::awaitable<Id> make_internal_organization(workers::Runtime& runtime) {
    events::OrganizationDetails details;
    details.name = "Platform Operations";
    details.type = events::OrganizationType::internal;
    auto made = co_await api::create_organization(runtime, std::move(details));
    auto const organization = expect(std::move(made), "the internal organization");
    auto admin = co_await api::create_user(
        runtime, organization.id, user(std::string(kSuperAdmin), "Sasha", "Overbeck", events::Role::super_admin));
    expect(std::move(admin), "the first administrator");
    co_return organization.id;
}

std::optional<DemoFile> read_demo(std::string const& path) {
    std::ifstream in(path);
    if (!in) return std::nullopt;
    std::ostringstream text;
    text << in.rdbuf();
    return core::from_stored_json<DemoFile>(text.str());
}

boost::asio::awaitable<DemoFile> make_demo(workers::Runtime& runtime, Id internal) {
    events::OrganizationDetails details;
    details.name = "Demo Care Group";
    details.industry = "healthcare";
    details.timezone = "America/New_York";
    auto made = co_await api::create_organization(runtime, std::move(details));
    DemoFile file;
    file.organizationId = expect(std::move(made), "the demo customer").id;
    auto admin = co_await api::create_user(runtime, file.organizationId,
                                           user(std::string(kDemoAdmin), "Dana", "Whitcombe", events::Role::admin));
    Id const admin_id = expect(std::move(admin), "the customer's administrator").id;
    file.facilityIds.push_back(
        co_await make_facility(runtime, file.organizationId, "Harbour Clinic", "America/New_York"));
    file.facilityIds.push_back(co_await make_facility(runtime, file.organizationId, "Hillside Home", "Europe/Berlin"));
    auto const staff = co_await make_staff(runtime, file.organizationId);
    co_await make_shifts(runtime, file.organizationId, file.facilityIds.front(), staff);
    co_await make_pay(runtime, file.organizationId, file.facilityIds.front(), "America/New_York", staff);
    co_await make_agent(runtime, file.organizationId, file.facilityIds.front());
    auto keys = demo_keys(admin_id, file.facilityIds.front(), runtime.config.pat_max_rate_limit);
    for (auto& [place, wanted] : keys) {
        auto key = co_await api::create_api_key(runtime, file.organizationId, std::move(wanted));
        file.keys.*place = expect(std::move(key), "an API key").key;
    }
    for (auto const& person : demo_people(file, internal, staff.front())) {
        auto const request = request_of(person);
        put_user(file, person, request, expect(co_await api::set_up_user(runtime, request), "a user"));
    }
    co_return file;
}

}  // namespace workforce::cli
