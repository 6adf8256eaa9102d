// Who hears what, and waiting for more.
#include "operations/event_tap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <utility>

#include "core/glob.hpp"
#include "events/activations.hpp"
#include "operations/accounts.hpp"
#include "operations/cursor.hpp"
#include "operations/reads.hpp"

namespace workforce::operations {
namespace {

using projections::TapNews;
using projections::TapPlace;
using projections::TapWait;
using TapClock = net::Stream::Clock;

constexpr std::size_t kPatternSteps = 2'000'000;  // of one request's patterns, over all types
constexpr int kReadsInARow = 25;                  // which all found nothing to tell, before the client is told so
constexpr std::chrono::milliseconds kBetweenLooks{100};  // of one reader, however many events come
constexpr std::chrono::hours kGrace{1};                  // as rows have (projections/event_tap)
constexpr std::chrono::seconds kSessionTrust{1};
constexpr std::chrono::seconds kAwaited{30};    // with which a read model is awaited
constexpr std::chrono::seconds kStandstill{1};  // until one that stands still is looked at again

/// A type of events, and the kind of resource that they are of.
struct TypeOfKind {
    std::string_view type;
    events::Kind kind;
};

std::vector<TypeOfKind> const& all_types() {
    static auto const all = [] {
        std::vector<TypeOfKind> types;
        for (auto const& version : events::known_versions()) {
            auto const kind = core::parse_enum<events::Kind>(version.type.substr(0, version.type.find('.')));
            if (kind) types.push_back({version.type, *kind});
        }
        std::ranges::sort(types, {}, &TypeOfKind::type);
        return types;
    }();
    return all;
}

/// Whether one of the patterns names the type; nothing where the steps do not suffice to say so.
std::optional<bool> names_type(std::vector<std::string> const& patterns, std::string_view type, std::size_t& steps) {
    for (auto const& pattern : patterns) {
        auto const matches = core::matches_glob(pattern, type, steps);
        if (!matches || *matches) return matches;
    }
    return patterns.empty();
}

core::Problem wrong_types(std::string_view rule, std::string message) {
    return core::validation_problem({{"types", std::string(rule), std::move(message)}});
}

std::string binding_of(Id organization, bool sandbox) {
    return fmt::format("events\n{}\n{}", organization, sandbox ? "sandbox" : "live");
}

}  // namespace

EventTap::EventTap(core::Database& operators, int days)
    : days_(days), looker_([this, &operators](std::vector<TapWait> waits) {
          looks_.fetch_add(1, std::memory_order_relaxed);
          return projections::look_for_events(operators, std::move(waits));
      }) {}

boost::asio::awaitable<TapNews> EventTap::look(TapWait wait) { return looker_.submit(wait); }

void EventTap::stop() { looker_.stop(std::make_exception_ptr(core::DatabaseUnavailable("this process is stopping"))); }

core::Timestamp EventTap::oldest() const {
    return {core::now().ms - std::chrono::milliseconds(std::chrono::days(days_)).count()};
}

core::Timestamp EventTap::oldest_cursor() const { return {oldest().ms - std::chrono::milliseconds(kGrace).count()}; }

std::vector<std::string> heard_types(Caller const& caller, std::vector<std::string> const& patterns) {
    std::vector<std::string> heard;
    auto steps = kPatternSteps;
    for (auto const& [type, kind] : all_types()) {
        if (may_read(caller, kind) && names_type(patterns, type, steps).value_or(false)) heard.emplace_back(type);
    }
    return heard;
}

core::Result<void> check_patterns(std::vector<std::string> const& patterns) {
    auto steps = kPatternSteps;
    for (auto const& pattern : patterns) {
        bool any = false;
        for (auto const& [type, kind] : all_types()) {
            auto const matches = core::matches_glob(pattern, type, steps);
            if (!matches) return tl::unexpected(wrong_types("complexity", "has too many patterns"));
            any = any || *matches;
        }
        if (!any) {
            return tl::unexpected(wrong_types("pattern", "names no type of event: " + pattern.substr(0, 100)));
        }
    }
    return {};
}

/// What wakes a reader: one wait for the read model at a time, which may outlive the reader.
struct EventReader::Watch {
    bool waits = false;
    TapClock::time_point rest_until{};  // it stands still: nobody need ask before

    static boost::asio::awaitable<void> ring(projections::Progress& progress, int partition, std::int64_t position,
                                             std::shared_ptr<Watch> watch, std::function<void()> wake) {
        bool const reached = co_await progress.wait_for(partition, position, TapClock::now() + kAwaited,
                                                        projections::kEventTap, projections::Haste::soon);
        watch->waits = false;
        if (!reached) watch->rest_until = TapClock::now() + kStandstill;
        wake();
    }
};

EventReader::EventReader(Call const& call, int partition, std::optional<TapPlace> after,
                         std::vector<std::string> patterns, int limit)
    : services_(call.services),
      operation_(call.operation),
      caller_(call.caller),
      scope_{
          .organization = call.meta.organization, .sandbox = call.meta.sandbox, .facilities = call.caller->facilities},
      session_(call.meta.session),
      session_life_(call.caller->session_kind == events::SessionKind::jwt
                        ? workers::kTokenLife
                        : std::chrono::seconds(workers::kSessionLife)),
      partition_(partition),
      after_(after),
      patterns_(std::move(patterns)),
      types_(heard_types(*caller_, patterns_)),
      oldest_(after && after->position < 0 ? services_.event_tap->oldest() : services_.event_tap->oldest_cursor()),
      limit_(limit),
      binding_(binding_of(scope_.organization, scope_.sandbox)),
      watch_(std::make_shared<Watch>()) {}

boost::asio::awaitable<core::Result<projections::TapPage>> EventReader::read(std::size_t most) {
    for (int left = kReadsInARow;; --left) {
        auto page = co_await projections::read_events(services_.reads,
                                                      {.scope = scope_,
                                                       .partition = partition_,
                                                       .after = after_,
                                                       .types = types_,
                                                       .oldest = oldest_,
                                                       .limit = limit_,
                                                       .room = {most, &services_.replies, caller_->byte_holder()}});
        if (!page) co_return page;
        after_ = page->next;
        if (!page->events.empty() || page->whole || left == 0) co_return page;
    }
}

boost::asio::awaitable<bool> EventReader::wait(net::Stream& client, TapClock::time_point until) {
    // A log that grew: its new partitions are known to processes that started since.
    bool const known = partition_ >= 0 && services_.processor.has(partition_);
    for (;;) {
        auto wake_at = until;
        auto const now = TapClock::now();
        auto const next = after_->position + 1;
        if (known && services_.progress.reached(partition_, next, projections::kEventTap)) {
            if (now >= look_at_) {
                look_at_ = now + kBetweenLooks;
                auto const news = co_await services_.event_tap->look(
                    {scope_.organization, scope_.sandbox, partition_, after_->position});
                if (news.any) co_return true;
                // Nothing is ours up to there. What is appended from now on is younger than now.
                after_ = TapPlace{std::max(news.position, after_->position), core::now()};
            }
            wake_at = std::min(until, look_at_);
        } else if (watch_->rest_until > now) {
            wake_at = std::min(until, watch_->rest_until);
        } else if (known && !std::exchange(watch_->waits, true)) {
            boost::asio::co_spawn(co_await boost::asio::this_coro::executor,
                                  Watch::ring(services_.progress, partition_, next, watch_, client.waker()),
                                  boost::asio::detached);
        }
        if (co_await client.wait(wake_at) != net::Stream::State::open) co_return false;
        if (TapClock::now() >= until) co_return false;
    }
}

boost::asio::awaitable<bool> EventReader::may_go_on() {
    auto const& before = *caller_;
    auto found = co_await services_.find_caller(before.credential_type, before.credential_id, before.organization);
    if (found && before.sandbox) found = acting_on_sandbox(*std::move(found));
    if (!found || lacking(**found, operation_)) co_return false;
    if ((*found)->organization != scope_.organization && !(*found)->across_organizations) co_return false;
    bool const open = co_await has_session();
    if (!open || *found == caller_) co_return open;
    caller_ = *std::move(found);
    scope_.facilities = caller_->facilities;
    types_ = heard_types(*caller_, patterns_);
    co_return true;
}

boost::asio::awaitable<bool> EventReader::has_session() {
    auto const now = std::chrono::steady_clock::now();
    if (session_ == 0 || services_.accounts == nullptr || now - session_seen_ < kSessionTrust) co_return true;
    session_seen_ = now;
    co_return co_await services_.accounts->sessions.opened_within({caller_->organization, caller_->user.id}, session_,
                                                                  session_life_);
}

std::string EventReader::cursor(TapPlace const& place) const {
    return encode_cursor({std::to_string(place.position), std::to_string(place.time.ms)}, binding_,
                         services_.cursor_secret);
}

core::Result<TapPlace> EventReader::place_of(Call const& call, std::string_view cursor) {
    auto const binding = binding_of(call.meta.organization, call.meta.sandbox);
    auto const keys = decode_cursor(cursor, binding, call.services.cursor_secret);
    if (!keys) {
        return core::refuse(core::Code::invalid_cursor, "The cursor is not one of these events.", {},
                            "Start again with after=earliest or after=latest.");
    }
    TapPlace const place{core::parse_integer(keys->at(0)).value(), {core::parse_integer(keys->at(1)).value()}};
    auto const& tap = *call.services.event_tap;
    if (place.time >= tap.oldest_cursor()) return place;
    return core::refuse(core::Code::cursor_expired,
                        fmt::format("Events are kept for {} days, and the cursor is older.", tap.days()),
                        fmt::format(R"({{"keptDays":{}}})", tap.days()));
}

}  // namespace workforce::operations
