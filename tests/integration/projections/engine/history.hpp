// A history with every event, for tests that fold it in different ways.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "events/api_key.hpp"
#include "events/organization.hpp"
#include "events/user.hpp"
#include "tests/integration/projections/fixture.hpp"

namespace workforce::tests {

/// A history that has every event, resources that change across batches, and sandbox rows beside live ones.
class History {
   public:
    History(events::EventLog& log, events::Keyring& keyring, int partition, unsigned seed)
        : writer_(log, keyring, partition), random_(seed), base_(1000 * (partition + 1)) {
        writer_.meta.organization = base_;
        events::OrganizationCreated organization;
        organization.name = "Größe & Söhne";
        writer_.add(events::Kind::organization, base_, organization);
        events::UserCreated user;
        user.email = core::Email("ada@example.test");
        user.firstName = core::Name("Ada");
        user.lastName = core::Name("Lovelace");
        writer_.add(events::Kind::user, base_, user);
        writer_.meta.actor = {events::ActorType::user, base_, base_};
        events::ApiKeyCreated key;
        key.name = "key";
        key.scopes = {"shifts:read"};
        writer_.add(events::Kind::api_key, base_, key);
        for (int i = 0; i < 3; ++i)
            writer_.add(events::Kind::facility, base_ + i, facility_created("House " + std::to_string(i)));
    }

    void grow(int events) {
        for (int i = 0; i < events; ++i) {
            one();
            if (random_() % 4 == 0) writer_.append();
        }
        writer_.append();
    }

   private:
    void one() {
        writer_.meta.sandbox = false;
        writer_.meta.facility = base_ + random_() % 3;
        auto const dice = random_() % 12;
        if (dice < 2 || shifts_.empty()) {
            core::Id const id = base_ + static_cast<core::Id>(shifts_.size());
            shifts_.push_back(random_() % 4 == 0);
            writer_.meta.sandbox = shifts_.back();
            return writer_.add(events::Kind::shift, id,
                               shift_posted(writer_.meta.facility, "Nachtdienst \"N\\1\"", "2026-07-24T20:00:00Z"));
        }
        if (dice == 2 || staff_ == 0)
            return writer_.add(events::Kind::staff, base_ + staff_++, staff_onboarded("Grace", "Hopper"));
        if (dice == 3) return change_staff();
        if (dice == 4) return change_facility();
        change_shift();
    }
    void change_staff() {
        core::Id const id = base_ + static_cast<core::Id>(random_() % static_cast<unsigned>(staff_));
        events::StaffUpdated update;
        update.lastName = core::Personal<core::Name>(core::Name("Müller"));
        update.hourlyRate = core::Rate{1250};
        switch (random_() % 3) {
            case 0:
                return writer_.add(events::Kind::staff, id, update);
            case 1:
                return writer_.add(events::Kind::staff, id, events::StaffDeactivated{});
            default:
                return writer_.add(events::Kind::staff, id, events::StaffReactivated{});
        }
    }
    void change_facility() {
        events::FacilityUpdated update;
        update.code = "C" + std::to_string(random_() % 100);
        writer_.add(events::Kind::facility, base_ + random_() % 3, update);
    }
    void change_shift() {
        auto const place = random_() % shifts_.size();
        core::Id const id = base_ + static_cast<core::Id>(place);
        writer_.meta.sandbox = shifts_[place];
        core::Id const staff = base_ + random_() % 5;
        events::ShiftUpdated update;
        update.title = "Frühdienst";
        update.urgency = events::Urgency::high;
        switch (random_() % 8) {
            case 0:
                return writer_.add(events::Kind::shift, id, update);
            case 1:
                return writer_.add(
                    events::Kind::shift, id,
                    events::ShiftStaffAssigned{staff, events::AssignmentSource::direct, {{"overtime", "agreed"}}});
            case 2:
                return writer_.add(events::Kind::shift, id, events::ShiftFilled{{staff}});
            case 3:
                return writer_.add(events::Kind::shift, id, events::ShiftUnassigned{staff});
            case 4:
                return writer_.add(events::Kind::shift, id, events::ShiftVacancyOpened{1});
            case 5:
                return writer_.add(events::Kind::shift, id, events::ShiftCancelled{"rain"});
            case 6:
                return writer_.add(events::Kind::shift, id, events::ShiftReopened{});
            default:
                return writer_.add(events::Kind::shift, id, events::ShiftDeleted{});
        }
    }

    EventWriter writer_;
    std::mt19937 random_;
    core::Id base_;
    std::vector<bool> shifts_;  // whether each is a sandbox row
    core::Id staff_ = 0;
};

}  // namespace workforce::tests
