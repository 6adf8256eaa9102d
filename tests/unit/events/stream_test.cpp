// Filters on the attributes of stored events.
#include "events/stream.hpp"

#include <gtest/gtest.h>

#include "events/codec.hpp"
#include "tests/unit/events/samples.hpp"

namespace workforce::events {
namespace {

constexpr auto kBody =
    R"({"specversion":"1.0","type":"shift.posted","time":"2026-07-24T10:00:12.012Z","subject":"shift/42","orgid":"7",)"
    R"("sandbox":true,"epoch":"1","data":{"type":"staff.updated","subject":"staff/1","orgid":"8"}})";
constexpr auto kAnswer = R"({"type":"command.answered","time":"2026-07-24T10:00:12Z","subject":"command","orgid":"8"})";

bool wants(StreamFilter const& filter, char const* body = kBody) { return matches(filter, body); }

TEST(StreamFilter, NarrowsByEachAttribute) {
    EXPECT_TRUE(wants({}));
    EXPECT_TRUE(wants({}, kAnswer));
    for (auto const* type : {"shift.posted", "shift.*", "*", "*.post??"}) EXPECT_TRUE(wants({.types = {type}})) << type;
    for (auto const* type : {"shift", "shift.post", "staff.updated", "staff.*"}) {
        EXPECT_FALSE(wants({.types = {type}})) << type;
    }
    EXPECT_TRUE(wants({.types = {"staff.*", "shift.posted"}})) << "any of them";
    for (auto const* aggregate : {"shift", "shift/42"}) EXPECT_TRUE(wants({.aggregates = {aggregate}})) << aggregate;
    for (auto const* aggregate : {"shift/4", "shift/421", "shif", "staff", "staff/1", ""}) {
        EXPECT_FALSE(wants({.aggregates = {aggregate}})) << aggregate;
    }
    EXPECT_TRUE(wants({.aggregates = {"command"}}, kAnswer));
    EXPECT_TRUE(wants({.organization = 7}));
    EXPECT_FALSE(wants({.organization = 8}));
    EXPECT_TRUE(wants({.sandbox = true}));
    EXPECT_FALSE(wants({.sandbox = false}));
    EXPECT_TRUE(wants({.sandbox = false}, kAnswer));
    EXPECT_TRUE(wants({.types = {"shift.*"}, .aggregates = {"shift"}, .organization = 7, .sandbox = true}));
    EXPECT_FALSE(wants({.types = {"shift.*"}, .aggregates = {"staff"}, .organization = 7, .sandbox = true}));
}

TEST(EventTime, IsOfEventsAlone) {
    tests::SampleKeyring keyring;
    for (auto const& event : tests::sample_events()) {
        auto const body = Encoder(std::string(tests::kSampleSource), keyring).encode(event.meta, event.data);
        EXPECT_EQ(event_time(body), event.meta.time) << event.meta.type;
    }
    EXPECT_EQ(event_time(kBody), std::nullopt) << "a stranger may state any time";
    EXPECT_EQ(event_time("{}"), std::nullopt);
}

}  // namespace
}  // namespace workforce::events
