// One pass over the partition: texts are searched first, attributes read only where that finds something.
#include "events/subject_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "events/attributes.hpp"
#include "events/log/each_page.hpp"
#include "events/log/mend.hpp"
#include "events/stream.hpp"

namespace workforce::events {
namespace {

bool contains(std::string_view text, std::string_view part) {
    return memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

}  // namespace

std::vector<Record> records_of(EventLog& log, int partition, std::vector<std::string> const& subjects,
                               std::int64_t last, std::function<bool(std::int64_t records)> const& read) {
    std::vector<std::string> parts;
    for (auto const& subject : subjects) parts.push_back(fmt::format(R"("subject":"{}")", subject));
    auto const is_wanted = [&](std::string const& body) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (contains(body, parts[i]) && attribute(body, "subject") == subjects[i]) return true;
        }
        return false;
    };
    std::vector<Record> found;
    auto const scan = log.scan(partition, 0);
    each_page(*scan, [&](std::vector<LogEntry>& entries) {
        std::int64_t records = 0;
        for (auto& entry : entries) {
            if (entry.kind != LogEntry::Kind::event) continue;
            if (entry.position > last) return false;
            ++records;
            if (auto const mend = counting_mend(log, partition, entry.text)) {
                std::erase_if(found, [&](Record const& record) {
                    return mend->first <= record.position && record.position <= mend->last && !event_time(record.body);
                });
            }
            if (is_wanted(entry.text)) found.push_back({entry.position, std::move(entry.text)});
        }
        return read(records);
    });
    return found;
}

}  // namespace workforce::events
