// What a reactor is: it folds events into rows of its own and into work, which workers of all processes do.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <pqxx/row>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/session_pool.hpp"
#include "events/keyring.hpp"
#include "events/log/log.hpp"
#include "projections/engine/projection.hpp"
#include "workers/engine/work_table.hpp"

namespace workforce::workers {

class Mailer;

/// An operation that the installation itself asks for.
struct OperationRequest {
    std::string verb;
    core::Id organization = 0;
    bool sandbox = false;
    core::Id id = 0;               ///< of what it acts on; 0: nothing
    std::string body = "{}";       ///< its input
    std::string key;               ///< under which it is done once: the reactor's name and the work row's id
    std::string correlation_id{};  ///< request id of the first cause
    std::string event_id{};        ///< event that led to it
};

/// What came of it, as a client would get it.
struct OperationAnswer {
    unsigned status = 200;
    std::string body;
    std::optional<core::Code> refused{};
};

/// Asks for an operation, whichever process serves it, and awaits the answer. Errors: SERVICE_UNAVAILABLE,
/// LOG_UNAVAILABLE; to be asked again under the same key.
using SubmitOperation = std::function<core::Result<OperationAnswer>(OperationRequest)>;
/// The same, for coroutines.
using AskOperation = std::function<boost::asio::awaitable<core::Result<OperationAnswer>>(OperationRequest)>;

/// What work can be done with.
struct Effects {
    events::Keyring& keyring;
    Mailer& mailer;
    SubmitOperation submit{};
};

/// Asks for the operation, for what does a row's work. Errors: std::runtime_error, which says why it was not done.
OperationAnswer submit_or_throw(Effects const& effects, OperationRequest request);

/// How long a worker has for what it claims at a time.
inline constexpr std::chrono::seconds kWorkLease{10};
/// The same where somebody outside may be asked, who takes up to 20 s.
inline constexpr std::chrono::seconds kOutsideWorkLease{45};

/// A reactor as the list has it.
struct ReactorType {
    std::string_view name;
    int revision = 1;                   ///< of its fold
    std::vector<events::Kind> kinds{};  ///< whose events its fold wants
    /// Makes the handlers for a partition. They fold, in the transaction that moves the checkpoint, what decisions
    /// depend on, and add work for events past acts_after(); statements name tables without a schema. A reactor is
    /// never rebuilt.
    std::unique_ptr<projections::Projection> (*make)(events::Keyring& keyring) = nullptr;
    WorkTable const* work = nullptr;  ///< null: what it leads to is no work of its own
    /// Does the work of rows, once however often it is called for them. Blocks, for less than the lease. Any
    /// exception: each row is tried alone, and later again; its text is no personal data. Null: an engine of the
    /// reactor's own claims the rows.
    void (*perform)(std::span<pqxx::row const> rows, Effects const& effects) = nullptr;
    std::size_t together = 1;  ///< rows that perform is given at most
    /// Somebody outside may be asked: a row at a time is claimed, for kOutsideWorkLease, and a process does several at
    /// once, apart from what other reactors do.
    bool asks_outside = false;

    [[nodiscard]] std::chrono::seconds lease() const { return asks_outside ? kOutsideWorkLease : kWorkLease; }
};

/// For ReactorType::make, where all that a reactor remembers stands in its tables: `Batch(connection, keyring,
/// partition).fold(events)` folds a batch of events.
template <class Batch>
std::unique_ptr<projections::Projection> fold_by(events::Keyring& keyring) {
    class Fold final : public projections::Projection {
       public:
        explicit Fold(events::Keyring& keyring) : keyring_(keyring) {}
        void apply(core::Connection& connection, int partition, std::span<events::Event const> events) override {
            Batch(connection, keyring_, partition).fold(events);
        }
        void forget() override {}

       private:
        events::Keyring& keyring_;
    };
    return std::make_unique<Fold>(keyring);
}

/// All reactors. A new one adds its line in workers/reactors/reactors.hpp and .cpp and its tables in a migration.
std::span<ReactorType const> reactors();

/// Their folds, for projections::Runner over projections::Tables::reactors. The keyring outlives them.
std::vector<projections::ProjectionType> reactor_folds(events::Keyring& keyring,
                                                       std::span<ReactorType const> types = reactors());

/// The position up to which events at the partition are only folded, for handlers in their transaction.
std::int64_t acts_after(core::Connection& connection, std::string_view reactor, int partition);

/// Records where reactors begin that have no checkpoint yet: they fold the whole log, and act on what comes after its
/// heads of now; those that have some checkpoints act on all events of a partition that is new. To be called before
/// any process knows the reactor. The session is the owner's. Blocks. Errors: pqxx's, events::LogUnavailable.
/// `open_log` is called only where a reactor is new.
void record_starts(core::Connection& connection, int partitions,
                   std::function<std::unique_ptr<events::EventLog>()> const& open_log,
                   std::span<ReactorType const> types = reactors());

/// Does what work is due until none is, or a stop is asked for, and returns how many rows had their effect; several may
/// do so at once. Blocks. A row that fails is postponed, which is logged. Errors: core::DatabaseUnavailable.
/// `outside` is whose work: that of reactors that may ask outside, or that of the others; nothing: of all.
int work_off(core::SessionPool& sessions, Effects const& effects, std::stop_token const& stop = {},
             std::span<ReactorType const> types = reactors(), std::optional<bool> outside = std::nullopt);

}  // namespace workforce::workers
