// What an aggregate is: its kind, its name in the log, and what each declares of itself.
#pragma once

#include <array>
#include <boost/describe/enum.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/mp11/list.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/text.hpp"

namespace workforce::events {

using core::Id;

/// Kinds of aggregates; the name leads the event's subject (`shift/42`), and names sequence and read model. `command`
/// is not an aggregate but the stream of answers kept for idempotency, which has no ids.
enum class Kind : std::uint8_t {
    organization,
    facility,
    user,
    api_key,
    staff,
    shift,
    lead,
    command,
    sandbox,
    webhook,
    notification,
    credential,
    timesheet,
    payroll_run,
    oauth_client,
    oauth_grant,
    guardrail,
    approval,
    agent,
    agent_run,
    trigger,
    app,
    conversation,
    message,
    time_off,
    shift_claim,
    shift_offer,
    shift_swap,
    shift_template
};
BOOST_DESCRIBE_ENUM(Kind, organization, facility, user, api_key, staff, shift, lead, command, sandbox, webhook,
                    notification, credential, timesheet, payroll_run, oauth_client, oauth_grant, guardrail, approval,
                    agent, agent_run, trigger, app, conversation, message, time_off, shift_claim, shift_offer,
                    shift_swap, shift_template)
inline constexpr std::size_t kKinds = boost::mp11::mp_size<boost::describe::describe_enumerators<Kind>>::value;
/// All of them, in their order.
inline constexpr auto kAllKinds = [] {
    std::array<Kind, kKinds> kinds{};
    for (std::size_t place = 0; place < kKinds; ++place) kinds[place] = static_cast<Kind>(place);
    return kinds;
}();

/// One aggregate: the unit of versioning and of concurrency checks.
struct AggregateRef {
    Kind kind = Kind::command;
    Id id = 0;
    bool operator==(AggregateRef const&) const = default;
};

/// "shift/42"; also the name of a person's key where the aggregate is a person.
std::string to_string(AggregateRef const& ref);
/// The inverse of to_string, or nothing.
std::optional<AggregateRef> parse_aggregate(std::string_view subject);

/// A text that no two aggregates on the platform may have, whatever their organizations. `name` says of what sort it
/// is; it is for ever, for reservations are digests under a key that is derived from it.
struct UniqueText {
    std::string_view name;
    std::string text;
};

/// How the write side keeps aggregates of a kind in memory.
enum class Residence : std::uint8_t {
    with_organization,  ///< they come and leave with their organization: few, and all of them looked at by rules
    alone,              ///< each by itself
    none,               ///< not at all
};

/// An aggregate that is no person's.
struct NoHolder {};

/// What a kind is, declared beside its events by a specialization that derives from Declared.
template <Kind K>
struct Aggregate;

/// The kind of aggregates with that state, which says so.
template <class State>
inline constexpr Kind kKindOfState = State::kKind;

/// An aggregate whose events, the variant `E`, fold into an `S`, with what holds for most.
template <class S, class E>
struct Declared {
    using State = S;
    using Events = E;
    static constexpr Residence kResidence = Residence::alone;
    /// Whether a sandbox has some of its own; else it shares the live ones.
    static constexpr bool kSandboxed = true;
    /// Whether the activity feed shows what happens to them (domain 1.9).
    static constexpr bool kInActivity = true;
    /// Whether its `facilityIds` are told with what happens to it, and to what is its own (Holder).
    static constexpr bool kGivesFacilities = false;
    /// The event by which a reset of a sandbox deletes one of it; void: a reset has rules of its own for it, or leaves
    /// it.
    using Deleted = void;
    /// What decisions find it by besides its id (events/index.hpp).
    using Indexes = boost::mp11::mp_list<>;
    /// Whose it is: HeldBy a person. Personal fields of what is a person's lie in events with a member `sealedFor`.
    using Holder = NoHolder;
    // What is unique on the platform is a function `unique_texts(State const&)`, of a vector of UniqueText; secrets by
    // their ids are a function `secret_ids(State const&)`, of a vector of texts.
};

/// Whether an aggregate of that kind is a person, with a key of their own and personal fields: it can be erased.
bool is_person(Kind kind);
/// What Declared says of a kind.
bool is_sandboxed(Kind kind);
bool is_in_activity(Kind kind);
Residence residence_of(Kind kind);
/// Whether a sandbox has rows of the kind that its facility or its facility's people have: what its counts tell.
bool is_counted(Kind kind);

/// The kinds of persons as people type them, each with "/ID", with commas between them.
std::string_view person_names();

}  // namespace workforce::events
