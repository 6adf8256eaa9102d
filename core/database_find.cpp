// Short statements by the pipeline of the caller's io_context, and by the pool where that is not to be had.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <map>
#include <pqxx/except>
#include <utility>

#include "core/database.hpp"

namespace workforce::core {
namespace {

/// The pipelines of an io_context, which end with it.
class Pipelines : public boost::asio::execution_context::service {
   public:
    using key_type = Pipelines;  // NOLINT(readability-identifier-naming): Asio asks for it
    inline static boost::asio::execution_context::id id;

    explicit Pipelines(boost::asio::execution_context& context) : service(context) {}

    std::map<std::uint64_t, std::shared_ptr<Pipeline>> by_database;  // on the context's thread only

   private:
    void shutdown() override {
        // Who waits holds the pipeline that holds who waits.
        for (auto const& [number, pipeline] : std::exchange(by_database, {})) {
            if (pipeline) pipeline->abandon();
        }
    }
};

/// Counts a query while it waits, also when its coroutine is destroyed meanwhile.
struct Counted {
    std::atomic<std::size_t>& count;
    CountOne waiting;
    Counted(std::atomic<std::size_t>& of, SessionUse& use) : count(of), waiting(use.waiting) { ++count; }
    Counted(Counted const&) = delete;
    Counted& operator=(Counted const&) = delete;
    ~Counted() { --count; }
};

Rows rows_of(pqxx::result const& result) {
    Rows rows;
    for (auto const& row : result) {
        auto& fields = rows.emplace_back();
        for (auto const& field : row) {
            fields.push_back(field.is_null() ? Parameter() : Parameter(std::in_place, read_view(field)));
        }
    }
    return rows;
}

}  // namespace

std::shared_ptr<Pipeline> Database::pipeline_of(boost::asio::any_io_executor const& executor) {
    auto& context = boost::asio::query(executor, boost::asio::execution::context);
    auto& own = boost::asio::use_service<Pipelines>(context).by_database;
    auto const [found, added] = own.try_emplace(number_);
    // As many as the pool has threads: io_contexts past these make do with it.
    if (added && pipelines_.fetch_add(1) < options_.threads) {
        found->second = std::make_shared<Pipeline>(executor, options_.queue_limit);
    }
    return found->second;
}

boost::asio::awaitable<void> Database::open(std::shared_ptr<Pipeline> pipeline) {
    try {
        // By the pool, which waits, and refuses at once for a while when there is no server. Where it is new sessions
        // alone that can't be had, the one of the pool's thread is none the worse for it.
        auto session = co_await run([this](Connection&) {
            try {
                auto opened = Pipeline::open(options_.connection);
                if (opened) ++connects_;
                return opened;
            } catch (pqxx::failure const&) {
                return Pipeline::NewSession();
            }
        });
        pipeline->use(std::move(session));
    } catch (std::exception const&) {
        pipeline->use(nullptr);  // a later query tries again
    }
}

boost::asio::awaitable<Rows> Database::find(Query query) {
    auto const executor = co_await boost::asio::this_coro::executor;
    if (auto const pipeline = pipeline_of(executor)) {
        if (pipeline->wants_session()) boost::asio::co_spawn(executor, open(pipeline), boost::asio::detached);
        if (!pipeline->has_room(query.context)) throw DatabaseBusy();
        Counted const counted(finding_, pool_.use());
        auto rows = co_await pipeline->run(query);
        if (rows) co_return *std::move(rows);
    }
    auto const context = query.context;
    auto execute = [query = std::move(query)](Connection& connection) {
        return rows_of(connection.execute_prepared(query.statement, query.parameters));
    };
    co_return co_await run(std::move(execute), context);
}

}  // namespace workforce::core
