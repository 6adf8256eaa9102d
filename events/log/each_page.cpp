// One page ahead.
#include "events/log/each_page.hpp"

#include <future>

namespace workforce::events {

void each_page(LogScan& scan, std::function<bool(std::vector<LogEntry>& entries)> const& work) {
    constexpr std::size_t kPageBytes = std::size_t{2} << 20;
    auto const fetch = [&scan] { return scan.next(kPageBytes); };
    auto entries = fetch();
    while (!entries.empty()) {
        auto next = std::async(std::launch::async, fetch);
        if (!work(entries)) return;
        entries = next.get();
    }
}

}  // namespace workforce::events
