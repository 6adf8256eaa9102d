// Records of CSV.
#include "core/csv.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace workforce::core {
namespace {

constexpr std::size_t kMany = 100;

/// Each record as `line: cells`, or the fault, one a line.
std::string read_all(std::string_view text, std::size_t most = kMany) {
    CsvReader reader(text);
    std::string all;
    while (true) {
        auto const record = reader.next(most);
        if (!record) return all + fmt::format("line {} {}", record.error().line, record.error().message);
        if (!*record) return all;
        all += fmt::format("{}: {}\n", (*record)->line, (*record)->cells);
    }
}

TEST(Csv, LinesEndInAnything) {
    constexpr auto kBoth = "1: [\"a\", \"b\"]\n2: [\"c\", \"\"]\n";
    EXPECT_EQ(read_all("a,b\r\nc,\r\n"), kBoth);
    EXPECT_EQ(read_all("a,b\nc,\n"), kBoth);
    EXPECT_EQ(read_all("a,b\rc,\r"), kBoth);
    EXPECT_EQ(read_all("a,b\nc,"), kBoth);
    EXPECT_EQ(read_all("\xEF\xBB\xBF"
                       "a,b\nc,\n"),
              kBoth);
}

TEST(Csv, LinesOfNothingCountAndAreNoRecords) {
    EXPECT_EQ(read_all(""), "");
    EXPECT_EQ(read_all("\r\n\r\n"), "");
    EXPECT_EQ(read_all("a\n\n\r\nb\n\n"), "1: [\"a\"]\n4: [\"b\"]\n");
    EXPECT_EQ(read_all(","), "1: [\"\", \"\"]\n");
    EXPECT_EQ(read_all("\"\"\n"), "1: [\"\"]\n") << "somebody wrote a cell";
}

TEST(Csv, QuotedCellsHaveCommasQuotesAndLines) {
    EXPECT_EQ(read_all("\"a,b\",\"say \"\"hi\"\"\"\n"), "1: [\"a,b\", \"say \\\"hi\\\"\"]\n");
    EXPECT_EQ(read_all("\"one\r\ntwo\rthree\nfour\",x\nnext\n"),
              "1: [\"one\\ntwo\\nthree\\nfour\", \"x\"]\n5: [\"next\"]\n");
    EXPECT_EQ(read_all("5'10\",\"\"\n"), "1: [\"5'10\\\"\", \"\"]\n") << "a quote within a cell is one";
    EXPECT_EQ(read_all(" \"a\"\n"), "1: [\" \\\"a\\\"\"]\n") << "and so is one behind a blank";
}

TEST(Csv, AQuoteThatIsNotClosedIsAFault) {
    constexpr auto kOpen = "begins a cell with a quote that nothing closes";
    EXPECT_EQ(read_all("a\nb,\"c\n\nd\n"), std::string("1: [\"a\"]\nline 2 ") + kOpen);
    EXPECT_EQ(read_all("\""), std::string("line 1 ") + kOpen);
    EXPECT_EQ(read_all("\"a\"\""), std::string("line 1 ") + kOpen);
    EXPECT_EQ(read_all("\"a\nb\"c\n"), "line 1 has text behind the quote that closes a cell");
}

TEST(Csv, KeepsTheCellsThatAreAskedFor) {
    CsvReader reader("a,b,c,d\ne\n");
    auto const first = reader.next(2).value().value();
    EXPECT_EQ(first.cells, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(first.count, 4U);
    auto const second = reader.next(2).value().value();
    EXPECT_EQ(second.cells, std::vector<std::string>{"e"});
    EXPECT_EQ(second.count, 1U);
    EXPECT_FALSE(reader.next(2).value().has_value());
}

}  // namespace
}  // namespace workforce::core
