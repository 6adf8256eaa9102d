// Taking a partition over: memory is what the log says, and a log that was meddled with is not taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/commands/fixture.hpp"

namespace workforce::tests {
namespace {

using testing::HasSubstr;

class TakeOverTest : public CommandsTest {
   protected:
    /// Some of everything that memory holds.
    void make_history() {
        for (auto const* name : {"ada", "bob", "cleo"}) EXPECT_EQ(ask(keyed(staff(name), name)).status, 201);
        auto const cleo = last_id_;
        std::vector<Id> shifts;
        for (auto const* date : {"2031-03-03", "2031-03-04", "2031-03-05"}) {
            EXPECT_EQ(ask(shift(date)).status, 200);
            shifts.push_back(last_id_);
            EXPECT_EQ(ask(assign(last_id_, cleo)).status, 200);
        }
        EXPECT_EQ(ask(make(commands::UnassignStaff{shifts[0], cleo, {}}, {Kind::shift, shifts[0]})).status, 200);
        EXPECT_EQ(ask(make(commands::CancelShift{shifts[1], std::nullopt}, {Kind::shift, shifts[1]})).status, 200);
        commands::UpdateStaff update;
        update.id = cleo;
        update.email = core::Personal<core::Email>(core::Email("cleopatra@example.test"));
        EXPECT_EQ(ask(make(update, {Kind::staff, cleo})).status, 200);
        caller_.sandbox = true;
        EXPECT_EQ(ask(staff("ada")).status, 201) << "a sandbox has addresses of its own";
        caller_.sandbox = false;
        EXPECT_EQ(ask(deactivate(101)).status, 200);
    }
    /// The message with which a new process can't take the partitions over; empty when it can.
    static std::string refusal_of(WriteSide& side) {
        try {
            side.take_over();
            return {};
        } catch (events::DamagedEvent const& damaged) {
            return damaged.what();
        }
    }
};

TEST_F(TakeOverTest, MemoryIsAfterARestartWhatItWasBefore) {
    make_history();
    auto const before = ask(look()).body;
    for (auto const& key : {commands::index_key<events::BookingsOfPerson>(false, Id{103}),
                            commands::index_key<events::StaffByEmail>(true, std::string("ada@example.test")),
                            commands::index_key<events::StaffByEmail>(false, std::string("cleopatra@example.test"))}) {
        EXPECT_THAT(before, HasSubstr("index " + core::hex_encode(key)));
    }
    auto const epoch = stats(*first_).epoch.load();
    restart();
    EXPECT_EQ(ask(look()).body, before);
    EXPECT_GT(stats(*first_).epoch, epoch);
    EXPECT_EQ(stats(*first_).head, first_->engine.head(home_).position);
    // And decisions go on from there.
    EXPECT_EQ(ask(staff("bob")).body, "DUPLICATE_RESOURCE");
    EXPECT_EQ(ask(staff("cleo")).status, 201) << "her old address is free";
    ASSERT_EQ(ask(shift("2031-03-05")).status, 200);
    EXPECT_EQ(ask(assign(last_id_, 103)).body, "STAFF_DOUBLE_BOOKED");
    EXPECT_EQ(ask(deactivate(101)).version, 2);
}

TEST_F(TakeOverTest, CommandsThatComeMeanwhileWait) {
    make_history();
    auto const other = join();
    std::vector<Call> calls;
    for (int i = 0; i < 5; ++i) calls.push_back(send(*other, staff("new" + std::to_string(i))));
    for (auto const& call : calls) EXPECT_EQ(reply(call).status, 201);
    EXPECT_EQ(stats(*other).claims, 1U);
}

TEST_F(TakeOverTest, MeddledLogIsNotTakenOver) {
    make_history();
    auto const head = first_->engine.head(home_).position;
    auto const at = " WHERE partition = " + std::to_string(home_) + " AND position = ";
    struct Case {
        std::string sql;
        std::string place;
    };
    auto const last = std::to_string(head);
    for (auto const& [sql, place] : std::vector<Case>{
             {"UPDATE log.event SET body = 'x'" + at + "4", "position 4"},
             {"UPDATE log.event SET body = replace(body, 'req_test', 'req_tset')" + at + "4", "position 5"},
             {"UPDATE log.event SET body = replace(body, 'req_test', 'req_tset')" + at + last, "position " + last},
             {"UPDATE log.event e SET body = o.body FROM log.event o WHERE e.partition = o.partition AND e.partition "
              "= " +
                  std::to_string(home_) + " AND e.position IN (4, 5) AND o.position = 9 - e.position",
              "position 4"},
             {"UPDATE log.event SET body = (SELECT body FROM log.event" + at + "2)" + at + "3", "position 3"},
             {"DELETE FROM log.event" + at + last, "position " + last}}) {
        tamper("CREATE TABLE public.kept AS SELECT * FROM log.event");
        tamper(sql);
        auto const other = join();
        auto const message = refusal_of(*other);
        EXPECT_THAT(message, HasSubstr("partition " + std::to_string(home_))) << sql;
        EXPECT_THAT(message, HasSubstr(place)) << sql;
        auto const refused = ask(*other, staff("new"));
        EXPECT_EQ(std::pair(refused.status, refused.body),
                  std::pair(std::uint16_t{503}, std::string("LOG_UNAVAILABLE")));
        tamper("DELETE FROM log.event");
        tamper("INSERT INTO log.event SELECT * FROM public.kept");
        tamper("DROP TABLE public.kept");
        EXPECT_EQ(ask(*other, look()).status, 200) << "whole again, and so taken over";
    }
}

TEST_F(TakeOverTest, LogThatIsAwayIsRetriedWithTheNextCommand) {
    auto const other = join();
    tamper("REVOKE UPDATE ON log.partition FROM workforce_writer");
    EXPECT_EQ(ask(*other, look()).body, "LOG_UNAVAILABLE");
    tamper("GRANT UPDATE ON log.partition TO workforce_writer");
    EXPECT_EQ(ask(*other, look()).status, 200);
}

TEST_F(TakeOverTest, UnknownOrganizationHasNoPartition) {
    caller_.organization = 999;
    EXPECT_EQ(ask(look()).body, "SERVICE_UNAVAILABLE");
}

}  // namespace
}  // namespace workforce::tests
