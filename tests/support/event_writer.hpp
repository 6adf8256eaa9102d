// Events into a log, as commands would append them, without the commands.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "events/codec.hpp"
#include "tests/contract/log_writer.hpp"

namespace workforce::tests {

/// One partition's writer: it counts positions and versions, chains and encodes. Not thread-safe.
class EventWriter {
   public:
    EventWriter(events::EventLog& log, events::Keyring& keyring, int partition)
        : writer_(log, partition), encoder_("urn:workforce:test", keyring) {}

    /// What the next events carry besides their data; subject, seq, time and the log's own are set by add().
    events::Envelope meta;

    /// Stages an event; append() writes what was staged.
    void add(events::Kind kind, core::Id id, events::AnyEvent const& data) {
        auto envelope = meta;
        envelope.subject = {kind, id};
        envelope.seq = ++versions_[{kind, id}];
        time_.ms += 1000;
        envelope.time = time_;
        envelope.id = core::uuid_v7(time_);
        envelope.epoch = writer_.claim.epoch;
        envelope.position = staged_head_.position + 1;
        envelope.previous_hash = staged_head_.hash;
        add_raw(encoder_.encode(envelope, data));
    }
    /// The next event comes that much later; others come a second after the one before.
    void wait(std::chrono::milliseconds time) { time_.ms += time.count(); }
    /// When the next event comes at the earliest.
    [[nodiscard]] core::Timestamp now() const { return time_; }
    /// Stages a record as it is.
    void add_raw(std::string body) {
        staged_head_ = chained(staged_head_, {body});
        staged_.push_back(std::move(body));
    }

    /// Returns the position of the last record.
    std::int64_t append() {
        if (!staged_.empty() && !writer_.append_records(std::exchange(staged_, {})))
            throw std::runtime_error("the log refused the append");
        return writer_.head.position;
    }
    std::int64_t append(events::Kind kind, core::Id id, events::AnyEvent const& data) {
        add(kind, id, data);
        return append();
    }

   private:
    LogWriter writer_;
    events::Encoder encoder_;
    std::map<std::pair<events::Kind, core::Id>, std::int64_t> versions_;
    core::Timestamp time_{1'784'880'000'000};  // 2026-07-24T08:00:00Z
    std::vector<std::string> staged_;
    events::Head staged_head_ = writer_.head;
};

}  // namespace workforce::tests
