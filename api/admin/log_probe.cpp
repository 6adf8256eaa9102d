#include "api/admin/log_probe.hpp"

#include "core/run_on.hpp"
#include "events/log/log.hpp"

namespace workforce::api {

LogProbe::LogProbe(std::function<void()> question)
    : question_(std::move(question)), askers_([this](std::vector<bool> const& all) { return ask_for(all.size()); }) {}

boost::asio::awaitable<void> LogProbe::ask() { co_await askers_.submit(true); }

boost::asio::awaitable<std::vector<bool>> LogProbe::ask_for(std::size_t askers) {
    co_await core::run_on(thread_, question_);
    co_return std::vector<bool>(askers, true);
}

void LogProbe::stop() { askers_.stop(std::make_exception_ptr(events::LogUnavailable("this process is stopping"))); }

void LogProbe::join() { thread_.join(); }

}  // namespace workforce::api
