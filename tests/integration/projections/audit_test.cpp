// The audit log as it is folded, listed and made anew.
#include "projections/audit/audit.hpp"

#include "events/api_key.hpp"
#include "events/organization.hpp"
#include "events/user.hpp"
#include "events/webhook.hpp"
#include "tests/integration/projections/fixture.hpp"
#include "tests/support/await.hpp"

namespace workforce::tests {
namespace {

using events::Kind;
using projections::AuditEntry;
using projections::AuditFilter;
using projections::Scope;
using Actions = std::vector<std::string>;

/// Organization 7 has user 5 and key 6, made by user 5; organization 8 has been made, and nothing else.
class AuditTest : public ProjectionsTest {
   protected:
    AuditTest() {
        for (core::Id const id : {7, 8}) {
            events::OrganizationCreated organization;
            organization.name = "Org";
            add(id, Kind::organization, id, organization);
        }
        events::UserCreated user;
        user.email = core::Email("ada@example.test");
        user.firstName = core::Name("Ada");
        user.lastName = core::Name("Byron");
        add(7, Kind::user, 5, user);
        writer_.meta.actor = {events::ActorType::user, 5, 5};
        writer_.meta.request_id = "req_key";
        writer_.meta.facility = 1;
        events::ApiKeyCreated key;
        key.name = "Export";
        key.facilityId = core::Id{1};
        add(7, Kind::api_key, 6, key);
        writer_.meta.facility = 0;
        writer_.append();
        fold();
    }

    void add(core::Id organization, Kind kind, core::Id id, events::AnyEvent const& data) {
        writer_.meta.organization = organization;
        writer_.add(kind, id, data);
    }
    void update(events::UserUpdated const& changes) {
        add(7, Kind::user, 5, changes);
        writer_.append();
        fold();
    }

    projections::Page page(Scope const& scope, AuditFilter const& filter, projections::PageRequest request) {
        request.sort = "-createdAt";
        auto found =
            await(projections::audit_page(reader_, names_, scope, request, projections::audit_filters(filter)));
        if (!found) throw std::runtime_error(found.error().message);
        return *std::move(found);
    }
    std::vector<AuditEntry> entries(Scope const& scope, AuditFilter const& filter = {}) {
        return core::from_stored_json<std::vector<AuditEntry>>(page(scope, filter, {}).rows);
    }
    Actions actions(Scope const& scope, AuditFilter const& filter = {}) {
        Actions all;
        for (auto const& entry : entries(scope, filter)) all.push_back(entry.action);
        return all;
    }

    EventWriter writer_{*log_, keyring_, 0};
    core::Database reader_{reader_options()};
    core::Database* names_ = nullptr;
    Scope const seven_{.organization = 7};
};

TEST_F(AuditTest, TellsTheNewestFirstWithWhoDidIt) {
    auto const all = entries(seven_);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].action, "API_KEY_CREATED");
    EXPECT_EQ(all[0].id, 3 * 1024);
    EXPECT_EQ(all[0].resource, "api_key:6");
    EXPECT_EQ(all[0].actor.name, "Ada Byron");
    EXPECT_EQ(all[0].requestId, "req_key");
    EXPECT_EQ(all[0].facilityId, core::Nullable<core::Id>(1));
    EXPECT_EQ(all[0].metadata.text, R"({"event":"api_key.created"})");
    EXPECT_EQ(all[1].action, "USER_CREATED");
    EXPECT_EQ(all[1].actor.name, "System");
    EXPECT_FALSE(all[1].facilityId.value);
    EXPECT_EQ(all[2].action, "ORGANIZATION_CREATED");
    EXPECT_EQ(actions({.organization = 8}), Actions{"ORGANIZATION_CREATED"});
    EXPECT_EQ(actions({.organization = 7, .sandbox = true}), Actions{});
    EXPECT_EQ(actions({.organization = 7, .facilities = {1}}), Actions{"API_KEY_CREATED"});
    EXPECT_EQ(actions({.organization = 7, .facilities = {2}}), Actions{});
}

TEST_F(AuditTest, Filters) {
    AuditFilter filter;
    filter.action = {{"USER_CREATED", "API_KEY_ROTATED"}};
    EXPECT_EQ(actions(seven_, filter), Actions{"USER_CREATED"});
    filter = {};
    filter.actorId = 5;
    EXPECT_EQ(actions(seven_, filter), Actions{"API_KEY_CREATED"});
    filter = {};
    filter.resource = "organization:7";
    EXPECT_EQ(actions(seven_, filter), Actions{"ORGANIZATION_CREATED"});
    auto const all = entries(seven_);
    filter = {};
    filter.from = all[1].createdAt;
    EXPECT_EQ(actions(seven_, filter), (Actions{"API_KEY_CREATED", "USER_CREATED"})) << "then or later";
    filter = {};
    filter.to = all[1].createdAt;
    EXPECT_EQ(actions(seven_, filter), (Actions{"USER_CREATED", "ORGANIZATION_CREATED"})) << "then or earlier";
    filter.to = core::Timestamp{all[1].createdAt.ms - 1};
    EXPECT_EQ(actions(seven_, filter), Actions{"ORGANIZATION_CREATED"});
}

TEST_F(AuditTest, Pages) {
    auto const first = page(seven_, {}, {.limit = 2});
    ASSERT_TRUE(first.has_more);
    auto const second = page(seven_, {}, {.limit = 2, .after = first.next});
    EXPECT_FALSE(second.has_more);
    auto const rest = core::from_stored_json<std::vector<AuditEntry>>(second.rows);
    ASSERT_EQ(rest.size(), 1u);
    EXPECT_EQ(rest[0].action, "ORGANIZATION_CREATED");
}

TEST_F(AuditTest, OperatorsOfThePlatformHaveNoNameAndNoAddress) {
    core::Connection({.url = database_.url()})
        .execute_sql(
            "INSERT INTO auth.request_origin VALUES (7, 'req_key', 5, '192.0.2.1', 'curl/8.5', now()), "
            "(7, 'req_operator', 99, '192.0.2.9', 'curl/8.5', now())");
    auto const own = entries(seven_).front();
    EXPECT_EQ(own.ip, core::Nullable<std::string>("192.0.2.1"));
    EXPECT_EQ(own.userAgent, core::Nullable<std::string>("curl/8.5"));
    writer_.meta.actor = {events::ActorType::user, 99, 99};
    writer_.meta.request_id = "req_operator";
    add(7, Kind::api_key, 6, events::ApiKeyRevoked{});
    writer_.append();
    fold();
    auto const theirs = entries(seven_).front();
    EXPECT_EQ(theirs.actor.name, "Operator");
    EXPECT_FALSE(theirs.ip.value || theirs.userAgent.value);
}

TEST_F(AuditTest, OperatorsKnowEachOtherInEachOrganization) {
    events::UserCreated user;
    user.email = core::Email("olga@platform.example.com");
    user.firstName = core::Name("Olga");
    user.lastName = core::Name("Low");
    add(8, Kind::user, 99, user);
    writer_.meta.actor = {events::ActorType::user, 99, 99};
    writer_.meta.request_id = "req_operator";
    add(7, Kind::api_key, 6, events::ApiKeyRevoked{});
    writer_.append();
    fold();
    core::Connection({.url = database_.url()})
        .execute_sql("INSERT INTO auth.request_origin VALUES (7, 'req_operator', 99, '192.0.2.9', 'curl/8.5', now())");
    auto options = reader_options();
    options.connection.role = "workforce_operator";
    core::Database operators(options);
    names_ = &operators;
    auto const theirs = entries(seven_).front();
    EXPECT_EQ(theirs.actor.name, "Olga Low");
    EXPECT_EQ(theirs.ip, core::Nullable<std::string>("192.0.2.9"));
    EXPECT_EQ(theirs.userAgent, core::Nullable<std::string>("curl/8.5"));
    names_ = nullptr;
    EXPECT_EQ(entries(seven_).front().actor.name, "Operator");
}

/// Each batch is folded by a runner that remembers nothing, so states come from the entries.
TEST_F(AuditTest, ChangesGoOnFromTheLastEntry) {
    events::UserUpdated changes;
    changes.role = events::Role::scheduler;
    update(changes);
    EXPECT_EQ(entries(seven_).front().changes.text, R"({"role":{"from":"viewer","to":"scheduler"}})");
    changes.role = events::Role::manager;
    changes.lastName = core::Personal<core::Name>(core::Name("Lovelace"));
    update(changes);
    EXPECT_EQ(entries(seven_).front().changes.text,
              R"({"lastName":{"from":"[personal]","to":"[personal]"},"role":{"from":"scheduler","to":"manager"}})");
}

TEST_F(AuditTest, RowsAreTheSameMadeAnewAlsoAfterAnErasure) {
    events::UserUpdated changes;
    changes.lastName = core::Personal<core::Name>(core::Name("Lovelace"));
    update(changes);
    add(7, Kind::user, 5, events::UserErased{{"asked for", "operator"}});
    writer_.append();
    fold();
    constexpr std::string_view kRows = "SELECT string_agg(t::text, E'\\n' ORDER BY id) FROM read.audit_entry t";
    auto const before = ask(std::string(kRows));
    for (auto const* personal : {"Ada", "Byron", "Lovelace", "example.test"}) {
        EXPECT_EQ(before.find(personal), std::string::npos) << personal;
    }
    keyring_.destroy("user/5");
    for (std::size_t const batch : {std::size_t{1}, std::size_t{2000}}) {
        projections::rebuild(*log_, keyring_, {.connection = connection(), .batch_records = batch}, {"audit"}, {});
        EXPECT_EQ(ask(std::string(kRows)), before) << "in batches of " << batch;
    }
    for (auto const& entry : entries(seven_)) EXPECT_EQ(entry.actor.name, entry.actor.id == 5 ? "" : "System");
}

TEST_F(AuditTest, AnOverrideIsToldAndWorkIsNot) {
    writer_.meta.facility = 1;
    add(7, Kind::shift, 1, shift_posted(1, "day", "2026-07-24T06:00:00Z"));
    add(7, Kind::shift, 1, events::ShiftStaffAssigned{1, events::AssignmentSource::direct, {}});
    add(7, Kind::shift, 1,
        events::ShiftStaffAssigned{2, events::AssignmentSource::direct, {{"doubleBooking", "Agreed by phone"}}});
    writer_.append();
    fold();
    auto const newest = entries(seven_).front();
    EXPECT_EQ(newest.action, "SHIFT_RULE_OVERRIDDEN");
    EXPECT_EQ(newest.resource, "shift:1");
    EXPECT_EQ(newest.changes.text, "{}");
    EXPECT_NE(newest.metadata.text.find(R"("overrides":[{"rule":"doubleBooking","comment":"Agreed by phone"}])"),
              std::string::npos);
    EXPECT_EQ(entries(seven_).size(), 4u);
}

TEST_F(AuditTest, ARebuildHidesAddressesThatEntriesOfBeforeTold) {
    events::WebhookCreated created;
    created.name = "Mirror";
    created.url = "https://hooks.example.test/s3cret";
    add(7, Kind::webhook, 1, created);
    writer_.append();
    fold();
    EXPECT_GE(projections::audit_projection().revision, 2) << "so that `rebuild --outdated` finds them";
    ask("UPDATE read.audit_entry SET doc = replace(doc, 'https://hooks.example.test', "
        "'https://hooks.example.test/s3cret')"
        " WHERE resource = 'webhook:1' RETURNING 1");
    ASSERT_NE(entries(seven_).front().changes.text.find("s3cret"), std::string::npos);
    projections::rebuild(*log_, keyring_, {.connection = connection()}, {"audit"}, {});
    auto const told = entries(seven_).front().changes.text;
    EXPECT_EQ(told.find("s3cret"), std::string::npos) << told;
    EXPECT_NE(told.find(R"("url":{"from":null,"to":"https://hooks.example.test"})"), std::string::npos) << told;
}

}  // namespace
}  // namespace workforce::tests
