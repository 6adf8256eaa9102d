// Leads of the CRM: the resource (domain 1.8), its events, and how they fold. What identifies a person is Personal.
#pragma once

#include <variant>

#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

enum class LeadStatus : std::uint8_t { new_, contacted, qualified, proposal, won, lost, disqualified };
BOOST_DESCRIBE_ENUM(LeadStatus, new_, contacted, qualified, proposal, won, lost, disqualified)

enum class LeadSource : std::uint8_t { manual, web, referral, import, agent, api };
BOOST_DESCRIBE_ENUM(LeadSource, manual, web, referral, import, agent, api)

/// What a caller may say of a new lead beside its status. A lead has a name or a company.
struct LeadDetails {
    core::Nullable<Id> facilityId;  ///< null: of the organization as a whole
    core::Personal<core::ShortText> name;
    core::ShortText company;
    core::Personal<core::OptionalEmail> email;
    core::Personal<core::Phone> phone;
    LeadSource source = LeadSource::manual;
    core::Int<0, 100> score;
    core::Decimal<0, 1'000'000'000> estimatedValue;
    core::Nullable<Id> ownerUserId;
    core::Personal<core::LongText> notes;
    std::vector<core::ShortText> tags;
    core::Nullable<Timestamp> lastContactedAt;
    core::ShortText externalId;

    static constexpr std::array<std::string_view, 0> kRequired{};
};
BOOST_DESCRIBE_STRUCT(LeadDetails, (),
                      (facilityId, name, company, email, phone, source, score, estimatedValue, ownerUserId, notes, tags,
                       lastContactedAt, externalId))

/// The fields of an update: absent means unchanged.
struct LeadChanges {
    std::optional<core::Nullable<Id>> facilityId;
    std::optional<core::Personal<core::ShortText>> name;
    std::optional<core::ShortText> company;
    std::optional<core::Personal<core::OptionalEmail>> email;
    std::optional<core::Personal<core::Phone>> phone;
    std::optional<LeadSource> source;
    std::optional<core::Int<0, 100>> score;
    std::optional<core::Decimal<0, 1'000'000'000>> estimatedValue;
    std::optional<core::Nullable<Id>> ownerUserId;
    std::optional<core::Personal<core::LongText>> notes;
    std::optional<std::vector<core::ShortText>> tags;
    std::optional<core::Nullable<Timestamp>> lastContactedAt;
    std::optional<core::ShortText> externalId;
};
BOOST_DESCRIBE_STRUCT(LeadChanges, (),
                      (facilityId, name, company, email, phone, source, score, estimatedValue, ownerUserId, notes, tags,
                       lastContactedAt, externalId))

/// Where a lead stands, and why it was given up where it was.
struct LeadStanding {
    LeadStatus status = LeadStatus::new_;
    core::ShortText lostReason;
};
BOOST_DESCRIBE_STRUCT(LeadStanding, (), (status, lostReason))

struct LeadFlags {
    core::Nullable<Timestamp> qualifiedAt;  ///< when it was last qualified
};
BOOST_DESCRIBE_STRUCT(LeadFlags, (), (qualifiedAt))

struct Lead : Identified, LeadDetails, LeadStanding, LeadFlags, Stamped {};
BOOST_DESCRIBE_STRUCT(Lead, (Identified, LeadDetails, LeadStanding, LeadFlags, Stamped), ())

struct LeadCreated : LeadDetails, LeadStanding {
    static constexpr std::string_view kType = "lead.created";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(LeadCreated, (LeadDetails, LeadStanding), ())

struct LeadUpdated : LeadChanges {
    static constexpr std::string_view kType = "lead.updated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(LeadUpdated, (LeadChanges), ())

/// It stands elsewhere now, or was given up for another reason.
struct LeadStatusChanged : LeadStanding {
    static constexpr std::string_view kType = "lead.status_changed";
    static constexpr std::int32_t kVersion = 1;
    LeadStatus from = LeadStatus::new_;
};
BOOST_DESCRIBE_STRUCT(LeadStatusChanged, (LeadStanding), (from))

/// The status entered `qualified`.
struct LeadQualified {
    static constexpr std::string_view kType = "lead.qualified";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(LeadQualified, (), ())

struct LeadDeleted {
    static constexpr std::string_view kType = "lead.deleted";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kEnds = true;
};
BOOST_DESCRIBE_STRUCT(LeadDeleted, (), ())

/// As StaffErased.
struct LeadErased : ErasureDetails {
    static constexpr std::string_view kType = "lead.erased";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kErases = true;
};
BOOST_DESCRIBE_STRUCT(LeadErased, (ErasureDetails), ())

using LeadEvent = std::variant<LeadCreated, LeadUpdated, LeadStatusChanged, LeadQualified, LeadDeleted, LeadErased>;

/// A lead with what callers don't see of it.
struct LeadRecord : Lead {
    static constexpr Kind kKind = Kind::lead;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(LeadRecord, (Lead), (deleted))
inline Lead const& resource_of(LeadRecord const& record) { return record; }

/// Those of a facility in its sandbox.
struct LeadsOfFacility : OfFacility<Kind::lead, Value<&Lead::facilityId>> {};

/// Folds one event into the lead.
void evolve(LeadRecord& lead, LeadEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::lead> : Declared<LeadRecord, LeadEvent> {
    using Deleted = LeadDeleted;
    using Indexes = boost::mp11::mp_list<LeadsOfFacility>;
};

}  // namespace workforce::events
