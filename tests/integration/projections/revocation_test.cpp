// Revocations that the folding of read models reads: they hold whatever becomes of the read models.
#include "events/revocations.hpp"

#include <chrono>
#include <pqxx/connection>
#include <pqxx/nontransaction>
#include <thread>

#include "events/api_key.hpp"
#include "events/organization.hpp"
#include "tests/integration/projections/fixture.hpp"

namespace workforce::tests {
namespace {

class RevocationTest : public ProjectionsTest {
   protected:
    RevocationTest() {
        writer_.meta.organization = 7;
        events::OrganizationCreated organization;
        organization.name = "Org";
        writer_.add(events::Kind::organization, 7, organization);
        events::ApiKeyCreated key;
        key.name = "key";
        for (core::Id const id : {55, 56}) {
            writer_.add(events::Kind::api_key, id, key);
            ask("INSERT INTO auth.api_key_secret (digest, key_id, organization_id) VALUES (sha256('" +
                std::to_string(id) + "'), " + std::to_string(id) + ", 7)");
        }
        writer_.append();
    }
    std::string marked() {
        return ask(
            "SELECT string_agg(key_id::text, ' ' ORDER BY key_id) FROM auth.api_key_secret "
            "WHERE revoked_at IS NOT NULL");
    }

    EventWriter writer_{*log_, keyring_, 0};
};

TEST_F(RevocationTest, IsMarkedWhileTheCheckpointIsHeld) {
    fold();
    pqxx::connection other(database_.url());
    pqxx::nontransaction holder(other);
    holder.exec("BEGIN; SELECT FROM projection.checkpoint WHERE projection = 'api_key' FOR UPDATE");
    writer_.append(events::Kind::api_key, 55, events::ApiKeyRevoked{});
    projections::Runner runner(*log_, keyring_, runner_options());
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (marked() != "55" && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(marked(), "55");
    EXPECT_EQ(ask("SELECT doc::json ->> 'status' FROM read.api_key WHERE id = 55"), "active");
    holder.exec("ROLLBACK");
    fold(runner);
    EXPECT_EQ(ask("SELECT doc::json ->> 'status' FROM read.api_key WHERE id = 55"), "revoked");
}

// Marks stand beside read models that are made anew: what an older event says comes after what a newer one said.
TEST_F(RevocationTest, TheLastEventOfAnAccountCounts) {
    auto const standing = [&] {
        return ask("SELECT string_agg(user_id || ' ' || active, ', ' ORDER BY user_id) FROM auth.account_standing");
    };
    events::UserCreated user;
    user.email = core::Email("kay@example.test");
    writer_.append(events::Kind::user, 31, user);
    fold();
    EXPECT_EQ(standing(), "") << "nothing was said of anybody";
    writer_.append(events::Kind::organization, 7, events::OrganizationDeactivated{});
    writer_.append(events::Kind::user, 31, events::UserDeactivated{});
    fold();
    EXPECT_EQ(standing(), "0 false, 31 false");
    writer_.append(events::Kind::organization, 7, events::OrganizationReactivated{});
    fold();
    EXPECT_EQ(standing(), "0 true, 31 false");
    core::Connection session({.url = database_.url(), .role = "workforce_projector"});
    events::SecretEnds again;
    again.add_account(7, 0, 2, false);
    again.add_account(7, 31, 4, false);
    again.add_account(7, 31, 3, true);
    events::mark_ends(session, again);
    EXPECT_EQ(standing(), "0 true, 31 false");
}

TEST_F(RevocationTest, TheLastRightsOfAUserCount) {
    auto const rights = [&] {
        return ask(
            "SELECT string_agg(name || ' ' || value || ' ' || number, ', ' ORDER BY name) FROM auth.account_right");
    };
    events::UserCreated user;
    user.email = core::Email("kay@example.test");
    user.role = events::Role::admin;
    writer_.append(events::Kind::user, 31, user);
    fold();
    EXPECT_EQ(rights(), "") << "as the row says";
    events::UserUpdated first;
    first.role = events::Role::viewer;
    first.facilityIds = {12, 14};
    writer_.append(events::Kind::user, 31, first);
    events::UserUpdated second;
    second.role = events::Role::manager;
    second.staffId = core::Nullable<core::Id>(core::Id{481});
    writer_.append(events::Kind::user, 31, second);
    events::UserUpdated other;
    other.firstName = core::Name("Kay");
    writer_.append(events::Kind::user, 31, other);
    fold();
    EXPECT_EQ(rights(), "facilityIds {12,14} 2, role manager 3, staffId 481 3");
    events::UserUpdated unlinked;
    unlinked.staffId = core::Nullable<core::Id>();
    writer_.append(events::Kind::user, 31, unlinked);
    fold();
    EXPECT_EQ(rights(), "facilityIds {12,14} 2, role manager 3, staffId  5");
    core::Connection session({.url = database_.url(), .role = "workforce_projector"});
    events::SecretEnds again;
    again.rights.add(7, 31, 2, first);
    again.rights.add(7, 31, 3, second);
    events::mark_ends(session, again);
    EXPECT_EQ(rights(), "facilityIds {12,14} 2, role manager 3, staffId  5");
}

// Rows of read models may be lost in a crash of the server, and so may be what a session leaves behind that writes
// them.
TEST_F(RevocationTest, IsOnDiskWhateverTheSessionIs) {
    core::Connection session(
        {.url = database_.url(), .role = "workforce_projector", .settings = {{"synchronous_commit", "off"}}});
    auto const before = ask("SELECT pg_current_wal_insert_lsn()");
    events::mark_ends(session, {.revoked = {55, 999}});
    EXPECT_EQ(ask("SELECT pg_current_wal_flush_lsn() > '" + before + "'"), "t");
    auto const first = ask("SELECT revoked_at FROM auth.api_key_secret WHERE key_id = 55");
    events::mark_ends(session, {.revoked = {55, 56}});
    EXPECT_EQ(marked(), "55 56");
    EXPECT_EQ(ask("SELECT revoked_at FROM auth.api_key_secret WHERE key_id = 55"), first) << "once, for good";
}

// The end of a rotated secret holds though read models stand still; folding it again ends no later secret.
TEST_F(RevocationTest, ARotationMarksTheSecretBeforeIt) {
    auto const insert = [&](std::string const& secret) {
        ask("INSERT INTO auth.api_key_secret (digest, key_id, organization_id, secret_id) VALUES (sha256('" + secret +
            "'), 55, 7, '" + secret + "')");
    };
    insert("second");
    insert("third");
    auto const ends = [&] {
        return ask(
            "SELECT string_agg(secret_id || ' ' || (valid_until IS NOT NULL), ', ' ORDER BY digest = sha256('55') "
            "DESC, "
            "secret_id) FROM auth.api_key_secret WHERE key_id = 55");
    };
    core::Timestamp const until{core::now().ms + 1000};
    writer_.append(events::Kind::api_key, 55, events::ApiKeyRotated{"second", "wxyz", "", until});
    fold();
    EXPECT_EQ(ends(), " true, second false, third false");
    writer_.append(events::Kind::api_key, 55, events::ApiKeyRotated{"third", "wxyz", "second", until});
    fold();
    core::Connection session({.url = database_.url(), .role = "workforce_projector"});
    events::mark_ends(session, {.rotated = {55}, .secrets = {""}, .until = {until}});
    EXPECT_EQ(ends(), " true, second true, third false");
}

}  // namespace
}  // namespace workforce::tests
