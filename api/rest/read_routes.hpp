// Handlers of queries: parameters, scope, freshness, rendering of single resources and lists.
#pragma once

#include "api/rest/route.hpp"
#include "projections/dashboard/dashboard.hpp"

namespace workforce::api {

boost::asio::awaitable<net::Reply> get_me(Call& call);
boost::asio::awaitable<net::Reply> get_facility(Call& call);
boost::asio::awaitable<net::Reply> list_facilities(Call& call);
boost::asio::awaitable<net::Reply> get_staff(Call& call);
boost::asio::awaitable<net::Reply> list_staff(Call& call);
boost::asio::awaitable<net::Reply> get_shift(Call& call);
boost::asio::awaitable<net::Reply> get_assignments(Call& call);
boost::asio::awaitable<net::Reply> list_shifts(Call& call);
boost::asio::awaitable<net::Reply> get_dashboard_stats(Call& call);
boost::asio::awaitable<net::Reply> get_recent_activity(Call& call);

/// Query parameters, as the handlers read them and OpenAPI shows them.
struct ListQuery {
    static constexpr std::string_view kLimit = "50 where it is not given; more than 200 counts as 200.";
    std::optional<core::Int<1, 1'000'000>> limit;  ///< over 200 is clamped
    std::optional<std::string> cursor;
    std::optional<core::Text<1, 100>> sort;
    std::optional<Id> facilityId;
    std::optional<Id> orgUnitId;
    std::optional<core::Timestamp> updatedSince;
    std::optional<core::Text<2, 100>> q;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (limit, cursor, sort, facilityId, orgUnitId, updatedSince, q))

struct FacilityListQuery : ListQuery {
    std::optional<bool> isActive;
};
BOOST_DESCRIBE_STRUCT(FacilityListQuery, (ListQuery), (isActive))

struct StaffListQuery : ListQuery {
    std::optional<core::ShortText> specialty;
    std::optional<std::vector<events::EmploymentType>> employmentType;
    std::optional<bool> isActive;  ///< default true
    std::optional<core::ShortText> skill;
};
BOOST_DESCRIBE_STRUCT(StaffListQuery, (ListQuery), (specialty, employmentType, isActive, skill))

struct ShiftListQuery : ListQuery {
    std::optional<std::vector<events::ShiftStatus>> status;
    std::optional<core::Date> from;
    std::optional<core::Date> to;
    std::optional<std::vector<events::Urgency>> urgency;
    std::optional<core::ShortText> specialty;
    std::optional<core::ShortText> department;
    std::optional<Id> staffId;
    std::optional<bool> open;
};
BOOST_DESCRIBE_STRUCT(ShiftListQuery, (ListQuery), (status, from, to, urgency, specialty, department, staffId, open))

struct ScopeQuery {
    std::optional<Id> facilityId;
    std::optional<Id> orgUnitId;
};
BOOST_DESCRIBE_STRUCT(ScopeQuery, (), (facilityId, orgUnitId))

struct ActivityQuery {
    static constexpr std::string_view kLimit = "20 where it is not given; more than 100 counts as 100.";
    std::optional<core::Int<1, 1'000'000>> limit;  ///< default 20; over 100 is clamped
};
BOOST_DESCRIBE_STRUCT(ActivityQuery, (), (limit))

/// The answer of GET /api/auth/me.
struct MeUser {
    Id id = 0;
    std::string email;
    std::string username;
    std::string firstName;
    std::string lastName;
    events::Role role = events::Role::viewer;
};
BOOST_DESCRIBE_STRUCT(MeUser, (), (id, email, username, firstName, lastName, role))

struct MeOrganization {
    Id id = 0;
    std::string name;
    events::OrganizationType type = events::OrganizationType::customer;
};
BOOST_DESCRIBE_STRUCT(MeOrganization, (), (id, name, type))

struct MeCredential {
    events::ApiKeyType type = events::ApiKeyType::live;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(MeCredential, (), (type, id))

struct Me {
    MeUser user;
    MeOrganization organization;
    bool isInternal = false;
    std::vector<Id> facilityIds;
    std::vector<std::string> permissions;
    std::vector<std::string> scopes;
    MeCredential credential;
};
BOOST_DESCRIBE_STRUCT(Me, (), (user, organization, isInternal, facilityIds, permissions, scopes, credential))

/// Spec 2.3 with its ten newest activities.
struct DashboardAnswer : projections::DashboardStats {
    std::vector<projections::ActivityItem> recentActivity;
};
BOOST_DESCRIBE_STRUCT(DashboardAnswer, (projections::DashboardStats), (recentActivity))

}  // namespace workforce::api
