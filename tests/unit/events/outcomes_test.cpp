// Which command has which outcome, and what the log says of it.
#include "events/outcomes.hpp"

#include <gtest/gtest.h>

#include "events/codec.hpp"
#include "events/credential.hpp"
#include "events/lead.hpp"
#include "events/shift.hpp"
#include "events/shift_claim.hpp"
#include "events/shift_offer.hpp"
#include "events/shift_swap.hpp"
#include "tests/support/memory_keyring.hpp"

namespace workforce::tests {
namespace {

using events::AnyEvent;
using events::Event;
using events::Kind;

/// A command's events as its partition's writer makes them.
struct OutcomeCommand {
    std::string verb = "shifts.assign";
    bool sandbox = false;
    events::ActorType actor = events::ActorType::api_key;
    std::string correlation{};
    std::vector<Event> events{};

    OutcomeCommand& add(Kind kind, core::Id id, AnyEvent data) {
        events::Envelope meta;
        meta.type = events::type_of(data);
        meta.subject = {kind, id};
        meta.verb = verb;
        meta.sandbox = sandbox;
        meta.actor.type = actor;
        meta.request_id = "req_1";
        meta.correlation_id = correlation;
        events.push_back({std::move(meta), std::move(data)});
        return *this;
    }
    OutcomeCommand& assigned(core::Id shift = 5) {
        events::ShiftStaffAssigned event;
        event.staffId = 1;
        return add(Kind::shift, shift, std::move(event));
    }
    OutcomeCommand& unassigned(core::Id shift = 5) {
        return add(Kind::shift, shift, events::ShiftUnassigned{.staffId = 2});
    }
    OutcomeCommand& filled(core::Id shift = 5) { return add(Kind::shift, shift, events::ShiftFilled{{1}}); }

    [[nodiscard]] std::string outcome() const {
        auto const found = events::outcome_of(events);
        return found ? std::string(found->rule->outcome) : "";
    }
};

TEST(Outcomes, ShiftIsFilledByWhoeverTakesItsLastPlace) {
    EXPECT_EQ(OutcomeCommand().assigned().filled().outcome(), "shift_filled");
    EXPECT_EQ(OutcomeCommand{.verb = "shifts.create"}.assigned().assigned().filled().outcome(), "shift_filled");
    EXPECT_EQ(OutcomeCommand().assigned().outcome(), "") << "a place is left";
    EXPECT_EQ(OutcomeCommand{.verb = "shifts.update"}.filled().outcome(), "") << "requiredWorkers was lowered";
    EXPECT_EQ(OutcomeCommand().unassigned().assigned().filled().outcome(), "") << "it was full before";
    EXPECT_EQ(OutcomeCommand().unassigned().assigned().assigned().filled().outcome(), "shift_filled");
}

TEST(Outcomes, ShiftIsFilledByClaimsAndOffersToo) {
    auto claimed =
        OutcomeCommand{.verb = "shift_claims.create"}.add(Kind::shift_claim, 8, events::ShiftClaimRequested{});
    EXPECT_EQ(claimed.outcome(), "") << "it waits";
    claimed.add(Kind::shift_claim, 8, events::ShiftClaimApproved{});
    EXPECT_EQ(claimed.assigned().filled().outcome(), "shift_filled");
    auto accepted =
        OutcomeCommand{.verb = "shift_offers.accept"}.add(Kind::shift_offer, 9, events::ShiftOfferAccepted{});
    EXPECT_EQ(accepted.assigned().outcome(), "") << "a place is left";
    accepted.filled();
    EXPECT_EQ(accepted.outcome(), "shift_filled");
    EXPECT_EQ(events::outcome_of(accepted.events)->event, 2U) << "one marker of the command";
}

TEST(Outcomes, SwapCountsOnceAndNeedsNoVacancy) {
    auto const swap =
        OutcomeCommand{.verb = "shifts.swap"}.unassigned(5).unassigned(6).assigned(5).filled(5).assigned(6).filled(6);
    auto const found = events::outcome_of(swap.events);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->rule->outcome, "shift_filled");
    EXPECT_EQ(found->event, 3U) << "the first of the two";
    auto approved = OutcomeCommand{.verb = "shift_swaps.approve"}.add(Kind::shift_swap, 8, events::ShiftSwapApproved());
    approved.unassigned(5).unassigned(6).assigned(5).filled(5).assigned(6).filled(6);
    EXPECT_EQ(events::outcome_of(approved.events)->event, 4U) << "likewise of a request that is approved";
}

TEST(Outcomes, LeadCountsOnTheMoveIntoQualified) {
    auto made = OutcomeCommand{.verb = "leads.create"}.add(Kind::lead, 7, events::LeadCreated{});
    made.add(Kind::lead, 7, events::LeadQualified{});
    EXPECT_EQ(made.outcome(), "") << "it was nothing else before";
    auto moved = OutcomeCommand{.verb = "leads.update"}.add(Kind::lead, 7, events::LeadStatusChanged{});
    moved.add(Kind::lead, 7, events::LeadQualified{});
    EXPECT_EQ(moved.outcome(), "lead_qualified");
}

TEST(Outcomes, OneOfSeveralCountsByPrecedence) {
    auto both = OutcomeCommand().assigned().filled();
    both.add(Kind::lead, 7, events::LeadQualified{});
    EXPECT_EQ(both.outcome(), "lead_qualified");
    both.add(Kind::credential, 8, events::CredentialVerified{});
    EXPECT_EQ(both.outcome(), "credential_verified");
}

TEST(Outcomes, CredentialCountsOnTheMoveIntoVerified) {
    auto again = OutcomeCommand{.verb = "credentials.verify_external"};
    events::CredentialVerified event;
    event.from = events::CredentialStatus::verified;
    again.add(Kind::credential, 8, std::move(event));
    EXPECT_EQ(again.outcome(), "");
}

TEST(Outcomes, NeitherSandboxNorTheInstallationItselfHasOne) {
    EXPECT_EQ(OutcomeCommand{.sandbox = true}.assigned().filled().outcome(), "");
    EXPECT_EQ(OutcomeCommand{.actor = events::ActorType::system}.assigned().filled().outcome(), "");
    auto const on_behalf =
        OutcomeCommand{.actor = events::ActorType::system, .correlation = "req_0"}.assigned().filled();
    EXPECT_EQ(on_behalf.outcome(), "shift_filled");
}

TEST(Outcomes, LogSaysWhetherAnEventIsOne) {
    auto const event = [](std::string verb, std::string outcome) {
        auto command = OutcomeCommand{.verb = std::move(verb)}.filled();
        command.events[0].meta.outcome = std::move(outcome);
        return command.events[0];
    };
    EXPECT_NE(events::recorded_outcome(event("shifts.update", "shift_filled")), nullptr);
    EXPECT_EQ(events::recorded_outcome(event("shifts.assign", "none")), nullptr);
    EXPECT_EQ(events::recorded_outcome(event("shifts.assign", "of_the_future")), nullptr);
    // Envelopes of before say nothing: verbs tell.
    EXPECT_NE(events::recorded_outcome(event("shifts.assign", "")), nullptr);
    EXPECT_EQ(events::recorded_outcome(event("shifts.update", "")), nullptr);
}

TEST(Outcomes, OlderRevisionOfTheEnvelopeLeavesThemOut) {
    MemoryKeyring keyring;
    events::Activations activations;
    for (auto const& known : events::known_versions()) {
        if (known.type != "envelope") activations.activate(known.type, known.version);
    }
    auto command = OutcomeCommand().filled();
    auto& meta = command.events[0].meta;
    meta.id = "019f9391-4900-7a00-8000-000000000001";
    meta.previous_hash = std::string(64, '0');
    meta.outcome = "shift_filled";
    meta.credential_type = "live";
    meta.tool = "shifts_assign";
    meta.dedupe_key = "ab";
    events::Encoder const encoder("urn:workforce:test", keyring, &activations);
    auto const before = events::decode(encoder.encode(meta, command.events[0].data), keyring);
    EXPECT_EQ(before.meta.outcome + before.meta.credential_type + before.meta.tool + before.meta.dedupe_key, "");
    activations.activate("envelope", 2);
    auto const after = events::decode(encoder.encode(meta, command.events[0].data), keyring);
    EXPECT_EQ(after.meta.outcome, "shift_filled");
    EXPECT_EQ(after.meta.credential_type, "live");
    EXPECT_EQ(after.meta.tool, "shifts_assign");
    EXPECT_EQ(after.meta.dedupe_key, "ab");
}

}  // namespace
}  // namespace workforce::tests
