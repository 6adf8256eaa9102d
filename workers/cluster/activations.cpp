// Statements over ops.event_activation and what processes announced.
#include "workers/cluster/activations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "core/json.hpp"
#include "core/logging.hpp"
#include "workers/cluster/leases.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kUnknown{
    "unknown_activations",
    "SELECT type, version FROM ops.event_activation WHERE version > coalesce(($1::jsonb ->> type)::int, 0)"
    " ORDER BY type LIMIT 1"};

constexpr core::Statement kWaiting{"waiting_activations", R"sql(
SELECT m.key AS type, m.value::int AS version, p.owner
FROM jsonb_each_text($1::jsonb) AS m
JOIN ops.process p ON p.expires_at > now() AND coalesce((p.reads ->> m.key)::int, 0) < m.value::int
WHERE NOT EXISTS (SELECT FROM ops.event_activation a WHERE a.type = m.key AND a.version >= m.value::int)
ORDER BY 1, 3)sql"};

constexpr core::Statement kActivate{"activate_events", R"sql(
INSERT INTO ops.event_activation AS a (type, version)
SELECT key, value::int FROM jsonb_each_text($1::jsonb) WHERE key <> ALL ($2::text[])
ON CONFLICT (type) DO UPDATE SET version = excluded.version, activated_at = now() WHERE a.version < excluded.version)sql"};

constexpr core::Statement kActivated{"activated_events", "SELECT type, version FROM ops.event_activation"};

std::vector<HeldBack> waiting(core::Connection& connection, std::vector<std::string>& types) {
    std::vector<HeldBack> held;
    for (auto const& row : connection.execute(kWaiting, announcement())) {
        auto const type = core::read<std::string>(row["type"]);
        if (types.empty() || types.back() != type) {
            types.push_back(type);
            held.push_back({fmt::format("{} {}", type, core::read<int>(row["version"])), {}});
        }
        held.back().waits_for.push_back(core::read<std::string>(row["owner"]));
    }
    return held;
}

void tell(std::vector<HeldBack> const& held) {
    if (held.empty()) {
        core::log(core::Level::info,
                  "every live process reads all events of this program, which writes them from now on", {});
        return;
    }
    std::vector<std::string> events;
    std::vector<std::string> processes;
    for (auto const& each : held) {
        events.push_back(each.event);
        processes.insert(processes.end(), each.waits_for.begin(), each.waits_for.end());
    }
    std::sort(processes.begin(), processes.end());
    processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
    core::log(core::Level::warn,
              "events are held back until all processes read them: end the ones of the release before",
              {{"events", fmt::format("{}", fmt::join(events, ", "))},
               {"processes", fmt::format("{}", fmt::join(processes, ", "))}});
}

}  // namespace

std::string const& announcement() {
    static auto const text = [] {
        core::JsonWriter w;
        w.begin_object();
        for (auto const& known : events::known_versions()) w.member(known.type, known.version);
        w.end_object();
        return w.take();
    }();
    return text;
}

void require_activated_known(core::Connection& connection) {
    auto const unknown = connection.execute(kUnknown, announcement());
    if (unknown.empty()) return;
    throw std::runtime_error(
        fmt::format("the installation writes events of type {} version {}, which this program does not "
                    "know: run the newer one",
                    core::read<std::string>(unknown[0][0]), core::read<int>(unknown[0][1])));
}

std::vector<HeldBack> activate(core::Connection& connection, events::Activations& activations) {
    std::vector<HeldBack> held;
    auto const activated = connection.transaction([&] {
        lock_processes(connection);
        require_activated_known(connection);
        std::vector<std::string> types;
        held = waiting(connection, types);
        connection.execute(kActivate, announcement(), types);
        return connection.execute(kActivated);
    });
    for (auto const& row : activated) activations.activate(core::read_view(row[0]), core::read<int>(row[1]));
    return held;
}

std::function<boost::asio::awaitable<void>()> activation_round(core::Database& writes,
                                                               events::Activations& activations) {
    return [&writes, &activations, told = std::size_t{0}]() mutable -> boost::asio::awaitable<void> {
        if (activations.held_back() == 0) co_return;
        auto const held = co_await writes.run([&](core::Connection& c) { return activate(c, activations); });
        if (held.size() != told) tell(held);
        told = held.size();
    };
}

}  // namespace workforce::workers
