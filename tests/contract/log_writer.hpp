// A writer as the command side is one: it owns a partition and chains what it appends.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "core/crypto.hpp"
#include "events/log.hpp"
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

/// `{"name":"<name>","i":<i>}` for i below `count`.
inline Bodies make_bodies(std::string const& name, int count) {
    Bodies bodies;
    for (int i = 0; i < count; ++i) bodies.push_back(fmt::format(R"({{"name":"{}","i":{}}})", name, i));
    return bodies;
}

/// Appends in sequence. Not thread-safe.
struct LogWriter {
    LogWriter(events::EventLog& target, int partition, std::string const& owner = "a test")
        : log(target), claim(await(log.claim(partition, owner))), head(claim.head) {}

    /// Moves the head when the append succeeds.
    Appended append(Bodies bodies) {
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

/// All bodies of a partition from `from` on, read page by page until none comes. Fails the test's expectations itself:
/// throws std::runtime_error when positions are not in sequence.
inline Bodies read_all(events::EventLog& log, int partition, std::int64_t from = 0, std::size_t page = 100) {
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

/// Reads until the partition has `count` records, waiting for them; stops early when none came for half a minute.
inline Bodies read_until(events::EventLog& log, int partition, std::size_t count) {
    Bodies bodies;
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (bodies.size() < count && std::chrono::steady_clock::now() < deadline) {
        auto const next = static_cast<std::int64_t>(bodies.size());
        log.wait(partition, next, std::chrono::seconds(1));
        for (auto& body : read_all(log, partition, next)) bodies.push_back(std::move(body));
    }
    return bodies;
}

}  // namespace workforce::tests
