// Files that only grow: torn lines are cut, what can't be written whole is taken back.
#include "core/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace workforce::tests {
namespace {

class FilesTest : public testing::Test {
   protected:
    FilesTest() { std::filesystem::create_directories(directory_); }
    ~FilesTest() override { std::filesystem::remove_all(directory_); }

    [[nodiscard]] std::string path(std::string const& name) const { return (directory_ / name).string(); }
    static std::string read(std::string const& path) {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
    static void put(std::string const& path, std::string const& text) { std::ofstream(path) << text; }

    std::filesystem::path const directory_ =
        std::filesystem::temp_directory_path() / ("workforce-files-" + std::to_string(::getpid()));
};

TEST_F(FilesTest, AppendedLinesStandBehindWholeOnes) {
    auto const file = path("lines");
    core::append_to_file(file, "{\"a\":1}\n");
    core::append_to_file(file, "{\"a\":2}\n{\"a\":3}\n");
    EXPECT_EQ(read(file), "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
}

TEST_F(FilesTest, TornLastLineIsCutOff) {
    auto const file = path("lines");
    put(file, "{\"a\":1}\n{\"a\":2");
    core::append_to_file(file, "{\"a\":3}\n");
    EXPECT_EQ(read(file), "{\"a\":1}\n{\"a\":3}\n");
    put(file, "{\"a\"");
    core::append_to_file(file, "{\"a\":3}\n");
    EXPECT_EQ(read(file), "{\"a\":3}\n");
}

TEST_F(FilesTest, LastLineThatLacksItsLineFeedAloneStays) {
    auto const file = path("lines");
    put(file, "{\"a\":1}\n{\"a\":2}");
    core::append_to_file(file, "{\"a\":3}\n");
    EXPECT_EQ(read(file), "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
}

TEST_F(FilesTest, WhatIsNoFileOfLinesIsLeftAlone) {
    auto const file = path("lines");
    std::string const other(100'000, 'x');
    put(file, other);
    EXPECT_THROW(core::append_to_file(file, "{}\n"), std::runtime_error);
    EXPECT_EQ(read(file), other);
}

TEST_F(FilesTest, WhatDoesNotFitIsTakenBack) {
    auto const file = path("lines");
    core::append_to_file(file, "{\"a\":1}\n");
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit const small{12, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    std::string error;
    try {
        core::append_to_file(file, "{\"a\":2}\n");
    } catch (std::runtime_error const& failed) {
        error = failed.what();
    }
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_THAT(error, testing::StartsWith(file + ": "));
    EXPECT_EQ(read(file), "{\"a\":1}\n");
    core::append_to_file(file, "{\"a\":3}\n");
    EXPECT_EQ(read(file), "{\"a\":1}\n{\"a\":3}\n");
}

TEST_F(FilesTest, WholeFileReplacesAnotherOrLeavesIt) {
    auto const file = path("manifest");
    core::write_whole_file(file, "first\n");
    core::write_whole_file(file, "second\n");
    EXPECT_EQ(read(file), "second\n");
    std::filesystem::create_directory(path("manifest.part"));
    EXPECT_THROW(core::write_whole_file(file, "third\n"), std::runtime_error);
    EXPECT_EQ(read(file), "second\n");
    EXPECT_THROW(core::write_whole_file(path("nowhere/manifest"), "x"), std::runtime_error);
}

}  // namespace
}  // namespace workforce::tests
