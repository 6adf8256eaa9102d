// Facilities: the resource, its events, and how they fold.
#pragma once

#include <variant>

#include "core/enum_text.hpp"
#include "events/credential.hpp"
#include "events/resource.hpp"

namespace workforce::events {

struct Address {
    core::ShortText line1, line2, city, region, postalCode, country;

    static constexpr std::array<std::string_view, 0> kRequired{};
};
BOOST_DESCRIBE_STRUCT(Address, (), (line1, line2, city, region, postalCode, country))

/// A credential that staff need to work here, for shifts of `specialty` (empty: all).
struct RequiredCredential {
    core::ShortText specialty;
    core::EnumText<StaffCredentialType> type;
    core::ShortText name;
};
BOOST_DESCRIBE_STRUCT(RequiredCredential, (), (specialty, type, name))

/// What a finding of an assignment rule does: nothing, a warning, or a refusal.
enum class RuleLevel : std::uint8_t { allow, flag, block };
BOOST_DESCRIBE_ENUM(RuleLevel, allow, flag, block)

struct SchedulingRules {
    RuleLevel doubleBooking = RuleLevel::block;
    RuleLevel timeOff = RuleLevel::block;
    RuleLevel inactiveCredential = RuleLevel::block;
    RuleLevel specialtyMismatch = RuleLevel::flag;
    RuleLevel overtime = RuleLevel::flag;
    RuleLevel minRest = RuleLevel::flag;
    RuleLevel unavailable = RuleLevel::flag;

    static constexpr std::array<std::string_view, 0> kRequired{};
};
BOOST_DESCRIBE_STRUCT(SchedulingRules, (),
                      (doubleBooking, timeOff, inactiveCredential, specialtyMismatch, overtime, minRest, unavailable))

struct SchedulingRuleChanges {
    using PartOf = SchedulingRules;
    std::optional<RuleLevel> doubleBooking, timeOff, inactiveCredential, specialtyMismatch, overtime, minRest,
        unavailable;
};
BOOST_DESCRIBE_STRUCT(SchedulingRuleChanges, (),
                      (doubleBooking, timeOff, inactiveCredential, specialtyMismatch, overtime, minRest, unavailable))

struct AddressChanges {
    using PartOf = Address;
    std::optional<core::ShortText> line1, line2, city, region, postalCode, country;
};
BOOST_DESCRIBE_STRUCT(AddressChanges, (), (line1, line2, city, region, postalCode, country))

/// What a caller may say of a new facility. An empty time zone means the organization's.
struct FacilityDetails {
    core::Name name;
    core::Text<0, 32> code;
    Address address;
    core::Phone phone;
    core::TimeZoneName timezone;
    std::vector<core::ShortText> departments;
    core::Decimal<0, 500> billMarkupPercent;
    std::vector<RequiredCredential> requiredCredentialTypes;
    SchedulingRules schedulingRules;
    bool autoStart = true;
    bool autoComplete = true;
    bool claimsNeedApproval = true;

    static constexpr std::array<std::string_view, 1> kRequired{"name"};
};
BOOST_DESCRIBE_STRUCT(FacilityDetails, (),
                      (name, code, address, phone, timezone, departments, billMarkupPercent, requiredCredentialTypes,
                       schedulingRules, autoStart, autoComplete, claimsNeedApproval))

/// The fields of an update: absent means unchanged.
struct FacilityChanges {
    std::optional<core::Name> name;
    std::optional<core::Text<0, 32>> code;
    std::optional<AddressChanges> address;
    std::optional<core::Phone> phone;
    std::optional<core::TimeZoneName> timezone;
    std::optional<std::vector<core::ShortText>> departments;
    std::optional<core::Decimal<0, 500>> billMarkupPercent;
    std::optional<std::vector<RequiredCredential>> requiredCredentialTypes;
    std::optional<SchedulingRuleChanges> schedulingRules;
    std::optional<bool> autoStart, autoComplete, claimsNeedApproval;
};
BOOST_DESCRIBE_STRUCT(FacilityChanges, (),
                      (name, code, address, phone, timezone, departments, billMarkupPercent, requiredCredentialTypes,
                       schedulingRules, autoStart, autoComplete, claimsNeedApproval))

struct FacilityFlags {
    bool isActive = true;
};
BOOST_DESCRIBE_STRUCT(FacilityFlags, (), (isActive))

struct Facility : Identified, FacilityDetails, FacilityFlags, Stamped {
    static constexpr Kind kKind = Kind::facility;
};
BOOST_DESCRIBE_STRUCT(Facility, (Identified, FacilityDetails, FacilityFlags, Stamped), ())

struct FacilityCreated : FacilityDetails {
    static constexpr std::string_view kType = "facility.created";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(FacilityCreated, (FacilityDetails), ())

struct FacilityUpdated : FacilityChanges {
    static constexpr std::string_view kType = "facility.updated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(FacilityUpdated, (FacilityChanges), ())

struct FacilityDeactivated {
    static constexpr std::string_view kType = "facility.deactivated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(FacilityDeactivated, (), ())

struct FacilityReactivated {
    static constexpr std::string_view kType = "facility.reactivated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(FacilityReactivated, (), ())

using FacilityEvent = std::variant<FacilityCreated, FacilityUpdated, FacilityDeactivated, FacilityReactivated>;

/// Folds one event into the facility.
void evolve(Facility& facility, FacilityEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::facility> : Declared<Facility, FacilityEvent> {
    static constexpr Residence kResidence = Residence::with_organization;
    static constexpr bool kSandboxed = false;
};

}  // namespace workforce::events
