// Rules of erasure.
#include "commands/erasure.hpp"

#include <algorithm>
#include <set>
#include <type_traits>

#include "commands/agent_run.hpp"
#include "commands/approval.hpp"
#include "commands/oauth_grant.hpp"
#include "commands/payroll_states.hpp"
#include "commands/shift_claim.hpp"
#include "commands/shift_offer.hpp"
#include "commands/shift_staffing.hpp"
#include "commands/user.hpp"
#include "events/catalogue.hpp"

namespace workforce::commands {
namespace {

/// What ends with the person: for most kinds nothing.
template <class State>
void end_ties(View const& /*view*/, State const& /*person*/, Context const& /*context*/,
              std::vector<NewEvent>& /*events*/) {}

/// A call that waits is not carried out once what it says is gone, and nobody waits for what is asked outside; of one
/// that was carried out the rest stays.
void end_pending(View const& view, events::ApprovalRecord const& approval, Context const& context,
                 std::vector<NewEvent>& events) {
    bool const runs = approval.status == events::ApprovalStatus::approved && !approval.executionResult.value;
    if (runs && !approval.deleted) {
        ApprovalOutcome const outcome{.what = ApprovalOutcome::What::execution_failed, .code = "erased", .error = {}};
        events.push_back(execution_event(approval, outcome, {}));
        tell_waiter(view, context, approval, outcome, events);
    }
    if (approval.deleted || approval.status != events::ApprovalStatus::pending) return;
    events::ApprovalRejected rejected;
    rejected.cause = events::RejectionCause::erased;
    std::ranges::move(reject_approval(view, context, approval, std::move(rejected)), std::back_inserter(events));
}

void end_ties(View const& view, events::ApprovalRecord const& approval, Context const& context,
              std::vector<NewEvent>& events) {
    end_pending(view, approval, context, events);
}

/// A run that waits goes on no more.
void end_ties(View const& view, events::AgentRunRecord const& run, Context const& context,
              std::vector<NewEvent>& events) {
    if (!run.deleted) end_wait(view, context, run, events::RejectionCause::erased, events);
}

/// The indexes of approvals and runs that name persons of a kind; void: none do.
template <events::Kind K>
struct Naming {
    using Approvals = void;
};
template <>
struct Naming<events::Kind::staff> {
    using Approvals = events::ApprovalsNamingStaff;
    using Runs = events::RunsNamingStaff;
};
template <>
struct Naming<events::Kind::user> {
    using Approvals = events::ApprovalsNamingUser;
    using Runs = events::RunsNamingUser;
};
template <>
struct Naming<events::Kind::lead> {
    using Approvals = events::ApprovalsNamingLead;
    using Runs = events::RunsNamingLead;
};
template <events::Kind K>
inline constexpr bool kIsNamed = !std::is_void_v<typename Naming<K>::Approvals>;

/// What names a person: all, or as much as is emptied at a time, of which more may be left.
struct NamingPerson {
    std::vector<events::ApprovalRecord const*> approvals{};
    std::vector<events::AgentRunRecord const*> runs{};

    [[nodiscard]] bool may_be_more() const {
        return approvals.size() == events::kErasedApprovalsAtOnce || runs.size() == events::kErasedRunsAtOnce;
    }
};

template <class I, class Record>
void find_some(View const& view, Id person, std::size_t most, std::vector<Record const*>& found) {
    found = view.by<I>(person);
    if (found.size() > most) found.resize(most);
}

/// With the runs whose calls the approvals are.
template <events::Kind K>
NamingPerson naming_person(View const& view, Id person) {
    NamingPerson naming;
    if constexpr (kIsNamed<K>) {
        Requirements(view)
            .ask([&] {
                find_some<typename Naming<K>::Approvals>(view, person, events::kErasedApprovalsAtOnce,
                                                         naming.approvals);
            })
            .ask([&] { find_some<typename Naming<K>::Runs>(view, person, events::kErasedRunsAtOnce, naming.runs); })
            .require();
        std::vector<Id> waiting;
        for (auto const* approval : naming.approvals) {
            if (approval->runId.value) waiting.push_back(*approval->runId.value);
        }
        Requirements(view).rows<events::AgentRunRecord>(waiting).require();
    }
    return naming;
}

/// Empties a run, which ends with that; `heard`: that its approval is rejected was said.
void erase_run(View const& view, ErasePerson const& command, Context const& context, events::AgentRunRecord const& run,
               bool heard, std::vector<NewEvent>& events) {
    if (view.erased({events::Kind::agent_run, run.id})) return;
    if (!heard) end_ties(view, run, context, events);
    events.push_back(run_event(run, events::AgentRunErased{command}));
}

/// Empties the approvals whose arguments or results name the person, and the runs whose calls these are or that name
/// the person themselves.
void erase_approvals_and_runs(View const& view, ErasePerson const& command, Context const& context,
                              NamingPerson const& naming, std::vector<NewEvent>& events) {
    auto runs = naming.runs;
    std::set<Id> rejected;
    for (auto const* approval : naming.approvals) {
        if (view.erased({events::Kind::approval, approval->id})) continue;
        end_pending(view, *approval, context, events);
        events.push_back(approval_event(*approval, events::ApprovalErased{command}));
        rejected.insert(approval->id);
        if (!approval->runId.value) continue;
        auto const* run = view.get<events::AgentRunRecord>(*approval->runId.value);
        if (run && std::ranges::find(runs, run) == runs.end()) runs.push_back(run);
    }
    for (auto const* run : runs) {
        erase_run(view, command, context, *run, rejected.contains(run->approvalId.value.value_or(0)), events);
    }
}

void end_ties(View const& view, events::StaffRecord const& staff, Context const& context,
              std::vector<NewEvent>& events) {
    for (auto const* shift : shifts_ahead(view, staff.id, context.now)) take_off(*shift, staff.id, events);
    for (auto const* run : view.by<events::RunsTellingOf>(staff.id)) {
        events.push_back(run_event(*run, events::PayrollRunPersonErased{staff.id}));
    }
    for (auto const* claim : view.by<events::ShiftClaimsOfPerson>(staff.id)) {
        if (auto ended = end_claim(*claim)) events.push_back(*std::move(ended));
    }
    for (auto const* offer : view.by<events::ShiftOffersToPerson>(staff.id)) {
        if (auto ended = end_offer(*offer)) events.push_back(*std::move(ended));
    }
}

void end_ties(View const& view, events::User const& user, Context const& /*context*/, std::vector<NewEvent>& events) {
    std::vector<events::ApiKey const*> keys;
    for (auto const& [id, held] : view.all<events::ApiKey>()) {
        bool const theirs = held.value.userId.value == user.id;
        if (theirs && held.value.status != events::ApiKeyStatus::revoked) keys.push_back(&held.value);
    }
    std::sort(keys.begin(), keys.end(), [](auto const* a, auto const* b) { return a->id < b->id; });
    for (auto const* key : keys) {
        events.push_back({{events::Kind::api_key, key->id},
                          key->facilityId.value.value_or(0),
                          events::ApiKeyEvent(events::ApiKeyRevoked{})});
    }
    revoke_grants(view, user.id, events);
}

/// Empties what is personal of aggregates that are the person's.
template <events::Kind K>
void end_held(View const& view, Id person, std::vector<NewEvent>& events) {
    boost::mp11::mp_for_each<events::StatefulKinds>([&]<class Each>(Each) {
        using Declared = events::Aggregate<Each::value>;
        if constexpr (events::kIsHeldBy<Each::value, K>) {
            using Erased = typename Declared::Holder::ErasedEvent;
            if constexpr (!std::is_void_v<Erased>) {
                for (auto const* held : view.by<events::OfHolder<Each::value>>(person)) {
                    if (held->internals.holderErased) continue;
                    events.push_back({{Each::value, resource_of(*held).id}, 0, typename Declared::Events(Erased{})});
                }
            }
        }
    });
}

/// Whether the installation can't do without the person.
template <class State>
bool is_needed(View const& /*view*/, State const& /*person*/) {
    return false;
}
bool is_needed(View const& view, events::User const& user) {
    return !user.email.erased && is_last_super_admin(view, user);
}

template <events::Kind K>
Result<Decision> erase(View const& view, ErasePerson const& command, Context const& context) {
    using Erased = boost::mp11::mp_front<events::ErasingEvents<K>>;
    auto const* person = view.get<typename events::Aggregate<K>::State>(command.person.id);
    if (!person) return not_found(core::enum_name(K), command.person.id);
    if (view.erased(command.person)) return Decision{};
    if (is_needed(view, *person)) {
        return refuse(Code::last_super_admin, "The user is the last active super admin; make another one first.");
    }
    Decision decision;
    auto const naming = naming_person<K>(view, command.person.id);
    if (naming.may_be_more()) {
        erase_approvals_and_runs(view, command, context, naming, decision.events);
        return decision;
    }
    end_ties(view, *person, context, decision.events);
    end_held<K>(view, command.person.id, decision.events);
    erase_approvals_and_runs(view, command, context, naming, decision.events);
    decision.events.push_back({command.person, 0, Erased{{command}}});
    return decision;
}

}  // namespace

Result<Decision> decide(View const& view, ErasePerson const& command, Context const& context) {
    Result<Decision> result = not_found("person", command.person.id);
    events::for_each_kind<events::StatefulKinds>([&](events::Kind kind, auto constant) {
        constexpr auto kKind = decltype(constant)::value;
        if constexpr (events::kIsPerson<kKind>) {
            if (kind == command.person.kind) result = erase<kKind>(view, command, context);
        }
    });
    return result;
}
Erasure answer(View const&, ErasePerson const& command, Decision const& decision) {
    bool const more = !decision.events.empty() && decision.events.back().subject != command.person;
    return {to_string(command.person), !decision.events.empty(), more};
}

}  // namespace workforce::commands
