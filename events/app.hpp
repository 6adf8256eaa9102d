// Connections to apps outside, as an organization's account at one is (domain 1.11, 2.6): the resource, its events with
// what was done through it, and how they fold. Arguments and results may tell of anybody: they are Personal, and sealed
// under the connection's own key.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/any_json.hpp"
#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

/// `error`: the provider no longer lets us in; the next action that succeeds makes it connected again.
enum class AppStatus : std::uint8_t { connected, error, disconnected };
BOOST_DESCRIBE_ENUM(AppStatus, connected, error, disconnected)

/// What an action takes and gives, in bytes of JSON.
inline constexpr std::size_t kMostAppArguments = std::size_t{64} << 10;
inline constexpr std::size_t kMostAppResult = std::size_t{128} << 10;
using AppArguments = core::AnyObject<kMostAppArguments>;
using AppResult = core::AnyJson<kMostAppResult>;

/// The id of an execution by its number within the connection, which counts from 1: no other execution ever has it.
inline constexpr Id kExecutionsOfApp = 100'000'000;
constexpr Id execution_id(Id app, std::int64_t number) { return app * kExecutionsOfApp + number; }

/// What it was made with; fixed.
struct AppConnectionDetails {
    core::Nullable<Id> facilityId;  ///< null: of the organization as a whole
    core::ShortText app;            ///< "demo", "github"
    core::ShortText displayName;
    core::Personal<core::ShortText> accountLabel;
    std::vector<core::ShortText> scopes;  ///< what the provider says that the account lets us do
};
BOOST_DESCRIBE_STRUCT(AppConnectionDetails, (), (facilityId, app, displayName, accountLabel, scopes))

struct AppConnectionStanding {
    AppStatus status = AppStatus::connected;
    core::Nullable<Id> createdBy;  ///< user id; null where no user stands behind the credential
    core::Nullable<Timestamp> lastUsedAt;
};
BOOST_DESCRIBE_STRUCT(AppConnectionStanding, (), (status, createdBy, lastUsedAt))

struct AppConnection : Identified, AppConnectionDetails, AppConnectionStanding, Stamped {};
BOOST_DESCRIBE_STRUCT(AppConnection, (Identified, AppConnectionDetails, AppConnectionStanding, Stamped), ())

struct AppConnected : AppConnectionDetails {
    static constexpr std::string_view kType = "app.connected";
    static constexpr std::int32_t kVersion = 1;
    core::Internal<std::string> accountId;  ///< the account's name at the provider; no secret
};
BOOST_DESCRIBE_STRUCT(AppConnected, (AppConnectionDetails), (accountId))

/// For good: whoever connects the app again has another connection.
struct AppDisconnected {
    static constexpr std::string_view kType = "app.disconnected";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(AppDisconnected, (), ())

/// What was asked of the app. Values of members that are named as secrets are not in `arguments` (without_secrets).
struct AppActionAsked {
    Id executionId = 0;
    core::ShortText app;
    core::Name action;
    core::Personal<AppArguments> arguments;
    std::int64_t durationMs = 0;
    core::Nullable<Id> approvalId;  ///< by which a person let it be done
};
BOOST_DESCRIBE_STRUCT(AppActionAsked, (), (executionId, app, action, arguments, durationMs, approvalId))

/// The app did it.
struct AppExecuted : AppActionAsked {
    static constexpr std::string_view kType = "app.executed";
    static constexpr std::int32_t kVersion = 1;
    core::Personal<AppResult> result;
};
BOOST_DESCRIBE_STRUCT(AppExecuted, (AppActionAsked), (result))

/// It did not, or nobody knows.
struct AppExecutionFailed : AppActionAsked {
    static constexpr std::string_view kType = "app.execution_failed";
    static constexpr std::int32_t kVersion = 1;
    core::Personal<core::LongText> error;
    bool unauthorized = false;  ///< the account lets us in no more
};
BOOST_DESCRIBE_STRUCT(AppExecutionFailed, (AppActionAsked), (error, unauthorized))

/// Of a reset of a sandbox.
struct AppDeleted {
    static constexpr std::string_view kType = "app.deleted";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kEnds = true;
};
BOOST_DESCRIBE_STRUCT(AppDeleted, (), ())

/// What was done through it is forgotten, and it is disconnected.
struct AppErased : ErasureDetails {
    static constexpr std::string_view kType = "app.erased";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kErases = true;
};
BOOST_DESCRIBE_STRUCT(AppErased, (ErasureDetails), ())

using AppEvent = std::variant<AppConnected, AppDisconnected, AppExecuted, AppExecutionFailed, AppDeleted, AppErased>;

/// What callers don't see of a connection.
struct AppInternals {
    std::string accountId;
    std::int64_t executions = 0;
};
BOOST_DESCRIBE_STRUCT(AppInternals, (), (accountId, executions))

struct AppRecord : AppConnection {
    static constexpr Kind kKind = Kind::app;
    AppInternals internals;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(AppRecord, (AppConnection), (internals, deleted))
inline AppConnection const& resource_of(AppRecord const& record) { return record; }

/// The connections to an app that stand, whatever their facility.
struct ConnectionsOfApp : Index<Kind::app, Value<&AppConnectionDetails::app>> {
    static constexpr bool kDeleted = false;
    using Where = boost::mp11::mp_list<OneOf<&AppConnectionStanding::status, AppStatus::connected, AppStatus::error>>;
};
/// Those of a facility in its sandbox.
struct ConnectionsOfFacility : OfFacility<Kind::app, Value<&AppConnectionDetails::facilityId>> {};

/// Folds one event into the connection.
void evolve(AppRecord& record, AppEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::app> : Declared<AppRecord, AppEvent> {
    using Deleted = AppDeleted;
    using Indexes = boost::mp11::mp_list<ConnectionsOfApp, ConnectionsOfFacility>;
};

/// What was done through a connection, as callers see it: fixed, beside AppExecutionContent.
struct AppExecutionFacts : Identified {
    Id connectionId = 0;
    core::Nullable<Id> facilityId;  ///< the connection's
    core::ShortText app;
    core::Name action;
    std::int64_t durationMs = 0;
    core::Nullable<Id> runId;
    core::Nullable<Id> approvalId;
    std::string requestId;
    Timestamp createdAt;
};
BOOST_DESCRIBE_STRUCT(AppExecutionFacts, (Identified),
                      (connectionId, facilityId, app, action, durationMs, runId, approvalId, requestId, createdAt))

enum class AppExecutionStatus : std::uint8_t { succeeded, failed };
BOOST_DESCRIBE_ENUM(AppExecutionStatus, succeeded, failed)

/// What it was about; empty once the connection was erased.
struct AppExecutionContent {
    AppExecutionStatus status = AppExecutionStatus::succeeded;
    AppArguments arguments;
    AppResult result;                   ///< null where it failed
    core::Nullable<std::string> error;  ///< null where it succeeded
};
BOOST_DESCRIBE_STRUCT(AppExecutionContent, (), (status, arguments, result, error))

struct AppExecution : AppExecutionFacts, AppExecutionContent {};
BOOST_DESCRIBE_STRUCT(AppExecution, (AppExecutionFacts, AppExecutionContent), ())

}  // namespace workforce::events
