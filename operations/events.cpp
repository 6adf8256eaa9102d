// What happened, in order: pages and streams of events for analysts.
#include <algorithm>
#include <utility>

#include "core/any_json.hpp"
#include "operations/declare.hpp"
#include "operations/event_tap.hpp"
#include "operations/words/words.hpp"

namespace workforce::operations {

/// What may be asked of events.
struct EventsQuery : TargetQuery {
    std::optional<core::Text<1, 400>> after;
    std::optional<std::vector<core::Text<1, 100>>> types;
    std::optional<core::Int<1, core::kMaxId>> limit;  ///< default 100; over 1,000 is clamped
    std::optional<core::Int<0, 25>> wait;             ///< seconds
};
BOOST_DESCRIBE_STRUCT(EventsQuery, (TargetQuery), (after, types, limit, wait))

struct EventActor {
    events::ActorType type = events::ActorType::system;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(EventActor, (), (type, id))
template <>
inline constexpr core::Id kLeastId<EventActor> = 0;

/// An event as it is told. Answers are made of read.event_tap's documents.
struct ToldEvent {
    std::string cursor;
    std::string id;
    std::string type;
    core::Timestamp time;
    std::string resource;
    Id organizationId = 0;
    core::Nullable<Id> facilityId;
    std::vector<Id> facilityIds;
    bool sandbox = false;
    EventActor actor;
    core::Nullable<std::string> correlationId;
    core::AnyObject<1 << 20> data;
};
BOOST_DESCRIBE_STRUCT(ToldEvent, (),
                      (cursor, id, type, time, resource, organizationId, facilityId, facilityIds, sandbox, actor,
                       correlationId, data))

struct ToldEvents {
    std::vector<ToldEvent> data;
    std::string nextAfter;
};
BOOST_DESCRIBE_STRUCT(ToldEvents, (), (data, nextAfter))

template <>
struct ApiExample<ToldEvents> {
    static void write(core::JsonWriter& w, Side, ToldEvents const&) {
        w.raw(R"({"data":[{"cursor":"eyJrIjpb","id":"0198a3c2-0f5e-7c41-9d6b-2f1c0e8a7b35","type":"shift.filled",)"
              R"("time":"2026-07-24T10:00:00.000Z","resource":"shift:12","organizationId":1,"facilityId":1,)"
              R"("facilityIds":[],"sandbox":false,"actor":{"type":"user","id":1},)"
              R"("correlationId":"req_0198a3c2-0f5e-7c41-9d6b-2f1c0e8a7b34","data":{}}],"nextAfter":"eyJrIjpb"})");
    }
};

namespace {

constexpr std::int64_t kMostEvents = 1000;

std::vector<std::string> patterns_of(EventsQuery const& query) {
    std::vector<std::string> patterns;
    if (query.types) {
        for (auto const& pattern : *query.types) patterns.push_back(pattern.value);
    }
    return patterns;
}

/// Where the answer begins; nothing: where events end. A stream that is taken up again goes on after its last event,
/// whatever its address says.
core::Result<std::optional<projections::TapPlace>> begin_of(Call const& call, EventsQuery const& query) {
    std::string_view after = "earliest";
    if (query.after) after = query.after->value;
    if (!call.input.last_event_id.empty()) after = call.input.last_event_id;
    if (after == "latest") return std::nullopt;
    if (after == "earliest") return projections::TapPlace{-1, call.services.event_tap->oldest()};
    auto const place = EventReader::place_of(call, after);
    if (!place) return tl::unexpected(place.error());
    return *place;
}

boost::asio::awaitable<Outcome> list_events(Call& call) {
    auto const query = read_query<EventsQuery>(call.input.parameters);
    if (!query) co_return refuse(call, query.error());
    auto patterns = patterns_of(*query);
    if (auto fits = check_patterns(patterns); !fits) co_return refuse(call, fits.error());
    auto const begin = begin_of(call, *query);
    if (!begin) co_return refuse(call, begin.error());
    co_await await_own_writes(call);
    auto const home = co_await call.services.processor.homes().find(call.meta.organization);
    auto const limit = std::min(query->limit ? query->limit->value : 100, kMostEvents);
    auto reader = std::make_shared<EventReader>(call, home, *begin, std::move(patterns), static_cast<int>(limit));
    bool const streamed = call.input.answer != MediaType::json;
    auto page = co_await reader->read(streamed ? kStreamedBytes : call.services.page_bytes);
    if (!page) co_return refuse(call, page.error());
    Outcome outcome;
    if (streamed) {
        outcome.stream = event_stream(std::move(reader), *std::move(page), call.input.answer);
    } else if (page->events.empty() && page->whole && query->wait && query->wait->value > 0) {
        outcome.stream = long_poll(std::move(reader), std::chrono::seconds(query->wait->value));
    } else {
        call.services.event_tap->note_told(page->events.size());
        outcome.body = page_json(*reader, *page);
        outcome.held = std::move(page->held);
        (void)outcome.held.resize(outcome.body.size());
    }
    co_return outcome;
}

}  // namespace

std::vector<Operation> event_operations() {
    auto row = query_with<ToldEvents, EventsQuery>("events.list", "Follow all that happens, in order", list_events);
    row.reads = {projections::kEventTap};
    return {
        std::move(row)
            .says("Returns what happened in the organization, in order, of the kinds that you may read: without "
                  "personal fields, and of the last 30 days unless the installation keeps others. Go on with "
                  "after=nextAfter: each event comes once; a page may be empty though more follows. With wait the "
                  "answer comes once there is something. As text/event-stream or application/x-ndjson events come "
                  "one by one as they happen; after a break go on by Last-Event-ID or after.")
            .needs("events.view")
            .refuses({core::Code::invalid_cursor, core::Code::cursor_expired})
            .else_at_home()
            .gives({MediaType::json, MediaType::ndjson, MediaType::event_stream})
            .at(net::Method::get, "/api/events"),
    };
}

std::vector<StructWords> event_words() {
    return {
        {{"EventsQuery"},
         {{"after",
           "A cursor, from nextAfter or an event; earliest (the default): all that are kept; latest: from now"},
          {"types", "Only of these types, such as shift.* or *.created"},
          {"limit", "Events in the answer; 100 by default, 1,000 at most"},
          {"wait", "Seconds that an answer without events may wait for one"}}},
        {{"ToldEvents"},
         {{"data", "The events, oldest first"}, {"nextAfter", "For after, to go on with what follows"}}},
        {{"ToldEvent"},
         {{"cursor", "For after, to go on right after this event"},
          {"id", "Names the event for ever, so that a repeat can be told"},
          {"type", "What happened, such as shift.filled"},
          {"time", "When it happened (UTC)"},
          {"resource", "What it happened to, as kind:id"},
          {"organizationId", "The organization where it happened"},
          {"facilityId", "Facility where it happened; null: at none, or at several"},
          {"facilityIds", "Of what happens to people: where they work since then"},
          {"sandbox", "Whether it happened to practice data"},
          {"actor", "Who did it"},
          {"correlationId", "The request that was the first cause; null: there was none"},
          {"data", "What the event says, without personal fields; its members go by the type"}}},
        {{"EventActor"}, {{"type", "Sort of who acted"}, {"id", "The user, key, or agent; 0: the system"}}},
    };
}

}  // namespace workforce::operations
