// What holds of every operation, whoever adds it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/scopes.hpp"
#include "events/aggregate.hpp"
#include "operations/operation.hpp"
#include "projections/engine/read_model.hpp"
#include "projections/registry.hpp"

namespace workforce::operations {
namespace {

bool names_one(Operation const& operation) { return operation.http.path.find("{id:int}") != std::string_view::npos; }

TEST(OperationTable, NamesAndBindingsAreUnique) {
    std::set<std::string_view> names;
    std::set<std::pair<net::Method, std::string_view>> bindings;
    for (auto const& operation : operations()) {
        if (operation.access == Access::installation || operation.access == Access::within) continue;
        EXPECT_TRUE(names.insert(operation.name).second) << operation.name;
        EXPECT_TRUE(bindings.emplace(operation.http.method, operation.http.path).second) << operation.name;
        if (operation.http.put_name.empty()) continue;
        EXPECT_TRUE(names.insert(operation.http.put_name).second) << operation.http.put_name;
        EXPECT_TRUE(bindings.emplace(net::Method::put, operation.http.path).second) << operation.name;
        EXPECT_EQ(operation.http.method, net::Method::patch) << "PUT does what PATCH does: " << operation.name;
    }
}

TEST(OperationTable, SayWhichPermissionTheyNeed) {
    for (auto const& operation : operations()) {
        EXPECT_EQ(operation.access == Access::permission, operation.permission.has_value()) << operation.name;
    }
}

TEST(OperationTable, WhatNeedsNoPermissionIsListedHere) {
    std::set<std::string_view> const free{
        "auth.me", "auth.login", "auth.token", "auth.forgot", "auth.reset", "auth.accept_invite", "auth.logout",
        "auth.sessions", "auth.mfa_enrol", "auth.mfa_confirm", "auth.mfa_disable", "auth.end_session",
        "auth.change_password", "signing_keys.list",
        // Anybody makes subscriptions of their own (domain 11.10).
        "webhooks.event_types", "webhooks.list", "webhooks.get", "webhooks.create", "webhooks.update",
        "webhooks.delete", "webhooks.rotate_secret", "webhooks.test", "webhooks.deliveries", "webhooks.redeliver",
        "webhooks.replay",
        // A calendar program shows a token of the calendar's; a search asks the lists that the caller may read.
        "calendars.get", "search.all",
        // Who sees and decides what waits depends on the approval (domain 4.5).
        "approvals.get", "ai_actions.approve", "ai_actions.reject",
        // What clients ask shows which client it is, and what people ask whether they are signed in.
        "oauth.register", "oauth.device_code", "oauth.device", "oauth.settle_device", "oauth.token", "oauth.introspect",
        "oauth.revoke", "oauth.authorize", "oauth.consent", "oauth.grants", "oauth.revoke_grant", "pages.login",
        "pages.sign_in", "pages.invite", "pages.accept_invite", "pages.reset", "pages.set_password",
        // Pages ask for other operations, each of which needs its own.
        "pages.overview", "pages.read_notification", "pages.schedule", "pages.shift", "pages.assign", "pages.unassign",
        "pages.cancel_shift", "pages.approvals", "pages.decide_approval", "pages.developers", "pages.make_key",
        "pages.rotate_key", "pages.revoke_key", "pages.own", "pages.acknowledge", "pages.share_calendar",
        "pages.ask_for_time_off", "pages.cancel_time_off", "pages.revoke_grant", "pages.end_session", "pages.sign_out",
        "pages.make_webhook", "pages.webhook", "pages.test_webhook", "pages.rotate_webhook_secret",
        "pages.delete_webhook", "pages.redeliver", "pages.requests", "pages.decide_claim", "pages.decide_swap",
        "pages.decide_time_off", "pages.claim_shift", "pages.withdraw_claim", "pages.answer_offer", "pages.answer_swap",
        "pages.offer_shift", "pages.withdraw_offer", "pages.staff", "pages.add_staff", "pages.staff_member",
        "pages.change_staff", "pages.deactivate_staff", "pages.reactivate_staff", "pages.add_credential",
        "pages.record_work", "pages.clock_in_staff", "pages.credentials", "pages.credential", "pages.change_credential",
        "pages.decide_credential", "pages.ask_registry", "pages.timesheets", "pages.approve_timesheets",
        "pages.timesheet", "pages.change_timesheet", "pages.decide_timesheet", "pages.payroll",
        "pages.draw_payroll_run", "pages.payroll_run", "pages.change_payroll_run", "pages.refill_payroll_run",
        "pages.decide_payroll_run", "pages.delete_payroll_run", "pages.post_shift", "pages.post_template",
        "pages.swap_staff", "pages.clock_in", "pages.clock_out", "pages.read_own_notification",
        "pages.read_all_notifications", "pages.add_facility", "pages.add_guardrail", "pages.add_lead",
        "pages.add_organization", "pages.add_trigger", "pages.admin", "pages.agent", "pages.agent_run",
        "pages.agent_runs", "pages.agents", "pages.audit_log", "pages.begin_conversation", "pages.billing",
        "pages.build_agent", "pages.cancel_run", "pages.change_agent", "pages.change_facility",
        "pages.change_guardrail", "pages.change_lead", "pages.change_organization", "pages.change_user",
        "pages.check_plan", "pages.conversation", "pages.deactivate_agent", "pages.deactivate_facility",
        "pages.deactivate_user", "pages.delete_guardrail", "pages.delete_lead", "pages.delete_trigger", "pages.events",
        "pages.facilities", "pages.facility", "pages.guardrail", "pages.guardrails", "pages.invite_user", "pages.lead",
        "pages.leads", "pages.messages", "pages.organization", "pages.reactivate_agent", "pages.reactivate_facility",
        "pages.reactivate_user", "pages.read_conversation", "pages.reset_invite", "pages.reset_mfa",
        "pages.reset_sandbox", "pages.retract_message", "pages.revoke_client", "pages.run_trigger", "pages.sandbox",
        "pages.save_plan", "pages.send_message", "pages.set_availability", "pages.set_own_availability",
        "pages.start_run", "pages.switch_organization", "pages.toggle_trigger", "pages.usage", "pages.user",
        "pages.users"};
    for (auto const& operation : operations()) {
        if (operation.access == Access::installation || operation.access == Access::within) continue;
        EXPECT_EQ(operation.access != Access::permission, free.contains(operation.name)) << operation.name;
    }
}

/// A read model that declares nobody's own rows refuses who sees these alone with an error of ours.
TEST(OperationTable, WhatReachesOwnRowsReadsThoseThatAreDeclared) {
    std::set<std::string_view> reads;
    for (auto const& operation : operations()) {
        if (operation.own_by == OwnBy::nobody) continue;
        EXPECT_EQ(operation.access, Access::permission) << operation.name;
        if (operation.effect != Effect::read || operation.own_by == OwnBy::user) continue;
        reads.insert(operation.name);
        ASSERT_FALSE(operation.reads.empty()) << operation.name;
        auto const& models = projections::registry();
        auto const model = std::ranges::find(models, operation.reads.front(), &projections::ProjectionType::name);
        ASSERT_TRUE(model != models.end() && model->model) << operation.name;
        EXPECT_FALSE(model->model->spec().own.empty()) << operation.name;
    }
    for (auto const* name : {"staff.list", "staff.get", "shifts.list", "shifts.get", "shifts.assignments",
                             "credentials.list", "credentials.get", "credentials.list_of_staff"}) {
        EXPECT_TRUE(reads.contains(name)) << name;
    }
}

/// The handlers of these narrow to the user themselves, which their tests show.
TEST(OperationTable, WhatGoesByTheUserIsListedHere) {
    std::set<std::string_view> names;
    for (auto const& operation : operations()) {
        if (operation.own_by == OwnBy::user) names.insert(operation.name);
    }
    EXPECT_EQ(names,
              (std::set<std::string_view>{"notifications.list", "notifications.unread_count", "notifications.read",
                                          "notifications.read_all", "conversations.list", "conversations.get",
                                          "conversations.create", "conversations.read", "messages.list", "messages.get",
                                          "messages.send", "messages.create", "messages.retract"}));
}

TEST(OperationTable, WhatHasNoSandboxIsOfLiveDataAlone) {
    for (auto const& operation : operations()) {
        if (operation.access == Access::installation || operation.access == Access::within) continue;
        for (auto const& kind : {operation.acts_on, operation.makes}) {
            if (!kind || events::is_sandboxed(*kind) || operation.effect == Effect::read) continue;
            EXPECT_TRUE(operation.live_only) << operation.name;
        }
    }
}

/// Their events leave entries in the audit log, which tell where the request came from.
TEST(OperationTable, WhatChangesUsersKeysAndOrganizationsIsAudited) {
    std::set const audited{events::Kind::organization, events::Kind::user, events::Kind::api_key};
    for (auto const& operation : operations()) {
        if (operation.access == Access::installation || operation.access == Access::within)
            continue;  // it comes from nowhere outside
        for (auto const& kind : {operation.acts_on, operation.makes}) {
            if (kind && operation.effect != Effect::read && audited.contains(*kind))
                EXPECT_TRUE(operation.audited) << operation.name;
        }
        if (operation.effect == Effect::read) EXPECT_FALSE(operation.audited) << operation.name;
    }
}

TEST(OperationTable, WhatStartsAndCancelsRunsIsAudited) {
    std::set<std::string_view> const audited{"agent_runs.start", "agent_runs.cancel", "agent_runs.cancel_all",
                                             "triggers.run_now"};
    std::size_t found = 0;
    for (auto const& operation : operations()) {
        if (!audited.contains(operation.name)) continue;
        ++found;
        EXPECT_TRUE(operation.audited) << operation.name;
    }
    EXPECT_EQ(found, audited.size());
}

TEST(OperationTable, TheMethodSaysWhatTheEffectIs) {
    for (auto const& operation : operations()) {
        if (operation.access == Access::installation || operation.access == Access::within) continue;
        EXPECT_EQ(operation.http.method == net::Method::get, operation.effect == Effect::read) << operation.name;
        EXPECT_EQ(operation.http.method == net::Method::del, operation.effect == Effect::destructive) << operation.name;
        if (operation.http.method == net::Method::del) EXPECT_EQ(operation.body, nullptr) << operation.name;
    }
}

TEST(OperationTable, WhatActsOnSomethingNamesIt) {
    for (auto const& operation : operations()) {
        if (operation.access == Access::installation || operation.access == Access::within) continue;
        EXPECT_NE(operation.handler, nullptr) << operation.name;
        if (operation.success != 202)
            EXPECT_EQ(operation.answer == nullptr, operation.success == 204) << operation.name;
        EXPECT_FALSE(operation.summary.empty()) << operation.name;
        if (operation.acts_on) EXPECT_TRUE(names_one(operation)) << operation.name;
        if (operation.makes) {
            EXPECT_EQ(names_one(operation), operation.acts_on.has_value()) << operation.name;
            if (names_one(operation)) EXPECT_FALSE(operation.located_at.empty()) << operation.name;
            if (operation.other_success == 0) EXPECT_EQ(operation.success, 201) << operation.name;
        }
        bool const changes_one = operation.effect != Effect::read && operation.appends && names_one(operation);
        EXPECT_EQ(changes_one, operation.acts_on.has_value()) << operation.name << ": If-Match goes by it";
    }
}

}  // namespace
}  // namespace workforce::operations
