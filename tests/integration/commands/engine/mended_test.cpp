// A partition in which somebody else wrote: it is not taken over until that is passed over, and then as if it held
// nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/log/mend.hpp"
#include "events/mended.hpp"
#include "tests/contract/log_writer.hpp"
#include "tests/integration/commands/fixture.hpp"

namespace workforce::tests {
namespace {

using testing::HasSubstr;

class MendedPartitionTest : public CommandsTest {
   protected:
    events::HeadSigner const signer_{"test", master_key_};

    std::unique_ptr<WriteSide> another() {
        auto side = join();
        side->log.set_key({"test", {signer_.public_key()}});
        return side;
    }
    /// Writes what no build knows, as if it were the writer's next event.
    void forge() {
        LogWriter writer(first_->engine, home_);
        ASSERT_TRUE(writer.append({"{}"}));
    }
    void mend(std::int64_t first, events::Head const& last) {
        LogWriter writer(first_->engine, home_);
        auto const named = events::sign_mend(signer_, home_, first, last, "a test");
        auto const claim = events::Claim{home_, writer.claim.epoch, writer.head};
        ASSERT_TRUE(writer.append_records({events::make_record(signer_, claim, named, core::now())}));
    }
    std::string refusal_of(WriteSide& side) {
        try {
            await(side.processor.acquire(home_));
            return {};
        } catch (std::runtime_error const& error) {
            return error.what();
        }
    }
};

TEST_F(MendedPartitionTest, GoesOnAsIfTheRecordHeldNothing) {
    ASSERT_EQ(ask(staff("ada")).status, 201);
    auto const ada = last_id_;
    auto const before = ask(look()).body;
    forge();
    auto const forged = first_->engine.head(home_);
    auto side = another();
    auto const refusal = refusal_of(*side);
    EXPECT_THAT(refusal,
                HasSubstr("partition " + std::to_string(home_) + " position " + std::to_string(forged.position)));
    EXPECT_THAT(refusal, HasSubstr("workforce log mend"));
    mend(forged.position, forged);
    EXPECT_EQ(refusal_of(*side), "");
    EXPECT_EQ(ask(*side, look()).body, before);
    EXPECT_EQ(ask(*side, deactivate(ada)).status, 200) << "versions go on without a gap";
    EXPECT_EQ(stats(*side).head, forged.position + 2);

    auto const after = ask(*side, look()).body;
    side = another();
    EXPECT_EQ(refusal_of(*side), "");
    EXPECT_EQ(ask(*side, look()).body, after);
    side = join();  // without the key
    EXPECT_THAT(refusal_of(*side), HasSubstr("position " + std::to_string(forged.position)));
}

TEST_F(MendedPartitionTest, AMendOfOtherRecordsLetsNobodyPast) {
    ASSERT_EQ(ask(staff("ada")).status, 201);
    forge();
    auto forged = first_->engine.head(home_);
    forged.hash = std::string(64, 'a');
    mend(forged.position, forged);
    auto const side = another();
    EXPECT_THAT(refusal_of(*side), HasSubstr("position " + std::to_string(forged.position)));
}

}  // namespace
}  // namespace workforce::tests
