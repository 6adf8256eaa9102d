// Pages taken apart where they do not decode.
#include "events/mended.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_set>
#include <utility>

#include "events/attributes.hpp"
#include "events/log/chain.hpp"
#include "events/log/mend.hpp"

namespace workforce::events {
namespace {

constexpr std::size_t kRunRecords = 2000;
constexpr std::size_t kRunBytes = std::size_t{4} << 20;
constexpr std::string_view kHint = "; see `workforce log mend`";

/// Appends the events of the records before the first one that does not decode; returns how many these are, and tells
/// in `fault` what is wrong with that one.
std::size_t decode_run(std::span<Record const> records, DecodePage const& decode, std::vector<Event>& events,
                       std::exception_ptr& fault) {
    try {
        auto decoded = decode({records.begin(), records.end()});
        std::move(decoded.begin(), decoded.end(), std::back_inserter(events));
        return records.size();
    } catch (UnknownEvent const& error) {
        fault = std::make_exception_ptr(UnknownEvent(std::string(error.what()).append(kHint)));
    } catch (DamagedEvent const& error) {
        fault = std::make_exception_ptr(DamagedEvent(std::string(error.what()).append(kHint)));
    }
    if (records.size() == 1) return 0;
    auto const half = records.size() / 2;
    auto const good = decode_run(records.first(half), decode, events, fault);
    return good < half ? good : half + decode_run(records.subspan(half), decode, events, fault);
}

bool decodes(Record const& record, Keyring& keyring) {
    try {
        decode_all({record}, keyring);
        return true;
    } catch (UnknownEvent const&) {
    } catch (DamagedEvent const&) {
    }
    return false;
}

std::exception_ptr not_signed(std::int64_t position) {
    return std::make_exception_ptr(UnknownEvent(fmt::format(
        "position {}: a mend that was not signed for these records with this installation's key{}", position, kHint)));
}

/// Has the page reach to `last` at least.
void extend(EventLog& log, int partition, std::vector<Record>& records, std::int64_t last) {
    while (records.back().position < last) {
        auto const missing = static_cast<std::size_t>(last - records.back().position);
        auto more = log.read(partition, records.back().position + 1, std::min(missing, kRunRecords), kRunBytes);
        if (more.empty()) throw LogUnavailable("the log gives less than it gave before");
        std::move(more.begin(), more.end(), std::back_inserter(records));
    }
}

/// The end of the run of records that do not decode, the first of which is at `first`.
Head end_of_run(EventLog& log, int partition, std::int64_t first, Keyring& keyring) {
    Head last;
    for (auto next = first;;) {
        auto const records = log.read(partition, next, kRunRecords, kRunBytes);
        for (auto const& record : records) {
            if (decodes(record, keyring) || counting_mend(log, partition, record.body)) return last;
            last = {record.position, record_hash(record.body)};
        }
        if (records.empty()) return last;
        next = last.position + 1;
    }
}

std::string text_of(std::exception_ptr const& fault) {
    try {
        std::rethrow_exception(fault);
    } catch (std::exception const& error) {
        std::string text = error.what();
        if (text.ends_with(kHint)) text.resize(text.size() - kHint.size());
        return text;
    }
}

}  // namespace

MendedPage decode_mended(EventLog& log, int partition, std::vector<Record>& records, DecodePage const& decode) {
    MendedPage page;
    try {
        page.events = decode(records);
        page.last = records.back().position;
        return page;
    } catch (UnknownEvent const&) {  // whose it is shows below
    } catch (DamagedEvent const&) {
    }
    auto const first = records.front().position;
    for (std::size_t at = 0; at < records.size();) {
        std::exception_ptr fault;
        at += decode_run(std::span(records).subspan(at), decode, page.events, fault);
        if (at == records.size()) break;
        if (counting_mend(log, partition, records[at].body)) {
            ++at;
            continue;
        }
        auto const position = records[at].position;
        auto const mend = find_mend(log, partition, position);
        if (!mend) {
            page.last = position - 1;
            page.fault = mend_of(records[at].body) ? not_signed(position) : fault;
            return page;
        }
        extend(log, partition, records, mend->last);
        at = static_cast<std::size_t>(mend->last + 1 - first);
    }
    page.last = records.back().position;
    return page;
}

std::vector<Event> decode_all(EventLog& log, int partition, std::vector<Record>& records, Keyring& keyring) {
    auto page = decode_mended(log, partition, records,
                              [&](std::vector<Record> const& some) { return decode_all(some, keyring); });
    if (page.fault) std::rethrow_exception(page.fault);
    return std::move(page.events);
}

bool is_known_type(std::string_view type) {
    static auto const types = [] {
        std::unordered_set<std::string_view> all;
        for (auto const& each : event_types()) all.insert(each.type);
        return all;
    }();
    return types.contains(type);
}

std::optional<Obstacle> find_obstacle(EventLog& log, int partition, std::int64_t from, Keyring& keyring) {
    auto const head = log.head(partition).position;
    while (from <= head) {
        auto records = log.read(partition, from, kRunRecords, kRunBytes);
        if (records.empty()) break;
        auto const page = decode_mended(log, partition, records,
                                        [&](std::vector<Record> const& some) { return decode_all(some, keyring); });
        from = page.last + 1;
        if (!page.fault) continue;
        auto const& record =
            *std::find_if(records.begin(), records.end(), [&](Record const& each) { return each.position == from; });
        return Obstacle{.first = from,
                        .last = end_of_run(log, partition, from, keyring),
                        .type = attribute(record.body, "type").value_or(""),
                        .why = text_of(page.fault)};
    }
    return std::nullopt;
}

}  // namespace workforce::events
