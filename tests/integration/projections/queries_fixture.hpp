// Two organizations with facilities, staff and shifts, folded; and what tests of queries ask of them.
#pragma once

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "events/api_key.hpp"
#include "events/credential.hpp"
#include "events/notification.hpp"
#include "events/organization.hpp"
#include "events/user.hpp"
#include "projections/shifts/shifts.hpp"
#include "projections/staff/staff.hpp"
#include "tests/integration/projections/fixture.hpp"
#include "tests/support/await.hpp"
#include "tests/support/list_rows.hpp"

namespace workforce::tests {

using events::Kind;
using projections::PageRequest;
using projections::Scope;
using projections::ShiftFilter;

inline std::vector<core::Id> ids_of(std::string const& rows) {
    rapidjson::Document document;
    document.Parse(rows.data(), rows.size());
    EXPECT_TRUE(document.IsArray());
    std::vector<core::Id> ids;
    for (auto const& row : document.GetArray()) ids.push_back(row["id"].GetInt64());
    return ids;
}

inline events::NotificationCreated notification_to(core::Id user) {
    events::NotificationCreated created;
    created.userId = user;
    created.type = events::NotificationType::shift_assigned;
    return created;
}

/// A license that is called "RN", without an end.
inline events::CredentialAdded credential_of(core::Id person, events::CredentialStatus status) {
    events::CredentialAdded added;
    added.staffId = person;
    added.name = "RN";
    added.status = status;
    added.sealedFor = "staff/" + std::to_string(person);
    return added;
}

/// Organization 7 with facilities 1 and 2, organization 8 with facility 3, each with staff and shifts; 7 has sandbox
/// rows.
class QueriesTest : public ProjectionsTest {
   protected:
    using Ids = std::vector<core::Id>;

    static constexpr std::size_t kBytes = 1 << 20;  // of a page that its rows end

    QueriesTest() {
        for (core::Id const id : {7, 8}) {
            events::OrganizationCreated organization;
            organization.name = "Org";
            writer_.meta.organization = id;
            writer_.add(Kind::organization, id, organization);
        }
        events::UserCreated user;
        user.email = core::Email("ada@example.test");
        user.firstName = core::Name("Ada");
        user.lastName = core::Name("Lovelace");
        add(7, Kind::user, 5, user);
        events::ApiKeyCreated key;
        key.name = "key";
        add(7, Kind::api_key, 6, key);
        add(7, Kind::facility, 1, facility_created("North"));
        add(7, Kind::facility, 2, facility_created("south"));
        add(8, Kind::facility, 3, facility_created("Elsewhere"));
        add_staff();
        add_shifts();
        writer_.append();
        fold();
    }

    void add(core::Id organization, Kind kind, core::Id id, events::AnyEvent const& data, bool sandbox = false) {
        writer_.meta.organization = organization;
        writer_.meta.sandbox = sandbox;
        writer_.meta.facility = 0;
        if (auto const* shift = events::get_if<events::ShiftEvent>(data)) {
            if (auto const* posted = std::get_if<events::ShiftPosted>(shift))
                writer_.meta.facility = posted->facilityId;
        }
        writer_.add(kind, id, data);
    }

    void add_staff() {
        auto grace = staff_onboarded("Grace", "Hopper");
        grace.facilityIds = {1};
        add(7, Kind::staff, 1, grace);
        auto alan = staff_onboarded("Alan", "turing");
        alan.facilityIds = {2};
        alan.employmentType = events::EmploymentType::contract;
        alan.skills = {"Cardiology"};
        alan.hourlyRate = core::Rate{5000};
        add(7, Kind::staff, 2, alan);
        add(7, Kind::staff, 3, staff_onboarded("Zoë", "Àbel"));  // of no facility
        add(7, Kind::staff, 4, staff_onboarded("Gone", "Away"));
        add(7, Kind::staff, 4, events::StaffDeactivated{});
        add(8, Kind::staff, 5, staff_onboarded("Other", "Org"));
        add(7, Kind::staff, 6, staff_onboarded("Sand", "Box"), true);
    }

    void add_shifts() {
        for (core::Id id = 1; id <= 9; ++id) {  // three of each start: ties
            auto shift = shift_posted(1 + id % 2, id == 4 ? "STRASSE watch" : "day",
                                      "2026-07-2" + std::to_string(4 + id % 3) + "T06:00:00Z");
            shift.urgency = static_cast<events::Urgency>(id % 4);
            add(7, Kind::shift, id, shift);
        }
        add(7, Kind::shift, 2, events::ShiftStaffAssigned{1, events::AssignmentSource::direct, {}});
        add(7, Kind::shift, 2, events::ShiftFilled{{1}});
        add(7, Kind::shift, 9, events::ShiftDeleted{});
        add(7, Kind::shift, 20, shift_posted(1, "sandy", "2026-07-24T06:00:00Z"), true);
        add(8, Kind::shift, 30, shift_posted(3, "foreign", "2026-07-24T06:00:00Z"));
    }

    projections::Page shifts(Scope const& scope, ShiftFilter const& filter = {}, PageRequest const& page = {}) {
        auto result = await(list_rows(reader_, projections::shifts(), scope, filter, page));
        if (!result) throw std::runtime_error(result.error().message);
        return *std::move(result);
    }
    Ids shift_ids(Scope const& scope, ShiftFilter const& filter = {}, std::string const& sort = "") {
        return ids_of(shifts(scope, filter, {.sort = sort}).rows);
    }
    Ids staff_ids(Scope const& scope, projections::StaffFilter const& filter = {}, std::string const& sort = "") {
        auto const page = await(list_rows(reader_, projections::staff(), scope, filter, {.sort = sort}));
        return ids_of(page->rows);
    }

    /// Every order gives the same rows whatever the pages' size, and its opposite gives them backwards.
    void expect_pages(Scope const& scope, ShiftFilter const& filter, std::size_t rows) {
        for (std::string const sort : {"startsAt", "-startsAt", "createdAt", "-createdAt", "urgency", "-urgency"}) {
            auto const whole = shift_ids(scope, filter, sort);
            ASSERT_EQ(whole.size(), rows) << sort;
            // By rows, and by bytes: fewer than one row has, and than two have.
            for (auto const& [limit, bytes] :
                 {std::pair(1, kBytes), {2, kBytes}, {3, kBytes}, {9, kBytes}, {9, std::size_t{1}}, {3, 1'500}}) {
                Ids paged;
                PageRequest request{.limit = limit, .sort = sort, .room = {.most = bytes}};
                for (std::size_t pages = 0; pages <= rows; ++pages) {
                    auto const page = shifts(scope, filter, request);
                    for (auto const id : ids_of(page.rows)) paged.push_back(id);
                    if (!page.has_more) break;
                    request.after = page.next;
                }
                EXPECT_EQ(paged, whole) << sort << " by " << limit << " and " << bytes << " bytes";
            }
            auto opposite = shift_ids(scope, filter, sort.starts_with('-') ? sort.substr(1) : "-" + sort);
            std::reverse(opposite.begin(), opposite.end());
            EXPECT_EQ(opposite, whole) << "ties turn round too";
        }
    }

    EventWriter writer_{*log_, keyring_, 0};
    core::Database reader_{reader_options()};
    Scope const seven_{.organization = 7};
    Scope const operators_{.operator_access = true};
};

}  // namespace workforce::tests
