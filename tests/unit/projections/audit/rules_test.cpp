// That every type of event is audited, shown by the activity feed, or known to be neither.
#include "projections/audit/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "events/catalogue.hpp"
#include "tests/unit/events/samples.hpp"

namespace workforce::tests {
namespace {

using projections::audit_rules;

/// Calls f(type, kind) for every type of event that there is.
template <class F>
void for_each_event_type(F f) {
    events::for_each_kind<events::Kinds>([&](events::Kind kind, auto constant) {
        using Group = events::EventsOf<decltype(constant)>;
        boost::mp11::mp_for_each<boost::mp11::mp_transform<boost::mp11::mp_identity, Group>>(
            [&](auto event) { f(decltype(event)::type::kType, kind); });
    });
}

TEST(AuditRules, EveryTypeOfEventThatTheFeedDoesNotShowHasOne) {
    std::map<std::string_view, int> rules;
    for (auto const& rule : audit_rules()) ++rules[rule.event];
    for_each_event_type([&](std::string_view type, events::Kind kind) {
        EXPECT_LE(rules[type], 1) << type;
        if (events::is_in_activity(kind)) return;
        EXPECT_EQ(rules[type], 1) << type << " needs its line in projections/audit/rules.cpp";
    });
}

TEST(AuditRules, WhatTheFeedShowsNeedsNoReason) {
    for_each_event_type([](std::string_view type, events::Kind kind) {
        if (!events::is_in_activity(kind)) return;
        auto const rule = std::ranges::find(audit_rules(), type, &projections::AuditRule::event);
        if (rule != audit_rules().end()) EXPECT_FALSE(rule->action.empty()) << type;
    });
}

TEST(AuditRules, SayTheActionOrWhyThereIsNone) {
    std::set<std::string_view> actions;
    for (auto const& rule : audit_rules()) {
        EXPECT_NE(rule.action.empty(), rule.reason.empty()) << rule.event;
        if (rule.action.empty()) continue;
        EXPECT_TRUE(std::regex_match(std::string(rule.action), std::regex("[A-Z]+(_[A-Z]+)+"))) << rule.action;
        EXPECT_TRUE(actions.insert(rule.action).second) << rule.action;
    }
}

/// The states that changes are told from are those of entries: an event that leaves none must not change one.
TEST(AuditRules, KindsWhoseChangesAreToldLeaveAllOfThem) {
    for (auto const& rule : audit_rules()) {
        auto const kind = rule.event.substr(0, rule.event.find('.'));
        if (kind != "organization" && kind != "user" && kind != "api_key") continue;
        EXPECT_FALSE(rule.action.empty()) << rule.event;
        EXPECT_EQ(rule.applies, nullptr) << rule.event;
    }
}

TEST(AuditRules, AnAssignmentIsAuditedWhereItOverrodeARule) {
    auto event = sample_of("shift.staff_assigned");
    events::ShiftStaffAssigned assigned{.staffId = 1, .source = events::AssignmentSource::direct, .overrides = {}};
    event.data = assigned;
    EXPECT_EQ(projections::audit_rule(event), nullptr);
    assigned.overrides = {{"doubleBooking", "Agreed by phone"}};
    event.data = assigned;
    auto const* rule = projections::audit_rule(event);
    ASSERT_NE(rule, nullptr);
    EXPECT_EQ(rule->action, "SHIFT_RULE_OVERRIDDEN");
    core::JsonWriter w;
    w.begin_object();
    rule->tell(w, event.data);
    w.end_object();
    EXPECT_EQ(w.text(),
              R"({"staffId":1,"source":"direct","overrides":[{"rule":"doubleBooking","comment":"Agreed by phone"}]})");
}

TEST(AuditRules, WorkLeavesNoEntry) {
    for (auto const* type : {"shift.posted", "staff.onboarded", "lead.created", "facility.updated"}) {
        EXPECT_EQ(projections::audit_rule(sample_of(type)), nullptr) << type;
    }
    EXPECT_NE(projections::audit_rule(sample_of("user.created")), nullptr);
}

}  // namespace
}  // namespace workforce::tests
