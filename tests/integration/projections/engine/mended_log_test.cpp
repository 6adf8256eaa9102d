// Read models of a log in which records are passed over: the same rows wherever batches end, live and by a rebuild.
#include <chrono>
#include <thread>

#include "core/connection.hpp"
#include "events/log/mend.hpp"
#include "projections/engine/partition_folder.hpp"
#include "projections/engine/poison.hpp"
#include "tests/integration/projections/fixture.hpp"

namespace workforce::tests {
namespace {

using events::Kind;

class MendedLogTest : public ProjectionsTest {
   protected:
    MendedLogTest() { log_->set_key({"test", {signer_.public_key()}}); }

    void post(core::Id id) { writer_.append(Kind::shift, id, shift_posted(1, "day", "2026-07-24T08:00:00Z")); }
    /// What no build knows. Returns its place.
    events::Head forge() {
        auto const head = log_->head(0);
        writer_.add_raw(make_record(epoch(), head, 1, 1, "{}"));
        writer_.append();
        return log_->head(0);
    }
    void mend(std::int64_t first, events::Head const& last) {
        auto const claim = events::Claim{0, epoch(), log_->head(0)};
        writer_.add_raw(
            events::make_record(signer_, claim, events::sign_mend(signer_, 0, first, last, "a test"), core::now()));
        writer_.append();
    }
    std::int64_t epoch() { return std::stoll(ask("SELECT epoch FROM log.partition WHERE partition = 0")); }
    void rebuild(std::size_t batch) {
        projections::RebuildOptions options{.connection = connection()};
        options.batch_records = batch;
        projections::rebuild(*log_, keyring_, options, {}, {});
    }

    events::HeadSigner const signer_{"test", std::string(32, 'k')};
    EventWriter writer_{*log_, keyring_, 0};
};

TEST_F(MendedLogTest, ReadModelsStandUntilTheMendAndGoOnBehindIt) {
    post(1);
    auto const forged = forge();
    projections::Runner runner(*log_, keyring_, runner_options());
    EXPECT_FALSE(wait_for(runner, 0, forged.position)) << "at once, for all stand still";
    EXPECT_FALSE(runner.progress().status().stopped.empty());
    mend(forged.position, forged);
    post(2);
    core::Connection session(projections::projector_session(connection()));
    for (auto const& event : projections::list_poison(session)) {
        EXPECT_EQ(event.position, forged.position);
        EXPECT_NE(event.error.find("workforce log mend"), std::string::npos) << event.error;
        EXPECT_TRUE(projections::retry_poison(session, event, "ada"));
    }
    auto const goes_on = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    auto const head = log_->head(0).position;
    while (!runner.progress().reached(0, head) && std::chrono::steady_clock::now() < goes_on)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(runner.progress().reached(0, head));
    EXPECT_EQ(ask("SELECT count(*) FROM read.shift WHERE NOT lacks_event"), "2");
}

TEST_F(MendedLogTest, RowsAreTheSameWhereverBatchesEnd) {
    post(1);
    auto const first = forge();
    forge();
    mend(first.position, forge());
    post(2);
    auto const alone = forge();
    post(3);
    mend(alone.position, alone);
    post(4);
    fold();
    auto const rows = checksums();
    EXPECT_EQ(ask("SELECT count(*) FROM read.shift WHERE NOT lacks_event"), "4");
    EXPECT_EQ(ask("SELECT count(*) FROM projection.poison"), "0");
    for (std::size_t batch = 1; batch < 12; ++batch) {
        rebuild(batch);
        EXPECT_EQ(checksums(), rows) << batch;
    }
}

}  // namespace
}  // namespace workforce::tests
