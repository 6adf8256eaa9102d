// What may be written while processes of the release before still live.
#include "events/activations.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "events/agent_run.hpp"
#include "events/api_key.hpp"
#include "events/approval.hpp"
#include "events/codec.hpp"
#include "events/shift.hpp"
#include "events/trigger.hpp"
#include "events/upcast.hpp"
#include "tests/unit/events/samples.hpp"

namespace workforce::tests {
namespace {

using events::Activations;
using nlohmann::json;

std::size_t known() { return events::known_versions().size(); }

TEST(Activations, AreWhatWasActivatedAndNeverLess) {
    Activations activations;
    EXPECT_EQ(activations.held_back(), known());
    EXPECT_EQ(activations.version_to_write("api_key.revoked"), 0);
    activations.activate("api_key.revoked", 1);
    EXPECT_EQ(activations.held_back(), known()) << "at an older version alone";
    activations.activate("api_key.revoked", 2);
    activations.activate("api_key.revoked", 1);
    EXPECT_EQ(activations.version_to_write("api_key.revoked"), 2);
    EXPECT_EQ(activations.held_back(), known() - 1);
    activations.activate("of.the.future", 1);
    EXPECT_EQ(activations.version_to_write("of.the.future"), 0);
}

TEST(Activations, AnEventIsWrittenAtTheNewestVersionThatAllRead) {
    SampleKeyring keyring;
    Activations activations;
    events::Encoder const encoder("urn:workforce:test", keyring, &activations);
    auto event = sample_of("api_key.revoked");
    event.data = events::ApiKeyRevoked{core::ShortText("lost")};
    EXPECT_FALSE(encoder.may_write(event.data));
    for (int const version : {1, 2}) {
        activations.activate("api_key.revoked", version);
        ASSERT_TRUE(encoder.may_write(event.data));
        auto const body = encoder.encode(event.meta, event.data);
        auto const written = json::parse(body);
        EXPECT_EQ(written["dataschema"], "urn:workforce:event:api_key.revoked:" + std::to_string(version));
        EXPECT_EQ(written["data"].contains("reason"), version == 2) << body;
        auto const read = events::decode(body, keyring);
        auto const reason = events::get<events::ApiKeyRevoked>(read.data).reason.value;
        EXPECT_EQ(reason.has_value(), version == 2);
    }
}

TEST(Activations, AProcessOfTheFirstReleaseReadsCallsThatWait) {
    SampleKeyring keyring;
    Activations activations;
    events::Encoder const encoder("urn:workforce:test", keyring, &activations);
    auto const event = sample_of("approval.requested");
    auto const& now = events::get<events::ApprovalRequested>(event.data);
    activations.activate("approval.requested", 1);
    auto const before = encoder.encode(event.meta, event.data);
    auto const data = json::parse(before)["data"];
    EXPECT_EQ(data["digest"], "") << "it refuses to approve what has none, and decides nothing";
    EXPECT_EQ(data["requestId"], now.correlationId);
    EXPECT_EQ(data["stepId"], now.step);
    EXPECT_EQ(data["requester"]["client"], now.requester.clientId.value);
    for (auto const* const name : {"correlationId", "step", "guardrailId"}) EXPECT_FALSE(data.contains(name)) << name;
    EXPECT_FALSE(data["requester"].contains("clientId"));
    auto const read = events::decode(before, keyring);
    auto const& again = events::get<events::ApprovalRequested>(read.data);
    EXPECT_EQ(again.correlationId, now.correlationId);
    EXPECT_EQ(again.step, now.step);
    EXPECT_EQ(again.requester.clientId.value, now.requester.clientId.value);
    EXPECT_EQ(again.depth, now.depth);
    EXPECT_EQ(again.arguments.value.text, now.arguments.value.text);
    EXPECT_EQ(again.guardrailId.value, std::nullopt);
    activations.activate("approval.requested", 2);
    EXPECT_FALSE(json::parse(encoder.encode(event.meta, event.data))["data"].contains("digest"));
}

/// The event as a process reads it that another one wrote at version 1, and the data that stood there.
std::pair<events::AnyEvent, json> by_way_of_version_1(events::AnyEvent const& data) {
    SampleKeyring keyring;
    Activations activations;
    auto const type = events::type_of(data);
    activations.activate(std::string(type), 1);
    auto const body = events::Encoder("urn:workforce:test", keyring, &activations).encode(sample_of(type).meta, data);
    return {events::decode(body, keyring).data, json::parse(body)["data"]};
}

TEST(Upcasters, OfRunsAndTriggersGoThereAndBack) {
    using events::AgentRunEvent;
    using events::TriggerEvents;
    auto const cancelled =
        by_way_of_version_1(AgentRunEvent(events::AgentRunCancelled{events::RunCancellation::requested, {}}));
    EXPECT_FALSE(cancelled.second.contains("cause"));
    EXPECT_FALSE(events::get<events::AgentRunCancelled>(cancelled.first).cause.value);

    auto const skipped =
        by_way_of_version_1(TriggerEvents(events::TriggerSkipped{{}, events::SkipReason::queue_full, {}}));
    EXPECT_EQ(skipped.second["reason"], "rate");
    EXPECT_EQ(events::get<events::TriggerSkipped>(skipped.first).reason, events::SkipReason::rate);

    for (core::Nullable<core::Id> const& user : {core::Nullable<core::Id>(31), core::Nullable<core::Id>()}) {
        auto const disabled =
            by_way_of_version_1(TriggerEvents(events::TriggerDisabled{"manual", {}, user, "Nightly"}));
        EXPECT_EQ(disabled.second["creator"], user.value.value_or(0));
        EXPECT_FALSE(disabled.second.contains("createdBy"));
        EXPECT_EQ(events::get<events::TriggerDisabled>(disabled.first).createdBy, user);
    }

    auto const turn = by_way_of_version_1(AgentRunEvent(
        events::AgentRunTurnFinished{events::RunValue{R"("Done.")"}, 8, 4, core::ShortText("m"), std::int64_t{5}}));
    EXPECT_FALSE(turn.second.contains("model") || turn.second.contains("agentVersion"));
    auto const& read = events::get<events::AgentRunTurnFinished>(turn.first);
    EXPECT_EQ(read.turn.value.text, R"("Done.")") << "what is sealed is opened as ever";
    EXPECT_FALSE(read.model.value || read.agentVersion.value);
}

TEST(Upcasters, OfAShiftGoThereAndBackUnlessATemplateMadeIt) {
    auto posted = events::get<events::ShiftPosted>(sample_of("shift.posted").data);
    ASSERT_TRUE(posted.templateId.value);
    SampleKeyring keyring;
    Activations activations;
    events::Encoder const encoder("urn:workforce:test", keyring, &activations);
    activations.activate("shift.posted", 1);
    EXPECT_FALSE(encoder.may_write(events::ShiftEvent(posted))) << "the template would make it again";
    posted.templateId = {};
    EXPECT_TRUE(encoder.may_write(events::ShiftEvent(posted)));
    auto const back = by_way_of_version_1(events::ShiftEvent(posted));
    EXPECT_FALSE(back.second.contains("templateId"));
    auto const& read = events::get<events::ShiftPosted>(back.first);
    EXPECT_EQ(read.title.value, posted.title.value);
    EXPECT_FALSE(read.templateId.value);
    activations.activate("shift.posted", 2);
    posted.templateId = core::Id{21};
    EXPECT_TRUE(encoder.may_write(events::ShiftEvent(posted)));
}

TEST(Activations, NoVersionNeedsMoreThanItsUpcastersCanTakeBack) {
    for (auto const& upcaster : events::kUpcasters) {
        EXPECT_NE(upcaster.apply, nullptr) << upcaster.type;
        EXPECT_NE(upcaster.revert, nullptr) << upcaster.type;
    }
}

}  // namespace
}  // namespace workforce::tests
