// Signed tombstones: each name once, nothing altered or left out passes.
#include "events/log/tombstones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace workforce::tests {
namespace {

using events::Tombstones;
using testing::ElementsAre;
using testing::StartsWith;

events::HeadSigner const& signer() {
    static events::HeadSigner const one("here", std::string(32, 'k'));
    return one;
}
auto read(std::string const& lines) { return events::read_tombstones(lines, "here", {signer().public_key()}); }

Tombstones ended(std::set<std::string> persons, std::set<core::Id> keys) {
    return {.persons = std::move(persons), .keys = std::move(keys), .time = {1'784'880'000'000}, .positions = {41, -1}};
}

TEST(Tombstones, ComeBackAndAreNamedOnce) {
    auto const first = ended({"staff/1", "user/2"}, {7});
    auto file = events::sign_tombstones(first, {}, signer());
    auto const known = read(file).value();
    EXPECT_EQ(known.persons, first.persons);
    EXPECT_EQ(known.keys, first.keys);
    EXPECT_TRUE(known.whole());
    auto more = ended({"staff/1", "staff/3", "user/2"}, {7});
    more.time.ms += 1000;
    more.positions = {42, 0};
    auto const line = events::sign_tombstones(more, known, signer());
    EXPECT_EQ(line.find("staff/1"), std::string::npos) << "named before";
    file += line;
    auto const all = read(file).value();
    EXPECT_EQ(all.persons, more.persons);
    EXPECT_EQ(all.time, more.time);
    EXPECT_THAT(all.positions, ElementsAre(42, 0));
    auto const nothing = events::sign_tombstones(more, all, signer());
    EXPECT_EQ(std::count(nothing.begin(), nothing.end(), '\n'), 1) << "that nothing ended is told, too";
    EXPECT_TRUE(read(file + nothing)->whole());
}

TEST(Tombstones, ManyTakeSeveralLines) {
    Tombstones many = ended({}, {});
    for (core::Id id = 1; id <= 2500; ++id) many.persons.insert("staff/" + std::to_string(id));
    for (core::Id id = 1; id <= 1000; ++id) many.keys.insert(id);
    auto const file = events::sign_tombstones(many, {}, signer());
    EXPECT_EQ(std::count(file.begin(), file.end(), '\n'), 3);
    auto const all = read(file).value();
    EXPECT_EQ(all.persons, many.persons);
    EXPECT_EQ(all.keys, many.keys);
    auto const cut = read(file.substr(file.find('\n') + 1)).value();
    EXPECT_FALSE(cut.whole()) << "the others count what is missing";
    EXPECT_TRUE(read(file + file.substr(0, 1000)).value().whole()) << "a torn last line is none";
}

TEST(Tombstones, NothingAlteredPasses) {
    auto const line = events::sign_tombstones(ended({"staff/1"}, {7}), {}, signer());
    auto const altered = [&](std::string const& from, std::string const& to) {
        auto text = line;
        text.replace(text.find(from), from.size(), to);
        auto const outcome = read(line + text);
        return outcome ? "" : outcome.error();
    };
    EXPECT_EQ(altered("staff/1", "staff/1"), "");
    EXPECT_THAT(altered("staff/1", "staff/2"), StartsWith("line 2 was not signed"));
    EXPECT_THAT(altered(R"("keys":[7])", R"("keys":[])"), StartsWith("line 2 was not signed"));
    EXPECT_THAT(altered(R"("keyCount":1)", R"("keyCount":0)"), StartsWith("line 2 was not signed"));
    EXPECT_THAT(altered("[41,-1]", "[99,-1]"), StartsWith("line 2 was not signed"));
    EXPECT_THAT(altered("here", "there"), StartsWith("line 2 is of installation 'there'"));
    EXPECT_THAT(read("{}\n").error(), StartsWith("line 1 "));
    EXPECT_THAT(read("x\n\n").error(), StartsWith("line 1 is no JSON"));
    events::HeadSigner const other("here", std::string(32, 'x'));
    EXPECT_FALSE(events::read_tombstones(line, "here", {other.public_key()}));
    // A signature of heads is none of tombstones, though the key is the same.
    EXPECT_NE(signer().signature_of("workforce log head 1\n"), signer().signature_of("workforce tombstones 1\n"));
}

}  // namespace
}  // namespace workforce::tests
