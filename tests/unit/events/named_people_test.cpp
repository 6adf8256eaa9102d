// Whom arguments and answers of tools name.
#include "events/named_people.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json.hpp"

namespace workforce::events {
namespace {

using events::Kind;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names(std::string_view json, std::optional<Kind> own = {}) {
    std::vector<std::string> all;
    for (auto const& ref : named_in(core::parse_json(json).value(), own)) all.push_back(to_string(ref));
    return all;
}

TEST(NamedIn, GoesByTheNamesOfMembers) {
    EXPECT_THAT(names(R"({"staffId":7,"shiftIdA":8,"assignedStaffIds":[9,10],"ownerUserId":11,"lead_id":12})"),
                ElementsAre("staff/7", "shift/8", "staff/9", "staff/10", "user/11", "lead/12"));
    EXPECT_THAT(names(R"({"payrollRunId":4,"externalPayrollId":"x","requestId":5,"Id":6,"staffIdea":7})"),
                ElementsAre("payroll_run/4"));
    EXPECT_THAT(names(R"({"staffId":null,"staffIds":["7",0,-1,1.5,{}],"assigned":[3]})"), ElementsAre("staff/3"));
}

TEST(NamedIn, KnowsWhoseAnAnswerIs) {
    EXPECT_THAT(names(R"({"id":7,"name":"x"})"), IsEmpty());
    EXPECT_THAT(names(R"({"id":7,"name":"x","facilityIds":[2]})", Kind::staff), ElementsAre("staff/7", "facility/2"));
    EXPECT_THAT(names(R"({"data":[{"id":7},{"id":8}],"pagination":{"id":9}})", Kind::lead),
                ElementsAre("lead/7", "lead/8"));
    EXPECT_THAT(names(R"({"data":[{"staff":{"id":7},"shift":{"id":8,"assignedStaffIds":[9]}}]})"),
                ElementsAre("staff/7", "shift/8", "staff/9"));
}

TEST(NamedIn, TakesEveryShape) {
    for (auto const* json : {"null", "7", "[]", "\"staffId\"", "[[{\"staffId\":{}}]]", "{\"id\":{\"id\":1}}"}) {
        EXPECT_THAT(names(json, Kind::staff), IsEmpty()) << json;
    }
}

TEST(PeopleAmong, AreStaffUsersAndLeadsOnce) {
    auto const people =
        people_among({{Kind::staff, 7}, {Kind::shift, 7}, {Kind::staff, 7}, {Kind::user, 8}, {Kind::lead, 9}});
    EXPECT_THAT(people.namedStaffIds, ElementsAre(7));
    EXPECT_THAT(people.namedUserIds, ElementsAre(8));
    EXPECT_THAT(people.namedLeadIds, ElementsAre(9));
}

}  // namespace
}  // namespace workforce::events
