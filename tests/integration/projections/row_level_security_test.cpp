// Row-level security alone shows nobody what is another's, whatever the queries' own conditions say.
#include <map>
#include <optional>
#include <pqxx/except>
#include <string>
#include <string_view>
#include <vector>

#include "core/connection.hpp"
#include "events/agent.hpp"
#include "events/agent_run.hpp"
#include "events/app.hpp"
#include "events/approval.hpp"
#include "events/guardrail.hpp"
#include "events/lead.hpp"
#include "events/message.hpp"
#include "events/oauth_client.hpp"
#include "events/oauth_grant.hpp"
#include "events/payroll_run.hpp"
#include "events/shift_claim.hpp"
#include "events/shift_offer.hpp"
#include "events/shift_swap.hpp"
#include "events/shift_template.hpp"
#include "events/time_off.hpp"
#include "events/timesheet.hpp"
#include "events/trigger.hpp"
#include "events/webhook.hpp"
#include "projections/engine/read_model.hpp"
#include "projections/engine/statements.hpp"
#include "projections/registry.hpp"
#include "projections/sandbox/sandboxes.hpp"
#include "projections/shifts/shifts.hpp"
#include "projections/sql.hpp"
#include "projections/staff/staff.hpp"
#include "tests/integration/projections/queries_fixture.hpp"

namespace workforce::tests {
namespace {

/// Promise 7: with the query's own condition on the tenant taken away, row-level security alone must hold.
TEST_F(QueriesTest, RowLevelSecurityHoldsWithoutTheQueriesOwnCondition) {
    add(7, Kind::lead, 1, events::LeadCreated());
    add(7, Kind::lead, 20, events::LeadCreated(), true);
    add(7, Kind::sandbox, 1, events::SandboxReset());  // of a facility's live side, which no command makes
    add(7, Kind::sandbox, 20, events::SandboxReset(), true);
    add(7, Kind::notification, 1, notification_to(5));
    add(7, Kind::notification, 20, notification_to(5), true);
    add(7, Kind::webhook, 1, events::WebhookCreated());
    add(7, Kind::webhook, 20, events::WebhookCreated(), true);
    add(7, Kind::guardrail, 1, events::GuardrailCreated());
    add(7, Kind::guardrail, 20, events::GuardrailCreated(), true);
    add(7, Kind::credential, 1, credential_of(1, events::CredentialStatus::verified));
    add(7, Kind::credential, 20, credential_of(6, events::CredentialStatus::verified), true);
    add(7, Kind::approval, 1, events::ApprovalRequested());
    add(7, Kind::approval, 20, events::ApprovalRequested(), true);
    for (core::Id const id : {1, 20}) {
        bool const sandbox = id == 20;
        add(7, Kind::agent, id, events::AgentCreated(), sandbox);
        add(7, Kind::agent_run, id, events::AgentRunQueued(), sandbox);
        add(7, Kind::trigger, id, events::TriggerCreated(), sandbox);
        add(7, Kind::app, id, events::AppConnected(), sandbox);
        events::AppExecuted executed;
        executed.executionId = id;
        add(7, Kind::app, id, executed, sandbox);
        add(7, Kind::conversation, id, events::ConversationStarted(), sandbox);
        add(7, Kind::message, id, events::MessageSent(), sandbox);
        add(7, Kind::shift_template, id, events::ShiftTemplateCreated(), sandbox);
    }
    events::TimeOffRequested off;
    off.startsAt = core::parse_timestamp("2026-08-03T00:00:00Z").value();
    off.endsAt = core::parse_timestamp("2026-08-04T00:00:00Z").value();
    for (core::Id const id : {1, 20}) {
        off.staffId = id == 20 ? 6 : 1;
        add(7, Kind::time_off, id, off, id == 20);
        add(7, Kind::time_off, id, events::TimeOffApproved{{off.staffId}}, id == 20);
    }
    events::ShiftSwapRequested swap;
    for (core::Id const id : {1, 20}) {
        swap.staffId = id == 20 ? 6 : 1;
        add(7, Kind::shift_swap, id, swap, id == 20);
        add(7, Kind::shift_claim, id, events::ShiftClaimRequested{{1, 1, swap.staffId}}, id == 20);
        add(7, Kind::shift_offer, id, events::ShiftOfferMade{{1, 1, swap.staffId}, {}}, id == 20);
    }
    add(7, Kind::oauth_client, 1, events::OAuthClientRegistered());
    add(7, Kind::oauth_grant, 1, events::OAuthGrantApproved());
    events::TimesheetSubmitted work;
    work.staffId = 1;
    work.facilityId = 1;
    add(7, Kind::timesheet, 1, work);
    work.staffId = 6;
    add(7, Kind::timesheet, 20, work, true);
    events::PayrollRunCreated run;
    run.timesheetIds = {1, 20};
    events::PayrollRunPaymentsCreated paid;
    paid.payments.resize(1);
    for (core::Id const id : {1, 20}) {
        bool const sandbox = id == 20;
        paid.payments[0].paymentId = id;
        paid.payments[0].staffId = sandbox ? 6 : 1;
        add(7, Kind::payroll_run, id, run, sandbox);
        add(7, Kind::payroll_run, id, paid, sandbox);
    }
    writer_.append();
    fold();
    std::map<std::string, std::string> queries;
    for (auto const& file : projections::sql::kFiles) {
        if (file.name.starts_with("engine/read_model/")) continue;  // made into those of each read model
        if (file.name == "usage/by_agent.sql") continue;  // the end of a statement, which reads agents as these do
        if (file.text.find("/*tenant*/") != std::string_view::npos) queries[std::string(file.name)] = file.text;
    }
    queries["sandbox/content.sql"] = projections::sandbox_content_text();
    std::map<std::string, std::string> own;  // the conditions on a person's own rows, by the query that they narrow
    for (auto const& type : projections::registry()) {
        if (!type.model) continue;
        auto const& spec = type.model->spec();
        std::string const name(type.name);
        queries[name + " find"] = projections::find_text(spec);
        if (!spec.sorts.empty()) queries[name + " list"] = projections::list_text(spec);
        if (spec.own.empty()) continue;
        own[name + " find"] = projections::find_own_text(spec);
        if (!spec.sorts.empty()) own[name + " list"] = projections::list_own_text(spec);
    }
    own["staff/find_availability.sql"] = projections::find_own_text(projections::staff().spec());
    own["shifts/find_assignments.sql"] = projections::find_own_text(projections::shifts().spec());
    for (auto const& [name, condition] : own) {
        queries[name + " of one's own"] = projections::with_own_rows(queries.at(name), condition);
    }
    std::map<std::string_view, std::vector<char const*>> const staffing{
        // parameters from $3 on
        {"staff/candidates.sql", {"1", ""}},
        {"staff/active_at.sql", {"1", "100"}},
        {"staff/planned_time.sql", {"2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z", "{1,2,3,4,5,6,11,12}"}},
        {"staff/time_off.sql", {"2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z", "{1,2,3,4,5,6,11,12}"}},
        {"staff/documents.sql", {"{1,2,3,4,5,6,11,12}", "1000000"}},
        {"staff/verified_credentials.sql", {"{1,2,3,4,5,6,11,12}"}},
        {"payroll_payments/of_run.sql", {"1", "100"}}};
    std::map<std::string_view, std::string> const live{
        {"organization find", "7"}, {"user find", "5"}, {"api_key find", "6"}};
    for (auto const& [name, sql] : queries) {
        auto text = projections::with_section(sql, "tenant", "($1::bigint IS NOT NULL AND $2::boolean IS NOT NULL)");
        text = projections::with_section(text, "facilities", "$3::bigint[] IS NULL");
        text = projections::with_section(text, "after", "($5::text IS NULL AND $6::text IS NULL)");
        text = projections::with_fragments(text, {{"key", "id"},
                                                  {"direction", "ASC"},
                                                  {"order", ""},
                                                  {"document", projections::kStaffDocument},
                                                  {"fits", "($7::bigint IS NULL OR true)"}});
        bool const by_id = text.find("t.id = $3") != std::string::npos;
        bool const is_of_staff = name.starts_with("staff find") || name.starts_with("staff/find_availability.sql");
        auto const count = [&](core::TenantContext const& context, bool sandbox_row) {
            core::Connection connection({.url = database_.url(), .role = "workforce_reader"});
            connection.use(context);
            std::vector<core::Parameter> parameters{"7", "f"};
            if (by_id) {
                auto const own = live.find(name);
                parameters.emplace_back(sandbox_row ? (is_of_staff ? "6" : "20")
                                                    : (own == live.end() ? "1" : own->second));
                parameters.emplace_back(std::nullopt);
            } else if (auto const given = staffing.find(name); given != staffing.end()) {
                for (auto const* const value : given->second) parameters.emplace_back(value);
            } else if (name.starts_with("notifications/")) {
                for (auto const* const value : {"5", "0", "100"}) parameters.emplace_back(value);
            } else {
                parameters.emplace_back(std::nullopt);
                parameters.emplace_back(name.starts_with("dashboard") ? "2026-07-24T00:00:00Z" : "100");
            }
            while (text.find("$" + std::to_string(parameters.size() + 1)) != std::string::npos) {
                bool const of_operator = name.starts_with("activity") && parameters.size() == 4;
                parameters.emplace_back(of_operator ? core::Parameter("f") : std::nullopt);
            }
            if (name.ends_with("own")) parameters.at(parameters.size() - 2) = "1";  // staff, before their facilities
            while (text.find("$" + std::to_string(parameters.size())) == std::string::npos) parameters.pop_back();
            auto const rows = connection.execute_prepared({"unfiltered", text}, parameters);
            bool const counts = name.starts_with("dashboard") || name == "notifications/count_unread.sql";
            if (!counts) return static_cast<std::int64_t>(rows.size());
            std::int64_t sum = 0;
            for (auto const& field : rows.at(0)) sum += core::read<std::int64_t>(field);
            return sum;
        };
        EXPECT_EQ(count({}, false), 0) << name << ": nobody";
        EXPECT_EQ(count({.organization = 9}, false), 0) << name << ": another organization";
        EXPECT_EQ(count({.organization = 9, .sandbox = true}, false), 0) << name << ": another's sandbox";
        EXPECT_GT(count({.organization = 7}, false), 0) << name << ": its own, or the test proves nothing";
        // A facility has the same id in the sandbox; that the row there is another one is for the test below to say.
        if (by_id && !name.starts_with("facility") && !name.starts_with("sandbox/")) {
            EXPECT_EQ(count({.organization = 7, .sandbox = true}, false), 0) << name << ": live from the sandbox";
            EXPECT_EQ(count({.organization = 7}, true), 0) << name << ": the sandbox from live";
        }
    }
    EXPECT_EQ(queries.size(), 96u) << "every query over more than one organization's rows";
}

TEST_F(QueriesTest, ByRowLevelSecurityAloneTheSandboxSeesNoLiveRowNorLiveASandboxRow) {
    core::Connection connection({.url = database_.url(), .role = "workforce_reader"});
    auto const count = [&](std::string const& table, core::TenantContext const& context, bool sandbox) {
        connection.use(context);
        std::string const sql =
            "SELECT count(*) FROM read." + table + " WHERE is_sandbox = " + (sandbox ? "true" : "false");
        return core::read<int>(connection.execute_sql(sql)[0][0]);
    };
    for (auto const& table :
         {"organization", "facility", "user_account", "api_key", "staff", "shift", "activity", "audit_entry"}) {
        EXPECT_EQ(count(table, {.organization = 7, .sandbox = true}, false), 0) << table;
        EXPECT_EQ(count(table, {.organization = 7}, true), 0) << table;
        EXPECT_GT(count(table, {.organization = 7}, false), 0) << table << ": or the test proves nothing";
    }
    EXPECT_EQ(count("facility", {.organization = 7, .sandbox = true}, true), 2);
    EXPECT_EQ(count("facility", {.organization = 8, .sandbox = true}, true), 1);
}

/// With no condition at all.
TEST_F(QueriesTest, ByRowLevelSecurityAloneEachTableShowsOneSide) {
    add(7, Kind::lead, 20, events::LeadCreated(), true);
    add(7, Kind::sandbox, 1, events::SandboxReset(), true);
    writer_.append();
    fold();
    core::Connection connection({.url = database_.url(), .role = "workforce_reader"});
    for (auto const& type : projections::registry()) {
        for (bool const sandbox : {false, true}) {
            connection.use({.organization = 7, .sandbox = sandbox});
            auto const rows = connection.execute_sql("SELECT DISTINCT is_sandbox FROM read." + std::string(type.table));
            for (auto const& row : rows) EXPECT_EQ(core::read<bool>(row[0]), sandbox) << type.table;
        }
    }
    connection.use({.organization = 7, .sandbox = true});
    for (auto const& [table, ids] : std::map<std::string, std::string>{
             {"facility", "1,2"}, {"staff", "6"}, {"shift", "20"}, {"lead", "20"}, {"sandbox", "1"}}) {
        EXPECT_EQ(core::read<std::string>(
                      connection.execute_sql("SELECT string_agg(id::text, ',' ORDER BY id) FROM read." + table)[0][0]),
                  ids)
            << table;
    }
}

TEST_F(QueriesTest, ByRowLevelSecurityAloneOperatorsSeeAllOrganizationsButNotLiveAndSandboxTogether) {
    core::Connection connection({.url = database_.url(), .role = "workforce_operator"});
    auto const count = [&](std::string const& table, bool looks_at_sandbox, bool sandbox) {
        connection.use({.sandbox = looks_at_sandbox, .operator_access = true});
        std::string const sql = "SELECT count(DISTINCT organization_id) FROM read." + table +
                                " WHERE is_sandbox = " + (sandbox ? "true" : "false");
        return core::read<int>(connection.execute_sql(sql)[0][0]);
    };
    for (auto const& table : {"facility", "shift"}) {
        EXPECT_EQ(count(table, false, false), 2) << table;
        EXPECT_EQ(count(table, false, true), 0) << table;
        EXPECT_EQ(count(table, true, false), 0) << table;
    }
    EXPECT_EQ(count("facility", true, true), 2);
    EXPECT_THROW(connection.execute_sql("DELETE FROM read.shift"), pqxx::insufficient_privilege);
    EXPECT_THROW(connection.execute_sql("SELECT FROM read.answer"), pqxx::insufficient_privilege);
}

TEST_F(QueriesTest, ReadersCanNotWriteAndSettingsDoNotOutliveTheirUser) {
    core::Connection connection({.url = database_.url(), .role = "workforce_reader"});
    connection.use({.organization = 7});
    EXPECT_GT(core::read<int>(connection.execute_sql("SELECT count(*) FROM read.shift")[0][0]), 0);
    EXPECT_THROW(connection.execute_sql("UPDATE read.shift SET version = 0"), pqxx::insufficient_privilege);
    connection.use({});
    EXPECT_EQ(core::read<int>(connection.execute_sql("SELECT count(*) FROM read.shift")[0][0]), 0);
}

}  // namespace
}  // namespace workforce::tests
