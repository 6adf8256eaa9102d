// Whom the reactor of notifications tells what: the operations that it asks for. That each makes one notification is
// tested with the service (tests/e2e/test_notifications.py).
#include "workers/reactors/reactors.hpp"

#include <gmock/gmock.h>

#include <array>

#include "events/notification.hpp"
#include "events/user.hpp"
#include "events/webhook.hpp"
#include "tests/integration/projections/fixture.hpp"
#include "workers/engine/standing.hpp"
#include "workers/mail/outbox.hpp"

namespace workforce::tests {
namespace {

using events::Kind;
using projections::Tables;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class NotificationsTest : public ProjectionsTest {
   protected:
    NotificationsTest() : sessions_(workers::reactor_session(connection()), 1), outbox_(sessions_, keyring_) {
        first_.meta.organization = 7;
        first_.meta.request_id = "req_of_the_event";
        second_.meta.organization = 9;
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
    /// Folds the log to its end, in batches of that many events.
    void react(std::size_t batch = 2000) {
        auto options = runner_options(batch);
        options.tables = Tables::reactors;
        auto const folds = workers::reactor_folds(keyring_, types_);
        projections::Runner runner(*log_, keyring_, options, folds);
        fold(runner);
    }
    /// Does the work; `asked_` has what was asked for.
    int work_off(std::optional<core::Code> refused = {}) {
        auto const submit = [&](workers::OperationRequest request) -> core::Result<workers::OperationAnswer> {
            asked_.push_back(std::move(request));
            if (away_) return core::refuse(core::Code::service_unavailable, "nobody is there");
            return workers::OperationAnswer{204, "", refused};
        };
        return workers::work_off(sessions_, {keyring_, outbox_, submit}, {}, types_);
    }
    /// Who was told what of what, since it was last asked for, oldest first: "31 shift_assigned shift:5".
    std::vector<std::string> told() {
        react();
        work_off();
        std::vector<std::string> all;
        for (auto const& request : std::exchange(asked_, {})) {
            auto const details = core::from_stored_json<events::NotificationDetails>(request.body);
            all.push_back(fmt::format("{} {} {}", details.userId, core::enum_name(details.type), details.resource));
        }
        return all;
    }

    static events::UserCreated user(std::optional<core::Id> staff = {}) {
        events::UserCreated created;
        created.email = core::Email("somebody@example.test");
        created.firstName = core::Name("Some");
        created.lastName = core::Name("Body");
        if (staff) created.staffId = *staff;
        return created;
    }
    static events::ShiftStaffAssigned assigned(core::Id staff) {
        events::ShiftStaffAssigned event;
        event.staffId = staff;
        return event;
    }
    static events::UserUpdated linked_to(core::Nullable<core::Id> staff) {
        events::UserUpdated updated;
        updated.staffId = staff;
        return updated;
    }
    static events::WebhookDisabled disabled_for(core::Id creator) {
        return {"max_retries_exceeded", "HTTP 500", "019f9391-4900-7a00-8000-000000000001", creator};
    }
    static events::CredentialExpiring expiring_of(core::Id staff) {
        events::CredentialExpiring expiring;
        expiring.staffId = staff;
        expiring.name = "Registered Nurse";
        expiring.expiresOn = core::parse_date("2026-08-23").value();
        expiring.withinDays = 30;
        return expiring;
    }
    void post(core::Id shift) { first_.append(Kind::shift, shift, shift_posted(1, "Night", "2026-07-24T20:00:00Z")); }

    std::array<workers::ReactorType, 1> const types_{workers::notifications()};
    EventWriter first_{*log_, keyring_, 0};
    EventWriter second_{*log_, keyring_, 1};
    core::SessionPool sessions_;
    workers::Outbox outbox_;
    std::vector<workers::OperationRequest> asked_;
    bool away_ = false;
};

TEST_F(NotificationsTest, TellsTheLinkedUserOncePerAssignmentHoweverEventsAreCut) {
    first_.append(Kind::user, 31, user(1));
    post(5);
    first_.append(Kind::shift, 5, assigned(1));  // before anybody knew the reactor
    record_starts();
    events::ShiftUpdated renamed;
    renamed.title = core::Name("Late night");
    renamed.startTime = core::TimeOfDay{21 * 60};
    first_.append(Kind::shift, 5, renamed);
    first_.append(Kind::shift, 5, assigned(1));
    first_.append(Kind::shift, 5, assigned(2));  // whom nobody is
    for (std::size_t const batch : {1, 2000}) {
        react(batch);
        EXPECT_EQ(ask("SELECT count(*) FROM reactor.notification_work"), "1") << batch;
    }
    EXPECT_EQ(work_off(), 1);
    EXPECT_EQ(work_off(), 0);
    ASSERT_EQ(asked_.size(), 1U);
    auto const& request = asked_.front();
    EXPECT_EQ(request.verb, "notifications.create");
    EXPECT_EQ(request.organization, 7);
    EXPECT_FALSE(request.sandbox);
    EXPECT_EQ(request.correlation_id, "req_of_the_event");
    EXPECT_EQ(request.event_id.size(), 36U);
    EXPECT_THAT(request.key, testing::StartsWith("notifications/"));
    auto const details = core::from_stored_json<events::NotificationDetails>(request.body);
    EXPECT_EQ(details.userId, 31);
    EXPECT_EQ(details.type, events::NotificationType::shift_assigned);
    EXPECT_EQ(details.body.value, "Late night on 2026-07-24, from 21:00 to 00:00.");
    EXPECT_EQ(details.resource, "shift:5");
}

TEST_F(NotificationsTest, ATryAgainAsksUnderTheSameKey) {
    record_starts();
    first_.append(Kind::user, 31, user(1));
    first_.append(Kind::user, 32, user(1));  // the same person, twice
    post(5);
    first_.append(Kind::shift, 5, assigned(1));
    react();
    away_ = true;
    EXPECT_EQ(work_off(), 0);
    EXPECT_EQ(ask("SELECT string_agg(last_error, ',') FROM reactor.notification_work"),
              "nobody is there,nobody is there");
    away_ = false;
    ask("UPDATE reactor.notification_work SET due_at = now() RETURNING 1");
    EXPECT_EQ(work_off(core::Code::internal_error), 0);
    EXPECT_EQ(ask("SELECT DISTINCT last_error FROM reactor.notification_work"), "it was refused with INTERNAL_ERROR");
    ask("UPDATE reactor.notification_work SET due_at = now() RETURNING 1");
    EXPECT_EQ(work_off(), 2);
    std::map<std::string, std::set<std::string>> bodies;
    for (auto const& request : asked_) bodies[request.key].insert(request.body);
    EXPECT_EQ(asked_.size(), 6U);
    EXPECT_EQ(bodies.size(), 2U) << "a key each for either user";
    for (auto const& [key, texts] : bodies) EXPECT_EQ(texts.size(), 1U) << key;
}

TEST_F(NotificationsTest, FollowsWhoIsWho) {
    record_starts();
    post(5);
    first_.append(Kind::user, 31, user());
    first_.append(Kind::shift, 5, assigned(1));
    EXPECT_THAT(told(), IsEmpty());
    first_.append(Kind::user, 31, linked_to(core::Id{1}));
    first_.append(Kind::shift, 5, assigned(1));
    EXPECT_THAT(told(), ElementsAre("31 shift_assigned shift:5"));
    first_.append(Kind::user, 31, linked_to(core::Id{2}));
    first_.append(Kind::shift, 5, assigned(1));
    first_.append(Kind::shift, 5, assigned(2));
    EXPECT_THAT(told(), ElementsAre("31 shift_assigned shift:5"));
    first_.append(Kind::user, 31, events::UserDeactivated{});
    first_.append(Kind::shift, 5, assigned(2));
    EXPECT_THAT(told(), IsEmpty());
    first_.append(Kind::user, 31, events::UserReactivated{});
    first_.append(Kind::shift, 5, assigned(2));
    EXPECT_THAT(told(), ElementsAre("31 shift_assigned shift:5"));
    first_.append(Kind::user, 31, linked_to({}));
    first_.append(Kind::shift, 5, assigned(2));
    EXPECT_THAT(told(), IsEmpty());
    first_.append(Kind::user, 31, linked_to(core::Id{2}));
    first_.append(Kind::user, 31, events::UserErased{});
    first_.append(Kind::shift, 5, assigned(2));
    EXPECT_THAT(told(), IsEmpty());
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.notification_user"), "0");
}

TEST_F(NotificationsTest, ACancelledShiftIsToldToAllWhoAreOnIt) {
    record_starts();
    for (core::Id const staff : {1, 2, 3}) first_.append(Kind::user, 30 + staff, user(staff));
    post(5);
    for (core::Id const staff : {1, 2, 3}) first_.append(Kind::shift, 5, assigned(staff));
    EXPECT_EQ(told().size(), 3U);
    first_.append(Kind::shift, 5, events::ShiftUnassigned{2});
    first_.append(Kind::shift, 5, events::ShiftCancelled{"Ada Byron is ill"});
    react();
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.notification_work WHERE doc LIKE '%Ada%'"), "0")
        << "reasons are free text, and may name people";
    EXPECT_THAT(told(), UnorderedElementsAre("31 shift_cancelled shift:5", "33 shift_cancelled shift:5"));
    first_.append(Kind::shift, 5, events::ShiftReopened{});
    first_.append(Kind::shift, 5, events::ShiftCancelled{});
    EXPECT_THAT(told(), IsEmpty()) << "nobody is on it any more";
    first_.append(Kind::shift, 5, events::ShiftDeleted{});
    react();
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.notification_shift"), "0");
    // All at once, in one batch.
    post(6);
    first_.append(Kind::shift, 6, assigned(1));
    first_.append(Kind::shift, 6, events::ShiftCancelled{});
    EXPECT_THAT(told(), UnorderedElementsAre("31 shift_assigned shift:6", "31 shift_cancelled shift:6"));
}

TEST_F(NotificationsTest, ADisabledWebhookIsToldToItsCreatorWhereverTheyAre) {
    record_starts();
    first_.append(Kind::user, 31, user());
    second_.append(Kind::user, 41, user());  // of another organization: who runs the platform
    react();
    events::WebhookCreated created;
    created.name = "Payroll sync";
    first_.append(Kind::webhook, 3, created);
    events::WebhookUpdated renamed;
    renamed.name = core::Name("Payroll");
    first_.append(Kind::webhook, 3, renamed);
    for (core::Id const creator : {31, 41, 0, 99}) first_.append(Kind::webhook, 3, disabled_for(creator));
    first_.meta.sandbox = true;
    first_.append(Kind::webhook, 3, disabled_for(31));
    react();
    work_off();
    std::vector<std::string> all;
    for (auto const& request : asked_) {
        auto const details = core::from_stored_json<events::NotificationDetails>(request.body);
        EXPECT_EQ(details.type, events::NotificationType::webhook_disabled);
        EXPECT_EQ(details.resource, "webhook:3");
        EXPECT_EQ(details.body.value, "Nothing is delivered to Payroll any more (max_retries_exceeded).");
        all.push_back(
            fmt::format("{} in {}{}", details.userId, request.organization, request.sandbox ? " (sandbox)" : ""));
    }
    EXPECT_THAT(all, UnorderedElementsAre("31 in 7", "41 in 9", "31 in 7 (sandbox)"));
    first_.append(Kind::webhook, 3, events::WebhookDeleted{});
    react();
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.notification_webhook"), "0");
}

TEST_F(NotificationsTest, AnExpiringCredentialIsToldToWhoeverHoldsIt) {
    first_.append(Kind::user, 31, user(1));
    first_.append(Kind::credential, 7, expiring_of(1));  // before anybody knew the reactor
    record_starts();
    first_.append(Kind::credential, 8, expiring_of(1));
    first_.append(Kind::credential, 9, expiring_of(2));  // whom nobody is
    for (std::size_t const batch : {1, 2000}) {
        react(batch);
        EXPECT_EQ(ask("SELECT count(*) FROM reactor.notification_work"), "1") << batch;
    }
    EXPECT_EQ(work_off(), 1);
    EXPECT_EQ(work_off(), 0);
    ASSERT_EQ(asked_.size(), 1U);
    EXPECT_EQ(asked_.front().verb, "notifications.create");
    EXPECT_EQ(asked_.front().organization, 7);
    auto const details = core::from_stored_json<events::NotificationDetails>(asked_.front().body);
    EXPECT_EQ(details.userId, 31);
    EXPECT_EQ(details.type, events::NotificationType::credential_expiring);
    EXPECT_EQ(details.body.value, "Registered Nurse is good until 2026-08-23.");
    EXPECT_EQ(details.resource, "credential:8");
    asked_.clear();
    first_.append(Kind::credential, 8, events::CredentialRevoked{"Forged"});
    first_.meta.sandbox = true;
    first_.append(Kind::credential, 10, expiring_of(1));
    EXPECT_THAT(told(), IsEmpty()) << "nobody signs in as somebody of the sandbox";
}

TEST_F(NotificationsTest, SandboxShiftsTellNobody) {
    record_starts();
    first_.append(Kind::user, 31, user(1));
    first_.meta.sandbox = true;
    post(5);
    first_.append(Kind::shift, 5, assigned(1));
    first_.append(Kind::shift, 5, events::ShiftCancelled{});
    EXPECT_THAT(told(), IsEmpty());
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.notification_shift"), "0");
}

TEST_F(NotificationsTest, ARebuildTellsNobodyAnything) {
    record_starts();
    first_.append(Kind::user, 31, user(1));
    post(5);
    first_.append(Kind::shift, 5, assigned(1));
    EXPECT_EQ(told().size(), 1U);
    fold();
    projections::rebuild(*log_, keyring_, {.connection = connection()}, {}, {});
    EXPECT_THAT(told(), IsEmpty());
}

}  // namespace
}  // namespace workforce::tests
