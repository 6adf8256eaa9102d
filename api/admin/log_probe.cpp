#include "api/admin/log_probe.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "events/log/log.hpp"

namespace workforce::api {

LogProbe::LogProbe(std::function<void()> question)
    : question_(std::move(question)), askers_([this](std::vector<bool> const& all) { return ask_for(all.size()); }) {}

boost::asio::awaitable<void> LogProbe::ask() { co_await askers_.submit(true); }

boost::asio::awaitable<std::vector<bool>> LogProbe::ask_for(std::size_t askers) {
    auto const question = [this]() -> boost::asio::awaitable<void> {
        question_();
        co_return;
    };
    co_await boost::asio::co_spawn(thread_, question(), boost::asio::use_awaitable);
    co_return std::vector<bool>(askers, true);
}

void LogProbe::stop() { askers_.stop(std::make_exception_ptr(events::LogUnavailable("this process is stopping"))); }

void LogProbe::join() { thread_.join(); }

}  // namespace workforce::api
