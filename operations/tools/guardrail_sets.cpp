// Reading sets, and forgetting those that nobody asks for.
#include "operations/tools/guardrail_sets.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>

#include "core/logging.hpp"
#include "operations/tools/tool.hpp"
#include "projections/guardrails/guardrails.hpp"

namespace workforce::operations {
namespace {

constexpr std::size_t kMostSets = 10'000;  // past that, those leave that nobody asked for lately
constexpr auto kFreshSet = kGuardrailTrust / 2;

std::vector<std::string_view> const& tool_names() {
    static auto const names = [] {
        std::vector<std::string_view> all;
        for (auto const& tool : tools()) all.push_back(tool.name);
        return all;
    }();
    return names;
}

}  // namespace

GuardrailSets::GuardrailSets(core::Database& operators, Clock::time_point (*now)())
    : database_(operators),
      now_(now),
      live_([this](std::vector<Asked> asked) { return find_all(std::move(asked), false); }),
      sandboxes_([this](std::vector<Asked> asked) { return find_all(std::move(asked), true); }) {}

boost::asio::awaitable<GuardrailSets::Set> GuardrailSets::of(Id organization, bool sandbox) {
    Key const key{organization, sandbox};
    Known known;
    bool usable = false;
    {
        std::lock_guard const lock(mutex_);
        auto& entry = known_[key];
        auto const age = now_() - entry.read_at;
        usable = entry.set && age < kGuardrailTrust;
        if (usable && (age < kFreshSet || entry.refreshing)) co_return entry.set;
        entry.refreshing = true;
        known = entry;
    }
    if (!usable) co_return co_await refresh(key, std::move(known));
    auto set = known.set;
    boost::asio::co_spawn(co_await boost::asio::this_coro::executor, refresh_aside(key, std::move(known)),
                          boost::asio::detached);
    co_return set;
}

boost::asio::awaitable<GuardrailSets::Set> GuardrailSets::read(Id organization, bool sandbox) {
    return refresh({organization, sandbox}, {});
}

boost::asio::awaitable<GuardrailSets::Set> GuardrailSets::refresh(Key key, Known known) {
    auto const started = now_();
    std::exception_ptr failed;
    try {
        auto found = co_await (key.second ? sandboxes_ : live_).submit({key.first, known.state});
        known.state = std::move(found.state);
        if (found.set) known.set = std::move(found.set);
    } catch (...) {
        failed = std::current_exception();
    }
    std::lock_guard const lock(mutex_);
    auto& entry = known_[key];
    entry.refreshing = false;
    if (failed) std::rethrow_exception(failed);
    if (!entry.set || entry.read_at < started) entry = {known.state, known.set, started, false};
    if (known_.size() > kMostSets) {
        std::erase_if(known_, [&](auto const& each) { return started - each.second.read_at >= kGuardrailTrust; });
    }
    co_return known.set;
}

boost::asio::awaitable<void> GuardrailSets::refresh_aside(Key key, Known known) {
    try {
        co_await refresh(key, std::move(known));
    } catch (std::exception const& error) {  // calls look for themselves once what is known is trusted no longer
        core::log(core::Level::debug, "guardrails could not be refreshed", {{"error", error.what()}});
    }
}

boost::asio::awaitable<std::vector<GuardrailSets::Found>> GuardrailSets::find_all(std::vector<Asked> asked,
                                                                                  bool sandbox) {
    std::map<Id, std::string> known;
    for (auto const& each : asked) {
        auto const [place, made] = known.emplace(each.organization, each.state);
        if (!made && place->second != each.state) place->second.clear();  // not everybody knows the same
    }
    auto const read = [known = std::move(known), sandbox](core::Connection& connection) {
        std::map<Id, Found> sets;
        for (auto const& [organization, enabled] : projections::enabled_guardrails(connection, sandbox, known)) {
            auto& found = sets[organization];
            found.state = enabled.state;
            if (enabled.state == known.at(organization)) continue;
            found.set = std::make_shared<GuardrailSet>(enabled.policies, tool_names());
        }
        return sets;
    };
    auto const sets = co_await database_.run(read, core::TenantContext{.sandbox = sandbox, .operator_access = true});
    std::vector<Found> found;
    for (auto const& each : asked) found.push_back(sets.at(each.organization));
    co_return found;
}

void GuardrailSets::stop() {
    auto const error = std::make_exception_ptr(core::DatabaseUnavailable("the process stops"));
    live_.stop(error);
    sandboxes_.stop(error);
}

}  // namespace workforce::operations
