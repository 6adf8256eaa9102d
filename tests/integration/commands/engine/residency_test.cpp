// Writers that forget what read models tell: what they start from, what they decide on, and what they refuse to decide
// on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pqxx/connection>
#include <pqxx/nontransaction>
#include <pqxx/transaction>

#include "tests/integration/commands/engine/residency_fixture.hpp"

namespace workforce::tests {
namespace {

using testing::HasSubstr;

TEST_F(ResidencyTest, StartFoldsNothingThatReadModelsTell) {
    for (auto const* name : {"ada", "bob", "cleo"}) ASSERT_EQ(told(keyed(staff(name), name)), "201");
    settle();
    auto const head = first_->engine.head(home_).position;
    restart();
    EXPECT_EQ(stats(*first_).base, head);
    EXPECT_EQ(stats(*first_).looked_up, 0U);
    EXPECT_EQ(onboarding("bob"), "409 DUPLICATE_RESOURCE");
    EXPECT_EQ(onboarding("dora"), "201");
    EXPECT_EQ(history().size(), records().size()) << "and the chain goes on";
}

TEST_F(ResidencyTest, TailIsFoldedOnWhatReadModelsTell) {
    ASSERT_EQ(told(staff("ada")), "201");
    auto const ada = last_id_;
    ASSERT_EQ(told(shift()), "200");
    auto const taken = last_id_;
    settle();
    auto const folded = first_->engine.head(home_).position;
    stop_read_models();
    ASSERT_EQ(told(make(renaming(ada, "lady@example.test"), {Kind::staff, ada})), "200");
    ASSERT_EQ(told(assign(taken, ada)), "200");
    ASSERT_EQ(told(staff("bob")), "201");
    auto const head = first_->engine.head(home_).position;
    restart();
    EXPECT_EQ(stats(*first_).base, folded);
    EXPECT_EQ(stats(*first_).head, head);
    EXPECT_EQ(onboarding("lady"), "409 DUPLICATE_RESOURCE") << "her address of the tail";
    EXPECT_EQ(onboarding("ada"), "201") << "her old one, which rows still tell, is free";
    EXPECT_EQ(onboarding("bob"), "409 DUPLICATE_RESOURCE");
    ASSERT_EQ(told(shift()), "200");
    EXPECT_EQ(told(assign(last_id_, ada)), "409 STAFF_DOUBLE_BOOKED");
    EXPECT_EQ(ask(deactivate(ada)).body, "STAFF_HAS_FUTURE_SHIFTS");
}

TEST_F(ResidencyTest, WhatLeftMemoryStillBindsDecisions) {
    ASSERT_EQ(told(staff("ada")), "201");
    auto const ada = last_id_;
    std::vector<Id> shifts;
    for (auto const* date : {"2031-03-03", "2031-03-04", "2031-03-03"}) {
        ASSERT_EQ(told(shift(date)), "200");
        shifts.push_back(last_id_);
    }
    EXPECT_EQ(told(assign(shifts[0], ada)), "200");
    EXPECT_EQ(told(assign(shifts[1], ada)), "200");
    EXPECT_EQ(told(assign(shifts[2], ada)), "409 STAFF_DOUBLE_BOOKED");
    commands::DeactivateFacility closing;
    closing.id = kFacility;
    EXPECT_EQ(told(make(closing, {Kind::facility, kFacility})), "409 FACILITY_IN_USE");
    commands::UpdateShift later;
    later.id = shifts[1];
    later.date = core::parse_date("2031-03-03").value();
    EXPECT_EQ(told(make(later, {Kind::shift, shifts[1]})), "409 STAFF_DOUBLE_BOOKED");
    EXPECT_EQ(told(make(commands::CancelShift{shifts[0], std::nullopt}, {Kind::shift, shifts[0]})), "200");
    EXPECT_EQ(told(assign(shifts[2], ada)), "200") << "the time is free again";
    EXPECT_EQ(told(deactivate(ada)), "409 STAFF_HAS_FUTURE_SHIFTS");
    commands::ErasePerson erasure{{"asked for", "ops"}, {events::Kind::staff, ada}};
    EXPECT_EQ(told(make(erasure)), "200");
    EXPECT_EQ(count<events::ShiftUnassigned>(), 2U) << "off both shifts ahead";
    EXPECT_EQ(onboarding("ada"), "201") << "the address is free";
    for (auto const id : shifts) {
        EXPECT_EQ(told(make(commands::CancelShift{id, std::nullopt}, {Kind::shift, id})), "200");
    }
    EXPECT_EQ(told(make(closing, {Kind::facility, kFacility})), "200");
    EXPECT_GT(stats(*first_).looked_up, 20U);
}

// With read models that stand still: what is answered is marked, and what could not be marked is not answered.
TEST_F(ResidencyTest, ARevocationIsMarkedBeforeItIsAnswered) {
    commands::CreateApiKey key;
    key.name = "integration";
    key.scopes = {core::ShortText("staff:write")};
    for (Id const id : {55, 56}) {
        tamper("INSERT INTO auth.api_key_secret (digest, key_id, organization_id) VALUES (sha256('" +
               std::to_string(id) + "'), " + std::to_string(id) + ", 7)");
        caller_.new_ids = {id};
        ASSERT_EQ(told(make(key)), "200");
    }
    forget(*first_);
    runner_.reset();
    auto const marked = [&] {
        pqxx::connection connection(database_.url());
        auto const rows = pqxx::nontransaction(connection)
                              .exec(
                                  "SELECT string_agg(key_id::text, ' ' ORDER BY key_id) FROM auth.api_key_secret "
                                  "WHERE revoked_at IS NOT NULL");
        return std::string(rows[0][0].c_str());
    };
    EXPECT_EQ(told(make(commands::RevokeApiKey{55}, {Kind::api_key, 55})), "200");
    EXPECT_EQ(marked(), "55");
    tamper("REVOKE UPDATE (revoked_at) ON auth.api_key_secret FROM workforce_projector");
    EXPECT_EQ(told(make(commands::RevokeApiKey{56}, {Kind::api_key, 56})), "503 LOG_UNAVAILABLE");
    EXPECT_EQ(count<events::ApiKeyRevoked>(), 2U);
    EXPECT_EQ(told(make(commands::RevokeApiKey{56}, {Kind::api_key, 56})), "503 LOG_UNAVAILABLE");
    tamper("GRANT UPDATE (revoked_at) ON auth.api_key_secret TO workforce_projector");
    restart();
    EXPECT_EQ(marked(), "55 56") << "the take-over marks what its predecessor did not come to";
    EXPECT_EQ(told(make(commands::RevokeApiKey{56}, {Kind::api_key, 56})), "200");
}

// Numbers of different kinds are no strangers to each other.
TEST_F(ResidencyTest, NewShiftMayHaveTheNumberOfAPerson) {
    ASSERT_EQ(told(staff("ada")), "201");
    auto const ada = last_id_;
    commands::CreateShift command;
    command.facilityId = kFacility;
    command.title = "Day";
    command.date = core::parse_date("2031-03-03").value();
    command.startTime = core::parse_time_of_day("08:00").value();
    command.endTime = core::parse_time_of_day("16:00").value();
    command.assignedStaffIds = {ada};
    caller_.new_ids = {ada};
    EXPECT_EQ(told(make(command)), "200");
    EXPECT_EQ(count<events::ShiftStaffAssigned>(), 1U);
}

// A sandbox key may name anybody's number: what it is told of is the sandbox's, and what is remembered is all there is.
TEST_F(ResidencyTest, RequestsOfTheSandboxHideNobodysShifts) {
    ASSERT_EQ(told(staff("ada")), "201");
    auto const ada = last_id_;
    std::vector<Id> shifts;
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(told(shift()), "200");
        shifts.push_back(last_id_);
    }
    ASSERT_EQ(told(assign(shifts[0], ada)), "200");
    forget(*first_);
    first_->log.hold();
    auto const blocker = send(*first_, staff("blocker"));
    first_->log.await_held();
    caller_.sandbox = true;
    auto const rehearsed = send(*first_, assign(shifts[1], ada));
    caller_.sandbox = false;
    auto const live = send(*first_, assign(shifts[1], ada));
    first_->log.release();
    EXPECT_EQ(reply(rehearsed).status, 404);
    EXPECT_EQ(reply(live).body, "STAFF_DOUBLE_BOOKED");
}

TEST_F(ResidencyTest, NewPartsOfTheUnitNeedTheRest) {
    commands::CreateUser command;
    command.firstName = core::Name("Mona");
    command.lastName = core::Name("Manager");
    command.email = core::Email("mona@example.test");
    forget(*first_);
    caller_.new_ids = {++last_id_};
    EXPECT_EQ(told(make(command)), "200");
    EXPECT_EQ(stats(*first_).faults, 0U);
}

// A look-up brings one shift that is ahead; there may be more behind it.
TEST_F(ResidencyTest, WhatWasAheadAndIsCancelledHidesNothingBehindIt) {
    std::vector<Id> shifts;
    for (auto const* date : {"2031-03-03", "2031-03-04"}) {
        ASSERT_EQ(told(shift(date)), "200");
        shifts.push_back(last_id_);
    }
    commands::DeactivateFacility closing;
    closing.id = kFacility;
    forget(*first_);
    first_->log.hold();
    std::vector<Call> calls{send(*first_, staff("blocker"))};
    first_->log.await_held();
    for (auto const id : shifts) {
        calls.push_back(send(*first_, make(commands::CancelShift{id, std::nullopt}, {Kind::shift, id})));
        calls.push_back(send(*first_, make(closing, {Kind::facility, kFacility})));
    }
    first_->log.release();
    EXPECT_EQ(reply(calls[1]).status, 200);
    EXPECT_EQ(reply(calls[2]).body, "FACILITY_IN_USE");
    EXPECT_EQ(reply(calls[3]).status, 200);
    EXPECT_EQ(reply(calls[4]).status, 200);
}

// Read models stand still: nothing leaves memory. Others who are at home in the partition are served on.
TEST_F(ResidencyTest, WhoFillsMemoryIsRefusedAlone) {
    settle();
    stop_read_models();
    std::string last = "200";
    for (int made = 0; last == "200" && made < 100; ++made) last = told(large_staff(100));
    EXPECT_EQ(last, "503 SERVICE_UNAVAILABLE");
    EXPECT_GT(stats(*first_).bytes, 3U << 20);
    EXPECT_EQ(told(shift()), "200") << "little of that kind is here";
    EXPECT_EQ(told(shift()), "503 SERVICE_UNAVAILABLE");
    EXPECT_EQ(stats(*first_).refused, 2U);

    caller_.organization = kOrganization + 1;
    while (await(first_->processor.homes().reserve(caller_.organization)) != home_) ++caller_.organization;
    commands::CreateOrganization other;
    other.name = "Quiet Care";
    EXPECT_EQ(told(make(other)), "200");
    commands::CreateFacility facility;
    facility.name = "South";
    facility.timezone = "UTC";
    caller_.new_ids = {kFacility + 1};
    EXPECT_EQ(told(make(facility)), "200");
}

// Staff's read model alone stands still: what else is changed leaves memory soon, and is taken.
TEST_F(ResidencyTest, WhoFillsMemoryIsRefusedForTheKindThatCanNotLeaveAlone) {
    settle();
    stop_read_models();
    std::string last = "200";
    for (int made = 0; last == "200" && made < 100; ++made) {
        last = told(large_staff(100));
        tamper("UPDATE projection.checkpoint SET position = " + std::to_string(stats(*first_).head) +
               " WHERE projection <> 'staff' AND partition = " + std::to_string(home_));
    }
    EXPECT_EQ(last, "503 SERVICE_UNAVAILABLE");
    EXPECT_EQ(told(shift()), "200");
    EXPECT_EQ(told(large_staff(1)), "503 SERVICE_UNAVAILABLE");
    EXPECT_EQ(stats(*first_).refused, 2U);
}

TEST_F(ResidencyTest, TroubleWithLookUpsIsToldAtItsBeginning) {
    ASSERT_EQ(told(staff("ada")), "201");
    auto const ada = last_id_;
    forget(*first_);
    tamper("UPDATE read.staff SET doc = '[]' WHERE id = " + std::to_string(ada));
    testing::internal::CaptureStderr();
    for (int batch = 0; batch < 5; ++batch) EXPECT_EQ(reply(send(*first_, deactivate(ada))).status, 503);
    std::string const said = testing::internal::GetCapturedStderr();
    auto const line = said.find("could not be looked up");
    ASSERT_NE(line, std::string::npos) << said;
    EXPECT_EQ(said.find("could not be looked up", line + 1), std::string::npos) << "not once a batch";
}

// One organization's damage is not everybody's.
TEST_F(ResidencyTest, RowThatCantBeReadHarmsOnlyItsOwn) {
    ASSERT_EQ(told(staff("ada")), "201");
    auto const ada = last_id_;
    ASSERT_EQ(told(staff("bob")), "201");
    auto const bob = last_id_;
    forget(*first_);
    tamper("UPDATE read.staff SET doc = '[]' WHERE id = " + std::to_string(ada));
    first_->log.hold();
    std::vector<Call> calls{send(*first_, shift())};
    first_->log.await_held();
    for (auto const person : {bob, ada, bob}) calls.push_back(send(*first_, deactivate(person)));
    first_->log.release();
    EXPECT_EQ(reply(calls[1]).status, 200) << reply(calls[1]).body;
    EXPECT_EQ(reply(calls[2]).status, 503);
    EXPECT_EQ(reply(calls[3]).status, 200);
}

TEST_F(ResidencyTest, WhereAnAnswerIsSaidToBeAndIsNotNothingIsDoneAgain) {
    ASSERT_EQ(told(keyed(staff("ada"), "key")), "201");
    forget(*first_);
    tamper("UPDATE read.answer SET id = id - 1024");
    EXPECT_EQ(told(keyed(staff("ada"), "key")), "503 SERVICE_UNAVAILABLE");
}

// Who starts needs the answers of a day, however far behind the read model of them is.
TEST_F(ResidencyTest, StandingAnswersAreNoReasonToFoldAll) {
    ASSERT_EQ(told(keyed(staff("ada"), "key")), "201");
    settle();
    auto const first_day = first_->engine.head(home_).position;
    stop_read_models();
    tamper("UPDATE projection.checkpoint SET position = -1 WHERE projection = 'answer'");
    restart();
    EXPECT_EQ(stats(*first_).base, -1) << "all that there is was answered today";
    EXPECT_EQ(told(keyed(staff("ada"), "key")), "201");
    EXPECT_EQ(stats(*first_).head, first_day) << "it was answered, not done";
}

TEST_F(ResidencyTest, OnlyAnErasureDestroysKeys) {
    ASSERT_EQ(told(staff("ada")), "201");
    auto const ada = last_id_;
    ASSERT_EQ(told(staff("bob")), "201");
    auto const bob = last_id_;
    settle();
    tamper("UPDATE read.staff SET doc = replace(doc, 'ada@example.test', '') WHERE id = " + std::to_string(ada));
    EXPECT_TRUE(first_->store.erased_persons().empty()) << "a blank row is no erasure";
    commands::ErasePerson erasure{{"asked for", "ops"}, {events::Kind::staff, bob}};
    EXPECT_EQ(told(make(erasure)), "200");
    settle();
    EXPECT_EQ(first_->store.erased_persons(), std::vector{"staff/" + std::to_string(bob)});
}

TEST_F(ResidencyTest, ManyThatMissAtOnceAreDecidedInTheirOrder) {
    std::vector<Id> people, shifts;
    for (int i = 0; i < 10; ++i) {
        ASSERT_EQ(told(staff("p" + std::to_string(i))), "201");
        people.push_back(last_id_);
        ASSERT_EQ(told(shift()), "200");
        shifts.push_back(last_id_);
    }
    forget(*first_);
    first_->log.hold();
    std::vector<Call> calls{send(*first_, staff("blocker"))};
    first_->log.await_held();
    // Each person is asked for twice at the same time: the first who asked gets them.
    for (std::size_t i = 0; i < 10; ++i) calls.push_back(send(*first_, assign(shifts[i], people[i])));
    for (std::size_t i = 0; i < 10; ++i) calls.push_back(send(*first_, assign(shifts[(i + 1) % 10], people[i])));
    first_->log.release();
    for (std::size_t i = 1; i <= 20; ++i) {
        auto const r = reply(calls[i]);
        EXPECT_EQ(r.status, i <= 10 ? 200 : 409) << i << " " << r.body;
    }
    EXPECT_EQ(first_->log.take_passed().back(), 20U) << "all in one append: ten assigned, ten filled";
}

// Projections do not wait for the disk: a crash of the database takes their last transactions back.
TEST_F(ResidencyTest, RowsThatACrashTookBackAreNotDecidedOn) {
    ASSERT_EQ(told(staff("ada")), "201");
    auto const ada = last_id_;
    settle();
    tamper("CREATE SCHEMA kept");
    tamper("CREATE TABLE kept.staff AS SELECT * FROM read.staff");
    tamper("ALTER TABLE kept.staff DROP COLUMN email");  // which is generated
    tamper("CREATE TABLE kept.checkpoint AS SELECT * FROM projection.checkpoint");
    ASSERT_EQ(told(make(renaming(ada, "lady@example.test"), {Kind::staff, ada})), "200");
    forget(*first_);
    stop_read_models();
    tamper("TRUNCATE read.staff, projection.checkpoint");
    tamper(
        "INSERT INTO read.staff (organization_id, facility_id, is_sandbox, id, version, facility_ids, is_active,"
        " employment_type, hourly_rate, created_at, updated_at, last_name_key, specialty_key, skill_keys, search, doc,"
        " erased, lacks_event, deleted, internals) SELECT * FROM kept.staff");
    tamper("INSERT INTO projection.checkpoint SELECT * FROM kept.checkpoint");
    auto const refused = reply(send(*first_, make(renaming(ada, "countess@example.test"), {Kind::staff, ada})));
    EXPECT_EQ(refused.status, 503) << refused.body;
    EXPECT_TRUE(core::info(refused.refused.value()).retryable);
    fold_read_models();
    auto const done = ask(make(renaming(ada, "countess@example.test"), {Kind::staff, ada}));
    EXPECT_EQ(std::pair(done.status, done.version), std::pair(std::uint16_t{200}, std::int64_t{3}));
    EXPECT_EQ(history().size(), records().size());
}

TEST_F(ResidencyTest, RowsOfAnotherRevisionCountAsNone) {
    ASSERT_EQ(told(staff("ada")), "201");
    settle();
    stop_read_models();
    tamper("UPDATE projection.checkpoint SET revision = revision + 1 WHERE projection = 'shift'");
    restart();
    EXPECT_EQ(stats(*first_).base, -1);
    EXPECT_EQ(onboarding("ada"), "409 DUPLICATE_RESOURCE");
}

TEST_F(ResidencyTest, ReadModelsAheadOfTheLogAreNoStart) {
    ASSERT_EQ(told(staff("ada")), "201");
    settle();
    stop_read_models();
    tamper("UPDATE projection.checkpoint SET position = position + 5 WHERE projection = 'shift' AND partition = " +
           std::to_string(home_));
    auto const other = join();
    EXPECT_EQ(ask(*other, look()).body, "LOG_UNAVAILABLE");
    EXPECT_THAT(other->processor.partitions().at(static_cast<std::size_t>(home_))->fault().value_or(""),
                HasSubstr("read models have folded position"));
}

TEST_F(ResidencyTest, MemoryIsBoundedWhileReadModelsStandStill) {
    forget(*first_);
    stop_read_models();
    int made = 0;
    std::string last;
    while (made < 1500 && (last = told(large_staff(5))) == "200") ++made;
    EXPECT_EQ(last, "503 SERVICE_UNAVAILABLE");
    EXPECT_GT(made, 250) << "of ten thousand bytes each";
    EXPECT_LT(made, 650);
    fold_read_models();
    settle();
    forget(*first_);
    EXPECT_EQ(told(staff("another")), "201");
}

struct SharedMemoryTest : ResidencyTest {
    SharedMemoryTest() : ResidencyTest(Recall::some) { first_->take_over(); }
};

// The other partition has nothing to keep.
TEST_F(SharedMemoryTest, APartitionKeepsWhatTheOthersLeave) {
    auto const share = kSomeBytes / kPartitionCount;
    while (stats(*first_).bytes < share + share / 2) ASSERT_EQ(told(large_staff(1)), "200");
    settle();
    auto const looked_up = stats(*first_).looked_up.load();
    for (int i = 0; i < 20; ++i) EXPECT_EQ(told(shift()), "200");
    EXPECT_EQ(stats(*first_).evicted, 0U);
    EXPECT_EQ(stats(*first_).looked_up, looked_up);
    for (int made = 0; made < 1000 && stats(*first_).evicted == 0U; ++made) ASSERT_EQ(told(large_staff(1)), "200");
    EXPECT_GT(stats(*first_).evicted, 0U) << "there is no more than that";
}

TEST_F(SharedMemoryTest, WhatAnotherPartitionMissesIsGivenBack) {
    auto const share = kSomeBytes / kPartitionCount;
    while (stats(*first_).bytes < share + share / 2) ASSERT_EQ(told(large_staff(1)), "200");
    settle();
    EXPECT_EQ(stats(*first_).evicted, 0U);
    while (await(first_->processor.homes().reserve(++caller_.organization)) == home_) {
    }
    commands::CreateOrganization other;
    other.name = "Quiet Care";
    ASSERT_EQ(told(make(other)), "200");
    auto const most = share + share / 8;
    for (int made = 0; made < 1000 && stats(*first_).bytes > most; ++made) ASSERT_EQ(told(large_staff(1)), "200");
    EXPECT_LE(stats(*first_).bytes, most);
}

TEST_F(ResidencyTest, WhoWaitsForALookUpWhenTheProcessStopsIsTold) {
    ASSERT_EQ(told(keyed(staff("ada"), "key")), "201");
    forget(*first_);
    pqxx::connection holder(database_.url());
    pqxx::work held(holder);
    held.exec("LOCK TABLE read.answer IN ACCESS EXCLUSIVE MODE");
    std::vector<Call> calls;
    for (auto const* name : {"bob", "cleo"}) {
        calls.push_back(std::make_shared<std::optional<Reply>>());
        auto ask = [](auto& processor, auto submission, auto call) -> boost::asio::awaitable<void> {
            *call = co_await processor.submit(std::move(submission));
        };
        boost::asio::co_spawn(client_, ask(first_->processor, keyed(staff(name), name), calls.back()),
                              boost::asio::detached);
    }
    ASSERT_FALSE(answered(calls[0])) << "its look-up is under way, and the other waits for the next one";
    await(first_->processor.release(home_));
    held.abort();
    first_->processor.stop();
    for (auto const& call : calls) EXPECT_EQ(reply(call).status, 503);
}

TEST_F(ResidencyTest, OldAnswersArePruned) {
    ASSERT_EQ(told(keyed(staff("ada"), "key")), "201");
    settle();
    tamper("UPDATE read.answer SET answered_at = answered_at - interval '2 days'");
    first_->store.prune_answers();
    commands::LookUp wanted{.partition = home_};
    wanted.needs.insert({.what = commands::Need::What::answer, .organization = kOrganization, .text = "key"});
    EXPECT_TRUE(first_->store.find(wanted).answers.empty());
}

}  // namespace
}  // namespace workforce::tests
