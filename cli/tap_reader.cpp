// Read, choose, write, wait.
#include "cli/tap_reader.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <limits>
#include <utility>

#include "core/logging.hpp"
#include "events/codec.hpp"
#include "events/log/mend.hpp"

namespace workforce::cli {
namespace {

constexpr std::size_t kRecords = 2000;
constexpr std::size_t kBytes = std::size_t{1} << 20;
constexpr auto kPatience = std::chrono::seconds(1);  // at which a tap that waits looks whether it should stop

}  // namespace

TapReader::TapReader(events::EventLog& log, events::StreamFilter filter, events::Keyring* keyring, bool until_idle)
    : log_(log), filter_(std::move(filter)), keyring_(keyring), until_idle_(until_idle) {
    std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves ends the tap, not kills it
}

TapReader::~TapReader() {
    try {
        stop();
    } catch (std::exception const&) {
        // Who wants to know has asked before.
    }
}

void TapReader::start(std::vector<TapStart> const& starts, std::function<void()> done) {
    done_ = std::move(done);
    running_ = starts.size();
    for (auto const& start : starts) threads_.emplace_back([this, start] { run(start); });
    if (starts.empty()) finish();
}

void TapReader::stop() {
    stopping_ = true;
    log_.stop();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
}

void TapReader::run(TapStart start) {
    try {
        auto const end =
            until_idle_ ? log_.head(start.partition).position + 1 : std::numeric_limits<std::int64_t>::max();
        bool away = false;
        while (!stopping_ && start.position < end) {
            try {
                follow(start, end);
                away = false;
            } catch (events::LogUnavailable const& error) {
                if (until_idle_) throw;
                if (!std::exchange(away, true)) {
                    core::log(core::Level::warn, "the log can't be read", {{"error", error.what()}});
                }
                log_.wait(start.partition, std::numeric_limits<std::int64_t>::max(), kPatience);
            }
        }
    } catch (...) {
        std::lock_guard const lock(mutex_);
        if (!failed_) failed_ = std::current_exception();
        finish();
    }
    if (--running_ == 0) finish();
}

void TapReader::finish() {
    stopping_ = true;
    std::call_once(finished_, done_);
}

void TapReader::follow(TapStart& next, std::int64_t end) {
    auto records = log_.read(next.partition, next.position, kRecords, kBytes);
    if (records.empty()) {
        log_.wait(next.partition, next.position, kPatience);
        return;
    }
    while (records.back().position >= end) records.pop_back();
    auto const last = records.back().position;
    write(next.partition, std::move(records));
    next.position = last + 1;
}

void TapReader::write(int partition, std::vector<events::Record> records) {
    std::erase_if(records, [this](events::Record const& record) { return !events::matches(filter_, record.body); });
    if (records.empty()) return;
    std::string lines;
    if (keyring_ == nullptr) {
        for (auto const& record : records) (lines += record.body) += '\n';
    } else {
        lines = open(partition, records);
    }
    put(lines);
}

std::string TapReader::open(int partition, std::vector<events::Record> const& records) {
    std::string lines;
    std::string fault;
    try {
        for (auto const& body : events::open_all(records, *keyring_)) (lines += body) += '\n';
        return lines;
    } catch (events::UnknownEvent const& error) {
        fault = error.what();
    } catch (events::DamagedEvent const& error) {
        fault = error.what();
    }
    if (records.size() > 1) {  // whichever of them it is
        for (auto const& record : records) lines += open(partition, {record});
        return lines;
    }
    auto const& record = records.front();
    bool const holds_none =
        events::counting_mend(log_, partition, record.body) || events::find_mend(log_, partition, record.position);
    // What is no event comes as it is stored.
    if (holds_none) return record.body + '\n';
    throw std::runtime_error(fmt::format("partition {}, {}", partition, fault));
}

void TapReader::put(std::string_view lines) {
    std::lock_guard const lock(output_);
    while (!lines.empty() && !stopping_) {
        auto const written = ::write(STDOUT_FILENO, lines.data(), lines.size());
        if (written >= 0) {
            lines.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EPIPE) {
            finish();
        } else if (errno != EINTR) {
            throw std::runtime_error(fmt::format("standard output: {}", std::strerror(errno)));
        }
    }
}

}  // namespace workforce::cli
