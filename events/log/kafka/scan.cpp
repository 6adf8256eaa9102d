// Rulings as entries.
#include "events/log/kafka/scan.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "events/attributes.hpp"

namespace workforce::events::kafka {

KafkaScan::KafkaScan(ClientOptions const& options, int partition, std::int64_t from, Mark const& mark,
                     std::int64_t until)
    : reader_(options, Role::scan), until_(until), from_(from), begun_(from <= 0) {
    reader_.aim(partition, mark);
}

void KafkaScan::add(Ruling& ruling) {
    if (ruling.kind == Ruling::Kind::confirms || ruling.kind == Ruling::Kind::owns) return;
    if (!begun_) {
        begun_ = ruling.kind == Ruling::Kind::counts && ruling.position == from_ - 1;
        return;
    }
    LogEntry entry{.kind = LogEntry::Kind::event,
                   .offset = ruling.offset,
                   .position = ruling.position,
                   .epoch = 0,
                   .text = {},
                   .fault = std::move(ruling.fault)};
    if (ruling.kind == Ruling::Kind::claims) {
        entry.kind = LogEntry::Kind::claim;
        entry.epoch = ruling.epoch;
        entry.text = attribute(ruling.body, "owner").value_or("");
    } else {
        if (ruling.kind == Ruling::Kind::voided) {
            entry.kind = LogEntry::Kind::voided;
            entry.epoch = ruling.epoch;
        }
        entry.text = std::move(ruling.body);
    }
    held_.push_back(std::move(entry));
}

std::vector<LogEntry> KafkaScan::next(std::size_t max_bytes) {
    std::vector<Ruling> rulings;
    while (ready_.empty() && !ended_) {
        rulings.clear();
        if (!reader_.advance(until_, rulings)) {
            ended_ = true;
            reader_.arbiter().end(rulings);
        }
        for (auto& ruling : rulings) add(ruling);
        if (reader_.arbiter().incomplete()) continue;
        std::sort(held_.begin(), held_.end(), [](LogEntry const& a, LogEntry const& b) { return a.offset < b.offset; });
        ready_.insert(ready_.end(), std::move_iterator(held_.begin()), std::move_iterator(held_.end()));
        held_.clear();
    }
    std::vector<LogEntry> entries;
    std::size_t bytes = 0;
    while (!ready_.empty()) {
        bytes += ready_.front().text.size();
        if (!entries.empty() && bytes > max_bytes) break;
        entries.push_back(std::move(ready_.front()));
        ready_.pop_front();
    }
    return entries;
}

}  // namespace workforce::events::kafka
