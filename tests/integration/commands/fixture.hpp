// One organization on a real log, the write sides that take its commands, and a client that sends them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "commands/api_key.hpp"
#include "commands/engine/processor.hpp"
#include "commands/erasure.hpp"
#include "commands/facility.hpp"
#include "commands/organization.hpp"
#include "commands/shift.hpp"
#include "commands/staff.hpp"
#include "commands/user.hpp"
#include "commands/user_sign_in.hpp"
#include "core/crypto.hpp"
#include "events/log/postgres/postgres_log.hpp"
#include "events/postgres_keyring.hpp"
#include "projections/engine/runner.hpp"
#include "tests/support/await.hpp"
#include "tests/support/gated_log.hpp"
#include "tests/support/test_database.hpp"
#include "workers/store/row_store.hpp"

namespace workforce::tests {

using commands::Reply;
using commands::Submission;
using core::Code;
using core::Id;
using events::Kind;

inline constexpr int kPartitionCount = 2;

/// Stands for a process's leases: which partitions it may claim, at this moment.
using MayClaim = std::function<boost::asio::awaitable<bool>(int)>;

/// How much write sides remember of what read models tell as well: all, kSomeBytes, or nothing beyond the commands in
/// hand.
enum class Recall : std::uint8_t { all, some, nothing };
inline constexpr std::size_t kSomeBytes = 512 << 10;

/// What one process writes with. Without `may_claim` it claims a partition at the first command there, or at take_over.
struct WriteSide {
    WriteSide(std::string const& url, std::string const& master_key, MayClaim const& may_claim = {},
              Recall recall = Recall::all, commands::AnswerKeyUse const& answer_keys = {})
        : engine({url}),
          log(engine),
          keyring({url, "workforce_writer", master_key, 2}),
          encoder("urn:workforce:test", keyring),
          database({{.url = url, .role = "workforce_writer"}, 2}),
          store({.url = url}, 2),
          reservations({.url = url}, master_key, 1),
          processor(log, encoder, keyring, database, clock, "a test", may_claim, {}, residency(recall, answer_keys)) {
        await(database.run([this](core::Connection& connection) { clock.compare(connection); }));
    }
    ~WriteSide() {
        log.hold_reads(false);
        log.release();
        processor.stop();
        database.stop();
        engine.stop();
    }

    commands::Residency residency(Recall recall, commands::AnswerKeyUse const& answer_keys) {
        if (recall == Recall::all) return {.reservations = &reservations, .answer_keys = answer_keys};
        return {.store = &store,
                .reservations = &reservations,
                .limits = {.bytes = recall == Recall::some ? kSomeBytes : 0, .answer_bytes = 0, .most_bytes = 4 << 20},
                .tidy_pause = std::chrono::milliseconds(1),
                .answer_keys = answer_keys};
    }

    void take_over() {
        for (auto const& partition : processor.partitions()) await(processor.acquire(partition->number()));
    }

    events::PostgresLog engine;
    GatedLog log;
    events::PostgresKeyring keyring;
    events::Encoder encoder;
    core::Database database;
    workers::RowStore store;
    commands::Reservations reservations;
    std::atomic<std::int64_t> ahead_ms = 0;  ///< of its wall clock
    core::CheckedClock clock{[this] { return core::Timestamp{core::now().ms + ahead_ms}; }};
    commands::Processor processor;
};

/// Another process, which folds read models.
struct ReadSide {
    ReadSide(std::string const& url, std::string const& master_key)
        : log({url}),
          keyring({url, "workforce_writer", master_key, 2}),
          runner(log, keyring, {.connection = {.url = url}}) {}
    ~ReadSide() {
        log.stop();
        runner.stop();
    }

    events::PostgresLog log;
    events::PostgresKeyring keyring;
    projections::Runner runner;
};

/// Where a command's reply will be.
using Call = std::shared_ptr<std::optional<Reply>>;

/// The client lives on the test's thread: a call that is unanswered stays so until the test looks.
class CommandsTest : public testing::Test {
   protected:
    static constexpr Id kOrganization = 7;
    static constexpr Id kFacility = 1;

    explicit CommandsTest(Recall recall = Recall::all) : recall_(recall) {
        events::PostgresLog::initialize(database_.url(), kPartitionCount);
        if (recall != Recall::all) fold_read_models();
        caller_.actor = {events::ActorType::user, 3, 3};
        caller_.credential = 3;
        caller_.organization = kOrganization;
        caller_.may_assign = true;
        caller_.request_id = "req_test";
        first_ = join();
        home_ = await(first_->processor.homes().reserve(kOrganization));
        commands::CreateOrganization organization;
        organization.name = "Harbour Care";
        EXPECT_EQ(ask(*first_, make(organization)).status, 200);
        commands::CreateFacility facility;
        facility.name = "North";
        facility.timezone = "UTC";
        caller_.new_ids = {kFacility};
        EXPECT_EQ(ask(*first_, make(facility)).status, 200);
        first_->log.take_passed();
    }

    /// One more process on the same log, which has claimed nothing yet.
    std::unique_ptr<WriteSide> join(MayClaim const& may_claim = {}) {
        auto side = std::make_unique<WriteSide>(database_.url(), master_key_, may_claim, recall_, answer_keys_);
        await(side->processor.homes().find(kOrganization));  // known from here on: a submission is then queued at once
        return side;
    }
    /// Ends the first process and starts another in its place.
    void restart() {
        first_.reset();
        first_ = join();
        first_->take_over();
    }

    /// A command of the caller, whose refusals read as their code.
    template <class Command>
    Submission make(Command command, events::AggregateRef target = {}) const {
        return finished(commands::make_submission(std::move(command), caller_), target);
    }
    static Submission finished(Submission submission, events::AggregateRef target = {}) {
        submission.target = target;
        submission.render_problem = [](core::Problem const& p) { return std::string(core::info(p.code).name); };
        return submission;
    }
    static Submission keyed(Submission submission, std::string key, std::string fingerprint = "the request") {
        submission.idempotency = {std::move(key), std::move(fingerprint)};
        return submission;
    }
    /// A new person; each call has an id of its own.
    Submission staff(std::string const& name) {
        commands::CreateStaff command;
        command.firstName = core::Name(name);
        command.lastName = core::Name("Tester");
        command.email = core::Email(name + "@example.test");
        caller_.new_ids = {++last_id_};
        auto submission = make(std::move(command));
        submission.success_status = 201;
        submission.location_prefix = "/api/staff/";
        return submission;
    }
    /// A new person with so many times two thousand bytes of work history.
    Submission large_staff(std::size_t items) {
        std::vector<events::WorkHistoryItem> history(items);
        for (auto& item : history) item.description = std::string(2'000, 'h');
        commands::CreateStaff command;
        command.firstName = core::Name("Ada");
        command.lastName = core::Name("Large");
        command.email = core::Email("large" + std::to_string(last_id_) + "@example.test");
        command.workHistory = core::Personal<std::vector<events::WorkHistoryItem>>(std::move(history));
        caller_.new_ids = {++last_id_};
        return make(std::move(command));
    }
    Submission deactivate(Id person) const {
        return make(commands::DeactivateStaff{person, std::nullopt}, {Kind::staff, person});
    }
    /// A new shift of one day for one person.
    Submission shift(std::string const& date = "2031-03-03") {
        commands::CreateShift command;
        command.facilityId = kFacility;
        command.title = "Day";
        command.date = core::parse_date(date).value();
        command.startTime = core::parse_time_of_day("08:00").value();
        command.endTime = core::parse_time_of_day("16:00").value();
        caller_.new_ids = {++last_id_};
        return make(std::move(command));
    }
    Submission assign(Id to, Id person) const {
        commands::AssignStaff command;
        command.id = to;
        command.staffId = person;
        return make(std::move(command), {Kind::shift, to});
    }
    /// Does nothing and answers with all that the partition remembers of the organization.
    Submission look() const {
        Submission submission;
        submission.context = caller_;
        submission.decide = [](auto&&...) { return commands::Decision{}; };
        submission.render = [](commands::View const& view, commands::Decision const&) {
            return commands::Rendered{describe(view.state()), {}};
        };
        return finished(std::move(submission));
    }

    /// Submits the command; it has its place in the queue when this returns.
    Call send(WriteSide& side, Submission submission) {
        auto call = std::make_shared<std::optional<Reply>>();
        auto const before = queued_ever(side);
        boost::asio::co_spawn(client_, run(&side.processor, std::move(submission), call), boost::asio::detached);
        // A look-up of its answer may come first, which resumes here.
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!answered(call) && queued_ever(side) == before && std::chrono::steady_clock::now() < deadline) {
            client_.run_one_for(std::chrono::milliseconds(1));
        }
        return call;
    }
    bool answered(Call const& call) {
        poll();
        return call->has_value();
    }
    /// Waits for the reply, for at most half a minute.
    Reply reply(Call const& call) {
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!answered(call)) {
            if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("no reply");
            client_.run_one_for(std::chrono::milliseconds(100));
        }
        return **call;
    }
    Reply ask(WriteSide& side, Submission submission) {
        forget(side);
        return reply(send(side, std::move(submission)));
    }
    /// Where read models are folded: waits until the side has forgotten all that they tell.
    void forget(WriteSide& side) {
        if (!runner_ || recall_ != Recall::nothing) return;
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        auto const& now = stats(side);
        while (now.aggregates != 0 || now.answers != 0) {
            if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("it does not forget");
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    Reply ask(Submission submission) { return ask(*first_, std::move(submission)); }

    /// The bodies of the organization's partition, and the events in them.
    /// All that stands in the partition, whoever wrote it.
    std::vector<events::Record> records() {
        std::vector<events::Record> all;
        for (;;) {
            auto page = first_->engine.read(home_, static_cast<std::int64_t>(all.size()), 100'000, 1 << 28);
            if (page.empty()) return all;
            std::move(page.begin(), page.end(), std::back_inserter(all));
        }
    }
    std::vector<events::Event> history() { return events::decode_all(records(), first_->keyring); }
    template <class E>
    std::size_t count() {
        auto const all = history();
        return static_cast<std::size_t>(
            std::count_if(all.begin(), all.end(), [](auto const& event) { return events::is<E>(event.data); }));
    }
    /// As the owner of the tables, past all rules.
    void tamper(std::string const& sql) { database_.query(sql); }
    commands::PartitionStats const& stats(WriteSide& side) const {
        return side.processor.partitions().at(static_cast<std::size_t>(home_))->stats();
    }

    static std::string describe(commands::OrganizationState const& state);

    Recall const recall_;
    TestDatabase database_;
    std::string const master_key_ = core::random_bytes(32);
    commands::AnswerKeyUse answer_keys_;  // of processes that join
    std::unique_ptr<ReadSide> runner_;
    boost::asio::io_context client_{1};  // before the write sides, which answer to it until they end
    commands::Context caller_;
    std::unique_ptr<WriteSide> first_;
    int home_ = -1;
    Id last_id_ = 100;

    void fold_read_models() { runner_ = std::make_unique<ReadSide>(database_.url(), master_key_); }

   private:
    static boost::asio::awaitable<void> run(commands::Processor* processor, Submission submission, Call call) {
        *call = co_await processor->submit(std::move(submission));
    }
    static std::uint64_t queued_ever(WriteSide& side) {
        std::uint64_t all = 0;
        for (auto const& partition : side.processor.partitions()) all += partition->stats().queued_ever;
        return all;
    }
    void poll() {
        client_.restart();
        client_.poll();
    }
};

}  // namespace workforce::tests
