// Words for the people who work.
#include "operations/words/words.hpp"

namespace workforce::operations {

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
