// Ages of files and of the last backup.
#include "api/admin/age_metrics.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>

#include "core/time.hpp"

namespace workforce::api {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Lines are only ever added to these files, so their time of modification is the newest line's.
double age_of_file(std::string const& path) {
    struct stat found{};
    if (stat(path.c_str(), &found) != 0 || found.st_size == 0) return kNever;
    auto const now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    auto const& modified = found.st_mtim;
    return std::max(0.0, now - static_cast<double>(modified.tv_sec) - static_cast<double>(modified.tv_nsec) / 1e9);
}

}  // namespace

void export_ages(core::Metrics& metrics, core::Config const& config, workers::LastBackup const& backup) {
    if (!config.heads_file.empty()) {
        auto& age = metrics.gauge("workforce_signed_heads_age_seconds", "Age of the newest line of heads_file");
        metrics.before_render([&age, &config] { age.Set(age_of_file(config.heads_file)); });
    }
    if (!config.tombstones_file.empty()) {
        auto& age = metrics.gauge("workforce_tombstones_age_seconds", "Age of the newest line of tombstones_file");
        metrics.before_render([&age, &config] { age.Set(age_of_file(config.tombstones_file)); });
    }
    metrics.before_render([&metrics, &backup] {
        if (!backup.looked()) return;
        auto const at = backup.at();
        metrics.gauge("workforce_backup_age_seconds", "Time since `workforce backup` last wrote a whole backup")
            .Set(at ? std::max(0.0, static_cast<double>(core::now().ms - at->ms) / 1000) : kNever);
    });
}

}  // namespace workforce::api
