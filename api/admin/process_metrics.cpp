// /proc/self, and the sessions of pools.
#include "api/admin/process_metrics.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "core/session_use.hpp"

namespace workforce::api {
namespace {

/// Fields of /proc/self/stat from the third one on; none where it can't be read.
std::vector<std::string> process_stat() {
    std::ifstream file("/proc/self/stat");
    std::string const text{std::istreambuf_iterator<char>(file), {}};
    auto const name_end = text.rfind(')');  // a program's name may have blanks
    if (name_end == std::string::npos) return {};
    std::istringstream rest(text.substr(name_end + 1));
    return {std::istream_iterator<std::string>(rest), {}};
}

/// The stat's field of that number, as `man proc` counts them.
double stat_field(std::vector<std::string> const& stat, std::size_t number) {
    constexpr std::size_t kFirst = 3;
    return number - kFirst < stat.size() ? std::stod(stat[number - kFirst]) : 0;
}

double ticks_per_second() { return static_cast<double>(sysconf(_SC_CLK_TCK)); }

/// Seconds since 1970 at which the process began.
double start_time() {
    timespec up{};
    clock_gettime(CLOCK_BOOTTIME, &up);
    auto const now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    auto const since_boot = static_cast<double>(up.tv_sec) + static_cast<double>(up.tv_nsec) / 1e9;
    return now - since_boot + stat_field(process_stat(), 22) / ticks_per_second();
}

double open_descriptors() {
    std::error_code failed;
    std::filesystem::directory_iterator const all("/proc/self/fd", failed);
    return failed ? 0 : static_cast<double>(std::distance(begin(all), end(all))) - 1;  // one is this directory's
}

}  // namespace

void export_process(core::Metrics& metrics) {
    metrics
        .gauge("workforce_build_info", "What this process was built from; always 1",
               {{"version", WORKFORCE_VERSION}, {"compiler", __VERSION__}})
        .Set(1);
    metrics.gauge("process_start_time_seconds", "When the process began, in seconds since 1970").Set(start_time());
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    metrics.gauge("process_max_fds", "File descriptors that the process may have open")
        .Set(static_cast<double>(limit.rlim_cur));
    auto& cpu = metrics.counter("process_cpu_seconds_total", "Processor time of the process, in seconds");
    auto& resident = metrics.gauge("process_resident_memory_bytes", "Memory of the process that is in RAM");
    auto& virtual_memory = metrics.gauge("process_virtual_memory_bytes", "Address space of the process");
    auto& descriptors = metrics.gauge("process_open_fds", "File descriptors that are open");
    auto& threads = metrics.gauge("process_threads", "Threads of the process");
    metrics.before_render([&] {
        auto const stat = process_stat();
        core::raise(cpu, (stat_field(stat, 14) + stat_field(stat, 15)) / ticks_per_second());
        threads.Set(stat_field(stat, 20));
        virtual_memory.Set(stat_field(stat, 23));
        resident.Set(stat_field(stat, 24) * static_cast<double>(sysconf(_SC_PAGESIZE)));
        descriptors.Set(open_descriptors());
    });
}

void export_sessions(core::Metrics& metrics) {
    metrics.before_render([&metrics] {
        for (auto const& use : core::session_uses()) {
            core::Metrics::Labels const labels{{"pool", use.name}, {"role", use.role}};
            metrics.gauge("workforce_database_sessions", "Sessions of a pool with PostgreSQL, by role", labels)
                .Set(static_cast<double>(use.open));
            metrics.gauge("workforce_database_sessions_used", "Sessions of a pool that somebody has", labels)
                .Set(static_cast<double>(use.used));
            metrics
                .gauge("workforce_database_sessions_idle", "Sessions of a pool that wait for their next user", labels)
                .Set(static_cast<double>(std::max<std::int64_t>(use.open - use.used, 0)));
            metrics
                .gauge("workforce_database_jobs_waiting",
                       "Queries that wait for a session of a pool, or for its answer", labels)
                .Set(static_cast<double>(use.waiting));
        }
    });
}

}  // namespace workforce::api
