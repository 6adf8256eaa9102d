// What event triggers wait for, what they are told, and filters over that.
#include "events/trigger_types.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/json_values.hpp"
#include "events/lead.hpp"
#include "events/shift.hpp"
#include "tests/unit/events/samples.hpp"

namespace workforce::events {
namespace {

rapidjson::Document parsed(std::string_view text) { return core::parse_json(text).value(); }

bool passes(std::string_view filter, std::string_view data) { return passes_filter(parsed(filter), parsed(data)); }

std::string faults(std::string_view type, std::string_view filter) {
    std::string all;
    for (auto const& fault : faults_of_filter(type, parsed(filter))) {
        all.append(all.empty() ? "" : ", ").append(fault.field).append(" ").append(fault.rule);
    }
    return all;
}

TEST(TriggerTypes, AFamilyWaitsForAllOfIt) {
    EXPECT_TRUE(waits_for("shift.*", "shift.posted"));
    EXPECT_TRUE(waits_for("shift.*", "shift.swapped"));
    EXPECT_TRUE(waits_for("shift.posted", "shift.posted"));
    EXPECT_FALSE(waits_for("shift.posted", "shift.filled"));
    EXPECT_FALSE(waits_for("shift.*", "staff.onboarded"));
    EXPECT_FALSE(waits_for("lead.qualified", "lead.created"));
}

TEST(TriggerTypes, EachTypeOfATriggerIsToldWithTheFieldsThatItNames) {
    for (auto const type : trigger_event_types()) {
        auto const fields = trigger_event_fields(type);
        ASSERT_FALSE(fields.empty()) << type;
        for (auto const& event : tests::sample_events()) {
            if (!waits_for(type, event.meta.type)) continue;
            auto const told = trigger_event(event);
            ASSERT_TRUE(told) << event.meta.type;
            auto const data = parsed(told->data);
            for (auto const& member : data.GetObject()) {
                auto const name = core::text_of(member.name);
                EXPECT_TRUE(std::ranges::find(fields, name) != fields.end()) << event.meta.type << ' ' << name;
            }
        }
    }
    EXPECT_TRUE(trigger_event_fields("user.created").empty());
    EXPECT_FALSE(trigger_event(tests::sample_of("user.created")));
    EXPECT_FALSE(trigger_event(tests::sample_of("lead.created")));
}

TEST(TriggerTypes, NothingThatIsToldIsPersonal) {
    auto const staff = trigger_event(tests::sample_of("staff.onboarded")).value();
    auto const person = parsed(staff.data);
    for (auto const* name : {"firstName", "lastName", "email", "phone"}) EXPECT_FALSE(person.HasMember(name)) << name;
    EXPECT_EQ(person["staffId"].GetInt(), 481);
    auto const lead = parsed(trigger_event(tests::sample_of("lead.qualified")).value().data);
    EXPECT_EQ(lead["leadId"].GetInt(), 7003);
    EXPECT_EQ(lead.MemberCount(), 3U);
}

TEST(TriggerTypes, EventsOfShiftsNameTheirShiftAndWhereItIs) {
    for (auto const* type : {"shift.posted", "shift.filled", "shift.started", "shift.updated"}) {
        auto const told = trigger_event(tests::sample_of(type)).value();
        auto const data = parsed(told.data);
        EXPECT_EQ(data["shiftId"].GetInt(), 90210) << type;
        EXPECT_EQ(data["facilityId"].GetInt(), 12) << type;
        EXPECT_EQ(told.facilities, std::vector<Id>{12}) << type;
    }
}

TEST(TriggerFilter, IsEqualityOrAList) {
    constexpr std::string_view kData =
        R"({"urgency":"high","requiredWorkers":3,"rate":12.5,"facilityIds":[1,2],"note":null,"open":true})";
    EXPECT_TRUE(passes("{}", kData));
    EXPECT_TRUE(passes(R"({"urgency":"high"})", kData));
    EXPECT_FALSE(passes(R"({"urgency":"HIGH"})", kData));
    EXPECT_TRUE(passes(R"({"urgency":["low","high"]})", kData));
    EXPECT_FALSE(passes(R"({"urgency":["low","medium"]})", kData));
    EXPECT_TRUE(passes(R"({"requiredWorkers":3.0,"rate":12.50,"open":true})", kData));
    EXPECT_FALSE(passes(R"({"requiredWorkers":"3"})", kData));
    EXPECT_TRUE(passes(R"({"facilityIds":2})", kData)) << "a list has it";
    EXPECT_TRUE(passes(R"({"facilityIds":[7,1]})", kData));
    EXPECT_FALSE(passes(R"({"facilityIds":[7,8]})", kData));
    EXPECT_FALSE(passes(R"({"urgency":"high","requiredWorkers":4})", kData)) << "all have to hold";
    EXPECT_TRUE(passes(R"({"note":null,"missing":null})", kData));
    EXPECT_FALSE(passes(R"({"missing":"high"})", kData));
    EXPECT_TRUE(passes(R"({"missing":["high",null]})", kData));
}

TEST(TriggerFilter, SaysWhatIsWrongByField) {
    EXPECT_EQ(faults("shift.posted", R"({"urgency":"high","facilityId":[1,2],"shiftId":null})"), "");
    EXPECT_EQ(faults("shift.*", R"({"assignedStaffIds":[5],"openSpots":1})"), "");
    EXPECT_EQ(faults("shift.posted", R"({"urgnecy":"high"})"), "filter.urgnecy known");
    EXPECT_EQ(faults("shift.filled", R"({"urgency":"high"})"), "filter.urgency known");
    EXPECT_EQ(faults("staff.onboarded", R"({"firstName":"Ada"})"), "filter.firstName known");
    EXPECT_EQ(faults("shift.posted", R"({"urgency":{"eq":"high"},"title":[],"rate":[[1],{}]})"),
              "filter.urgency type, filter.title items, filter.rate[0] type, filter.rate[1] type");
    EXPECT_EQ(faults("shift.posted", R"({"urgency":["high","hihg"],"date":"tomorrow","facilityId":"12","breaks":1})"),
              "filter.urgency[1] enum, filter.date date, filter.facilityId type, filter.breaks type");
    EXPECT_EQ(faults("shift.posted", R"({"rate":12.5,"date":"2026-07-24","requiredWorkers":3,"title":"Night"})"), "");
    EXPECT_EQ(faults("shift.posted", "[]"), "filter type");
    std::string many = "{";
    for (int i = 0; i < 21; ++i) many += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":1";
    EXPECT_EQ(faults("shift.posted", many + "}"), "filter max_properties");
    std::string values = "0";
    for (int i = 1; i < 101; ++i) values += "," + std::to_string(i);
    EXPECT_EQ(faults("shift.posted", "{\"shiftId\":[" + values + "]}"), "filter.shiftId items");
}

}  // namespace
}  // namespace workforce::events
