// Which version an answer is in, and what an operator says of versions.
#include "api/versions.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace workforce::api {
namespace {

std::string notes() { return "https://api.test/notes"; }

core::Timestamp last_moment() { return *core::parse_timestamp("2027-12-31T23:59:59.999Z"); }
core::Timestamp after() { return *core::parse_timestamp("2028-01-01T00:00:00.000Z"); }
core::Timestamp never() { throw std::logic_error("nothing asks for the time"); }

std::string fault_of(std::string_view setting) {
    auto const read = read_deprecations(setting);
    return read ? "" : read.error();
}

TEST(Deprecations, AreReadFromOneText) {
    EXPECT_TRUE(read_deprecations("")->empty());
    auto const all = read_deprecations(" 2026-05-10 2026-12-01 2027-12-31 ,2026-07-22  2027-01-01");
    ASSERT_TRUE(all) << all.error();
    ASSERT_EQ(all->size(), 2U);
    EXPECT_EQ((*all)[0].version, "2026-05-10");
    EXPECT_EQ(core::to_string((*all)[0].since), "2026-12-01");
    EXPECT_EQ(core::to_string((*all)[0].sunset.value()), "2027-12-31");
    EXPECT_EQ((*all)[1].version, "2026-07-22");
    EXPECT_FALSE((*all)[1].sunset);
}

TEST(Deprecations, TellWhatIsWrong) {
    auto const has = [](std::string_view setting, std::string_view what) {
        EXPECT_NE(fault_of(setting).find(what), std::string::npos) << setting << ": " << fault_of(setting);
    };
    has("2026-05-10", "must be a version");
    has("2026-05-10 2026-12-01 2027-12-31 2028-12-31", "must be a version");
    has("2026-05-11 2026-12-01", "no version 2026-05-11");
    has("2026-07-24 2026-12-01", "latest");
    has("2026-05-10 2026-12-32", "2026-12-32 is no date");
    has("2026-05-10 2026-12-01 soon", "soon is no date");
    has("2026-05-10 2026-12-01 2027-11-30", "12 months");
    has("2026-05-10 2026-12-01 2026-01-01", "12 months");
    has("2026-05-10 2028-02-29 2029-02-28", "12 months");
    has("2026-05-10 2026-12-01, 2026-05-10 2026-12-02", "twice");
    EXPECT_EQ(fault_of("2026-05-10 2026-12-01 2027-12-01"), "");
    EXPECT_EQ(fault_of("2026-05-10 2028-02-29 2029-03-01"), "");
}

std::string header(ServedVersion const& version, std::string_view name) {
    for (auto const& [field, value] : version.headers) {
        if (field == name) return value;
    }
    return "";
}

TEST(Versions, AreAnsweredUntilTheEndOfTheirLastDay) {
    auto const deprecations = *read_deprecations("2026-05-10 2026-12-01 2027-12-31, 2026-07-22 2027-01-04");
    Versions const versions(deprecations, {}, notes());
    auto const open = versions.pick("2026-05-10", last_moment);
    EXPECT_FALSE(open.refusal);
    EXPECT_EQ(open.version->date, "2026-05-10");
    EXPECT_EQ(header(*open.version, "Deprecation"), "Tue, 01 Dec 2026 00:00:00 GMT");
    EXPECT_EQ(header(*open.version, "Sunset"), "Fri, 31 Dec 2027 23:59:59 GMT");
    EXPECT_EQ(header(*open.version, "Link"), "<https://api.test/notes>; rel=\"deprecation\"");
    auto const over = versions.pick("2026-05-10", after);
    ASSERT_TRUE(over.refusal);
    EXPECT_EQ(over.refusal->code, core::Code::version_sunset);
    EXPECT_EQ(over.refusal->details, R"({"latest":"2026-07-24"})");
    EXPECT_EQ(over.version->date, "2026-05-10") << "the refusal is in the version that was asked for";
    EXPECT_EQ(over.version, open.version);

    auto const lasting = versions.pick("2026-07-22", never);
    EXPECT_FALSE(lasting.refusal);
    EXPECT_EQ(header(*lasting.version, "Deprecation"), "Mon, 04 Jan 2027 00:00:00 GMT");
    EXPECT_EQ(header(*lasting.version, "Sunset"), "");
    EXPECT_TRUE(versions.pick("2026-07-23", never).version->headers.empty());
    EXPECT_EQ(versions.pick(std::nullopt, never).version->date, kLatestVersion);
}

TEST(Versions, RefuseWhatIsNone) {
    Versions const versions({}, {}, notes());
    auto const unknown = versions.pick("2026-05-11", never);
    EXPECT_EQ(unknown.refusal.value().code, core::Code::unsupported_version);
    EXPECT_EQ(unknown.version->date, kLatestVersion);
    EXPECT_EQ(versions.pick("", never).refusal.value().code, core::Code::validation_error);
}

TEST(Versions, DocumentTellsDatesAndChanges) {
    auto const deprecations = *read_deprecations("2026-05-10 2026-12-01 2027-12-31");
    std::vector<VersionChange> const changes{{.version = "2026-07-22", .note = "Things have names."}};
    auto const document = nlohmann::json::parse(Versions(deprecations, changes, notes()).document());
    EXPECT_EQ(document["latest"], "2026-07-24");
    ASSERT_EQ(document["versions"].size(), 4U);
    auto const& first = document["versions"][0];
    EXPECT_EQ(first["date"], "2026-05-10");
    EXPECT_EQ(first["deprecated"], "2026-12-01");
    EXPECT_EQ(first["sunset"], "2027-12-31");
    EXPECT_EQ(first["changes"].size(), 0U);
    auto const& second = document["versions"][1];
    EXPECT_EQ(second["sunset"], nullptr);
    EXPECT_EQ(second["changes"], nlohmann::json::array({"Things have names."}));
}

TEST(Versions, TakeChangesOfVersionsInOrder) {
    std::vector<VersionChange> const disorder{{.version = "2026-07-24", .note = "x"},
                                              {.version = "2026-07-22", .note = "x"}};
    EXPECT_THROW(Versions({}, disorder, notes()), std::logic_error);
    std::vector<VersionChange> const unknown{{.version = "2026-07-25", .note = "x"}};
    EXPECT_THROW(Versions({}, unknown, notes()), std::logic_error);
    std::vector<VersionChange> const first{{.version = "2026-05-10", .note = "x"}};
    EXPECT_THROW(Versions({}, first, notes()), std::logic_error) << "there is nothing before it";
}

}  // namespace
}  // namespace workforce::api
