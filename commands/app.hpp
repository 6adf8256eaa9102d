// Commands on connections to apps outside. Whoever is bound to facilities sees connections of these and of the
// organization as a whole, and makes, uses and ends those of their facilities alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/app.hpp"

namespace workforce::commands {

/// A connection that was just made.
struct NewAppConnection : events::AppConnection {
    std::optional<std::string> redirectUrl;  ///< where somebody lets us into the account; absent: nobody has to
};
BOOST_DESCRIBE_STRUCT(NewAppConnection, (events::AppConnection), (redirectUrl))

/// What the provider said of a new connection; no part of any input.
struct AppAccount {
    core::ShortText displayName;
    std::string id;  ///< the account's name at the provider
    std::vector<core::ShortText> scopes;
    std::optional<std::string> redirect_url;
};

/// POST /api/apps/{app}/connect. Whoever is bound to one facility connects it for that one where none is named.
/// DUPLICATE_RESOURCE where the facility, or the organization as a whole, has a connection to the app.
struct ConnectApp {
    using Answer = NewAppConnection;
    core::Personal<core::ShortText> accountLabel;
    core::Nullable<Id> facilityId;
    core::ShortText app;                ///< no part of the input, as the next
    std::optional<AppAccount> account;  ///< nothing: the provider was not asked, for the command was to be refused

    static constexpr std::array<std::string_view, 0> kRequired{};
};
BOOST_DESCRIBE_STRUCT(ConnectApp, (), (accountLabel, facilityId))
/// Whether the app can be connected, before its provider is asked. Errors: as of the command.
Result<void> check(View const& view, ConnectApp const& command, Context const& context);
Result<Decision> decide(View const& view, ConnectApp const& command, Context const& context);
NewAppConnection answer(View const& view, ConnectApp const& command, Decision const& decision);

/// DELETE /api/apps/connections/{id}. FACILITY_SCOPE_VIOLATION for those of the organization as a whole by whoever is
/// bound to facilities.
struct DisconnectApp {
    using Answer = events::AppConnection;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(DisconnectApp, (), ())
/// The connection that the command ends, before its provider is asked; null where it has ended. Errors: as of the
/// command.
Result<events::AppRecord const*> find_ending(View const& view, DisconnectApp const& command, Context const& context);
Result<Decision> decide(View const& view, DisconnectApp const& command, Context const& context);
events::AppConnection answer(View const& view, DisconnectApp const& command, Decision const& decision);

/// What came of an action.
struct AppOutcome {
    bool successful = false;
    events::AppResult data;     ///< of a success
    std::string error;          ///< of a failure, for people
    bool unauthorized = false;  ///< it failed because the account lets us in no more
    std::int64_t duration_ms = 0;
};

/// The answer of POST /api/apps/connections/{id}/actions/{action}.
struct AppExecutionAnswer {
    bool successful = false;
    events::AppResult data;             ///< null where it failed
    core::Nullable<std::string> error;  ///< null where it succeeded
    Id executionId = 0;
    bool namesPeople = false;  ///< not shown: what it was about is not kept, for retries neither
};
BOOST_DESCRIBE_STRUCT(AppExecutionAnswer, (), (successful, data, error, executionId))

/// Records what came of an action, also where the connection was ended meanwhile. Where its arguments or its result
/// name people (events/named_people.hpp), neither is kept: the erasure of a person has nothing to look for here.
/// APP_NOT_CONNECTED where it was before, and the app was not asked.
struct ExecuteApp {
    using Answer = AppExecutionAnswer;
    Id id = 0;
    events::AppArguments arguments;
    std::string action;                 ///< no part of the input, as the next
    core::Nullable<Id> approval;        ///< by which a person let it be done
    std::optional<AppOutcome> outcome;  ///< nothing: the app was not asked, for the command was to be refused

    static constexpr std::array<std::string_view, 0> kRequired{};
};
BOOST_DESCRIBE_STRUCT(ExecuteApp, (), (arguments))
/// The connection that an action goes through, before the app is asked. Errors: NOT_FOUND, APP_NOT_CONNECTED;
/// FACILITY_SCOPE_VIOLATION for those of the organization as a whole by whoever is bound to facilities.
Result<events::AppRecord const*> find_connected(View const& view, Id id, Context const& context);
Result<Decision> decide(View const& view, ExecuteApp const& command, Context const& context);
AppExecutionAnswer answer(View const& view, ExecuteApp const& command, Decision const& decision);
/// What a retry is answered: of an action that named people, without what it gave.
std::optional<AppExecutionAnswer> answer_for_retries(AppExecutionAnswer const& first);

}  // namespace workforce::commands
