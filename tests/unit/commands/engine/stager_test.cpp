// One command after another on memory: what is staged, what is answered, and what is left as it was.
#include "commands/engine/stager.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/engine/processor.hpp"
#include "commands/erasure.hpp"
#include "commands/staff.hpp"
#include "tests/unit/commands/engine/part_fixture.hpp"

namespace workforce::tests {
namespace {

using commands::Need;
using commands::NotResident;
using commands::Pending;
using commands::Staged;
using commands::Submission;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// An organization with the person 101, all in memory.
class StagerTest : public PartTest {
   protected:
    StagerTest() : PartTest(false) {
        found_organization();
        onboard(101);
        for (auto const& event : events::decode_all(log_.read(0, 0, 100, 1 << 20), keyring_)) memory_.apply(event);
        memory_.head = log_.claim().head;
        staged_ = begin();
        given_.context.new_ids = {201};
    }
    Staged begin() {
        Staged staged;
        staged.now = now();
        staged.epoch = 5;
        staged.before = staged.after = memory_.head;
        return staged;
    }
    template <class Command>
    Submission make(Command command, events::AggregateRef target = {}) {
        auto submission = finished(commands::make_submission(std::move(command), given_.context));
        submission.target = target;
        return submission;
    }
    Submission create(std::string const& name) {
        commands::CreateStaff command;
        command.firstName = core::Name(name);
        command.lastName = core::Name("Tester");
        command.email = core::Email(name + "@example.test");
        auto submission = make(std::move(command));
        submission.success_status = 201;
        submission.location_prefix = "/api/staff/";
        return submission;
    }
    Submission deactivate(Id person) {
        return make(commands::DeactivateStaff{person, std::nullopt}, {events::Kind::staff, person});
    }
    static Submission keyed(Submission submission, std::string key, std::string fingerprint = "the request") {
        submission.idempotency = {std::move(key), std::move(fingerprint)};
        return submission;
    }
    static Submission refused(Code code) {
        Submission submission;
        submission.decide = [code](auto&&...) -> core::Result<commands::Decision> { return core::refuse(code, "no"); };
        return submission;
    }
    /// Stages the command and gives the answer that waits for the append.
    commands::Reply const& stage(Submission submission) {
        submission.context.organization = kOrganization;
        Pending pending;
        pending.submission = std::move(submission);
        stager_.stage(pending, staged_);
        return staged_.answers.back().reply;
    }
    /// The command's status, with the code of a refusal.
    std::string told(Submission submission) {
        auto const& reply = stage(finished(std::move(submission)));
        return std::to_string(reply.status) + (reply.status < 300 ? "" : " " + reply.body);
    }
    std::vector<events::Event> events() {
        std::vector<events::Record> records;
        for (auto const& body : staged_.bodies) records.push_back({0, body});
        return events::decode_all(records, keyring_);
    }
    std::vector<std::string> types() {
        std::vector<std::string> all;
        for (auto const& event : events()) all.push_back(event.meta.type);
        return all;
    }

    commands::MemoryBudget budget_{0, context_, memory_, stats_};
    commands::Stager stager_{0, context_, memory_, budget_};
    Staged staged_;
};

TEST_F(StagerTest, TheChainGoesOnOverCommands) {
    stage(keyed(create("bob"), "bob"));
    stage(deactivate(101));
    auto const all = events();
    ASSERT_THAT(types(), ElementsAre("staff.onboarded", "command.answered", "staff.deactivated"));
    auto head = staged_.before;
    EXPECT_EQ(head, log_.claim().head);
    std::vector<std::pair<int, int>> places;
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i].meta.position, head.position + 1);
        EXPECT_EQ(all[i].meta.previous_hash, head.hash);
        EXPECT_EQ(all[i].meta.epoch, 5);
        head = {head.position + 1, events::record_hash(staged_.bodies[i])};
        places.emplace_back(all[i].meta.command_index, all[i].meta.command_count);
    }
    EXPECT_EQ(staged_.after, head);
    EXPECT_EQ(memory_.head, head);
    EXPECT_THAT(places, ElementsAre(std::pair(1, 2), std::pair(2, 2), std::pair(1, 1)));
    std::size_t bytes = 0;
    for (auto const& body : staged_.bodies) bytes += body.size();
    EXPECT_EQ(staged_.bytes, bytes);
}

TEST_F(StagerTest, WhatIsStagedBindsWhatFollows) {
    EXPECT_EQ(told(create("bob")), "201");
    EXPECT_EQ(told(create("bob")), "409 DUPLICATE_RESOURCE");
    EXPECT_EQ(told(deactivate(201)), "200");
    EXPECT_EQ(staged_.answers.back().reply.version, 2);
    EXPECT_THAT(types(), ElementsAre("staff.onboarded", "staff.deactivated"));
}

TEST_F(StagerTest, AnAnswerTellsPlaceAndVersion) {
    auto const& created = stage(create("bob"));
    EXPECT_EQ(std::tuple(created.location, created.version, created.position, created.partition, created.replayed),
              std::tuple("/api/staff/201", 1, 2, 0, false));
    auto const& unchanged = stage(make(commands::ReactivateStaff{201}, {events::Kind::staff, 201}));
    EXPECT_EQ(std::tuple(unchanged.status, unchanged.version, unchanged.position), std::tuple(200, 1, -1))
        << "there was nothing to do";
}

TEST_F(StagerTest, NoTimeIsBeforeTheLogsLast) {
    memory_.last_time = {now().ms + 5000};
    stage(create("bob"));
    EXPECT_EQ(events().front().meta.time.ms, now().ms + 5000);
    EXPECT_EQ(memory_.last_time.ms, now().ms + 5000);
}

TEST_F(StagerTest, ARetryGetsTheFirstAnswer) {
    auto const first = stage(keyed(create("bob"), "key"));
    auto const count = staged_.bodies.size();
    auto const retried = stage(keyed(create("carl"), "key"));
    EXPECT_EQ(std::tuple(retried.status, retried.body, retried.location, retried.replayed),
              std::tuple(first.status, first.body, first.location, true));
    EXPECT_EQ(told(keyed(create("carl"), "key", "another request")), "409 IDEMPOTENCY_KEY_CONFLICT");
    auto const named = commands::key_that_names("key");
    EXPECT_EQ(told(keyed(create("carl"), named.key, named.fingerprint)), "201")
        << "where the key names the request, whatever was kept of the first one is of the same";
    EXPECT_EQ(staged_.bodies.size(), count) << "neither is written";
}

TEST_F(StagerTest, AnAnswerLeavesWithThePersonItTellsOf) {
    stage(keyed(create("bob"), "key"));
    stage(make(commands::ErasePerson{{"asked for", "ops"}, {events::Kind::staff, 201}}));
    EXPECT_EQ(told(keyed(create("bob"), "key")), "404 NOT_FOUND");
}

TEST_F(StagerTest, RefusalsOfTheStateAreStored) {
    EXPECT_EQ(told(keyed(create("staff101"), "key")), "409 DUPLICATE_RESOURCE");
    ASSERT_THAT(types(), ElementsAre("command.answered"));
    EXPECT_EQ(told(keyed(create("free"), "key")), "409 DUPLICATE_RESOURCE") << "the first answer";
    for (auto const code : {Code::not_found, Code::precondition_failed, Code::invalid_state_transition}) {
        auto const before = staged_.bodies.size();
        stage(finished(keyed(refused(code), std::string(core::info(code).name))));
        EXPECT_EQ(staged_.bodies.size(), before + 1) << core::info(code).name;
    }
}

TEST_F(StagerTest, RefusalsOfTheRequestOrTheMomentAreNotStored) {
    for (auto const code : {Code::validation_error, Code::unauthenticated, Code::insufficient_scope,
                            Code::concurrent_modification, Code::service_unavailable, Code::internal_error}) {
        EXPECT_THAT(told(keyed(refused(code), "key")), HasSubstr(core::info(code).name));
    }
    auto unchecked = keyed(refused(Code::not_found), "key");
    unchecked.store_refusal = false;
    EXPECT_EQ(told(std::move(unchecked)), "404 NOT_FOUND");
    EXPECT_EQ(told(refused(Code::not_found)), "404 NOT_FOUND") << "nobody can ask for it again";
    EXPECT_THAT(staged_.bodies, IsEmpty());
    EXPECT_EQ(staged_.after, staged_.before);
    EXPECT_EQ(told(keyed(create("bob"), "key")), "201");
}

TEST_F(StagerTest, AFailedDecisionIsItsCommandsAlone) {
    auto faulty = create("bob");
    faulty.decide = [](auto&&...) -> core::Result<commands::Decision> { throw std::logic_error("a bug"); };
    EXPECT_EQ(told(keyed(std::move(faulty), "key")), "500 INTERNAL_ERROR");
    EXPECT_THAT(staged_.bodies, IsEmpty());
    EXPECT_EQ(told(keyed(create("bob"), "key")), "201");
}

TEST_F(StagerTest, ACommandCarriesAnotherOneInOneAppend) {
    auto const part = deactivate(101);
    auto whole = make(commands::ReactivateStaff{101}, {events::Kind::staff, 101});
    auto acting = std::make_shared<commands::Context>(whole.context);
    acting->actor = {events::ActorType::api_key, 55, 31};
    acting->request_id = "req_of_the_part";
    acting->cause.correlation_id = "req_first";
    whole.context.request_id = "req_whole";
    whole.decide = [&](commands::View const& view,
                       commands::Context const& context) -> core::Result<commands::Decision> {
        auto inner = part.decide(view, context).value();
        commands::Decision decision;
        for (auto event : inner.events) {
            event.as = acting;
            decision.events.push_back(std::move(event));
        }
        decision.part = std::make_shared<commands::Decision const>(std::move(inner));
        decision.after = [&view](commands::Rendered const& rendered) {
            EXPECT_EQ(rendered.part, "the part's answer");
            EXPECT_FALSE(view.get<events::StaffRecord>(101)->isActive) << "the state shows what was decided";
            return std::vector<commands::NewEvent>{
                {{events::Kind::staff, 101}, 0, events::StaffEvent(events::StaffReactivated{})}};
        };
        return decision;
    };
    whole.render = [](commands::View const&, commands::Decision const& decision) {
        EXPECT_EQ(decision.part->events.size(), 1U);
        return commands::Rendered{.body = "{}", .created = {}, .part = "the part's answer"};
    };
    EXPECT_EQ(told(std::move(whole)), "200");
    auto const all = events();
    ASSERT_THAT(types(), ElementsAre("staff.deactivated", "staff.reactivated"));
    EXPECT_EQ(std::pair(all[0].meta.command_count, all[1].meta.command_index), std::pair(2, 2)) << "all or none";
    EXPECT_EQ(std::tuple(all[0].meta.request_id, all[0].meta.correlation_id, all[0].meta.actor.user),
              std::tuple("req_of_the_part", "req_first", 31));
    EXPECT_EQ(all[1].meta.request_id, "req_whole");
}

TEST_F(StagerTest, IfMatchIsJudgedWhereTheResourceIsVisible) {
    auto const expecting = [&](Id id, std::int64_t version) {
        auto submission = deactivate(id);
        submission.if_match = std::vector<std::int64_t>{version};
        return told(std::move(submission));
    };
    EXPECT_EQ(expecting(999, 1), "404 NOT_FOUND");
    EXPECT_EQ(expecting(101, 2), "412 PRECONDITION_FAILED");
    EXPECT_EQ(expecting(101, 1), "200");
}

TEST_F(StagerTest, NothingIsKeptAboutThePersonWhoseKeyIsGone) {
    keyring_.destroy("staff/101");
    commands::UpdateStaff update;
    update.id = 101;
    update.phone = core::Personal<core::Phone>(core::Phone("+4915112345678"));
    EXPECT_EQ(told(make(update, {events::Kind::staff, 101})), "409 INVALID_STATE_TRANSITION");
    EXPECT_THAT(staged_.bodies, IsEmpty());
    EXPECT_EQ(memory_.find(kOrganization)->version({events::Kind::staff, 101}), 1);
}

TEST_F(StagerTest, WhoseAccountEndedIsRefused) {
    events::UserCreated user;
    user.email = core::Email("kay@example.test");
    memory_.apply(next({events::Kind::user, 3}, events::UserEvent(user)));
    EXPECT_EQ(told(deactivate(101)), "200");
    auto ended = next({events::Kind::user, 3}, events::UserEvent(events::UserDeactivated{}));
    ended.meta.seq = 2;
    memory_.apply(ended);
    EXPECT_EQ(told(keyed(create("bob"), "key")), "401 UNAUTHENTICATED");
}

TEST_F(StagerTest, WhatIsReservedIsGivenUpWhereNothingChanges) {
    Need const need{.what = Need::What::reservation, .organization = kOrganization, .id = 201, .text = "email\nbob"};
    for (auto const& [submission, unused] :
         {std::pair(create("bob"), false), std::pair(keyed(create("bob"), "key"), true), std::pair(create("bob"), true),
          std::pair(keyed(create("bob"), "key"), true)}) {
        Pending pending;
        pending.submission = submission;
        pending.reserved = {"a command", {need}};
        staged_.unused = {};
        stager_.stage(pending, staged_);
        EXPECT_EQ(staged_.unused.needs.size(), unused ? 1U : 0U);
        EXPECT_EQ(staged_.unused.command, unused ? "a command" : "");
        EXPECT_EQ(staged_.answers.back().pending.reserved.needs.size(), unused ? 0U : 1U);
    }
}

/// A memory that has evicted everything.
class ForgetfulStagerTest : public StagerTest {
   protected:
    ForgetfulStagerTest() {
        store_all();
        staged_ = begin();
    }
    commands::Needs needs_of(Submission submission) {
        commands::Needs needs;
        stager_.add_needs_of(submission, now(), needs);
        return needs;
    }
    /// Looks up what the command needs until that is nothing more.
    void bring_in(Submission const& submission) {
        for (auto needs = needs_of(submission); !needs.empty(); needs = needs_of(submission)) {
            memory_.add(look_up(store_.truth, needs, store_.position));
            std::erase_if(needs, [](Need const& need) { return need.what == Need::What::index; });
            memory_.note_absent(needs);
        }
    }
};

TEST_F(ForgetfulStagerTest, WhatIsLackingLeavesEverythingAsItWas) {
    Pending pending;
    pending.submission = keyed(deactivate(101), "key");
    pending.reserved.command = "a command";
    auto const head = memory_.head;
    EXPECT_THROW(stager_.stage(pending, staged_), NotResident);
    EXPECT_TRUE(pending.submission.decide) << "it is the caller's still";
    EXPECT_THAT(staged_.answers, IsEmpty());
    EXPECT_THAT(staged_.bodies, IsEmpty());
    EXPECT_EQ(memory_.head, head);
    bring_in(deactivate(101));
    EXPECT_EQ(told(deactivate(101)), "200");
    EXPECT_EQ(staged_.answers.back().reply.version, 2);
}

TEST_F(ForgetfulStagerTest, NeedsAreToldAheadAndNothingIsDecided) {
    auto const needs = needs_of(deactivate(101));
    ASSERT_THAT(needs, Not(IsEmpty()));
    for (auto const& need : needs) EXPECT_EQ(need.organization, kOrganization);
    bring_in(deactivate(101));
    EXPECT_TRUE(holds(101));
    EXPECT_EQ(memory_.find(kOrganization)->version({events::Kind::staff, 101}), 1);
    EXPECT_EQ(memory_.head, log_.claim().head);
}

TEST_F(ForgetfulStagerTest, ReservationsAreTakenAtTheCommandsTurnAlone) {
    auto reserving = create("bob");
    reserving.decide = [](auto&&...) -> core::Result<commands::Decision> {
        throw NotResident{{Need{.what = Need::What::reservation, .id = 1}, Need{.id = 7}}};
    };
    auto const needs = needs_of(reserving);
    ASSERT_THAT(needs, SizeIs(1));
    EXPECT_EQ(needs.begin()->id, 7);
    auto faulty = create("bob");
    faulty.decide = [](auto&&...) -> core::Result<commands::Decision> { throw std::logic_error("a bug"); };
    EXPECT_THAT(needs_of(faulty), IsEmpty());
}

}  // namespace
}  // namespace workforce::tests
