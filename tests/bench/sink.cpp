// A subscriber that takes all webhooks: how many came, and how long after their events. POST anything; GET /take tells
// of what came since the last time, and forgets it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.hpp"
#include "net/server.hpp"
#include "tests/bench/bench.hpp"

namespace workforce::bench {
namespace {

constexpr std::string_view kTime = R"("occurredAt":")";
constexpr std::size_t kTimeLength = 24;  // "2026-07-24T10:00:00.000Z"

class Sink {
   public:
    boost::asio::awaitable<net::Reply> answer(net::Request const& request) {
        net::Reply reply;
        if (request.path() == "/take") {
            reply.body = take();
        } else {
            note(request.body);
            reply.status = 204;
        }
        co_return reply;
    }

   private:
    void note(std::string_view body) {
        auto const now = core::now();
        auto const at = body.rfind(kTime);
        if (at == std::string_view::npos) return;
        auto const time = core::parse_timestamp(body.substr(at + kTime.size(), kTimeLength));
        std::lock_guard const lock(mutex_);
        if (time) after_ms_.push_back(now.ms - time->ms);
    }
    std::string take() {
        std::vector<std::int64_t> all;
        {
            std::lock_guard const lock(mutex_);
            all.swap(after_ms_);
        }
        std::ranges::sort(all);
        auto const part = [&](std::size_t percent) { return all.empty() ? 0 : all[(all.size() - 1) * percent / 100]; };
        return fmt::format(R"({{"count":{},"p50_ms":{},"p99_ms":{},"max_ms":{}}})", all.size(), part(50), part(99),
                           part(100));
    }

    std::mutex mutex_;
    std::vector<std::int64_t> after_ms_;
};

}  // namespace

void add_sink(CLI::App& bench, Run& run) {
    auto const options = std::make_shared<net::ServerOptions>();
    options->threads = 1;
    auto* command = bench.add_subcommand("sink", "A subscriber that takes all webhooks");
    command->add_option("--port", options->ports.front().number, "Port on 127.0.0.1")->required();
    command->callback([&run, options] {
        run = [options] {
            Sink sink;
            net::Server server(*options, [&](net::Request const& request) { return sink.answer(request); });
            return serve(server);
        };
    });
}

}  // namespace workforce::bench
