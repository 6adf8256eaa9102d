// The people who work.
#include "commands/staff.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "commands/weekly_availability.hpp"
#include "operations/declare.hpp"
#include "operations/imports.hpp"
#include "operations/staff_available.hpp"
#include "operations/words/words.hpp"
#include "projections/staff/staff.hpp"

namespace workforce::operations {

namespace {

using events::Kind;

struct ForceQuery {
    std::optional<bool> force;
    std::optional<Id> orgUnitId;
};
BOOST_DESCRIBE_STRUCT(ForceQuery, (), (force, orgUnitId))

/// DELETE /api/staff/{id} takes `force` as a parameter, for bodies of DELETE mean nothing (RFC 9110 9.3.5).
boost::asio::awaitable<Outcome> deactivate_staff(Call& call) {
    auto command = read_query<ForceQuery>(call.input.parameters).map([&](ForceQuery const& query) {
        commands::DeactivateStaff deactivate;
        deactivate.id = call.input.path.id();
        deactivate.force = query.force;
        return deactivate;
    });
    return submit(call, submission_of(call, std::move(command)), 0);
}

/// A list of people. How their credentials stand is for those who may see these.
boost::asio::awaitable<Outcome> list_staff(Call& call) {
    constexpr core::Permission kView("credentials.view");
    auto const& caller = *call.caller;
    bool const may = caller.permits_own(kView) || caller.permits_own("staff.view_credentials");
    if (!may && call.input.parameters.contains("credentialStatus")) {
        co_return refuse(call, {caller.refused_with(kView), "The parameter credentialStatus takes credentials.view.",
                                R"({"permission":"credentials.view"})"});
    }
    co_return co_await list_resources<projections::staff>(call);
}

Operation staff_deactivation() {
    auto row = command<commands::DeactivateStaff>("staff.deactivate", "Deactivate a staff member");
    row.description =
        "Keeps a person from shifts from now on; what they worked stays. Refused while they are on shifts ahead, "
        "unless force takes them off these.";
    row.refusals = {core::Code::staff_has_future_shifts};
    row.body = nullptr;
    row.body_example = nullptr;
    row.parameters = parameters_of<ForceQuery>();
    row.handler = deactivate_staff;
    return row;
}

boost::asio::awaitable<Outcome> get_availability(Call& call) {
    return get_one(call, projections::staff().spec().noun, projections::availability_by_person());
}

/// `versioned`, for it is part of one person.
std::vector<Operation> availability_operations() {
    using enum net::Method;
    auto read = query_with<commands::Availability, TargetQuery>("staff.availability", "When a staff member can work",
                                                                get_availability);
    read.description =
        "Returns the blocks of a week in which a person can work, by the clocks of the place where a shift is. None: "
        "nothing is said, and they can at any time.";
    read.reads = {projections::staff().spec().name};
    read.versioned = true;
    return {
        std::move(read).needs("scheduling.view").reaches_own_rows().at(get, "/api/staff/{id:int}/availability"),
        command<commands::SetAvailability>("staff.set_availability", "Say when a staff member can work")
            .says(
                "Puts the blocks in the place of those before, and returns them; none: at any time. A shift that lies "
                "outside them is STAFF_UNAVAILABLE, of which {shifts.assign} warns, unless the facility says "
                "otherwise.")
            .needs("scheduling.edit")
            .or_own("scheduling.request")
            .on(Kind::staff)
            .at(patch, "/api/staff/{id:int}/availability")
            .also_put("staff.put_availability"),
    };
}

}  // namespace

std::vector<Operation> staff_operations() {
    using enum net::Method;
    using enum events::ModelTier;
    std::vector<RenamedField> const staff_id{{"staffId", "id"}};
    auto listed = list<projections::staff>("staff.list", "List staff");
    listed.description =
        "Returns a page of the people you may see, active ones unless isActive says otherwise. To fill a shift, "
        "{staff.available} knows who is free.";
    listed.reads.push_back(core::enum_name(Kind::credential));  // that people are looked for by
    listed.handler = list_staff;
    auto read = one<projections::staff>("staff.get", "Read a staff member");
    read.description = "Returns one person with contact data, work history and education.";
    for (auto* row : {&listed, &read}) row->reads.push_back(core::enum_name(Kind::user));  // who names the person
    std::vector<Operation> all{
        std::move(listed).needs("staff.view").reaches_own_rows().at(get, "/api/staff").as_tool({.name = "staff_list"}),
        std::move(read)
            .needs("staff.view")
            .reaches_own_rows()
            .at(get, "/api/staff/{id:int}")
            .as_tool({.name = "staff_get", .renamed = staff_id}),
        staff_available(),
        command<commands::CreateStaff>("staff.create", "Onboard a staff member")
            .says("Adds a person who works, and returns them. Refused where somebody of the organization has the "
                  "e-mail address. Subscribers hear of it as staff_onboarded.")
            .refuses({core::Code::duplicate_resource})
            .needs("staff.create")
            .creates(Kind::staff)
            .at(post, "/api/staff")
            .as_tool({.name = "staff_create", .tier = standard, .approval = Approval::headless}),
        staff_import(),
        command<commands::UpdateStaff>("staff.update", "Change a staff member")
            .says("Changes the fields that are given; others stay, and a list replaces the one before. Returns the "
                  "person. Refused where somebody else has the e-mail address.")
            .refuses({core::Code::duplicate_resource, core::Code::staff_has_future_shifts})
            .needs("staff.edit")
            .on(Kind::staff)
            .at(patch, "/api/staff/{id:int}")
            .also_put("staff.put")
            .as_tool({.name = "staff_update",
                      .tier = standard,
                      .renamed = staff_id,
                      .omitted = {"isActive"}}),  // a deactivation takes another tier, and approval
        staff_deactivation()
            .needs("staff.deactivate")
            .on(Kind::staff)
            .destroys()
            .at(del, "/api/staff/{id:int}")
            .as_tool({.name = "staff_deactivate",
                      .tier = advanced,
                      .approval = Approval::always,
                      .idempotent = true,
                      .renamed = staff_id}),
        command<commands::ReactivateStaff>("staff.reactivate", "Reactivate a staff member")
            .says("Takes a deactivation back, so that the person can be assigned again. Shifts that they were taken "
                  "off are not given back.")
            .needs("staff.edit")
            .on(Kind::staff)
            .at(post, "/api/staff/{id:int}/reactivate"),
    };
    std::ranges::move(availability_operations(), std::back_inserter(all));
    return all;
}

std::vector<StructWords> staff_words() {
    return {
        {{"staff/"}, {{"id", "The staff member's id, from {staff.list}"}}},
        {{"StaffDetails", "StaffChanges"},
         {{"firstName", "Given name"},
          {"lastName", "Family name"},
          {"email", "Address that no other staff of the organization has; kept in lower case"},
          {"phone", "Number to call the person by"},
          {"specialty",
           "What the person works as, such as Nurse; shifts ask for it by the same words: use those of {staff.list}"},
          {"hourlyRate", "Pay per hour in the organization's currency"},
          {"yearsExperience", "Years of work in the specialty"},
          {"certifications", "Certificates in free text; checked ones are credentials"},
          {"skills", "What else the person can do; fits shifts as specialty does"},
          {"profilePhoto", "Address of a picture; null: none"},
          {"emergencyContact", "Whom to call in an emergency; absent parts stay"},
          {"workHistory", "Positions before"},
          {"education", "Degrees"},
          {"facilityIds", "Facilities where the person works, from {facilities.list}; empty: all of them"},
          {"externalId", "The person's id in a system of yours"},
          {"maxWeeklyHours", "Most hours to plan a week, 0 to 168; null: no limit"}}},
        {{"UpdateStaff"}, {{"emergencyContact", "Whom to call in an emergency; absent parts stay"}}},
        {{"StaffFlags"},
         {{"isActive", "false once the person was deactivated: nobody assigns them"},
          {"userId", "User who signs in as this person; null: nobody does"}}},
        {{"StaffChanges"}, {{"employmentType", "Kind of employment"}}},
        {{"StaffDetails"}, {{"employmentType", "Kind of employment; full_time by default"}}},
        {{"CreateStaff"}, {{"isActive", "false deactivates the person at once; true by default"}}},
        {{"UpdateStaff"}, {{"isActive", "false deactivates the person, true reactivates"}}},
        {{"EmergencyContact", "EmergencyContactChanges"},
         {{"name", "Full name of the contact"},
          {"phone", "Number to call"},
          {"relationship", "What they are to the person: spouse, mother"}}},
        {{"WorkHistoryItem"},
         {{"facility", "Where it was"},
          {"position", "Job title held there"},
          {"startDate", "First day"},
          {"endDate", "Last day; null: still there"},
          {"description", "Duties in free text"}}},
        {{"EducationItem"},
         {{"institution", "School or university"},
          {"degree", "Degree or certificate earned"},
          {"graduationYear", "Year of the degree; null: unknown"},
          {"gpa", "Grade point average, 0 to 5; null: unknown"}}},
        {{"AvailablePersonId"}, {{"staffId", "Whose week it is"}}},
        {{"StaffAvailability", "SetAvailability"},
         {{"blocks", "When they can work; together, where they overlap. Empty: at any time"}}},
        {{"StaffAvailability"}, {{"updatedAt", "When that was said; null: never"}}},
        {{"AvailabilityBlock"},
         {{"weekday", "Day on which it begins: 1 is Monday, 7 is Sunday"},
          {"from", "From when on, wall clock at the shift's facility"},
          {"to", "Until when; not after from: on the next day"}}},
    };
}

std::vector<StructWords> staff_query_words() {
    return {
        {{"StaffFilter"},
         {{"specialty", "Only who works as this, in any case"},
          {"employmentType", "Only these kinds of employment"},
          {"isActive", "true (the default): active people; false: deactivated ones; any: both"},
          {"skill", "Only who has this skill, in any case"},
          {"credentialStatus", "Only who has a credential that stands so"}}},
        {{"ForceQuery"}, {{"force", "true also takes the person off shifts ahead; without it these are a refusal"}}},
        {{"AvailableQuery"},
         {{"shiftId", "Shift to staff, from {shifts.list}; instead of the members that follow"},
          {"facilityId", "Where, an id from {facilities.list}; without shiftId required"},
          {"date", "Day that it starts on, at the facility"},
          {"startTime", "Start, wall clock at the facility"},
          {"endTime", "End; not after startTime: next day"},
          {"specialty", "What to work as; empty: anything"},
          {"limit", "Most people to return: 50 where it is not given; more than 200 counts as 200"}}},
        {{"AvailablePeople"},
         {{"data", "The best first, whom a rule blocks last"},
          {"total", "How many there are, returned or not"},
          {"scope", "The facility that was asked for"}}},
        {{"AvailablePerson"},
         {{"staff", "The person, in full"}, {"violations", "Rules that the assignment would break; none: empty"}}},
        {{"EmploymentType"}, {{"", "Kind of employment"}}},
    };
}

}  // namespace workforce::operations
