// A partition's entries, claimed and appended again in their order.
#include "events/log/copy.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>
#include <vector>

#include "events/log/chain.hpp"
#include "events/log/each_page.hpp"
#include "events/log/each_partition.hpp"
#include "events/log/run_blocking.hpp"

namespace workforce::events {
namespace {

constexpr std::size_t kAppendBytes = std::size_t{1} << 20;
constexpr std::size_t kAppendRecords = 2000;

/// One partition's way into the target.
class PartitionCopy {
   public:
    PartitionCopy(EventLog& source, EventLog& target, int partition, std::function<void(std::int64_t)> const& copied)
        : source_(source),
          target_(target),
          partition_(partition),
          copied_(copied),
          head_(target.head(partition)),
          claim_{partition, epoch_at_head(), head_},
          check_({{source.head(partition), "its own head"}}, head_, claim_.epoch) {
        find_claims_at_head();
    }

    CopyCounts copy() {
        auto const scan = source_.scan(partition_, head_.position + 1);
        each_page(*scan, [this](std::vector<LogEntry>& entries) {
            for (auto& entry : entries) take(entry);
            return true;
        });
        check_.finish();
        require_whole_source();
        release();
        require_no_more_claims();
        if (target_.head(partition_) != check_.head()) refuse("the target's head is not the source's");
        return counts_;
    }

   private:
    [[noreturn]] void refuse(std::string const& why) const {
        throw LogUnfit(fmt::format("partition {}: {}", partition_, why));
    }

    /// The epoch of the target's last record, which must be the source's record of that position.
    std::int64_t epoch_at_head() const {
        if (head_.position < 0) return 0;
        auto const records = source_.read(partition_, head_.position, 1, 1);
        if (records.empty()) refuse(fmt::format("the target has events past the source, up to {}", head_.position));
        auto const standing = standing_of(records.front().body);
        if (!standing || record_hash(records.front().body) != head_.hash) {
            refuse(fmt::format("the target holds other events: position {} is not the source's", head_.position));
        }
        return standing->epoch;
    }

    /// The claims that an earlier copy has written behind the target's last record.
    void find_claims_at_head() {
        auto const scan = target_.scan(partition_, head_.position + 1);
        each_page(*scan, [this](std::vector<LogEntry>& entries) {
            for (auto& entry : entries) {
                if (entry.kind == LogEntry::Kind::event) refuse("someone else writes to the target");
                if (entry.kind == LogEntry::Kind::claim) there_.push_back(std::move(entry));
            }
            return true;
        });
    }

    /// What was taken is written once the next event has shown that it is as it was written.
    void take(LogEntry& entry) {
        auto const standing = check_.take(entry);
        require_whole_source();
        if (entry.kind == LogEntry::Kind::voided) ++counts_.voided;
        if (entry.kind == LogEntry::Kind::claim) return claims_.push_back(std::move(entry));
        if (!standing) return;  // of an event: it is in doubt, and what follows tells why
        bool const full = whole_ && (bytes_ >= kAppendBytes || bodies_.size() >= kAppendRecords);
        if (full || !claims_.empty()) release();
        require_no_more_claims();
        bytes_ += entry.text.size();
        bodies_.push_back(std::move(entry.text));
        last_ = check_.head();
        whole_ = standing->command_index == standing->command_count;
    }

    /// Writes the events taken, and the claims that stand behind them.
    void release() {
        flush();
        for (auto const& claim : std::exchange(claims_, {})) write(claim);
    }

    void write(LogEntry const& entry) {
        if (next_there_ < there_.size()) {
            auto const& claim = there_[next_there_++];
            if (claim.epoch != entry.epoch || claim.text != entry.text) {
                refuse(fmt::format("the target has a claim of epoch {} by {} where the source has {} by {}",
                                   claim.epoch, claim.text, entry.epoch, entry.text));
            }
            claim_.epoch = claim.epoch;
            return;
        }
        claim_ = run_blocking(target_.claim_from(partition_, entry.text, entry.epoch));
        if (claim_.epoch != entry.epoch || claim_.head != head_) {
            refuse(fmt::format("the target gave epoch {} at {} for epoch {} at {}: someone else writes to it",
                               claim_.epoch, claim_.head.position, entry.epoch, head_.position));
        }
        ++counts_.claims;
    }

    void flush() {
        if (bodies_.empty()) return;
        auto const count = static_cast<std::int64_t>(bodies_.size());
        auto const appended = run_blocking(target_.append(claim_, head_, last_, std::exchange(bodies_, {})));
        if (!appended && appended.error() == AppendFault::unknown) {
            throw LogUnavailable(
                fmt::format("partition {}: the target can't be reached; copy again to go on", partition_));
        }
        if (!appended) {
            refuse(
                fmt::format("the target refused the events behind {}; if a copy was killed amid a command there, begin "
                            "with a new target",
                            head_.position));
        }
        bytes_ = 0;
        head_ = last_;
        counts_.events += count;
        copied_(count);
    }

    void require_whole_source() const {
        if (auto const& fault = check_.fault()) {
            refuse(fmt::format("the source is broken: position {} {}", fault->position, fault->what));
        }
    }
    void require_no_more_claims() const {
        if (next_there_ < there_.size()) {
            refuse(
                fmt::format("the target has a claim of epoch {} that the source has not", there_[next_there_].epoch));
        }
    }

    EventLog& source_;
    EventLog& target_;
    int const partition_;
    std::function<void(std::int64_t)> const& copied_;
    Head head_;  // of the target
    Claim claim_;
    ChainCheck check_;  // of the source
    std::vector<LogEntry> there_;
    std::size_t next_there_ = 0;
    std::vector<std::string> bodies_;
    std::size_t bytes_ = 0;
    bool whole_ = true;             // whether they end with their command
    Head last_;                     // of the bodies
    std::vector<LogEntry> claims_;  // behind the bodies
    CopyCounts counts_;
};

}  // namespace

void fence_writers(EventLog& log, std::string const& owner) {
    for (int partition = 0; partition < log.partitions(); ++partition) run_blocking(log.claim(partition, owner));
}

CopyCounts copy_log(EventLog& source, EventLog& target, std::function<void(std::int64_t events)> const& copied) {
    if (source.partitions() != target.partitions()) {
        throw LogUnfit(
            fmt::format("the target has {} partitions, the source {}", target.partitions(), source.partitions()));
    }
    CopyCounts all;
    std::mutex mutex;
    each_partition(choose_partitions(source.partitions(), -1), [&](int partition) {
        auto const counts = PartitionCopy(source, target, partition, copied).copy();
        std::lock_guard const lock(mutex);
        all.events += counts.events;
        all.claims += counts.claims;
        all.voided += counts.voided;
    });
    return all;
}

}  // namespace workforce::events
