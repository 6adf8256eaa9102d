// Everything that stands in a partition, judged.
#pragma once

#include <memory>
#include <vector>

#include "events/log/kafka/reader.hpp"

namespace workforce::events::kafka {

/// A scan to offset `until` with a consumer of its own, from the event at position `from` on; `mark` is before the
/// event ahead of that one.
class KafkaScan final : public LogScan {
   public:
    /// Errors: std::runtime_error.
    KafkaScan(ClientOptions const& options, int partition, std::int64_t from, Mark const& mark, std::int64_t until);
    /// Further errors: LogUnfit.
    std::vector<LogEntry> next(std::size_t max_bytes) override;

   private:
    void add(Ruling& ruling);

    Reader reader_;
    std::int64_t const until_;
    std::int64_t const from_;
    bool begun_;                  // whether the event ahead of `from` has passed
    std::vector<LogEntry> held_;  // while a command is incomplete: they come in the order of their offsets
    std::deque<LogEntry> ready_;
    bool ended_ = false;
};

}  // namespace workforce::events::kafka
