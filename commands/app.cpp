// Rules of connections to apps (domain 1.11, 2.6).
#include "commands/app.hpp"

#include <fmt/format.h>

#include "commands/facility.hpp"
#include "events/named_people.hpp"

namespace workforce::commands {
namespace {

using events::AppRecord;
using events::AppStatus;

constexpr std::string_view kConnection = "app connection";

NewEvent app_event(AppRecord const& record, events::AppEvent event) {
    return {{events::Kind::app, record.id}, record.facilityId.value.value_or(0), std::move(event)};
}

AppRecord const* visible_app(View const& view, Id id, Context const& context) {
    auto const* record = view.get<AppRecord>(id);
    if (!record || record->deleted) return nullptr;
    bool const in_scope = !record->facilityId.value || context.reaches(*record->facilityId.value);
    return in_scope ? record : nullptr;
}

/// Of whom the new connection is: the facility that is named, or the only one of the caller.
Result<core::Nullable<Id>> place_of_new(View const& view, ConnectApp const& command, Context const& context) {
    auto place = command.facilityId;
    if (!place.value && context.facilities.size() == 1) place = context.facilities.front();
    if (place.value) {
        if (auto found = facility_in_scope(view, *place.value, context); !found) return tl::unexpected(found.error());
    } else if (!context.facilities.empty()) {
        return invalid_field("facilityId", "required", "must name one of your facilities");
    }
    return place;
}

/// Of a connection of the organization as a whole, for whoever is bound to facilities.
tl::unexpected<core::Problem> refuse_whole() {
    return refuse(Code::facility_scope_violation, "The connection is of the whole organization.");
}

/// As it may be kept: without what members hold that are named as secrets.
std::string kept(std::string const& json) {
    auto const value = core::parse_json(json);
    return value ? core::without_secrets(*value) : json;
}

bool names_people(ExecuteApp const& command) {
    auto const names = [](std::string const& json) {
        auto const named = events::people_named_by(json);
        return !named.namedStaffIds.empty() || !named.namedUserIds.empty() || !named.namedLeadIds.empty();
    };
    return names(command.arguments.text) || names(command.outcome->data.text);
}

/// The provider was not asked because the command was to be refused, and now it would not be.
tl::unexpected<core::Problem> refuse_unasked() {
    return refuse(Code::concurrent_modification, "The connection changed while the app was to be asked.");
}

}  // namespace

Result<void> check(View const& view, ConnectApp const& command, Context const& context) {
    auto const place = place_of_new(view, command, context);
    if (!place) return tl::unexpected(place.error());
    for (auto const* standing : view.by<events::ConnectionsOfApp>(command.app.value)) {
        if (standing->facilityId == *place) return duplicate("app", standing->id);
    }
    return {};
}

Result<Decision> decide(View const& view, ConnectApp const& command, Context const& context) {
    if (auto sound = check(view, command, context); !sound) return tl::unexpected(sound.error());
    if (!command.account) return refuse_unasked();
    events::AppConnected connected;
    connected.facilityId = *place_of_new(view, command, context);
    connected.app = command.app;
    connected.displayName = command.account->displayName;
    connected.accountLabel = command.accountLabel;
    connected.scopes = command.account->scopes;
    connected.accountId = command.account->id;
    auto const facility = connected.facilityId.value.value_or(0);
    events::AggregateRef const subject{events::Kind::app, context.new_ids.at(0)};
    return Decision{{{subject, facility, events::AppEvent(std::move(connected))}}, {}};
}
NewAppConnection answer(View const& view, ConnectApp const& command, Decision const& decision) {
    NewAppConnection shown;
    static_cast<events::AppConnection&>(shown) = *view.get<AppRecord>(decision.events.at(0).subject.id);
    shown.redirectUrl = command.account->redirect_url;
    return shown;
}

Result<AppRecord const*> find_ending(View const& view, DisconnectApp const& command, Context const& context) {
    auto const* record = visible_app(view, command.id, context);
    if (!record) return not_found(kConnection, command.id);
    if (!record->facilityId.value && !context.facilities.empty()) return refuse_whole();
    return record->status == AppStatus::disconnected ? nullptr : record;
}

Result<Decision> decide(View const& view, DisconnectApp const& command, Context const& context) {
    auto const record = find_ending(view, command, context);
    if (!record) return tl::unexpected(record.error());
    if (!*record) return Decision{};
    return Decision{{app_event(**record, events::AppDisconnected{})}, {}};
}
events::AppConnection answer(View const& view, DisconnectApp const& command, Decision const&) {
    return *view.get<AppRecord>(command.id);
}

Result<AppRecord const*> find_connected(View const& view, Id id, Context const& context) {
    auto const* record = visible_app(view, id, context);
    if (!record) return not_found(kConnection, id);
    if (!record->facilityId.value && !context.facilities.empty()) return refuse_whole();
    if (record->status == AppStatus::disconnected) {
        return refuse(Code::app_not_connected, fmt::format("The connection {} was ended.", id));
    }
    if (record->internals.executions >= events::kExecutionsOfApp - 1) {
        return refuse(Code::limit_reached, "The connection had as many executions as it may.", {},
                      "End the connection, and connect the app again.");
    }
    return record;
}

Result<Decision> decide(View const& view, ExecuteApp const& command, Context const& context) {
    if (!command.outcome) {
        auto const found = find_connected(view, command.id, context);
        return found ? Result<Decision>(refuse_unasked()) : tl::unexpected(found.error());
    }
    auto const* record = visible_app(view, command.id, context);
    if (!record) return not_found(kConnection, command.id);
    if (view.erased({events::Kind::app, command.id})) {
        return refuse(Code::app_not_connected, fmt::format("The connection {} was erased.", command.id));
    }
    events::AppActionAsked asked;
    asked.executionId = events::execution_id(command.id, record->internals.executions + 1);
    asked.app = record->app;
    asked.action = command.action;
    bool const about_people = names_people(command);
    if (!about_people) asked.arguments = events::AppArguments{kept(command.arguments.text)};
    asked.approvalId = command.approval;
    asked.durationMs = command.outcome->duration_ms;
    if (command.outcome->successful) {
        events::AppExecuted executed{{std::move(asked)}, {}};
        if (!about_people) executed.result = events::AppResult{kept(command.outcome->data.text)};
        return Decision{{app_event(*record, std::move(executed))}, {}};
    }
    events::AppExecutionFailed failed{{std::move(asked)}, {}, command.outcome->unauthorized};
    if (!about_people) failed.error = core::LongText(command.outcome->error);
    return Decision{{app_event(*record, std::move(failed))}, {}};
}
AppExecutionAnswer answer(View const& view, ExecuteApp const& command, Decision const&) {
    AppExecutionAnswer shown;
    shown.successful = command.outcome->successful;
    if (shown.successful) {
        shown.data = command.outcome->data;
    } else {
        shown.error = command.outcome->error;
    }
    shown.executionId = events::execution_id(command.id, view.get<AppRecord>(command.id)->internals.executions);
    shown.namesPeople = names_people(command);
    return shown;
}
std::optional<AppExecutionAnswer> answer_for_retries(AppExecutionAnswer const& first) {
    if (!first.namesPeople) return std::nullopt;
    auto kept = first;
    kept.data = {};
    if (kept.error.value) kept.error = std::string("What the app said named people, and was not kept.");
    return kept;
}

}  // namespace workforce::commands
