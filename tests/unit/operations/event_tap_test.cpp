// What callers hear of all that happens.
#include "operations/event_tap.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/json.hpp"
#include "events/codec.hpp"
#include "operations/reads.hpp"

namespace workforce::operations {
namespace {

Caller caller_with(std::vector<core::Permission> const& permissions) {
    Caller caller;
    for (auto const& permission : permissions) caller.permissions.set(permission.index());
    return caller;
}

events::Kind kind_of(std::string_view type) {
    return core::parse_enum<events::Kind>(type.substr(0, type.find('.'))).value();
}

TEST(HeardTypes, AreThoseOfKindsThatTheCallerMayRead) {
    auto const scheduler = caller_with({"events.view", "shifts.view"});
    auto const heard = heard_types(scheduler, {});
    ASSERT_FALSE(heard.empty());
    EXPECT_TRUE(std::ranges::is_sorted(heard));
    for (auto const& type : events::event_types()) {
        bool const hears = std::ranges::find(heard, type.type) != heard.end();
        EXPECT_EQ(hears, kind_of(type.type) == events::Kind::shift) << type.type;
    }
    EXPECT_TRUE(heard_types(caller_with({"events.view"}), {}).empty());
}

TEST(HeardTypes, SomeoneWithEveryPermissionHearsNoAnswersNorWhatIsOfThoseAloneWhomItNames) {
    Caller all;
    all.permissions.set();
    for (auto const& type : heard_types(all, {})) {
        EXPECT_NE(kind_of(type), events::Kind::command) << type;
        EXPECT_NE(kind_of(type), events::Kind::notification) << type;
        EXPECT_NE(kind_of(type), events::Kind::conversation) << type;
        EXPECT_NE(kind_of(type), events::Kind::message) << type;
    }
}

TEST(HeardTypes, SubscriptionsOfOthersTakeThePermissionToManageThem) {
    auto const own = caller_with({"events.view", "integrations.view"});
    EXPECT_FALSE(may_read(own, events::Kind::webhook)) << "webhooks.get shows everybody their own";
    EXPECT_TRUE(may_read(caller_with({"integrations.manage_webhooks"}), events::Kind::webhook));
}

TEST(HeardTypes, ArePickedByPatterns) {
    auto const caller = caller_with({"shifts.view", "staff.view"});
    EXPECT_EQ(heard_types(caller, {"shift.filled"}), std::vector<std::string>{"shift.filled"});
    EXPECT_EQ(heard_types(caller, {"*.erased", "shift.post??"}),
              (std::vector<std::string>{"shift.posted", "staff.erased"}));
    EXPECT_TRUE(heard_types(caller, {"lead.*"}).empty()) << "a kind that the caller may not read";
}

TEST(CheckPatterns, RefusesWhatNamesNoTypeOrTakesTooLong) {
    EXPECT_TRUE(check_patterns({}));
    EXPECT_TRUE(check_patterns({"*", "shift.*", "lead.created"}));
    auto const none = check_patterns({"shift.*", "shfit.*"});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, core::Code::validation_error);
    EXPECT_NE(none.error().details.find("shfit.*"), std::string::npos) << none.error().details;
    std::string costly;
    for (int i = 0; i < 48; ++i) costly += "*e";
    EXPECT_FALSE(check_patterns(std::vector(100, costly)));
}

}  // namespace
}  // namespace workforce::operations
