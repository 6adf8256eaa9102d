// The file of tombstones against the database: soon, once, by whoever comes first, and whole again after a loss.
#include "workers/jobs/tombstone_export.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "core/files.hpp"
#include "events/log/installation.hpp"
#include "tests/integration/projections/fixture.hpp"

namespace workforce::tests {
namespace {

class TombstoneExportTest : public ProjectionsTest {
   protected:
    TombstoneExportTest() {
        events::record_installation(database_.url(), "here", "postgres");
        config_.database_url = database_.url();
        config_.tombstones_file = (std::filesystem::temp_directory_path() /
                                   ("workforce-tombstones-" + std::to_string(::getpid()) + ".ndjson"))
                                      .string();
    }
    ~TombstoneExportTest() override { std::filesystem::remove(config_.tombstones_file); }

    void erase(std::string const& person) {
        ask("INSERT INTO vault.person_key (person, destroyed_at) VALUES ('" + person + "', now()) RETURNING 1");
    }
    void revoke(core::Id key) {
        auto const id = std::to_string(key);
        ask("INSERT INTO auth.api_key_secret (digest, key_id, organization_id, revoked_at) VALUES (sha256('" + id +
            "'), " + id + ", 7, now()) RETURNING 1");
    }
    events::Tombstones file() {
        if (!std::filesystem::exists(config_.tombstones_file)) return {};
        return events::read_tombstones(core::read_file(config_.tombstones_file), "here", {signer_.public_key()})
            .value();
    }
    /// Whether the file is whole and names these.
    bool names(std::set<std::string> const& persons, std::set<core::Id> const& keys) {
        auto const named = file();
        return named.persons == persons && named.keys == keys && !named.positions.empty() && named.whole();
    }
    std::size_t lines() {
        auto const text = core::read_file(config_.tombstones_file);
        return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }

    std::string const key_ = std::string(32, 'k');
    events::HeadSigner const signer_{"here", key_};
    core::Config config_;
};

TEST_F(TombstoneExportTest, NamesWhatEndsAndGoesOnWithTheFile) {
    erase("staff/1");
    erase("organization/7/2026-01-01.0");  // the key of answers that are told to nobody any more
    {
        workers::TombstoneExport exporting(*log_, config_, key_);
        exporting.round();
        EXPECT_TRUE(names({"staff/1"}, {}));
        auto const once = lines();
        exporting.round();
        EXPECT_EQ(lines(), once) << "nothing has ended since";
        revoke(7);
        exporting.round();
        EXPECT_TRUE(names({"staff/1"}, {7}));
    }
    auto const before = lines();
    erase("user/2");
    workers::TombstoneExport one(*log_, config_, key_);
    workers::TombstoneExport other(*log_, config_, key_);
    one.round();
    other.round();
    EXPECT_TRUE(names({"staff/1", "user/2"}, {7}));
    EXPECT_LE(lines(), before + 2);
    std::filesystem::remove(config_.tombstones_file);  // as when somebody rotates it
    revoke(8);
    one.round();
    EXPECT_TRUE(names({"staff/1", "user/2"}, {7, 8})) << "a new file has all";
}

TEST_F(TombstoneExportTest, LeavesAFileAloneThatIsNotItsOwn) {
    events::HeadSigner const stranger("elsewhere", key_);
    events::Tombstones others;
    others.persons = {"staff/9"};
    auto const foreign = events::sign_tombstones(others, {}, stranger);
    std::ofstream(config_.tombstones_file) << foreign;
    erase("staff/1");
    workers::TombstoneExport exporting(*log_, config_, key_);
    for (int i = 0; i < 2; ++i) EXPECT_THROW(exporting.round(), std::runtime_error);
    EXPECT_EQ(core::read_file(config_.tombstones_file), foreign);
    std::filesystem::remove(config_.tombstones_file);
    exporting.round();
    EXPECT_TRUE(names({"staff/1"}, {})) << "once it is out of the way";
}

}  // namespace
}  // namespace workforce::tests
