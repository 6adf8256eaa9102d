// The steps of a replacement: every process knows both keys; the new one comes into use, in one transaction; what the
// former one sealed is sealed anew; every process uses the new one; the former one is not needed any more.
#include "cli/rotate_master.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cli/progress.hpp"
#include "events/master_key_table.hpp"
#include "workers/cluster/leases.hpp"
#include "workers/cluster/master_keys.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {
namespace {

constexpr std::chrono::seconds kRotationPatience{60};  // for processes, which look each second
constexpr std::chrono::milliseconds kRotationPause{200};

constexpr core::Statement kOneAtATime{"rotate_master_alone",
                                      "SELECT pg_advisory_lock(hashtext('workforce rotate-master'))"};

/// The configured keys and the new one, that in use first.
events::MasterKeys load_keys(core::Config const& config, core::Connection& connection, std::string const& new_key) {
    // As whoever has the new key already: the command may have put it into use before it was killed.
    auto files = events::read_master_keys(config);
    files.push_back(new_key);
    auto const ids = events::read_master_key_ids(connection);
    if (!ids.in_use.empty()) {
        auto const found = std::ranges::find(files, ids.in_use, events::master_key_id);
        if (found == files.end()) {
            throw std::runtime_error(
                fmt::format("the master key in use is {}, which none of the files holds", ids.in_use));
        }
        std::rotate(files.begin(), found, found + 1);
    }
    events::MasterKeys keys(std::move(files));
    events::load_kept(connection, keys);
    return keys;
}

/// Puts the new key into use, unless it is. No process enters meanwhile.
void begin(core::Connection& connection, events::MasterKeys const& keys, std::string const& id) {
    connection.transaction([&] {
        workers::lock_processes(connection);
        auto const now = events::read_master_key_ids(connection);
        if (now.in_use == id) return;  // as `keys` have it
        if (!now.former.empty()) {
            throw std::runtime_error(
                fmt::format("the master key {} still seals something: end the replacement by {} first, with its file",
                            now.former, now.in_use));
        }
        if (auto const ignorant = workers::who_does_not_know(connection, id); !ignorant.empty()) {
            throw std::runtime_error(fmt::format(
                "processes that do not know the new master key: {}; restart each with other_master_key_file "
                "set to its file first",
                fmt::join(ignorant, ", ")));
        }
        events::replace_master_key(connection, keys, id);
    });
}

void wait_for_processes(core::Connection& connection, std::string const& id) {
    auto const deadline = std::chrono::steady_clock::now() + kRotationPatience;
    for (;;) {
        auto const waiting = workers::who_does_not_use(connection, id);
        if (waiting.empty()) return;
        if (std::chrono::steady_clock::now() >= deadline) {
            throw std::runtime_error(
                fmt::format("processes that do not use the new master key yet: {}; call it again once they do",
                            fmt::join(waiting, ", ")));
        }
        std::this_thread::sleep_for(kRotationPause);
    }
}

/// Seals anew what other keys seal, with progress. Returns how many rows that were.
std::int64_t reseal(core::Connection& connection, events::MasterKeys const& keys) {
    std::int64_t rows = 0;
    ProgressLine progress("seal anew", "rows", events::count_sealed_by_others(connection, keys));
    events::reseal(connection, keys, [&](std::int64_t more) {
        rows += more;
        progress.add(more);
    });
    return rows;
}

}  // namespace

int rotate_master(core::Config const& configured, std::string const& file) {
    auto const new_key = core::load_master_key(file, "--new-master-key-file");
    if (!new_key) throw std::runtime_error(new_key.error());
    auto const config = workers::checked(configured);
    auto options = workers::session(config, "", "workforce master key");
    options.statement_timeout = std::chrono::milliseconds(0);
    options.settings = {{"synchronous_commit", "on"}};  // a lost key is lost data
    core::Connection connection(options);
    connection.execute(kOneAtATime);  // until the session's end: a second command sees what the first one left
    auto const keys = load_keys(config, connection, *new_key);
    events::record_master_key(connection, keys);
    auto const id = events::master_key_id(*new_key);
    begin(connection, keys, id);
    if (events::read_master_key_ids(connection).former.empty() &&
        events::count_sealed_by_others(connection, keys) == 0) {
        fmt::print("the master key {} is in use, and no former one is needed\n", id);
        return 0;
    }
    auto rows = reseal(connection, keys);
    wait_for_processes(connection, id);
    // What was stored meanwhile by who knew nothing of the replacement.
    while (events::count_sealed_by_others(connection, keys) > 0) rows += reseal(connection, keys);
    events::end_former_master_key(connection);
    fmt::print(
        "sealed {} rows anew; the former master key is no longer needed: restart each process with "
        "master_key_file set to the new one's file and no other_master_key_file\n",
        rows);
    return 0;
}

}  // namespace workforce::cli
