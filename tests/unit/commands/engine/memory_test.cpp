// A memory that evicts and looks up again against one that never forgets: both must tell the same, whatever happened.
#include "commands/engine/memory.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/at_length.hpp"
#include "tests/support/given_shift.hpp"
#include "tests/unit/commands/engine/memory_store.hpp"

namespace workforce::tests {
namespace {

using commands::Found;
using commands::Memory;
using commands::Need;
using commands::NotResident;
using commands::Positions;
using commands::View;

constexpr Id kOrganization = Given::kOrganization;
constexpr Id kPeople = 12;
constexpr Id kFacilities = 3;
constexpr std::size_t kRowBytes = 1'000;  // about those of a row

/// The staff member with the address, or 0.
Id owner_of(View const& view, std::string const& email) {
    auto const* owner = view.first_by<events::StaffByEmail>(email);
    return owner ? owner->id : 0;
}

class MemoryTest : public testing::Test {
   protected:
    /// Asks as often as something has to be looked up.
    template <class Ask>
    auto ask(Ask question) {
        for (int round = 0; round < 10; ++round) {
            try {
                return question(view());
            } catch (NotResident const& lack) {
                ++look_ups_;
                memory_.add(look_up(truth_.state, lack.needs, position_));
                auto absent = lack.needs;
                std::erase_if(absent, [](Need const& need) { return need.what == Need::What::index; });
                memory_.note_absent(absent);
            }
        }
        throw std::logic_error("it never has enough");
    }
    View view() {
        return {kOrganization, memory_.organization(kOrganization), truth_.context.sandbox, &memory_.absent()};
    }
    /// Applies the event to both. What it is of is looked up before, as a decision would have.
    void apply(events::AggregateRef subject, events::AnyEvent data) {
        auto const version = ask([&](View const& v) { return v.version(subject); });
        ASSERT_EQ(version, truth_.state.version(subject));
        events::Event event{{}, std::move(data)};
        auto& meta = event.meta;
        meta.time = truth_.context.now;
        meta.subject = subject;
        meta.organization = kOrganization;
        meta.sandbox = truth_.context.sandbox && events::is_sandboxed(subject.kind);
        meta.seq = version + 1;
        meta.position = ++position_;
        truth_.state.apply(event);
        memory_.apply(event);
    }
    void begin() {
        apply({events::Kind::organization, kOrganization}, events::OrganizationEvent(events::OrganizationCreated{}));
        for (Id id = 1; id <= kFacilities; ++id) {
            events::FacilityCreated facility;
            facility.name = "Facility " + std::to_string(id);
            apply({events::Kind::facility, id}, events::FacilityEvent(facility));
        }
    }
    void onboard(Id id) {
        events::StaffOnboarded onboarded;
        onboarded.email = core::Email("staff" + std::to_string(id) + "@example.test");
        apply({events::Kind::staff, id}, events::StaffEvent(onboarded));
    }
    void post(Id id, Id facility, std::int64_t starts) {
        events::ShiftPosted posted;
        posted.facilityId = facility;
        posted.requiredWorkers = 2;
        posted.startsAt = {starts};
        posted.endsAt = {starts + 8 * 3'600'000};
        apply({events::Kind::shift, id}, events::ShiftEvent(posted));
    }
    void on_shift(Id id, events::ShiftEvent event) { apply({events::Kind::shift, id}, std::move(event)); }
    /// Evicts what is stored up to that position, but so many bytes.
    std::size_t evict(std::int64_t through, std::size_t keep = 0) {
        memory_.end_batch();
        Positions positions;
        positions.fill(through);
        return memory_.evict(positions, keep, 0);
    }

    Given truth_;
    Memory memory_;
    std::int64_t position_ = -1;
    int look_ups_ = 0;
};

TEST_F(MemoryTest, NothingIsLookedUpWhereNothingLeft) {
    begin();
    onboard(11);
    EXPECT_EQ(ask([](View const& v) { return v.get<events::ShiftRecord>(99); }), nullptr);
    EXPECT_EQ(ask([](View const& v) { return owner_of(v, "nobody@example.test"); }), 0);
    EXPECT_TRUE(ask([](View const& v) { return v.overlapping<events::BookingsOfPerson>({0}, {1}, Id{11}); }).empty());
    EXPECT_EQ(look_ups_, 0);
}

TEST_F(MemoryTest, OnlyWhatIsStoredLeaves) {
    begin();
    onboard(11);
    onboard(12);
    EXPECT_EQ(evict(position_ - 1), 2U + kFacilities) << "the organization with its facilities, and the first of two";
    EXPECT_EQ(memory_.aggregates(), 1U);
    EXPECT_TRUE(memory_.find(kOrganization)->rows<events::StaffRecord>().contains(12));
    EXPECT_EQ(memory_.evicted()[events::Kind::staff], position_ - 1);
    EXPECT_EQ(memory_.evicted()[events::Kind::shift], -1);
}

// The bound is of bytes: many small rows stay where one large one leaves.
TEST_F(MemoryTest, WhatIsLargeCountsAsMuch) {
    begin();
    for (Id id = 11; id <= 14; ++id) onboard(id);
    auto const before = memory_.bytes();
    events::StaffUpdated update;
    std::vector<events::WorkHistoryItem> history(100);
    for (auto& item : history) item.description = std::string(2'000, 'h');
    update.workHistory = core::Personal<std::vector<events::WorkHistoryItem>>(history);
    apply({events::Kind::staff, 11}, events::StaffEvent(update));
    EXPECT_GT(memory_.bytes(), before + 200'000);
    EXPECT_LT(memory_.bytes(), before + 300'000);
    EXPECT_EQ(memory_.bytes(), memory_.find(kOrganization)->bytes());
    evict(position_, before);
    EXPECT_LE(memory_.bytes(), before);
    EXPECT_EQ(memory_.bytes(), memory_.find(kOrganization)->bytes());
    evict(position_);
    EXPECT_EQ(memory_.bytes(), 0U);
    EXPECT_EQ(memory_.aggregates(), 0U);
    // Looked up again it counts again.
    ask([](View const& v) { return v.get<events::StaffRecord>(11); });
    EXPECT_GT(memory_.bytes(), 200'000U);
}

// Whoever holds much is refused first when nothing can be evicted.
TEST_F(MemoryTest, KnowsWhoHoldsMuch) {
    begin();
    EXPECT_TRUE(memory_.holds_much(kOrganization)) << "it holds all that there is";
    memory_.organization(kOrganization + 1);
    EXPECT_TRUE(memory_.holds_much(kOrganization));
    EXPECT_FALSE(memory_.holds_much(kOrganization + 1));
    EXPECT_FALSE(memory_.holds_much(kOrganization + 2));
}

// Of a tail: 11 gives an address up and 12 takes it. Who looks 12 up early sees the end already.
TEST_F(MemoryTest, AddressThatAnotherTookStaysTheirs) {
    begin();
    onboard(11);
    auto const position = position_;
    auto const address = [](Id id) { return "staff" + std::to_string(id) + "@example.test"; };
    auto const moving = [](std::string const& to) {
        events::StaffUpdated update;
        update.email = core::Personal<core::Email>(core::Email(to));
        return update;
    };
    commands::Held<events::StaffRecord> other;
    other.value.id = 12;
    other.value.organizationId = kOrganization;
    other.value.email.value = core::Email(address(11));
    other.version = 2;
    Found found;
    found.through.fill(position + 2);
    found.of<events::StaffRecord>().push_back(other);
    memory_.add(std::move(found));
    events::Event event{{}, events::StaffEvent(moving("elsewhere@example.test"))};
    event.meta.subject = {events::Kind::staff, 11};
    event.meta.organization = kOrganization;
    event.meta.seq = 2;
    event.meta.position = position + 1;
    memory_.apply(event);
    EXPECT_EQ(ask([&](View const& v) { return owner_of(v, address(11)); }), 12);
    EXPECT_EQ(ask([&](View const& v) { return owner_of(v, "elsewhere@example.test"); }), 11);
}

TEST_F(MemoryTest, WhatWasUsedStaysLonger) {
    begin();
    auto const before = memory_.bytes();
    onboard(11);
    auto const one = memory_.bytes() - before;  // with what indexes keep of the person
    for (Id id = 12; id <= 14; ++id) onboard(id);
    evict(position_, 4 * one);  // takes the marks off
    EXPECT_EQ(memory_.aggregates(), 4U);
    ask([](View const& v) { return v.get<events::StaffRecord>(13); });
    evict(position_, one);
    EXPECT_EQ(memory_.aggregates(), 1U);
    EXPECT_TRUE(memory_.find(kOrganization)->rows<events::StaffRecord>().contains(13));
}

TEST_F(MemoryTest, WhatIsNotThereIsLookedForOnceABatch) {
    begin();
    evict(position_);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(ask([](View const& v) { return v.get<events::ShiftRecord>(99); }), nullptr);
    EXPECT_EQ(look_ups_, 1);
    memory_.end_batch();
    EXPECT_EQ(ask([](View const& v) { return v.get<events::ShiftRecord>(99); }), nullptr);
    EXPECT_EQ(look_ups_, 2);
}

TEST_F(MemoryTest, BookingsOfShiftsThatLeftStillCount) {
    constexpr std::int64_t kStart = 1'800'000'000'000;
    begin();
    onboard(11);
    post(21, 1, kStart);
    on_shift(21, events::ShiftStaffAssigned{11, {}, {}});
    evict(position_);
    auto const overlap = [](View const& v) {
        auto const found = v.overlapping<events::BookingsOfPerson>({kStart}, {kStart + 1}, Id{11});
        return found.empty() ? 0 : found.front().id;
    };
    EXPECT_EQ(ask(overlap), 21);
    EXPECT_FALSE(memory_.find(kOrganization)->rows<events::ShiftRecord>().contains(21)) << "its time is enough";
    on_shift(21, events::ShiftUnassigned{11});
    EXPECT_EQ(ask(overlap), 0) << "memory wins over what is stored";
}

TEST_F(MemoryTest, WhatAKeyHasIsLookedUpOnceNotOnceABatch) {
    begin();
    onboard(11);
    events::CredentialAdded added;
    added.staffId = 11;
    apply({events::Kind::credential, 51}, events::CredentialEvent(added));
    evict(position_);
    auto const held = [](View const& v) { return v.by<events::CredentialsOfPerson>(Id{11}).size(); };
    for (int batch = 0; batch < 3; ++batch) {
        EXPECT_EQ(ask(held), 1U);
        memory_.end_batch();
    }
    EXPECT_EQ(look_ups_, 1);
    apply({events::Kind::credential, 52}, events::CredentialEvent(added));
    look_ups_ = 0;
    EXPECT_EQ(ask(held), 2U) << "what comes later is told by memory";
    EXPECT_EQ(look_ups_, 0);
    evict(position_);
    evict(position_);
    EXPECT_EQ(ask(held), 2U);
    EXPECT_EQ(look_ups_, 1);
}

/// One question of each kind, told as text.
std::string describe(View const& v, std::mt19937& random, core::Timestamp now) {
    Id const person = 11 + static_cast<Id>(random() % (kPeople + 2));
    Id const shift = 1000 + static_cast<Id>(random() % 120);
    core::Timestamp const starts{now.ms + static_cast<std::int64_t>(random() % 40) * 3'600'000 * 4};
    auto const* staff = v.get<events::StaffRecord>(person);
    auto const* record = v.get<events::ShiftRecord>(shift);
    auto const email = owner_of(v, "staff" + std::to_string(person) + "@example.test");
    std::string text = (staff ? core::to_json(*staff) : "-") + (record ? core::to_json(*record) : "-");
    for (auto const& other : v.overlapping<events::BookingsOfPerson>(starts, {starts.ms + 8 * 3'600'000}, person))
        text += " overlaps " + std::to_string(other.id);
    text += " email " + std::to_string(email) + " ahead";
    for (auto const& booking : v.ending_after<events::BookingsOfPerson>(starts, person))
        text += " " + std::to_string(booking.id);
    Id const facility = 1 + static_cast<Id>(random() % kFacilities);
    text += v.any_ending_after<events::ShiftsAhead>({starts.ms + 200'000'000}, facility) ? " busy" : " idle";
    for (auto const* credential : v.by<events::CredentialsOfPerson>(person)) text += core::to_json(*credential);
    if (v.sandbox()) text += " rows " + std::to_string(v.by<events::ShiftsOfFacility>(facility).size());
    text += std::to_string(v.all<events::Facility>().size()) + v.get<events::Facility>(1)->name.value;
    return text + (v.erased({events::Kind::staff, person}) ? " erased" : "");
}

class ForgetfulMemory : public MemoryTest, public testing::WithParamInterface<unsigned> {
   protected:
    void change(std::mt19937& random) {
        auto const dice = random() % 10;
        if (dice == 0 && truth_.state.rows<events::StaffRecord>().size() < kPeople) {
            return onboard(11 + static_cast<Id>(truth_.state.rows<events::StaffRecord>().size()));
        }
        if (dice <= 2 || posted_ == 0) {
            auto const starts = truth_.context.now.ms + static_cast<std::int64_t>(random() % 40) * 3'600'000 * 4;
            return post(1000 + posted_++, 1 + static_cast<Id>(random() % kFacilities), starts);
        }
        if (dice == 3) {
            events::FacilityUpdated update;
            update.name = core::Name("Renamed " + std::to_string(position_));
            return apply({events::Kind::facility, 1}, events::FacilityEvent(update));
        }
        auto const people = truth_.state.rows<events::StaffRecord>().size();
        if (dice == 4 && people > 0) return change_staff(random);
        if (dice == 5 && people > 0) return change_credential(random, 11 + static_cast<Id>(random() % people));
        change_shift(random);
    }
    void change_staff(std::mt19937& random) {
        Id const id = 11 + static_cast<Id>(random() % truth_.state.rows<events::StaffRecord>().size());
        if (truth_.state.rows<events::StaffRecord>().at(id).erased) return;
        if (random() % 8 == 0) return apply({events::Kind::staff, id}, events::StaffEvent(events::StaffErased{}));
        events::StaffUpdated update;
        update.email = core::Personal<core::Email>(
            core::Email((random() % 2 ? "staff" : "other") + std::to_string(id) + "@example.test"));
        apply({events::Kind::staff, id}, events::StaffEvent(update));
    }
    void change_credential(std::mt19937& random, Id holder) {
        auto const known = truth_.state.rows<events::CredentialRecord>().size();
        if (known > 0 && random() % 3 == 0) {
            Id const id = 5000 + static_cast<Id>(random() % known);
            if (truth_.state.rows<events::CredentialRecord>().at(id).value.deleted) return;
            return apply({events::Kind::credential, id}, events::CredentialEvent(events::CredentialDeleted{}));
        }
        events::CredentialAdded added;
        added.staffId = holder;
        added.name = core::Name("License " + std::to_string(known));
        apply({events::Kind::credential, 5000 + static_cast<Id>(known)}, events::CredentialEvent(added));
    }
    void change_shift(std::mt19937& random) {
        Id const id = 1000 + static_cast<Id>(random() % static_cast<unsigned>(posted_));
        auto const& record = truth_.state.rows<events::ShiftRecord>().at(id).value;
        auto const& assigned = record.shift.assignedStaffIds;
        switch (random() % 6) {
            case 0:
            case 1:
            case 2: {
                Id const person = 11 + static_cast<Id>(random() % kPeople);
                if (record.shift.status == events::ShiftStatus::cancelled) return;
                if (std::find(assigned.begin(), assigned.end(), person) != assigned.end()) return;
                return on_shift(id, events::ShiftStaffAssigned{person, {}, {}});
            }
            case 3:
                if (!assigned.empty()) on_shift(id, events::ShiftUnassigned{assigned.front()});
                return;
            case 4: {
                events::ShiftUpdated later;
                later.span = events::ShiftSpan{
                    "UTC", {record.shift.startsAt.ms + 3'600'000}, {record.shift.endsAt.ms + 3'600'000}};
                return on_shift(id, later);
            }
            default:
                if (record.shift.status == events::ShiftStatus::cancelled) {
                    on_shift(id, events::ShiftReopened{});
                } else {
                    on_shift(id, events::ShiftCancelled{"rain"});
                }
        }
    }

    Id posted_ = 0;
};

TEST_P(ForgetfulMemory, TellsWhatAWholeOneTells) {
    std::mt19937 random(GetParam());
    truth_.context.sandbox = GetParam() % 2 == 0;
    begin();
    for (int step = 0; step < 2000; ++step) {
        change(random);
        if (random() % 8 == 0) {
            // Read models may be some way behind, and may have been further before.
            evict(position_ - static_cast<std::int64_t>(random() % 6), random() % 20 * kRowBytes);
        }
        auto const seed = random();
        std::mt19937 same(static_cast<unsigned>(seed)), again(static_cast<unsigned>(seed));
        auto const now = truth_.context.now;
        auto const told = ask([&](View const& v) {
            std::mt19937 from_start = same;
            return describe(v, from_start, now);
        });
        ASSERT_EQ(told, describe({kOrganization, truth_.state, truth_.context.sandbox}, again, now)) << "step " << step;
        if (random() % 3 == 0) memory_.end_batch();
        auto const* state = memory_.find(kOrganization);
        ASSERT_EQ(memory_.bytes(), state ? state->bytes() : 0) << "step " << step;
    }
    evict(position_);
    evict(position_);
    EXPECT_EQ(memory_.bytes(), 0U);
    EXPECT_GT(look_ups_, 100) << "it never forgot";
}

INSTANTIATE_TEST_SUITE_P(Seeds, ForgetfulMemory, testing::Range(1U, at_length() ? 9U : 5U));

}  // namespace
}  // namespace workforce::tests
