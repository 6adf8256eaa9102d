// Markers and bills over a real log and database: however events are cut into batches, whatever is folded twice.
#include "workers/reactors/reactors.hpp"

#include <array>
#include <memory>
#include <string>

#include "events/lead.hpp"
#include "events/organization.hpp"
#include "events/outcomes.hpp"
#include "events/shift.hpp"
#include "projections/engine/partition_folder.hpp"
#include "tests/integration/projections/fixture.hpp"
#include "workers/engine/standing.hpp"
#include "workers/reactors/usage.hpp"

namespace workforce::tests {
namespace {

using events::Kind;
using std::chrono::hours;

class UsageReactorTest : public ProjectionsTest {
   protected:
    UsageReactorTest() {
        writer_.meta.organization = 7;
        writer_.meta.actor = {events::ActorType::api_key, 55, 0};
        writer_.meta.credential = 55;
        writer_.meta.channel = "rest";
        writer_.meta.verb = "leads.update";
        writer_.meta.outcome = "lead_qualified";
        writer_.meta.credential_type = "live";
    }

    void record_starts() {
        core::Connection owner(connection());
        workers::record_starts(
            owner, kTestPartitions,
            [&] {
                events::PostgresLogOptions options;
                options.database_url = database_.url();
                return std::make_unique<events::PostgresLog>(options);
            },
            types_);
    }
    void react(std::size_t batch = 2000) {
        auto options = runner_options(batch);
        options.tables = projections::Tables::reactors;
        auto const folds = workers::reactor_folds(keyring_, types_);
        projections::Runner runner(*log_, keyring_, options, folds);
        fold(runner);
    }
    /// A lead is qualified by the request of that number.
    void qualify(int request) {
        writer_.meta.request_id = request_id(request);
        writer_.append(Kind::lead, 5, events::LeadQualified{});
    }
    void qualify_by_tool(int request, std::string const& dedupe) {
        writer_.meta.dedupe_key = dedupe;
        writer_.meta.tool = "leads_update";
        writer_.meta.channel = "mcp";
        qualify(request);
        writer_.meta.dedupe_key = writer_.meta.tool = "";
    }
    void bill_to(std::string const& customer) {
        events::OrganizationUpdated update;
        update.billingCustomerRef = core::Nullable<core::ShortText>{core::ShortText(customer)};
        writer_.append(Kind::organization, 7, update);
    }
    /// As if the log were folded anew, as after a restore of what a process had not written.
    void forget_checkpoint() {
        ask("UPDATE reactor.checkpoint SET position = -1 WHERE projection = 'usage' RETURNING 1");
    }
    static std::string request_id(int request) {
        auto const digits = std::to_string(request);
        return "req_00000000-0000-7000-8000-" + std::string(12 - digits.size(), '0') + digits;
    }
    std::string markers() {
        return ask(
            "SELECT string_agg(right(request_id::text, 2) || ' ' || outcome, ', ' ORDER BY occurred_at) "
            "FROM reactor.usage_marker");
    }
    std::string bills() {
        return ask(
            "SELECT string_agg(right(identifier, 2) || ' ' || coalesce(subject, '-') || ' ' || status, ', ' ORDER BY "
            "occurred_at) FROM ops.billing_outbox");
    }

    std::array<workers::ReactorType, 1> const types_{workers::usage()};
    EventWriter writer_{*log_, keyring_, 0};
};

TEST_F(UsageReactorTest, MarksEachRequestOnceHoweverItIsFolded) {
    record_starts();
    for (std::size_t const batch : {1, 2000}) {
        qualify(batch == 1 ? 1 : 2);
        qualify(batch == 1 ? 1 : 2);  // a request that qualifies two
        react(batch);
    }
    EXPECT_EQ(markers(), "01 lead_qualified, 02 lead_qualified");
    EXPECT_EQ(bills(), "01 - no_subject, 02 - no_subject");
    EXPECT_EQ(ask("SELECT key_id || channel || credential_type || tool FROM reactor.usage_marker LIMIT 1"),
              "55restliveleads.update");
}

TEST_F(UsageReactorTest, SandboxAndWhatTheCommandCalledNoneHaveNoMarker) {
    record_starts();
    writer_.meta.sandbox = true;
    qualify(1);
    writer_.meta.sandbox = false;
    writer_.meta.outcome = events::kNoOutcome;
    qualify(2);
    react();
    EXPECT_EQ(markers(), "");
}

TEST_F(UsageReactorTest, RepeatsOfACallCountOnceADay) {
    record_starts();
    qualify_by_tool(1, "aa");
    qualify_by_tool(2, "aa");
    qualify_by_tool(3, "bb");
    react(1);
    writer_.wait(hours(23));
    qualify_by_tool(4, "aa");
    react();
    writer_.wait(hours(2));
    qualify_by_tool(5, "aa");
    qualify_by_tool(6, "aa");
    react();
    EXPECT_EQ(markers(), "01 lead_qualified, 03 lead_qualified, 05 lead_qualified");
}

TEST_F(UsageReactorTest, BillsWhomTheOrganizationNamedThen) {
    record_starts();
    events::OrganizationCreated created;
    created.name = core::Name("Customer");
    writer_.append(Kind::organization, 7, created);
    qualify(1);
    bill_to("cus_a");
    qualify(2);
    writer_.wait(std::chrono::milliseconds(core::now().ms - writer_.now().ms));
    bill_to("cus_b");
    qualify(3);
    react();
    EXPECT_EQ(bills(), "01 - no_subject, 02 cus_a held, 03 cus_b pending")
        << "what is old may have been sent by others";
}

TEST_F(UsageReactorTest, WhatCameBeforeTheReactorIsMarkedAndNotBilled) {
    qualify(1);
    record_starts();
    qualify(2);
    react();
    EXPECT_EQ(markers(), "01 lead_qualified, 02 lead_qualified");
    EXPECT_EQ(bills(), "02 - no_subject");
}

TEST_F(UsageReactorTest, FoldingAnewAddsNothing) {
    record_starts();
    qualify(1);
    qualify_by_tool(2, "aa");
    qualify_by_tool(3, "aa");
    react();
    auto const marked = markers();
    auto const billed = bills();
    forget_checkpoint();
    react(1);
    EXPECT_EQ(markers(), marked);
    EXPECT_EQ(bills(), billed);
}

TEST_F(UsageReactorTest, OlderEnvelopesAreJudgedByTheirVerbs) {
    record_starts();
    writer_.meta.outcome = writer_.meta.credential_type = "";
    qualify(1);
    writer_.meta.verb = "shifts.update";
    writer_.meta.request_id = request_id(2);
    writer_.append(Kind::shift, 9, events::ShiftFilled{{1}});
    writer_.meta.verb = "shifts.assign";
    writer_.meta.request_id = request_id(3);
    writer_.append(Kind::shift, 9, events::ShiftFilled{{1}});
    react();
    EXPECT_EQ(markers(), "01 lead_qualified, 03 shift_filled");
    EXPECT_EQ(ask("SELECT DISTINCT credential_type FROM reactor.usage_marker"), "live");
}

TEST(RequestUuid, IsTheRequestsOrFollowsFromIt) {
    EXPECT_EQ(workers::request_uuid("req_01a22082-a6de-71c0-8c7a-f181eb00a9e9"),
              "01a22082-a6de-71c0-8c7a-f181eb00a9e9");
    for (auto const* text :
         {"", "req_", "cli", "req_01a22082-a6de-71c0-8c7a-f181eb00a9eX", "req_01a22082xa6de-71c0-8c7a-f181eb00a9e9"}) {
        auto const uuid = workers::request_uuid(text);
        EXPECT_EQ(uuid.size(), 36U) << text;
        EXPECT_EQ(uuid, workers::request_uuid(text));
    }
    EXPECT_NE(workers::request_uuid("cli"), workers::request_uuid("cli2"));
}

}  // namespace
}  // namespace workforce::tests
