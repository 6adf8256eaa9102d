// Makes organizations with keys in an installation that does not run, and prints them as JSON: the callers that
// tests/bench/run measures with.
#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "api/admin/administration.hpp"
#include "core/scopes.hpp"
#include "tests/bench/bench.hpp"

namespace workforce::bench {
namespace {

struct CustomerCounts {
    core::ConfigFlags flags{};
    int count = 100;
    int first = 1;
    int others = 1;
};

struct Customer {
    core::Id organizationId = 0;
    std::vector<std::string> keys;
};
BOOST_DESCRIBE_STRUCT(Customer, (), (organizationId, keys))

template <class T>
T expect(core::Result<T> made) {
    if (!made) throw std::runtime_error(made.error().message);
    return *std::move(made);
}

/// What a customer's own people may be given, as often a minute as a key may ask.
events::ApiKeyDetails full_key() {
    events::ApiKeyDetails key;
    key.name = "Benchmark";
    key.rateLimitPerMin = core::Int<1, 6000>(6000);
    for (auto const& scope : core::scope_catalogue()) {
        if (scope.name != "organizations:manage") key.scopes.emplace_back(std::string(scope.name));
    }
    return key;
}

/// The first gets `first` keys, each of the others `others`.
boost::asio::awaitable<std::vector<Customer>> make_customers(workers::Runtime& runtime, CustomerCounts const& counts) {
    std::vector<Customer> customers;
    for (int i = 0; i < counts.count; ++i) {
        events::OrganizationDetails details;
        details.name = fmt::format("Benchmark {}", i);
        details.timezone = "UTC";
        auto const organization = expect(co_await api::create_organization(runtime, std::move(details)));
        Customer customer{organization.id, {}};
        for (int k = 0; k < (i == 0 ? counts.first : counts.others); ++k) {
            customer.keys.push_back(expect(co_await api::create_api_key(runtime, organization.id, full_key())).key);
        }
        customers.push_back(std::move(customer));
    }
    co_return customers;
}

int print_customers(CustomerCounts const& counts) {
    boost::asio::io_context context;
    workers::Runtime runtime(load_config(counts.flags));
    auto made = boost::asio::co_spawn(context, make_customers(runtime, counts), boost::asio::use_future);
    context.run();
    fmt::print("{}\n", core::to_json(made.get()));
    runtime.stop();
    return 0;
}

}  // namespace

void add_customers(CLI::App& bench, Run& run) {
    auto const counts = std::make_shared<CustomerCounts>();
    auto* command = bench.add_subcommand("customers", "Makes organizations with keys and prints them as JSON");
    core::add_config_flags(*command, counts->flags);
    command->add_option("--count", counts->count, "How many")->capture_default_str();
    command->add_option("--first", counts->first, "Keys of the first")->capture_default_str();
    command->add_option("--others", counts->others, "Keys of each other one")->capture_default_str();
    command->callback([&run, counts] { run = [counts] { return print_customers(*counts); }; });
}

}  // namespace workforce::bench
