// Events as they come: an answer that waits for some, server-sent events, and lines.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/json.hpp"
#include "operations/event_tap.hpp"

namespace workforce::operations {
namespace {

using net::Stream;
using projections::TapPage;
using std::chrono::seconds;

constexpr seconds kLife{15 * 60};
constexpr seconds kSilence{10};  // after which the credential is looked at though there is nothing to tell
/// After so long a client of server-sent events is told how far nothing was for it, so that it resumes there.
constexpr seconds kPlaceTold{60};

constexpr std::string_view kRetry = "retry: 2000\n\n";  // in how many milliseconds browsers connect again

void append_event(std::string& text, std::string_view cursor, std::string_view doc, MediaType type) {
    if (type == MediaType::event_stream) {
        text.append("id: ").append(cursor).append("\ndata: ");
    }
    text.append(R"({"cursor":")").append(cursor).append(R"(",)").append(doc.substr(1));
    text.append(type == MediaType::event_stream ? "\n\n" : "\n");
}

/// The events of a page; their own texts are given up.
std::string told_text(EventReader const& reader, TapPage& page, MediaType type) {
    std::string text;
    for (auto& event : page.events) {
        append_event(text, reader.cursor(event.place), event.doc, type);
        event.doc = std::string();
    }
    (void)page.held.resize(text.size());  // with cursors and frames, which go uncounted where there is no room
    reader.services().event_tap->note_told(page.events.size());
    return text;
}

std::string empty_page(EventReader const& reader) {
    TapPage page;
    page.next = reader.place();
    return page_json(reader, page);
}

/// What a long poll answers, with what its events hold of the room for answers until it is sent.
struct AwaitedPage {
    std::string text;
    net::HeldBytes held{};
};

/// What a long poll answers in the end.
boost::asio::awaitable<AwaitedPage> awaited_page(EventReader& reader, Stream& client, Stream::Clock::time_point until) {
    for (;;) {
        bool const news = co_await reader.wait(client, until);
        if (!news) co_return AwaitedPage{empty_page(reader)};
        bool const may = co_await reader.may_go_on();
        if (!may) co_return AwaitedPage{empty_page(reader)};
        auto page = co_await reader.read(reader.services().page_bytes);
        if (!page) co_return AwaitedPage{empty_page(reader)};
        if (page->events.empty()) continue;
        reader.services().event_tap->note_told(page->events.size());
        AwaitedPage answer{page_json(reader, *page), std::move(page->held)};
        (void)answer.held.resize(answer.text.size());
        co_return answer;
    }
}

boost::asio::awaitable<void> answer_poll(std::shared_ptr<EventReader> reader, seconds wait, Stream& client) {
    auto const until = Stream::Clock::now() + wait;
    AwaitedPage answer;
    try {
        answer = co_await awaited_page(*reader, client, until);
    } catch (core::DatabaseUnavailable const&) {  // the next request says so
    } catch (core::DatabaseBusy const&) {
    }
    if (answer.text.empty()) answer.text = empty_page(*reader);
    co_await client.write(answer.text);
}

/// Sends what there is, and what comes.
boost::asio::awaitable<void> follow(EventReader& reader, TapPage first, MediaType type, Stream& client) {
    auto const end = Stream::Clock::now() + kLife;
    auto told_at = Stream::Clock::now();
    auto told = reader.place().position;
    auto page = core::Result<TapPage>(std::move(first));
    bool const sse = type == MediaType::event_stream;
    if (sse && !co_await client.write(kRetry)) co_return;
    while (page && client.state() == Stream::State::open && Stream::Clock::now() < end) {
        if (!page->events.empty()) {
            auto const text = told_text(reader, *page, type);
            if (!co_await client.write(text)) co_return;
            told = page->next.position;
            told_at = Stream::Clock::now();
        } else if (sse && told != reader.place().position && Stream::Clock::now() >= told_at + kPlaceTold) {
            if (!co_await client.write(fmt::format("id: {}\n\n", reader.cursor(reader.place())))) co_return;
            told = reader.place().position;
            told_at = Stream::Clock::now();
        }
        bool const whole = page->whole;
        page = TapPage{};  // and what it held is free
        bool const news = !whole || co_await reader.wait(client, std::min(end, Stream::Clock::now() + kSilence));
        if (!co_await reader.may_go_on()) co_return;
        if (news) page = co_await reader.read(kStreamedBytes);
    }
}

boost::asio::awaitable<void> send_events(std::shared_ptr<EventReader> reader, std::shared_ptr<TapPage> first,
                                         MediaType type, Stream& client) {
    try {
        co_await follow(*reader, std::move(*first), type, client);
    } catch (core::DatabaseUnavailable const&) {  // the client comes again, and is told so
    } catch (core::DatabaseBusy const&) {
    }
}

}  // namespace

std::string page_json(EventReader const& reader, TapPage const& page) {
    std::string text = R"({"data":[)";
    for (auto const& event : page.events) {
        if (text.back() == '}') text += ',';
        text.append(R"({"cursor":")").append(reader.cursor(event.place)).append(R"(",)");
        text.append(event.doc, 1);
    }
    text.append(R"(],"nextAfter":")").append(reader.cursor(page.next)).append(R"("})");
    return text;
}

net::StreamBody long_poll(std::shared_ptr<EventReader> reader, seconds wait) {
    net::StreamBody body;
    body.produce = [reader = std::move(reader), wait](Stream& client) { return answer_poll(reader, wait, client); };
    return body;
}

net::StreamBody event_stream(std::shared_ptr<EventReader> reader, TapPage first, MediaType type) {
    net::StreamBody body;
    body.produce = [reader = std::move(reader), first = std::make_shared<TapPage>(std::move(first)),
                    type](Stream& client) { return send_events(reader, first, type, client); };
    return body;
}

}  // namespace workforce::operations
