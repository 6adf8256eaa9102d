// Given events, when a command is decided, then events or a refusal: the shape of every test of a decider.
#pragma once

#include <algorithm>
#include <cctype>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "core/time.hpp"
#include "events/codec.hpp"
#include "events/facility.hpp"
#include "events/staff.hpp"

namespace workforce::tests {

using core::Code;
using core::Id;

inline core::Timestamp at(std::string_view text) { return core::parse_timestamp(text).value(); }
inline core::Date day(std::string_view text) { return core::parse_date(text).value(); }
inline core::TimeOfDay clock(std::string_view text) { return core::parse_time_of_day(text).value(); }

/// What is wrong with a command's body, as "field rule, field rule" in the order told; "" when it is taken.
template <class Command>
std::string faults_in(std::string_view body) {
    auto const document = core::parse_json(body).value();
    Command command;
    core::JsonReader reader;
    core::JsonType<Command>::read(document, command, reader);
    std::string faults;
    for (auto const& error : reader.errors()) {
        if (!faults.empty()) faults += ", ";
        faults += error.field + " " + error.rule;
    }
    return faults;
}

/// The member of details that a refusal's suggestion names and its details lack; empty where there is none.
inline std::string absent_detail(core::Problem const& problem) {
    constexpr std::string_view kNamed = "details.";
    std::string_view suggestion = problem.suggestion;
    if (suggestion.empty()) suggestion = core::info(problem.code).suggestion;
    for (auto at = suggestion.find(kNamed); at != std::string_view::npos; at = suggestion.find(kNamed, at + 1)) {
        auto const rest = suggestion.substr(at + kNamed.size());
        auto const end = std::ranges::find_if_not(rest, [](unsigned char c) { return std::isalnum(c) != 0; });
        std::string const name(rest.begin(), end);
        if (problem.details.find('"' + name + "\":") == std::string::npos) return name;
    }
    return {};
}

/// What a command led to.
struct Outcome {
    core::Result<commands::Decision> result;

    /// The events' types in their order, "nothing" for none, or the refusal's code: "shift.posted shift.filled",
    /// "SHIFT_FULL"; with what is missing of a refusal that promises details.
    [[nodiscard]] std::string summary() const {
        if (!result) {
            auto const absent = absent_detail(result.error());
            std::string code(core::info(result.error().code).name);
            return absent.empty() ? code : code + " without details." + absent;
        }
        std::string types;
        for (auto const& event : result->events) {
            types += types.empty() ? "" : " ";
            types += type_of(event.data);
        }
        return types.empty() ? "nothing" : types;
    }
    /// The first event of that type. Errors: std::logic_error when there is none.
    template <class E>
    [[nodiscard]] E const& event() const {
        for (auto const& event : result.value().events) {
            if (auto const* found = events::get_if<E>(event.data)) return *found;
        }
        throw std::logic_error("no " + std::string(E::kType) + " in: " + summary());
    }
    /// The refusal's message; empty when nothing was refused.
    [[nodiscard]] std::string message() const { return result ? std::string{} : result.error().message; }
    /// The refusal's details; empty when it has none or nothing was refused.
    [[nodiscard]] std::string details() const { return result ? std::string{} : result.error().details; }
};

/// One organization as its events left it, and the caller who sends commands. `context` is the test's to change between
/// steps; events given while context.sandbox is set are the sandbox's.
class Given {
   public:
    static constexpr Id kOrganization = 7;

    Given() {
        context.now = at("2026-07-24T10:00:00Z");
        context.actor = {events::ActorType::user, 3, 3};
        context.organization = kOrganization;
        context.may_assign = true;
        context.new_ids = {101, 102, 103};
    }

    /// Applies an event at the present time as the next version of its aggregate.
    Given& event(events::AggregateRef subject, events::AnyEvent data, Id facility = 0) {
        events::Envelope meta;
        meta.time = context.now;
        meta.subject = subject;
        meta.organization = kOrganization;
        meta.facility = facility;
        meta.sandbox = context.sandbox;
        meta.seq = state.version(subject) + 1;
        meta.actor = context.actor;
        state.apply({std::move(meta), std::move(data)});
        return *this;
    }

    Given& organization(events::OrganizationType type = events::OrganizationType::customer) {
        events::OrganizationCreated created;
        created.name = "Harbour Care";
        created.type = type;
        created.timezone = "Europe/Berlin";
        return event({events::Kind::organization, kOrganization}, events::OrganizationEvent(std::move(created)));
    }
    Given& facility(Id id, std::string const& timezone = "UTC", events::SchedulingRules const& rules = {}) {
        events::FacilityCreated created;
        created.name = "Facility " + std::to_string(id);
        created.timezone = timezone;
        created.schedulingRules = rules;
        return event({events::Kind::facility, id}, events::FacilityEvent(std::move(created)), id);
    }
    /// A person with the address staff<id>@example.test.
    Given& staff(Id id, std::vector<Id> facilities = {}, std::string const& specialty = {}) {
        events::StaffOnboarded onboarded;
        onboarded.firstName = core::Name("Ada");
        onboarded.lastName = core::Name("Number " + std::to_string(id));
        onboarded.email = core::Email("staff" + std::to_string(id) + "@example.test");
        onboarded.specialty = specialty;
        onboarded.facilityIds = std::move(facilities);
        return event({events::Kind::staff, id}, events::StaffEvent(std::move(onboarded)));
    }
    /// A shift at the facility, which must be given, in its zone. An end before the start is next day. Its body is in
    /// given_shift.hpp, for tests of nothing that has shifts need not know their events.
    Given& shift(Id id, Id facility, std::string_view date, std::string_view start, std::string_view end,
                 int required = 1, std::vector<Id> const& assigned = {});
    /// A further event of a shift.
    Given& on_shift(Id id, events::AnyEvent data) { return event({events::Kind::shift, id}, std::move(data)); }

    /// Somebody else on the platform has the text: reservations of it find it taken.
    Given& taken(std::string text) {
        elsewhere_.insert(std::move(text));
        return *this;
    }

    [[nodiscard]] commands::View view() const { return {kOrganization, state, context.sandbox, &looked_up_, &taken_}; }

    /// Decides the command; nothing changes.
    template <class Command>
    [[nodiscard]] Outcome when(Command const& command) const {
        try {
            return {decide(view(), command, context)};
        } catch (commands::NotResident const& lack) {
            reserve(lack.needs);
        }
        return {decide(view(), command, context)};
    }
    /// Decides the command, applies its events and gives its answer. Errors: std::logic_error when it is refused.
    template <class Command>
    typename Command::Answer after(Command const& command) {
        auto outcome = when(command);
        if (!outcome.result)
            throw std::logic_error("refused: " + outcome.summary() + " " + outcome.result.error().message);
        outcome.result->at = context.now;
        for (auto const& made : outcome.result->events) event(made.subject, made.data, made.facility);
        if constexpr (!std::same_as<typename Command::Answer, commands::Nothing>) {
            return answer(view(), command, *outcome.result);
        } else {
            return {};
        }
    }

    commands::OrganizationState state;
    commands::Context context;

   private:
    void reserve(commands::Needs const& needs) const {
        for (auto const& need : needs) {
            if (need.what != commands::Need::What::reservation) throw std::logic_error("the state lacks something");
            looked_up_.insert(need);
            if (elsewhere_.contains(need.text.substr(need.text.find('\n') + 1))) taken_.insert(need);
        }
    }

    std::set<std::string> elsewhere_;
    mutable commands::Needs looked_up_;  // of reservations
    mutable commands::Needs taken_;
};

}  // namespace workforce::tests
