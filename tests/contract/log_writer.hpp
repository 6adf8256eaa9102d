// A writer as the command side is one: it owns a partition and chains what it appends.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/crypto.hpp"
#include "events/log/log.hpp"
#include "tests/support/await.hpp"

namespace workforce::tests {

using Appended = tl::expected<void, events::AppendFault>;
using Bodies = std::vector<std::string>;

/// The head once `bodies` follow on `head`.
inline events::Head chained(events::Head head, Bodies const& bodies) {
    for (auto const& body : bodies) {
        ++head.position;
        auto const digest = core::sha256(body);
        head.hash = core::hex_encode(core::bytes(digest));
    }
    return head;
}

/// The record that follows on `before`: the attributes as the codec writes them, and `data`, which is JSON.
inline std::string make_record(std::int64_t epoch, events::Head const& before, int index, int count,
                               std::string const& data) {
    return fmt::format(
        R"({{"specversion":"1.0","id":"{0}-{1}","source":"urn:workforce:test","type":"test.happened",)"
        R"("time":"2026-07-24T08:00:00.000Z","subject":"shift/42","dataschema":"urn:workforce:event:test.happened:1",)"
        R"("datacontenttype":"application/json","orgid":"7","epoch":"{0}","position":"{1}","prevhash":"{2}",)"
        R"("cmdindex":{3},"cmdcount":{4},"data":{5}}})",
        epoch, before.position + 1, before.hash, index, count, data);
}

/// One command's records that follow on `head`, with these data.
inline Bodies make_command(std::int64_t epoch, events::Head head, Bodies const& data) {
    Bodies bodies;
    for (auto const& each : data) {
        bodies.push_back(
            make_record(epoch, head, static_cast<int>(bodies.size()) + 1, static_cast<int>(data.size()), each));
        head = chained(std::move(head), {bodies.back()});
    }
    return bodies;
}

/// The data of a record that make_record made.
inline std::string data_of(std::string const& body) {
    auto const start = body.find(R"("data":)");
    if (start == std::string::npos) throw std::runtime_error("no record of the tests: " + body);
    return body.substr(start + 7, body.size() - start - 8);
}

/// `{"name":"<name>","i":<i>}` for i below `count`.
inline Bodies make_data(std::string const& name, int count) {
    Bodies data;
    for (int i = 0; i < count; ++i) data.push_back(fmt::format(R"({{"name":"{}","i":{}}})", name, i));
    return data;
}

/// Appends in sequence. Not thread-safe.
struct LogWriter {
    LogWriter(events::EventLog& target, int partition, std::string const& owner = "a test")
        : log(target), claim(await(log.claim(partition, owner))), head(claim.head) {}

    /// Appends one command. Moves the head when that succeeds.
    Appended append(Bodies const& data) { return append_commands({data}); }
    /// Appends commands, each with these data, at once.
    Appended append_commands(std::vector<Bodies> const& commands) {
        Bodies bodies;
        auto last = head;
        for (auto const& data : commands) {
            auto records = make_command(claim.epoch, last, data);
            last = chained(std::move(last), records);
            for (auto& record : records) bodies.push_back(std::move(record));
        }
        return append_records(std::move(bodies));
    }
    /// Appends records as they are.
    Appended append_records(Bodies bodies) {
        auto const after = chained(head, bodies);
        auto const result = await(log.append(claim, head, after, std::move(bodies)));
        if (result) head = after;
        return result;
    }
    Appended confirm() { return await(log.confirm(claim)); }

    events::EventLog& log;
    events::Claim claim;
    events::Head head;
};

/// All bodies of a partition from `from` on, read page by page until none comes. Throws std::runtime_error when
/// positions are not in sequence.
inline Bodies read_bodies(events::EventLog& log, int partition, std::int64_t from = 0, std::size_t page = 100) {
    Bodies bodies;
    for (;;) {
        auto records = log.read(partition, from, page, 1 << 20);
        if (records.empty()) return bodies;
        for (auto& record : records) {
            if (record.position != from++) throw std::runtime_error("positions are not in sequence");
            bodies.push_back(std::move(record.body));
        }
    }
}

/// As read_bodies, the records' data.
inline Bodies read_all(events::EventLog& log, int partition, std::int64_t from = 0, std::size_t page = 100) {
    auto bodies = read_bodies(log, partition, from, page);
    for (auto& body : bodies) body = data_of(body);
    return bodies;
}

/// Reads data until the partition has `count` records, waiting for them; stops early when none came for half a minute.
inline Bodies read_until(events::EventLog& log, int partition, std::size_t count) {
    Bodies data;
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (data.size() < count && std::chrono::steady_clock::now() < deadline) {
        auto const next = static_cast<std::int64_t>(data.size());
        log.wait(partition, next, std::chrono::seconds(1));
        for (auto& each : read_all(log, partition, next)) data.push_back(std::move(each));
    }
    return data;
}

/// A whole scan, page by page.
inline std::vector<events::LogEntry> scan_all(events::EventLog& log, int partition, std::int64_t from = 0,
                                              std::size_t max_bytes = 1000) {
    std::vector<events::LogEntry> all;
    auto const scan = log.scan(partition, from);
    for (auto page = scan->next(max_bytes); !page.empty(); page = scan->next(max_bytes)) {
        for (auto& entry : page) all.push_back(std::move(entry));
    }
    return all;
}

/// Waits until the log has been silent for two seconds, or is no longer; false when that takes over a minute.
inline bool turns_silent(events::EventLog& log, bool silent) {
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    auto const so = [&] {
        return silent ? log.silence() > std::chrono::seconds(2) : log.silence() == std::chrono::milliseconds(0);
    };
    while (!so()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
}

}  // namespace workforce::tests
