// One tick: a command for each organization, repeated while it still finds something to move.
#include "workers/shift_clock.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "commands/shift.hpp"
#include "core/ids.hpp"
#include "core/logging.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kOrganizations{"organizations_of_partitions",
                                         "SELECT organization_id FROM ops.organization_home"
                                         " WHERE partition = ANY ($1::int[]) ORDER BY organization_id"};
constexpr int kRoundsATick = 50;  // of at most 200 shifts each: what is left waits for the next minute

boost::asio::awaitable<void> tick(commands::Processor& processor, core::Id organization, bool sandbox) {
    for (int round = 0; round < kRoundsATick; ++round) {
        commands::Context context;
        context.organization = organization;
        context.sandbox = sandbox;
        context.request_id = core::request_id();
        auto submission = commands::make_submission(commands::MoveDueShifts{}, std::move(context));
        submission.render_problem = [](core::Problem const& problem) { return problem.message; };
        auto const reply = co_await processor.submit(std::move(submission));
        if (reply.status != 200 || reply.position < 0) co_return;
    }
}

}  // namespace

boost::asio::awaitable<void> run_shift_clock(commands::Processor& processor, core::Database& database) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    while (true) {
        try {
            std::vector<int> served;
            for (auto const& partition : processor.partitions()) {
                if (partition->served()) served.push_back(partition->number());
            }
            auto const organizations = co_await database.run([served](core::Connection& connection) {
                std::vector<core::Id> ids;
                for (auto const& row : connection.execute(kOrganizations, served)) ids.push_back(row[0].as<core::Id>());
                return ids;
            });
            for (auto const id : organizations) {
                co_await tick(processor, id, false);
                co_await tick(processor, id, true);
            }
        } catch (std::exception const& error) {
            core::log(core::Level::warn, "the shift clock could not tick", {{"error", error.what()}});
        }
        timer.expires_after(std::chrono::minutes(1));
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

}  // namespace workforce::workers
