// Finds the first record that breaks the chain. A wrong link alone does not tell which of its two ends was changed; the
// record behind them does.
#include "events/log/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/crypto.hpp"

namespace workforce::events {
namespace {

constexpr std::string_view kNotAsWritten =
    "is not as it was written: its prevhash is not the hash of the record before";

}  // namespace

std::string record_hash(std::string_view body) { return core::hex_encode(core::bytes(core::sha256(body))); }

ChainCheck::ChainCheck(std::vector<ExpectedHead> expected, Head const& from, std::int64_t epoch)
    : expected_(std::move(expected)), head_(from), epoch_(epoch), unfinished_(from) {
    std::sort(expected_.begin(), expected_.end(),
              [](ExpectedHead const& a, ExpectedHead const& b) { return a.head.position < b.head.position; });
    confirmed(head_);
}

std::optional<Standing> ChainCheck::take(LogEntry const& entry) {
    switch (entry.kind) {
        case LogEntry::Kind::event:
            return take_event(entry);
        case LogEntry::Kind::claim:
            take_claim(entry);
            break;
        case LogEntry::Kind::voided:
            take_void(entry);
            break;
    }
    return std::nullopt;
}

void ChainCheck::take_claim(LogEntry const& claim) {
    ++claims_;
    if (index_ != count_) {
        return blame(head_.position,
                     fmt::format("is event {} of {} of a command, and a claim follows", index_, count_));
    }
    if (claim.position > head_.position) {
        return blame(head_.position + 1,
                     fmt::format("is missing: the claim of epoch {} stands behind {}", claim.epoch, claim.position));
    }
    if (claim.epoch <= epoch_) {
        return blame(
            head_.position,
            fmt::format("is followed by a claim of epoch {}, though epoch {} was claimed before", claim.epoch, epoch_));
    }
    epoch_ = claim.epoch;
    if (unlinked_) return;  // what is wrong before the claim is still to be told
    unfinished_ = head_;
    unfinished_index_ = 0;
}

void ChainCheck::take_void(LogEntry const& entry) {
    ++voided_;
    if (entry.epoch < epoch_ || entry.position <= head_.position) return;
    auto const record = standing_of(entry.text);
    if (unlinked_) {
        bool const as_written =
            record && record->position == unlinked_->position + 1 && record->previous_hash == unlinked_->hash;
        if (as_written) return blame_change(unfinished_.position, unlinked_to_);
        return blame(unlinked_->position, std::string(kNotAsWritten));
    }
    if (record && record->position == unfinished_.position + 1) {
        bool const linked = record->previous_hash == unfinished_.hash;
        if (linked && record->command_index == unfinished_index_ + 1 && record->command_index < record->command_count) {
            unfinished_ = {record->position, record_hash(entry.text)};
            ++unfinished_index_;
            return;
        }
        if (!linked && unfinished_.position >= 0) {
            unlinked_ = {record->position, record_hash(entry.text)};
            unlinked_to_ = record->previous_hash;
            return;
        }
    }
    blame(unfinished_.position + 1,
          fmt::format(
              "is missing or was changed: what follows at offset {}, position {} of epoch {}, does not count ({})",
              entry.offset, entry.position, entry.epoch, entry.fault));
}

void ChainCheck::blame_either(std::int64_t first) {
    blame(first, "or the record behind it was changed: they do not fit, and nothing behind them tells which");
}

std::string ChainCheck::misplaced(Standing const& record) const {
    if (record.epoch < epoch_) {
        return fmt::format("was written under epoch {}, though epoch {} had been claimed before it", record.epoch,
                           epoch_);
    }
    if (record.epoch > epoch_) return fmt::format("was written under epoch {}, which nobody had claimed", record.epoch);
    bool const begins = index_ == count_ && record.command_index == 1 && record.command_count >= 1;
    bool const goes_on = index_ < count_ && record.command_index == index_ + 1 && record.command_count == count_;
    if (begins || goes_on) return {};
    return fmt::format("is event {} of {} of a command, behind event {} of {}", record.command_index,
                       record.command_count, index_, count_);
}

std::optional<Standing> ChainCheck::take_event(LogEntry const& event) {
    ++events_;
    auto const expected = head_.position + 1;
    auto const record = standing_of(event.text);
    if (doubt_) {
        bool const as_written = record && record->previous_hash == head_.hash;
        if (as_written) {
            blame_change(head_.position - 1, *doubt_);
        } else {
            blame(head_.position, std::string(kNotAsWritten));
        }
        return std::nullopt;
    }
    if (unlinked_) {
        blame_either(unfinished_.position);
        return std::nullopt;
    }
    auto const blamed = [&](std::int64_t position, std::string what) {
        blame(position, std::move(what));
        return std::nullopt;
    };
    if (event.position > expected) return blamed(expected, fmt::format("is missing: {} follows", event.position));
    if (event.position < expected) return blamed(event.position, fmt::format("stands behind {}", head_.position));
    if (!record) return blamed(expected, "is no record of this log");
    if (record->position != expected) return blamed(expected, fmt::format("holds the record of {}", record->position));

    Head const now{expected, record_hash(event.text)};
    bool const linked = record->previous_hash == head_.hash;
    if (linked) {
        if (auto wrong = misplaced(*record); !wrong.empty()) return blamed(expected, std::move(wrong));
    }
    if (!linked && expected == 0) return blamed(0, "is not the first of its partition: its prevhash is not 64 zeros");
    auto const confirmation = confirmed(now);
    if (fault_) return std::nullopt;
    if (!linked && confirmation > 0) {
        blame_change(head_.position, std::string(record->previous_hash));
        return std::nullopt;
    }
    if (!linked) doubt_ = record->previous_hash;
    head_ = now;
    unfinished_ = now;
    unfinished_index_ = 0;
    index_ = record->command_index;
    count_ = record->command_count;
    if (doubt_) return std::nullopt;
    return record;
}

int ChainCheck::confirmed(Head const& head) {
    int result = 0;
    for (; next_expected_ < expected_.size(); ++next_expected_) {
        auto const& [expected, source] = expected_[next_expected_];
        if (expected.position > head.position) break;
        if (expected.position < head.position) continue;  // stands before the place that the check began at
        result = 1;
        if (expected.hash != head.hash) {
            blame(head.position,
                  fmt::format("is not the record that {} names, or one before it was rewritten: hash {}, "
                              "there {}",
                              source, head.hash, expected.hash));
            return -1;
        }
    }
    return result;
}

void ChainCheck::finish() {
    if (fault_) return;
    if (doubt_) return blame_either(head_.position - 1);
    if (unlinked_) return blame_either(unfinished_.position);
    if (next_expected_ < expected_.size()) {
        auto const& [expected, source] = expected_[next_expected_];
        return blame(head_.position + 1, fmt::format("is missing: the log ends at {}, but {} is {}", head_.position,
                                                     source, expected.position));
    }
    if (index_ != count_) {
        blame(head_.position, fmt::format("is event {} of {} of a command, and the log ends there", index_, count_));
    }
}

void ChainCheck::blame(std::int64_t position, std::string what) {
    if (!fault_) fault_ = {position, std::move(what)};
}

void ChainCheck::blame_change(std::int64_t position, std::string const& expected) {
    blame(position,
          fmt::format("was changed: its bytes do not have the hash {} that {} was chained to", expected, position + 1));
}

}  // namespace workforce::events
