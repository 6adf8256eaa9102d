// Following an organization's events: what may be heard, pages, and streams that go on with what comes.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/batcher.hpp"
#include "net/stream.hpp"
#include "operations/call.hpp"
#include "projections/event_tap/event_tap.hpp"

namespace workforce::operations {

/// What all who follow events share: while somebody waits for news one statement asks for all of them. Thread-safe; it
/// outlives the executors of those who call it.
class EventTap {
   public:
    /// `operators` has sessions that see all organizations; events are shown for so many days.
    EventTap(core::Database& operators, int days);

    /// Errors: core::DatabaseUnavailable, core::DatabaseBusy.
    boost::asio::awaitable<projections::TapNews> look(projections::TapWait wait);
    /// Ends all that wait, with core::DatabaseUnavailable. Call it while their io_contexts still exist.
    void stop();

    /// The oldest moment of which events are shown now.
    [[nodiscard]] core::Timestamp oldest() const;
    /// The oldest moment of a cursor that is taken. Rows stay an hour longer than they are shown, so that whoever
    /// begins with the oldest ones has time to go on.
    [[nodiscard]] core::Timestamp oldest_cursor() const;
    [[nodiscard]] int days() const { return days_; }
    /// Counts events that were told.
    void note_told(std::size_t events) { told_.fetch_add(events, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t told() const { return told_; }
    /// Statements that asked for news.
    [[nodiscard]] std::uint64_t looks() const { return looks_; }

   private:
    int const days_;
    std::atomic<std::uint64_t> told_{0};
    std::atomic<std::uint64_t> looks_{0};
    core::Batcher<projections::TapWait, projections::TapNews> looker_;
};

/// The types of events that the caller may hear, of those that one of the patterns names (none: of all), in order.
std::vector<std::string> heard_types(Caller const& caller, std::vector<std::string> const& patterns);

/// What is wrong with patterns of types (core/glob.hpp): one that names no type, or takes too long to look for.
core::Result<void> check_patterns(std::vector<std::string> const& patterns);

/// Reads the events of one organization for one caller, page by page. It outlives the call that it was made for.
class EventReader {
   public:
    /// `after`: nothing: where events end when the first page is read.
    EventReader(Call const& call, int partition, std::optional<projections::TapPlace> after,
                std::vector<std::string> patterns, int limit);

    /// The next events, from where the last page ended. At most `most` bytes of them, but one event at least. Errors:
    /// as projections::read_events.
    boost::asio::awaitable<core::Result<projections::TapPage>> read(std::size_t most);
    /// Waits until there are events after the last page, though maybe of types or facilities that the caller does not
    /// hear: true; or until then, or the stream is no longer open: false. Errors: as EventTap::look.
    boost::asio::awaitable<bool> wait(net::Stream& client, net::Stream::Clock::time_point until);
    /// Whether the credential still may follow these events, as far as was known of it in the last second; its rights
    /// of now count from then on. Errors: core::DatabaseUnavailable, core::DatabaseBusy.
    boost::asio::awaitable<bool> may_go_on();

    /// The cursor of a place.
    [[nodiscard]] std::string cursor(projections::TapPlace const& place) const;
    /// The place that a cursor names. Errors: INVALID_CURSOR; CURSOR_EXPIRED where what follows is kept no more.
    static core::Result<projections::TapPlace> place_of(Call const& call, std::string_view cursor);
    /// Where the last page ended.
    [[nodiscard]] projections::TapPlace const& place() const { return *after_; }
    [[nodiscard]] Services& services() const { return services_; }
    [[nodiscard]] net::ByteHolder byte_holder() const { return caller_->byte_holder(); }

   private:
    struct Watch;

    /// Whether the session that a person asked by is open; looked up once a second at most.
    boost::asio::awaitable<bool> has_session();

    Services& services_;
    Operation const& operation_;
    std::shared_ptr<Caller const> caller_;
    projections::Scope scope_;
    Id const session_;
    std::chrono::seconds const session_life_;
    int const partition_;
    std::optional<projections::TapPlace> after_;
    std::vector<std::string> const patterns_;
    std::vector<std::string> types_;
    core::Timestamp const oldest_;  ///< older events are not shown
    int const limit_;
    std::string const binding_;
    std::chrono::steady_clock::time_point session_seen_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point look_at_{};  ///< not before that for news
    std::shared_ptr<Watch> watch_;
};

/// Bytes of a stream's events that a client has not taken yet, but for one event of any size.
inline constexpr std::size_t kStreamedBytes = 256 << 10;

/// A page as GET answers it.
std::string page_json(EventReader const& reader, projections::TapPage const& page);

/// An answer that comes once there are events, at the end of `wait` at the latest; a page of none where anything stops
/// it.
net::StreamBody long_poll(std::shared_ptr<EventReader> reader, std::chrono::seconds wait);

/// Events as they come, in server-sent events or lines, from `first` on. It ends when the client is gone, the process
/// stops, the credential opens nothing any more, or the database does not answer, and after a quarter of an hour; then
/// the client goes on after the last cursor that it has.
net::StreamBody event_stream(std::shared_ptr<EventReader> reader, projections::TapPage first, MediaType type);

}  // namespace workforce::operations
