// The threads of a tap: a partition each, their lines to standard output.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "events/keyring.hpp"
#include "events/log/log.hpp"
#include "events/stream.hpp"

namespace workforce::cli {

/// A place to read from.
struct TapStart {
    int partition = 0;
    std::int64_t position = 0;
};

/// Writes what the filter wants as soon as it is there, whole lines, each partition in its order. When nobody reads the
/// output any more it ends as if it was asked to. An unreachable log is asked again and again, unless `until_idle`.
class TapReader {
   public:
    /// `keyring` opens personal fields; null: they stay sealed. Log and keyring outlive this.
    TapReader(events::EventLog& log, events::StreamFilter filter, events::Keyring* keyring, bool until_idle);
    TapReader(TapReader const&) = delete;
    TapReader& operator=(TapReader const&) = delete;
    ~TapReader();

    /// Begins. `done` is called once, on a thread of the reader's, when it has ended by itself.
    void start(std::vector<TapStart> const& starts, std::function<void()> done);
    /// Ends it; stops the log. Errors: what a thread ended with.
    void stop();

   private:
    void run(TapStart start);
    void follow(TapStart& next, std::int64_t end);
    void write(int partition, std::vector<events::Record> records);
    /// Lines with personal data in clear.
    std::string open(int partition, std::vector<events::Record> const& records);
    void put(std::string_view lines);
    void finish();

    events::EventLog& log_;
    events::StreamFilter const filter_;
    events::Keyring* const keyring_;
    bool const until_idle_;
    std::function<void()> done_;
    std::once_flag finished_;
    std::atomic<bool> stopping_ = false;
    std::atomic<std::size_t> running_ = 0;
    std::mutex output_;
    std::mutex mutex_;
    std::exception_ptr failed_;
    std::vector<std::thread> threads_;
};

}  // namespace workforce::cli
