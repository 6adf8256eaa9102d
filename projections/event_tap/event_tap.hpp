// The events of the last weeks as GET /api/events gives them: in the log's order, and without personal fields.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/database.hpp"
#include "core/result.hpp"
#include "core/session_pool.hpp"
#include "projections/engine/projection.hpp"
#include "projections/engine/query.hpp"

namespace workforce::projections {

/// The name of the projection.
inline constexpr std::string_view kEventTap = "event_tap";
/// The most days that `event_tap_days` can be.
inline constexpr int kMostTapDays = 90;

/// What keeps read.event_tap: a row for each event of an organization but kept answers, not older than
/// `app.event_tap_days` of the session says (30 where it says nothing).
ProjectionType event_tap_projection();

/// A session whose folds keep events for so many days.
core::ConnectionOptions keep_events(core::ConnectionOptions options, int days);

/// A place between two events of one organization, in its live data or its sandbox: after the event at `position`, or
/// after events of others there. What comes after it is not older than `time`.
struct TapPlace {
    std::int64_t position = -1;  ///< -1: before the first one
    core::Timestamp time{};
};

/// What is wanted of an organization's events.
struct TapQuery {
    Scope scope;                                      ///< of one organization
    int partition = 0;                                ///< its home
    std::optional<TapPlace> after{};                  ///< nothing: none is wanted but the place where events end now
    std::optional<std::vector<std::string>> types{};  ///< nothing: all
    core::Timestamp oldest{};                         ///< older ones are not shown
    int limit = 100;
    PageRoom room{};
};

struct TapEvent {
    TapPlace place;   ///< right after it
    std::string doc;  ///< the event as JSON, without its cursor
};

struct TapPage {
    std::vector<TapEvent> events;
    TapPlace next;      ///< after these, and after what was passed over
    bool whole = true;  ///< there was nothing more at `next` when this was read
    net::HeldBytes held{};
};

/// The next events. One read looks at some thousand events at most: a page may be empty, and yet not `whole`. Errors:
/// SERVICE_UNAVAILABLE where the room has not enough bytes; core::DatabaseUnavailable, core::DatabaseBusy.
boost::asio::awaitable<core::Result<TapPage>> read_events(core::Database& database, TapQuery query);

/// Somebody who waits for events.
struct TapWait {
    Id organization = 0;
    bool sandbox = false;
    int partition = 0;
    std::int64_t position = -1;  ///< after which events are news
};

struct TapNews {
    bool any = false;            ///< there are events of the organization, whoever may hear them
    std::int64_t position = -1;  ///< as far as this is known
};

/// What there is for each of those who wait, by one statement for live data and one for sandboxes. The sessions see all
/// organizations. Errors: core::DatabaseUnavailable, core::DatabaseBusy.
boost::asio::awaitable<std::vector<TapNews>> look_for_events(core::Database& operators, std::vector<TapWait> waits);

/// Deletes events that are shown no more. The sessions are of role workforce_projector. Blocks. Errors:
/// core::DatabaseUnavailable.
void prune_event_tap(core::SessionPool& sessions, int days);

}  // namespace workforce::projections
