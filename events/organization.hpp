// Organizations: the resource, its events, and how they fold.
#pragma once

#include <variant>

#include "events/resource.hpp"

namespace workforce::events {

enum class OrganizationType : std::uint8_t { internal, customer };
BOOST_DESCRIBE_ENUM(OrganizationType, internal, customer)

struct OrganizationSettings {
    core::Int<1, 720> approvalTtlHours = 72;
    core::Int<0, 10080> overtimeWeeklyMinutes = 2400;
    core::Decimal<1, 10> overtimeMultiplier{150};
    core::Int<0, 2880> minRestMinutes = 480;
    bool forbidSameCredentialApproval = false;
    core::Int<1, 20> triggerFailureLimit = 5;
    core::Int<30, 730> usageRetentionDays = 400;

    static constexpr std::array<std::string_view, 0> kRequired{};
};
BOOST_DESCRIBE_STRUCT(OrganizationSettings, (),
                      (approvalTtlHours, overtimeWeeklyMinutes, overtimeMultiplier, minRestMinutes,
                       forbidSameCredentialApproval, triggerFailureLimit, usageRetentionDays))

/// What a caller may say of a new organization.
struct OrganizationDetails {
    core::Name name;
    OrganizationType type = OrganizationType::customer;
    core::ShortText industry;
    core::TimeZoneName timezone = "UTC";
    core::Currency currency = "USD";
    core::Nullable<core::ShortText> billingCustomerRef;
    OrganizationSettings settings;

    static constexpr std::array<std::string_view, 1> kRequired{"name"};
};
BOOST_DESCRIBE_STRUCT(OrganizationDetails, (), (name, type, industry, timezone, currency, billingCustomerRef, settings))

struct OrganizationSettingsChanges {
    using PartOf = OrganizationSettings;
    std::optional<core::Int<1, 720>> approvalTtlHours;
    std::optional<core::Int<0, 10080>> overtimeWeeklyMinutes;
    std::optional<core::Decimal<1, 10>> overtimeMultiplier;
    std::optional<core::Int<0, 2880>> minRestMinutes;
    std::optional<bool> forbidSameCredentialApproval;
    std::optional<core::Int<1, 20>> triggerFailureLimit;
    std::optional<core::Int<30, 730>> usageRetentionDays;
};
BOOST_DESCRIBE_STRUCT(OrganizationSettingsChanges, (),
                      (approvalTtlHours, overtimeWeeklyMinutes, overtimeMultiplier, minRestMinutes,
                       forbidSameCredentialApproval, triggerFailureLimit, usageRetentionDays))

/// The fields of an update: absent means unchanged.
struct OrganizationChanges {
    std::optional<core::Name> name;
    std::optional<core::ShortText> industry;
    std::optional<core::TimeZoneName> timezone;
    std::optional<core::Currency> currency;
    std::optional<core::Nullable<core::ShortText>> billingCustomerRef;
    std::optional<OrganizationSettingsChanges> settings;
};
BOOST_DESCRIBE_STRUCT(OrganizationChanges, (), (name, industry, timezone, currency, billingCustomerRef, settings))

struct OrganizationFlags {
    bool isActive = true;
};
BOOST_DESCRIBE_STRUCT(OrganizationFlags, (), (isActive))

struct OrganizationId {
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(OrganizationId, (), (id))

/// `organizationId` elsewhere, `orgUnitId` in queries: one id.
struct Organization : OrganizationId, OrganizationDetails, OrganizationFlags, Stamped {
    static constexpr Kind kKind = Kind::organization;
};
BOOST_DESCRIBE_STRUCT(Organization, (OrganizationId, OrganizationDetails, OrganizationFlags, Stamped), ())

struct OrganizationCreated : OrganizationDetails {
    static constexpr std::string_view kType = "organization.created";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(OrganizationCreated, (OrganizationDetails), ())

struct OrganizationUpdated : OrganizationChanges {
    static constexpr std::string_view kType = "organization.updated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(OrganizationUpdated, (OrganizationChanges), ())

/// No credential of the organization is taken until it is reactivated.
struct OrganizationDeactivated {
    static constexpr std::string_view kType = "organization.deactivated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(OrganizationDeactivated, (), ())

struct OrganizationReactivated {
    static constexpr std::string_view kType = "organization.reactivated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(OrganizationReactivated, (), ())

/// Somebody took usage of the organization out as a file; where the organization is the internal one and
/// `allOrganizations` stands, that of all of them. Changes nothing of the organization.
struct OrganizationUsageExported {
    static constexpr std::string_view kType = "organization.usage_exported";
    static constexpr std::int32_t kVersion = 1;
    Timestamp from;
    Timestamp to;
    core::Nullable<Id> facilityId;  ///< the one whose usage it is; null: the whole of it
    bool allOrganizations = false;
    std::int64_t rows = 0;  ///< of usage, the summary not counted
};
BOOST_DESCRIBE_STRUCT(OrganizationUsageExported, (), (from, to, facilityId, allOrganizations, rows))

using OrganizationEvent = std::variant<OrganizationCreated, OrganizationUpdated, OrganizationDeactivated,
                                       OrganizationReactivated, OrganizationUsageExported>;

/// Folds one event into the organization.
void evolve(Organization& organization, OrganizationEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::organization> : Declared<Organization, OrganizationEvent> {
    static constexpr Residence kResidence = Residence::with_organization;
    static constexpr bool kSandboxed = false;
    static constexpr bool kInActivity = false;
};

}  // namespace workforce::events
