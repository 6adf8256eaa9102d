// Resets of a sandbox whose rows were evicted, all of them or some.
#include "commands/credential.hpp"
#include "commands/lead.hpp"
#include "commands/sandbox.hpp"
#include "commands/sandbox_data_set.hpp"
#include "tests/integration/commands/engine/residency_fixture.hpp"

namespace workforce::tests {
namespace {

/// What a reset makes, with as many people.
events::SandboxCounts data_set(std::int64_t staff = 8) {
    return {{events::Kind::staff, staff},    {events::Kind::shift, 14},    {events::Kind::lead, 5},
            {events::Kind::credential, 12},  {events::Kind::timesheet, 9}, {events::Kind::payroll_run, 2},
            {events::Kind::guardrail, 1},    {events::Kind::app, 1},       {events::Kind::agent, 1},
            {events::Kind::trigger, 1},      {events::Kind::agent_run, 2}, {events::Kind::approval, 1},
            {events::Kind::conversation, 1}, {events::Kind::message, 3},   {events::Kind::time_off, 2}};
}

class SandboxResidencyTest : public ResidencyTest {
   protected:
    SandboxResidencyTest() { caller_.sandbox = true; }

    Submission person(std::string const& name) {
        commands::CreateStaff command;
        command.firstName = core::Name(name);
        command.lastName = core::Name("Tester");
        command.email = core::Email(name + "@example.test");
        command.facilityIds = {kFacility};
        caller_.new_ids = {++last_id_};
        return make(std::move(command));
    }
    Submission lead() {
        commands::CreateLead command;
        command.name = core::ShortText("Ada");
        command.facilityId = kFacility;
        caller_.new_ids = {++last_id_};
        return make(std::move(command));
    }
    Submission credential(core::Id holder) {
        commands::AddCredential command;
        command.staffId = holder;
        command.name = core::Name("First aid");
        caller_.new_ids = {++last_id_};
        return make(std::move(command));
    }
    Submission resetting() {
        caller_.new_ids.clear();
        for (auto const& [kind, count] : commands::data_set_rows()) {
            for (std::size_t i = 0; i < count; ++i) caller_.new_ids.push_back(++last_id_);
        }
        return make(commands::ResetSandbox{kFacility, {}, {}, false});
    }
    events::SandboxCounts cleared(Submission submission) {
        auto const reply = ask(std::move(submission));
        EXPECT_EQ(reply.status, 200) << reply.body;
        if (reply.status != 200) return {};
        return core::from_stored_json<commands::SandboxResetAnswer>(reply.body).cleared;
    }
};

TEST_F(SandboxResidencyTest, FindsWhatWasEvicted) {
    caller_.sandbox = false;
    ASSERT_EQ(told(person("live")), "200");
    auto const live = last_id_;
    caller_.sandbox = true;
    ASSERT_EQ(told(person("ada")), "200");
    auto const ada = last_id_;
    ASSERT_EQ(told(credential(ada)), "200");
    ASSERT_EQ(told(shift()), "200");
    ASSERT_EQ(told(assign(last_id_, ada)), "200");
    ASSERT_EQ(told(lead()), "200");
    EXPECT_EQ(cleared(resetting()), (events::SandboxCounts{{events::Kind::staff, 1},
                                                           {events::Kind::shift, 1},
                                                           {events::Kind::lead, 1},
                                                           {events::Kind::credential, 1}}));
    EXPECT_EQ(cleared(resetting()), data_set());
    EXPECT_EQ(told(deactivate(ada)), "404 NOT_FOUND");
    EXPECT_EQ(told(person("ada")), "200") << "the address is free";
    EXPECT_EQ(cleared(resetting()), data_set(9));
    EXPECT_EQ(count<events::SandboxReset>(), 3u);
    caller_.sandbox = false;
    EXPECT_EQ(told(deactivate(live)), "200");
}

TEST_F(SandboxResidencyTest, FindsWhatReadModelsLack) {
    ASSERT_EQ(told(person("ada")), "200");
    forget(*first_);
    stop_read_models();
    ASSERT_EQ(told(person("bob")), "200");
    ASSERT_EQ(told(credential(last_id_)), "200");
    EXPECT_EQ(cleared(resetting()), (events::SandboxCounts{{events::Kind::staff, 2}, {events::Kind::credential, 1}}));
    EXPECT_EQ(cleared(resetting()), data_set()) << "of those that only memory has";
}

TEST_F(SandboxResidencyTest, DeletesWhoWasErased) {
    ASSERT_EQ(told(person("ada")), "200");
    auto const ada = last_id_;
    ASSERT_EQ(told(credential(ada)), "200");
    ASSERT_EQ(told(lead()), "200");
    ASSERT_EQ(told(make(commands::ErasePerson{{"asked for", "ops"}, {Kind::staff, ada}})), "200");
    ASSERT_EQ(told(make(commands::ErasePerson{{"asked for", "ops"}, {Kind::lead, last_id_}})), "200");
    first_->keyring.destroy("staff/" + std::to_string(ada));
    first_->keyring.destroy("lead/" + std::to_string(last_id_));
    EXPECT_EQ(
        cleared(resetting()),
        (events::SandboxCounts{{events::Kind::staff, 1}, {events::Kind::lead, 1}, {events::Kind::credential, 1}}));
    EXPECT_EQ(cleared(resetting()), data_set());
}

TEST_F(SandboxResidencyTest, ARetryGetsTheFirstAnswer) {
    auto const first = ask(keyed(resetting(), "key"));
    ASSERT_EQ(first.status, 200) << first.body;
    auto const again = ask(keyed(resetting(), "key"));
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(count<events::SandboxReset>(), 1u);
}

}  // namespace
}  // namespace workforce::tests
