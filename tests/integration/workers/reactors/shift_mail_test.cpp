// A reactor over a real log and database: where it begins, what it folds, the work that it leaves, and what holds it.
#include "workers/reactors/reactors.hpp"

#include <array>
#include <set>

#include "events/organization.hpp"
#include "projections/engine/partition_folder.hpp"
#include "projections/engine/poison.hpp"
#include "tests/integration/projections/fixture.hpp"
#include "workers/engine/standing.hpp"
#include "workers/mail/outbox.hpp"

namespace workforce::tests {
namespace {

using events::Kind;
using projections::Tables;

class ShiftMailTest : public ProjectionsTest {
   protected:
    ShiftMailTest() : sessions_(workers::reactor_session(connection()), 2), outbox_(sessions_, keyring_) {
        first_.meta.organization = second_.meta.organization = 7;
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
    projections::RunnerOptions options(std::size_t batch = 2000) const {
        auto all = runner_options(batch);
        all.tables = Tables::reactors;
        return all;
    }
    /// Folds the log to its end, in batches of that many events.
    void react(std::size_t batch = 2000) {
        auto const folds = workers::reactor_folds(keyring_, types_);
        projections::Runner runner(*log_, keyring_, options(batch), folds);
        fold(runner);
    }
    int work_off() { return workers::work_off(sessions_, {keyring_, outbox_}, {}, types_); }
    std::vector<workers::OutboxMail> mails() {
        core::Connection session(workers::reactor_session(connection()));
        return workers::list_outbox(session, keyring_, 100);
    }
    core::Connection session() { return core::Connection(workers::reactor_session(connection())); }
    std::vector<workers::ReactorStanding> standings() {
        auto connection = session();
        return workers::read_reactors(connection, kTestPartitions, types_);
    }
    std::string count(std::string const& table) { return ask("SELECT count(*) FROM " + table); }

    static events::ShiftStaffAssigned assigned(core::Id staff) {
        events::ShiftStaffAssigned event;
        event.staffId = staff;
        return event;
    }
    void onboard_and_post(EventWriter& writer) {
        writer.add(Kind::staff, 1, staff_onboarded("Ada", "Byron"));
        writer.add(Kind::shift, 5, shift_posted(1, "Night", "2026-07-24T20:00:00Z"));
        writer.append();
    }

    std::array<workers::ReactorType, 1> const types_{workers::shift_mail()};
    EventWriter first_{*log_, keyring_, 0};
    EventWriter second_{*log_, keyring_, 1};
    core::SessionPool sessions_;
    workers::Outbox outbox_;
};

TEST_F(ShiftMailTest, ActsOnWhatComesAfterTheRecordedHeadAndKnowsWhatCameBefore) {
    onboard_and_post(first_);
    first_.append(Kind::shift, 5, assigned(1));  // before anybody knew the reactor
    record_starts();
    record_starts();  // changes nothing, least of all the heads
    events::ShiftUpdated renamed;
    renamed.title = core::Name("Late night");
    first_.append(Kind::shift, 5, renamed);
    events::StaffUpdated moved;
    moved.email = core::Email("ada@new.test");
    first_.append(Kind::staff, 1, moved);
    first_.append(Kind::shift, 5, assigned(1));
    for (std::size_t const batch : {1, 2000}) {  // however events are cut into batches
        react(batch);
        EXPECT_EQ(count("reactor.shift_mail_work"), "1") << batch;
        EXPECT_EQ(ask("SELECT position FROM reactor.shift_mail_work"), "5");
    }
    EXPECT_EQ(work_off(), 1);
    EXPECT_EQ(work_off(), 0);
    auto const sent = mails();
    ASSERT_EQ(sent.size(), 1U);
    ASSERT_TRUE(sent[0].text);
    EXPECT_EQ(sent[0].text->to, "ada@new.test");
    EXPECT_EQ(sent[0].text->subject, "You are assigned to Late night on 2026-07-24");
    EXPECT_NE(sent[0].text->text.find("Hello Ada"), std::string::npos);
    EXPECT_EQ(sent[0].person, "staff/1");
    EXPECT_EQ(sent[0].organization, 7);
}

TEST_F(ShiftMailTest, MailsOfADeactivatedOrganizationThatWaitAreDropped) {
    record_starts();
    onboard_and_post(first_);
    first_.append(Kind::shift, 5, assigned(1));
    react();
    workers::Outbox leaving(sessions_, keyring_, true);
    EXPECT_EQ(workers::work_off(sessions_, {keyring_, leaving}, {}, types_), 1);
    first_.append(Kind::shift, 5, assigned(1));  // whose mail is not written yet
    react();
    ask("INSERT INTO ops.outbox (id, organization_id, person, sealed, state) VALUES"
        " (gen_random_uuid(), 7, 'user/1', '', 'sent'), (gen_random_uuid(), 8, 'user/2', '', 'waiting') RETURNING 1");
    first_.append(Kind::organization, 7, events::OrganizationDeactivated{});
    react();
    EXPECT_EQ(count("reactor.shift_mail_work"), "0");
    EXPECT_EQ(ask("SELECT string_agg(organization_id || ' ' || state, ', ' ORDER BY organization_id, state)"
                  " FROM ops.outbox"),
              "7 dropped, 7 sent, 8 waiting");
    EXPECT_EQ(ask("SELECT last_error FROM ops.outbox WHERE state = 'dropped'"), "the organization is not active");
    EXPECT_EQ(count("reactor.inactive_organization"), "1");
    first_.append(Kind::organization, 7, events::OrganizationReactivated{});
    react();
    EXPECT_EQ(count("reactor.inactive_organization"), "0");
}

TEST_F(ShiftMailTest, BeginsNowhereWithoutARecordAndAtZeroOfALaterPartition) {
    onboard_and_post(first_);
    auto const folds = workers::reactor_folds(keyring_, types_);
    {
        core::SessionPool sessions(projections::projector_session(connection(), Tables::reactors), 1);
        projections::RowMemory rows(0);
        projections::PartitionFolder folder(*log_, keyring_, sessions, folds, 0, {}, rows);
        folder.load(true);
        EXPECT_EQ(folder.step().kind, projections::StepResult::Kind::stopped);
        EXPECT_EQ(count("reactor.checkpoint"), "0") << "it makes no start of its own";
        EXPECT_NE(folder.standings().front().reason.find("workforce migrate"), std::string::npos);
    }
    record_starts();
    EXPECT_EQ(ask("SELECT acts_after FROM reactor.checkpoint WHERE partition = 0"), "1");
    ask("DELETE FROM reactor.checkpoint WHERE partition = 0 RETURNING 1");  // as if it had been added since
    record_starts();
    EXPECT_EQ(ask("SELECT acts_after FROM reactor.checkpoint WHERE partition = 0"), "-1");
}

TEST_F(ShiftMailTest, ALogThatEndsBeforeItStopsIt) {
    record_starts();
    onboard_and_post(first_);
    react();
    ask("UPDATE reactor.checkpoint SET position = 3 WHERE partition = 0 RETURNING 1");  // of a longer log
    first_.append(Kind::shift, 5, assigned(1));
    auto const folds = workers::reactor_folds(keyring_, types_);
    core::SessionPool sessions(projections::projector_session(connection(), Tables::reactors), 1);
    projections::RowMemory rows(0);
    projections::PartitionFolder folder(*log_, keyring_, sessions, folds, 0, {}, rows);
    folder.load(true);
    EXPECT_EQ(folder.step().kind, projections::StepResult::Kind::stopped);
    EXPECT_NE(folder.standings().front().reason.find("the log ends at 2"), std::string::npos);
    for (int i = 0; i < 3; ++i) first_.append(Kind::shift, 5, assigned(1));  // the log grows past where it stands
    folder.load(true);
    EXPECT_EQ(folder.step().kind, projections::StepResult::Kind::stopped) << "what lies between would be passed over";
    EXPECT_TRUE(standings().front().paused);
}

/// Whose sessions are away for once.
class AwayKeyring final : public events::Keyring {
   public:
    explicit AwayKeyring(events::Keyring& keyring) : keyring_(keyring) {}
    std::string key_to_seal(std::string const& person) override {
        if (std::exchange(away, false)) throw core::DatabaseUnavailable("no session");
        return keyring_.key_to_seal(person);
    }
    std::optional<std::string> key_to_open(std::string const& person) override {
        if (std::exchange(away, false)) throw core::DatabaseUnavailable("no session");
        return keyring_.key_to_open(person);
    }
    void prefetch(std::span<std::string const> persons) override { keyring_.prefetch(persons); }
    void persist() override { keyring_.persist(); }
    [[nodiscard]] bool has_unstored() const override { return keyring_.has_unstored(); }
    void forget(std::string const& person) override { keyring_.forget(person); }

    bool away = true;

   private:
    events::Keyring& keyring_;
};

TEST_F(ShiftMailTest, KeysThatCanNotBeFetchedAreNoFaultOfTheEvent) {
    record_starts();
    onboard_and_post(first_);
    react();
    first_.append(Kind::shift, 5, assigned(1));
    AwayKeyring keyring(keyring_);
    auto const folds = workers::reactor_folds(keyring, types_);
    core::SessionPool sessions(projections::projector_session(connection(), Tables::reactors), 1);
    projections::RowMemory rows(0);
    projections::PartitionFolder folder(*log_, keyring_, sessions, folds, 0, {}, rows);
    folder.load(true);
    EXPECT_THROW(folder.step(), core::DatabaseUnavailable);
    EXPECT_FALSE(keyring.away);
    EXPECT_EQ(count("reactor.poison"), "0");
    folder.load(true);
    EXPECT_EQ(folder.step().kind, projections::StepResult::Kind::folded);
    EXPECT_EQ(count("reactor.shift_mail_work"), "1");
}

TEST_F(ShiftMailTest, TheSandboxSendsNothing) {
    record_starts();
    first_.meta.sandbox = true;
    onboard_and_post(first_);
    first_.append(Kind::shift, 5, assigned(1));
    react();
    EXPECT_EQ(count("reactor.shift_mail_work"), "0");
    EXPECT_EQ(count("reactor.shift_mail_staff"), "0");
}

TEST_F(ShiftMailTest, NothingPersonalIsReadableAndAnErasureReachesAllOfIt) {
    record_starts();
    onboard_and_post(first_);
    first_.append(Kind::shift, 5, assigned(1));
    react();
    EXPECT_EQ(work_off(), 1);
    first_.append(Kind::shift, 5, assigned(1));
    react();
    for (std::string const table : {"reactor.shift_mail_staff", "reactor.shift_mail_work", "ops.outbox"}) {
        EXPECT_EQ(count(table), "1");
        EXPECT_EQ(ask("SELECT count(*) FROM " + table + " WHERE encode(sealed, 'escape') ~* 'ada'"), "0") << table;
    }
    first_.append(Kind::staff, 1, events::StaffErased{});
    react();  // decoding that destroys the key here
    EXPECT_EQ(count("reactor.shift_mail_staff"), "0");
    EXPECT_EQ(work_off(), 1);
    EXPECT_EQ(count("reactor.shift_mail_work"), "0");
    auto const left = mails();
    ASSERT_EQ(left.size(), 1U) << "no second mail";
    EXPECT_FALSE(left[0].text);
}

TEST_F(ShiftMailTest, WorkersShareWorkAndTakeOverWhatIsLeftBehind) {
    record_starts();
    onboard_and_post(first_);
    for (int i = 0; i < 5; ++i) first_.append(Kind::shift, 5, assigned(1));
    react();
    auto const& work = *types_.front().work;
    auto one = session();
    auto other = session();
    auto const ids_of = [](pqxx::result const& rows) {
        std::set<std::string> ids;
        for (auto const& row : rows) ids.insert(core::read<std::string>(row["id"]));
        return ids;
    };
    std::set<std::string> taken;
    one.transaction([&] {  // while the other's claim is not committed, too
        taken = ids_of(work.claim(one, 3, std::chrono::milliseconds(0)));
        EXPECT_EQ(taken.size(), 3U);
        auto const rest = ids_of(work.claim(other, 3, std::chrono::hours(1)));
        EXPECT_EQ(rest.size(), 2U);
        for (auto const& id : rest) EXPECT_FALSE(taken.contains(id));
    });
    EXPECT_EQ(ids_of(work.claim(other, 9, std::chrono::hours(1))), taken) << "whose lease has run out";
    work.postpone(other, *taken.begin(), std::chrono::milliseconds(0), "refused");
    EXPECT_EQ(ask("SELECT last_error FROM reactor.shift_mail_work WHERE due_at <= now()"), "refused");
    EXPECT_EQ(work_off(), 1);
    EXPECT_EQ(mails().size(), 1U);
}

TEST_F(ShiftMailTest, AClaimPlannedWhileThereWasNoWorkReadsNoMoreThanItTakes) {
    auto const& work = *types_.front().work;
    auto worker = session();
    ask("VACUUM ANALYZE reactor.shift_mail_work");
    for (int i = 0; i < 10; ++i) EXPECT_EQ(work.claim(worker, 100, std::chrono::hours(1)).size(), 0U);
    ask("INSERT INTO reactor.shift_mail_work (id, partition, position, organization_id, staff_id, sealed)"
        " SELECT gen_random_uuid(), 0, n, 1, 1, '' FROM generate_series(1, 20000) n RETURNING 1");
    EXPECT_EQ(work.claim(worker, 100, std::chrono::hours(1)).size(), 100U);
    worker.execute_sql("SELECT pg_stat_force_next_flush()");
    auto const read =
        ask("SELECT seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid)"
            " FROM pg_stat_user_tables t WHERE relname = 'shift_mail_work'");
    EXPECT_LT(std::stoi(read), 1000);
}

/// Refuses its first mails.
class Moody final : public workers::Mailer {
   public:
    std::vector<std::size_t> send(std::span<workers::Mail const> mails) override {
        for (auto const& mail : mails) {
            if (refusals_-- > 0) throw std::runtime_error("no");
            sent.insert(mail.id);
        }
        ++calls;
        return {};
    }
    std::multiset<std::string> sent;  ///< their ids
    int calls = 0;                    // that were not refused

   private:
    int refusals_ = 2;
};

TEST_F(ShiftMailTest, WhatFailsIsTriedAgainLaterAndLater) {
    record_starts();
    onboard_and_post(first_);
    first_.append(Kind::shift, 5, assigned(1));
    react();
    Moody mailer;
    for (int attempt = 1; attempt <= 2; ++attempt) {
        auto const before = ask("SELECT now()");
        EXPECT_EQ(workers::work_off(sessions_, {keyring_, mailer}, {}, types_), 0);
        auto const number = std::to_string(attempt);  // and the seconds of the pause
        EXPECT_EQ(ask("SELECT attempts || last_error FROM reactor.shift_mail_work WHERE due_at >= '" + before +
                      "'::timestamptz + interval '" + number + " s'"),
                  number + "no");
        ask("UPDATE reactor.shift_mail_work SET due_at = now() RETURNING 1");
    }
    EXPECT_EQ(workers::work_off(sessions_, {keyring_, mailer}, {}, types_), 1);
    EXPECT_EQ(mailer.sent.size(), 1U);
    using std::chrono::seconds;
    EXPECT_EQ(workers::pause_after(1), seconds(1));
    EXPECT_EQ(workers::pause_after(4), seconds(8));
    EXPECT_EQ(workers::pause_after(1000), seconds(3600));
}

TEST_F(ShiftMailTest, MailsAreSentTogetherAndOneThatFailsKeepsNoOtherBack) {
    record_starts();
    onboard_and_post(first_);
    for (int i = 0; i < 3; ++i) first_.append(Kind::shift, 5, assigned(1));
    react();
    Moody mailer;
    // All are refused at first, then one of them when each goes alone.
    EXPECT_EQ(workers::work_off(sessions_, {keyring_, mailer}, {}, types_), 2);
    EXPECT_EQ(mailer.sent.size(), 2U);
    EXPECT_EQ(count("reactor.shift_mail_work"), "1");
    ask("UPDATE reactor.shift_mail_work SET due_at = now() RETURNING 1");
    for (int i = 0; i < 3; ++i) first_.append(Kind::shift, 5, assigned(1));
    react();
    mailer.calls = 0;
    EXPECT_EQ(workers::work_off(sessions_, {keyring_, mailer}, {}, types_), 4);
    EXPECT_EQ(mailer.calls, 1) << "for four mails";
    EXPECT_EQ(mailer.sent.size(), 6U);
    EXPECT_EQ(std::set(mailer.sent.begin(), mailer.sent.end()).size(), 6U) << "none of them twice";
}

TEST_F(ShiftMailTest, APauseHoldsTheBatchInHandAndTheWork) {
    record_starts();
    onboard_and_post(first_);
    first_.append(Kind::shift, 5, assigned(1));
    react();
    auto const folds = workers::reactor_folds(keyring_, types_);
    core::SessionPool sessions(projections::projector_session(connection(), Tables::reactors), 1);
    projections::RowMemory rows(0);
    projections::PartitionFolder folder(*log_, keyring_, sessions, folds, 0, {}, rows);
    folder.load(true);
    first_.append(Kind::shift, 5, assigned(1));
    auto operators = session();
    EXPECT_TRUE(workers::pause(operators, "shift_mail", "Op", "a look"));
    EXPECT_FALSE(workers::pause(operators, "shift_mail", "Other", "again"));
    EXPECT_EQ(folder.step().kind, projections::StepResult::Kind::lost_race);
    EXPECT_EQ(folder.step().kind, projections::StepResult::Kind::stopped);
    EXPECT_EQ(work_off(), 0);
    auto const held = standings().front();
    EXPECT_TRUE(held.paused);
    EXPECT_EQ(held.trouble, "paused by Op: a look");
    EXPECT_EQ(held.position, 2);
    EXPECT_EQ(held.work.rows, 1);
    EXPECT_TRUE(held.work.oldest);
    EXPECT_TRUE(workers::resume(operators, "shift_mail"));
    EXPECT_FALSE(workers::resume(operators, "shift_mail"));
    react();
    EXPECT_EQ(work_off(), 2);
}

TEST_F(ShiftMailTest, AnEventThatItCannotTakeStopsItsPartitionAlone) {
    record_starts();
    first_.append(Kind::staff, 1, staff_onboarded("Ada", "Byron"));
    first_.append(Kind::shift, 99, assigned(1));  // which nobody posted
    onboard_and_post(second_);
    second_.append(Kind::shift, 5, assigned(1));
    auto const folds = workers::reactor_folds(keyring_, types_);
    projections::Runner runner(*log_, keyring_, options(), folds);
    EXPECT_FALSE(wait_for(runner, 0, 1));
    EXPECT_TRUE(wait_for(runner, 1, 2));
    EXPECT_NE(standings()[0].trouble.find("unknown shift, 99"), std::string::npos);
    EXPECT_EQ(standings()[0].position, 0);
    EXPECT_EQ(standings()[1].trouble, "");
    core::Connection operators(projections::projector_session(connection(), Tables::reactors));
    auto const stops = projections::list_poison(operators);
    ASSERT_EQ(stops.size(), 1U);
    EXPECT_TRUE(projections::skip_poison(operators, stops[0], "Op", "a test"));
    runner.stop();
    react();  // to the end of both
    EXPECT_EQ(count("reactor.shift_mail_work"), "1");
}

TEST_F(ShiftMailTest, ARebuildOfReadModelsLeavesItAlone) {
    record_starts();
    onboard_and_post(first_);
    first_.append(Kind::shift, 5, assigned(1));
    react();
    EXPECT_EQ(work_off(), 1);
    fold();
    auto const before = ask("SELECT string_agg(c::text, ',' ORDER BY c::text) FROM reactor.checkpoint c");
    projections::rebuild(*log_, keyring_, {.connection = connection()}, {}, {});
    EXPECT_EQ(ask("SELECT string_agg(c::text, ',' ORDER BY c::text) FROM reactor.checkpoint c"), before);
    react();
    EXPECT_EQ(work_off(), 0);
    EXPECT_EQ(mails().size(), 1U);
}

TEST_F(ShiftMailTest, TheWatchNamesWhatStaysBehind) {
    record_starts();
    onboard_and_post(first_);
    projections::Progress progress(kTestPartitions, projections::names_of(projections::registry()));
    progress.note_head(0, 1);
    workers::ReactorWatch watch(sessions_, progress, kTestPartitions, workers::ReactorWatch::kPatience, types_);
    watch.look();
    auto const status = watch.status();
    ASSERT_EQ(status.size(), 2U);
    EXPECT_EQ(status[0].lag_events, 2);
    EXPECT_FALSE(status[0].stands_still()) << "it has not been behind for long";
    EXPECT_EQ(status[1].lag_events, 0);
    workers::ReactorWatch hasty(sessions_, progress, kTestPartitions, std::chrono::milliseconds(0), types_);
    for (int i = 0; i < 2; ++i) hasty.look();
    EXPECT_TRUE(hasty.status()[0].stands_still());
    EXPECT_FALSE(hasty.status()[1].stands_still());
    react();
    hasty.look();
    EXPECT_FALSE(hasty.status()[0].stands_still());
    auto operators = session();
    workers::pause(operators, "shift_mail", "Op", "a look");
    watch.look();
    EXPECT_TRUE(watch.status()[0].stands_still());
}

}  // namespace
}  // namespace workforce::tests
