// The table of outcomes.
#include "events/outcomes.hpp"

#include <algorithm>
#include <array>

#include "events/credential.hpp"
#include "events/lead.hpp"
#include "events/shift.hpp"

namespace workforce::events {
namespace {

constexpr std::array<std::string_view, 7> kAssigning{
    "shifts.assign",       "shifts.create",        "shifts.swap",        "shift_swaps.approve",
    "shift_claims.create", "shift_claims.approve", "shift_offers.accept"};
constexpr std::array<std::string_view, 1> kQualifying{"leads.update"};
constexpr std::array<std::string_view, 2> kSwapping{"shifts.swap", "shift_swaps.approve"};

/// The command put more people on the shift than it took off, so that the shift lacked somebody before. Whoever swaps
/// leaves the numbers as they are, and fills both shifts all the same.
bool fills_vacancy(std::span<Event const> command, std::size_t index) {
    auto const& filled = command[index].meta;
    if (std::ranges::find(kSwapping, filled.verb) != kSwapping.end()) return true;
    std::int64_t more = 0;
    for (auto const& event : command) {
        if (event.meta.subject != filled.subject) continue;
        if (is<ShiftStaffAssigned>(event.data)) ++more;
        if (is<ShiftUnassigned>(event.data)) --more;
    }
    return more > 0;
}

bool becomes_verified(std::span<Event const> command, std::size_t index) {
    return get<CredentialVerified>(command[index].data).from != CredentialStatus::verified;
}

/// The lead was there before: one that is created qualified made no transition (domain 2.4).
bool turns_qualified(std::span<Event const> command, std::size_t index) {
    return std::ranges::none_of(command, [&](Event const& event) {
        return is<LeadCreated>(event.data) && event.meta.subject == command[index].meta.subject;
    });
}

// In the order of precedence. A new outcome is a row here.
constexpr std::array<OutcomeRule, 5> kRules{{
    {.outcome = "payroll_run", .type = "payroll_run.submitted"},
    {.outcome = "credential_verified", .type = CredentialVerified::kType, .counts = becomes_verified},
    {.outcome = "lead_qualified", .type = LeadQualified::kType, .counts = turns_qualified, .verbs = kQualifying},
    {.outcome = "shift_filled", .type = ShiftFilled::kType, .counts = fills_vacancy, .verbs = kAssigning},
    {.outcome = "composio_execution", .type = "app.executed", .billed = false},
}};

/// Whether somebody asked for what led to the event.
bool was_asked_for(Envelope const& meta) {
    bool const by_installation = meta.actor.type == ActorType::system && meta.correlation_id.empty();
    return !meta.request_id.empty() && !by_installation;
}

}  // namespace

std::span<OutcomeRule const> outcome_rules() { return kRules; }

OutcomeRule const* outcome_rule(std::string_view type) {
    auto const found = std::ranges::find(kRules, type, &OutcomeRule::type);
    return found == kRules.end() ? nullptr : &*found;
}

std::optional<CommandOutcome> outcome_of(std::span<Event const> command) {
    std::optional<CommandOutcome> best;
    for (std::size_t i = 0; i < command.size(); ++i) {
        auto const& meta = command[i].meta;
        auto const* const rule = outcome_rule(meta.type);
        if (rule == nullptr || meta.sandbox || !was_asked_for(meta)) continue;
        if (best && best->rule <= rule) continue;  // the table is in the order of precedence
        if (rule->counts == nullptr || rule->counts(command, i)) best = CommandOutcome{rule, i};
    }
    return best;
}

OutcomeRule const* recorded_outcome(Event const& event) {
    auto const& meta = event.meta;
    auto const* const rule = outcome_rule(meta.type);
    if (rule == nullptr || meta.sandbox || meta.outcome == kNoOutcome) return nullptr;
    if (!meta.outcome.empty()) return meta.outcome == rule->outcome ? rule : nullptr;
    if (!was_asked_for(meta)) return nullptr;
    if (!rule->verbs.empty() && std::ranges::find(rule->verbs, meta.verb) == rule->verbs.end()) return nullptr;
    if (meta.type == CredentialVerified::kType && !becomes_verified({&event, 1}, 0)) return nullptr;
    return rule;
}

}  // namespace workforce::events
